// Conditions on properties and traits as parts of an address, in the form of the API: `where=plan eq pro`.
import {conditionsMax} from '../../../actors/limits.js';
import {type Condition, type Operator, operators, takesNoValue} from '../../../actors/report/rows/condition.js';
import {readCondition, writeCondition} from '../../../actors/report/rows/condition-text.js';
import type {Parameter} from './codec.js';

export type {Condition, Operator};
export {conditionsMax, operators, readCondition, takesNoValue, writeCondition};

const expected = 'a condition such as "plan eq pro" or "amount gte 10"';

/** A parameter of up to `conditionsMax` conditions, all of which must hold. */
export const conditions: Parameter<readonly Condition[]> = {
  absent: [],
  expected: `${expected}, up to ${conditionsMax}`,
  isPart: (text) => readCondition(text) !== undefined,
  read: (texts) => (texts.length <= conditionsMax ? texts.map((text) => readCondition(text)!) : undefined),
  write: (all) => all.map(writeCondition),
};

// -- Words -------------------------------------------------------------------------------------------------------------

export const operatorWords: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  nin: 'is none of',
  contains: 'contains',
  ncontains: 'does not contain',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  set: 'is set',
  unset: 'is not set',
  null: 'is null',
  nnull: 'is not null',
  has: 'has the element',
};

/** `plan is pro`, `plan is one of pro, team`, `coupon is not set`. */
export const conditionText = ({property, op, values}: Condition): string =>
  [property, operatorWords[op], values.join(', ')].filter((part) => part !== '').join(' ');

/** `plan is pro` for the API's `plan eq pro`. */
export function conditionWords(text: string): string {
  const condition = readCondition(text);
  return condition === undefined ? text : conditionText(condition);
}
