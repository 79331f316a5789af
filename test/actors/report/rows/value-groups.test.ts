// Groups of values, and the choice of the most frequent ones.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {PropertyValue} from '../../../../actors/report/rows/property-values.js';
import {
  chooseGroups,
  compareTexts,
  firstValueGroup,
  missingGroup,
  notScalarGroup,
  nullGroup,
  ValueGroups,
} from '../../../../actors/report/rows/value-groups.js';
import {runs} from '../../../support/runs.js';

const someValue: fc.Arbitrary<PropertyValue> = fc.oneof(
  fc.constantFrom(undefined, null, true, 'true', '', '-', '-0', '01', '1e3', '1e21', 'NaN', 'Infinity', '-Infinity', {
    a: 1,
  }),
  fc.constantFrom(0, -0, 1e21, 2 ** 18, 2 ** 18 - 1, 2 ** 32 + 5, -1, 0.1),
  fc.integer({min: -3, max: 40}),
  fc.integer({min: -3, max: 40}).map(String),
  fc.double({noNaN: true, noDefaultInfinity: true}),
);

const kindOf = (value: PropertyValue): number | undefined => {
  if (value === undefined) return missingGroup;
  if (value === null) return nullGroup;
  return typeof value === 'object' ? notScalarGroup : undefined;
};

describe('groups of values', () => {
  test('are one for each text, whether a number, a boolean or a text has it', () => {
    fc.assert(
      fc.property(fc.array(someValue, {maxLength: 60}), (values) => {
        const groups = new ValueGroups();
        const groupOfText = new Map<string, number>();
        for (const value of values) {
          const group = groups.groupOf(value);
          const kind = kindOf(value);
          if (kind !== undefined) {
            expect(group).toBe(kind);
            continue;
          }
          const text = String(value);
          expect(group).toBe(groupOfText.get(text) ?? firstValueGroup + groupOfText.size);
          groupOfText.set(text, group);
          expect(groups.text(group)).toBe(text);
        }
        expect(groups.count).toBe(firstValueGroup + groupOfText.size);
      }),
      {numRuns: runs(500)},
    );
  });

  test('of lists of numbers are those of the numbers one by one', () => {
    const lists = fc.oneof(
      fc.array(fc.integer({min: -3, max: 3_000}), {minLength: 1}).map((list) => Int32Array.from(list)),
      fc.array(fc.oneof(fc.double(), fc.integer()), {minLength: 1}).map((list) => Float64Array.from(list)),
    );
    fc.assert(
      fc.property(fc.array(lists), fc.array(fc.integer({min: 0, max: 50}).map(String)), (all, texts) => {
        const groups = new ValueGroups();
        for (const text of texts) groups.groupOf(text);
        for (const list of all) {
          const into = new Uint32Array(list.length);
          groups.readNumbers(list, 0, list.length, into);
          const expected = Array.from(list, (value) => groups.groupOf(Number.isNaN(value) ? undefined : value));
          expect([...into]).toEqual(expected);
          groups.readNumbers(list, list.length - 1, list.length, into);
          expect(into[0]).toBe(expected.at(-1));
        }
      }),
      {numRuns: runs(300)},
    );
  });
});

test('the most frequent values are those of a sorted list, whatever the limit', () => {
  const someTotals = fc.array(fc.integer({min: 0, max: 12}), {maxLength: 80, size: 'max'});
  fc.assert(
    fc.property(someTotals, fc.integer({min: 1, max: 30}), (totals, limit) => {
      const groups = new ValueGroups();
      const byGroup = [5, 0, 7, ...totals];
      for (let i = 0; i < totals.length; i++) groups.groupOf(i % 3 === 0 ? i : `v${i}`);
      const values = totals.flatMap((total, i) => (total === 0 ? [] : [firstValueGroup + i]));
      const sorted = values.sort((a, b) => byGroup[b]! - byGroup[a]! || compareTexts(groups.text(a), groups.text(b)));
      const {top, rowOf, others} = chooseGroups(groups, byGroup, limit);
      expect(top).toEqual(sorted.slice(0, limit));
      expect(others).toBe(Math.max(0, sorted.length - limit));
      for (const [row, group] of top.entries()) expect(rowOf[group]).toBe(row);
      expect([...rowOf.subarray(0, firstValueGroup)]).toEqual([1, 2, 3].map((kind) => top.length + kind));
    }),
    {numRuns: runs(500)},
  );
});
