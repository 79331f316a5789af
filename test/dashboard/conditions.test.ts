// Texts of conditions both ways, as the API and addresses have them; and the wall clocks of zones.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {
  type Condition,
  conditionText,
  type Operator,
  operators,
  readCondition,
  takesNoValue,
  writeCondition,
} from '../../dashboard/src/address/conditions.js';
import {isZone, wallMs} from '../../dashboard/src/address/zone.js';

const text = fc.oneof(
  fc.string({minLength: 1, maxLength: 20, unit: 'grapheme'}),
  // Names with operators, quotes and escapes in them.
  fc
    .array(fc.constantFrom('a', ' ', 'eq', 'set', 'null', '"', '\\', ',', ' in ', '\n'), {minLength: 1})
    .map((all) => all.join('')),
);

function valuesOf(op: Operator): fc.Arbitrary<readonly string[]> {
  if (takesNoValue(op)) return fc.constant([]);
  if (op === 'in' || op === 'nin') return fc.array(fc.oneof(text, fc.constant('')), {minLength: 1, maxLength: 4});
  const isNumber = ['gt', 'gte', 'lt', 'lte'].includes(op);
  return (isNumber ? fc.integer().map(String) : fc.oneof(text, fc.constant(''))).map((one) => [one]);
}

test('a condition is read as it was written', () => {
  const conditions = fc
    .constantFrom(...operators)
    .chain((op) => fc.record({property: text, op: fc.constant(op), values: valuesOf(op)}));
  fc.assert(
    fc.property(conditions, (condition) => {
      expect(readCondition(writeCondition(condition))).toEqual(condition);
    }),
  );
});

test.each<[Condition, string, string]>([
  [{property: 'plan', op: 'eq', values: ['pro']}, 'plan eq pro', 'plan is pro'],
  [{property: 'cart.total', op: 'gte', values: ['10']}, 'cart.total gte 10', 'cart.total is at least 10'],
  [{property: 'plan', op: 'in', values: ['a,b', 'c']}, 'plan in a\\,b,c', 'plan is one of a,b, c'],
  [{property: 'first name', op: 'set', values: []}, 'first name set', 'first name is set'],
  [{property: 'coupon', op: 'unset', values: []}, 'coupon unset', 'coupon is not set'],
  [{property: 'referrer', op: 'null', values: []}, 'referrer null', 'referrer is null'],
  [{property: 'referrer', op: 'nnull', values: []}, 'referrer nnull', 'referrer is not null'],
  // What takes no value ends the text.
  [{property: 'is null or', op: 'eq', values: ['x']}, 'is null or eq x', 'is null or is x'],
  [{property: 'is eq or', op: 'eq', values: ['x']}, '"is eq or" eq x', 'is eq or is x'],
])('%j is written plainly where it can be', (condition, written, words) => {
  expect(writeCondition(condition)).toBe(written);
  expect(conditionText(condition)).toBe(words);
});

test('a wall clock shows the day of its zone', () => {
  const ms = Date.UTC(2026, 10, 27, 20, 30, 0, 7);
  const shown = (zone: string): string => new Date(wallMs(zone, ms)).toISOString();
  expect(shown('UTC')).toBe('2026-11-27T20:30:00.007Z');
  expect(shown('Pacific/Auckland')).toBe('2026-11-28T09:30:00.007Z');
  expect(shown('Asia/Kathmandu')).toBe('2026-11-28T02:15:00.007Z');
  expect(['Europe/Berlin', 'Mars/Olympus', ''].map(isZone)).toEqual([true, false, false]);
});
