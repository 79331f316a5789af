// The text of a condition, `<property> <op> <value>` (docs/api.md, Reports), as `where` and `user_where` have it.
import {conditionsMax, objectKeyCharsMax} from '../../../actors/limits.js';
import {type Condition, comparesNumbers, type Operator, operators} from '../../../actors/report/rows/condition.js';
import {optionalList, type TextForm} from './parameters.js';

/** A name in double quotes, with `\"` and `\\`; or one that ends at the first space before an operator. */
const quoted = /^"((?:[^"\\]|\\["\\])*)" ([a-z]+)(?: ([\s\S]*))?$/;
const plain = new RegExp(`^(.+?) (${operators.join('|')})(?: ([\\s\\S]*))?$`, 's');
/** As JSON writes numbers. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Undefined for a text that is no condition. */
export function readCondition(text: string): Condition | undefined {
  const match = text.startsWith('"') ? quoted.exec(text) : plain.exec(text);
  if (match === null) return undefined;
  const [, name = '', op = '', value] = match;
  const property = text.startsWith('"') ? name.replace(/\\(["\\])/g, '$1') : name;
  if (property === '' || property.length > objectKeyCharsMax * 10 || !isOperator(op)) return undefined;
  const values = valuesOf(op, value);
  return values === undefined ? undefined : {property, op, values};
}

const isOperator = (text: string): text is Operator => (operators as readonly string[]).includes(text);

function valuesOf(op: Operator, value: string | undefined): readonly string[] | undefined {
  if (op === 'set' || op === 'unset') return value === undefined ? [] : undefined;
  if (value === undefined) return undefined;
  if (op === 'in' || op === 'nin') return splitValues(value);
  if (comparesNumbers(op)) return number.test(value) && Number.isFinite(Number(value)) ? [value] : undefined;
  return [value];
}

/** Splits at commas; `\,` and `\\` stand for the characters themselves. Undefined for another escape. */
function splitValues(text: string): string[] | undefined {
  const values = [''];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === ',') values.push('');
    else if (character !== '\\') values[values.length - 1] += character;
    else {
      at += 1;
      const escaped = text[at];
      if (escaped !== ',' && escaped !== '\\') return undefined;
      values[values.length - 1] += escaped;
    }
  }
  return values;
}

export const condition: TextForm<Condition> = {
  schema: {type: 'string'},
  expected: `a condition like "plan eq pro": a property, one of ${operators.join(', ')}, and a value, which set and unset do not have; a number for gt, gte, lt and lte`,
  parse: readCondition,
};

export const conditions = (description: string) => optionalList(condition, {countMax: conditionsMax, description});

export const where = conditions(
  'Only events that meet this condition, `<property> <op> <value>`: `plan eq pro`, `amount gte 10`, `plan in pro,team`, ' +
    '`coupon unset`. Up to ten, of which all must hold. Operators: `eq ne in nin contains ncontains gt gte lt lte set unset ' +
    'has` (an element of a list). `ne`, `nin`, `ncontains` and `unset` hold where the property is missing; `gt` to `lte` ' +
    'compare JSON numbers alone. A name with an operator in it stands in double quotes.',
);

export const userWhere = conditions(
  'Only events of users whose current traits meet this condition, in the form of `where`: `plan eq pro`. Up to ten, of which ' +
    'all must hold.',
);
