// The text of a condition, `<property> <op> <value>` (docs/api/reports/README.md, Conditions), both ways: parameters, addresses,
// alerts and endpoints have it.
import {objectKeyCharsMax} from '../../limits.js';
import {type Condition, comparesNumbers, type Operator, operators, takesNoValue} from './condition.js';

/** An operator without a value ends the text. */
const tail = `(${operators.map((op) => (takesNoValue(op) ? `${op}$` : op)).join('|')})(?: ([\\s\\S]*))?$`;
/** A name in double quotes, with `\"` and `\\`; or one that ends at the first space before an operator. */
const quoted = new RegExp(`^"((?:[^"\\\\]|\\\\["\\\\])*)" ${tail}`);
const plain = new RegExp(`^(.+?) ${tail}`, 's');
/** Operators as signs: after a name without spaces, with or without spaces around. */
const signs: Readonly<Record<string, Operator>> = {
  '=': 'eq',
  '!=': 'ne',
  '>=': 'gte',
  '<=': 'lte',
  '>': 'gt',
  '<': 'lt',
};
const signed = /^([^\s"=!<>]+) ?([!<>]?=|[<>])(?!=) ?(.*)$/s;
/** Text of a number in JSON. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Undefined for a text that is no condition. */
export function readCondition(text: string): Condition | undefined {
  const match = (text.startsWith('"') ? quoted.exec(text) : plain.exec(text)) ?? signed.exec(text);
  if (match === null) return undefined;
  const [, name = '', found = '', value] = match;
  const op = signs[found] ?? (found as Operator);
  const property = text.startsWith('"') ? name.replace(/\\(["\\])/g, '$1') : name;
  if (property === '' || property.length > objectKeyCharsMax * 10) return undefined;
  const values = valuesOf(op, value);
  return values === undefined ? undefined : {property, op, values};
}

/** The text that reads as the condition. A name stands in quotes only where it would not read without. */
export function writeCondition({property, op, values}: Condition): string {
  const value = op === 'in' || op === 'nin' ? values.map(escaped).join(',') : values[0];
  const tail = value === undefined ? op : `${op} ${value}`;
  const read = readCondition(`${property} ${tail}`);
  const isPlain = !property.startsWith('"') && read?.property === property && read.op === op;
  return `${isPlain ? property : `"${property.replace(/["\\]/g, '\\$&')}"`} ${tail}`;
}

const escaped = (value: string): string => value.replace(/[,\\]|^\(/g, '\\$&');

/** Values may stand in parentheses. */
const inParentheses = /^\((.*)\)$/s;

function valuesOf(op: Operator, value: string | undefined): readonly string[] | undefined {
  if (takesNoValue(op)) return [];
  if (value === undefined) return undefined;
  if (op === 'in' || op === 'nin') return splitValues(inParentheses.exec(value)?.[1] ?? value);
  if (comparesNumbers(op)) return number.test(value) && Number.isFinite(Number(value)) ? [value] : undefined;
  return [value];
}

/** Splits at commas; `\,`, `\(` and `\\` stand for the characters themselves. Undefined for another escape. */
function splitValues(text: string): string[] | undefined {
  const values = [''];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === ',') values.push('');
    else if (character !== '\\') values[values.length - 1] += character;
    else {
      at += 1;
      const next = text[at];
      if (!next || !',(\\'.includes(next)) return undefined;
      values[values.length - 1] += next;
    }
  }
  return values;
}
