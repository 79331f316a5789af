// A condition on a value: `<property> <op> <value>` of `where` and `user_where` (docs/api/reports/README.md, Conditions).
//   CO1. Texts, numbers and booleans compare by their JavaScript text, as `filter` does. Null, objects and arrays have none.
//   CO2. `ne`, `nin`, `ncontains`, `unset` and `nnull` hold where the property is missing: they are the negations of `eq`, `in`,
//       `contains`, `set` and `null`.
//   CO3. `gt`, `gte`, `lt` and `lte` compare JSON numbers alone. Another value passes none of them, and is counted as skipped.
import {textOf} from './property-text.js';
import type {PropertyValue} from './property-values.js';

export const operators = [
  'eq',
  'ne',
  'in',
  'nin',
  'contains',
  'ncontains',
  'gt',
  'gte',
  'lt',
  'lte',
  'set',
  'unset',
  'null',
  'nnull',
  'has',
] as const;
export type Operator = (typeof operators)[number];

export interface Condition {
  readonly property: string;
  readonly op: Operator;
  /** Texts to compare with, a number as its text. One; any number of them for `in` and `nin`; none where `takesNoValue`. */
  readonly values: readonly string[];
}

/** `set`, `unset`, `null` and `nnull`. */
export const takesNoValue = (op: Operator): boolean => /set|null/.test(op);

export const comparesNumbers = (op: Operator): boolean => op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte';

/** Whether a comparison of numbers cannot judge the value. CO3 */
export const isSkipped = ({op}: Condition, value: PropertyValue): boolean =>
  comparesNumbers(op) && value !== undefined && typeof value !== 'number';

export function passes({op, values}: Condition, value: PropertyValue): boolean {
  switch (op) {
    case 'eq':
    case 'in':
      return isAmong(values, value);
    case 'ne':
    case 'nin':
      return !isAmong(values, value);
    case 'contains':
      return textOf(value)?.includes(values[0]) ?? false;
    case 'ncontains':
      return !(textOf(value)?.includes(values[0]) ?? false);
    case 'gt':
      return typeof value === 'number' && value > Number(values[0]);
    case 'gte':
      return typeof value === 'number' && value >= Number(values[0]);
    case 'lt':
      return typeof value === 'number' && value < Number(values[0]);
    case 'lte':
      return typeof value === 'number' && value <= Number(values[0]);
    case 'set':
      return value !== undefined;
    case 'unset':
      return value === undefined;
    case 'null':
      return value === null;
    case 'nnull':
      return value !== null;
    case 'has':
      return Array.isArray(value) && value.some((element) => isAmong(values, element));
  }
}

/** Whether the value's text is one of `values`. CO1 */
function isAmong(values: readonly string[], value: PropertyValue): boolean {
  const text = textOf(value);
  return text !== undefined && values.includes(text);
}
