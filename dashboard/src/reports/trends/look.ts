// How Trends shows its lines.
//   LO1. What is stacked adds up: counts and sums, without formulas and none below zero. Anything else is shown as lines.
import type {View} from '../../../../src/asks/address.js';
import {measureOf, type TrendsDraft} from './series.js';

export type Look = NonNullable<View['look']> | 'lines';

export const looks: readonly (readonly [Look, string])[] = [
  ['lines', 'Lines'],
  ['stacked', 'Stacked areas'],
  ['bars', 'Stacked bars'],
  ['number', 'Numbers'],
  ['table', 'Table'],
];

export const isStack = (look: Look): boolean => look === 'stacked' || look === 'bars';

/** LO1 */
export const canLook = (question: TrendsDraft, look: Look): boolean =>
  !isStack(look) ||
  ((question.formulas ?? []).length === 0 &&
    (question.events ?? []).every((one) => ['total', 'sum'].includes(measureOf(one))));

/** `values`: of the lines, as far as they are known. LO1 */
export function lookOf(question: TrendsDraft, values: readonly (readonly (number | null)[])[] = []): Look {
  const look = question.view?.look ?? 'lines';
  const isBelowZero = values.some((line) => line.some((value) => (value ?? 0) < 0));
  return canLook(question, look) && !(isStack(look) && isBelowZero) ? look : 'lines';
}
