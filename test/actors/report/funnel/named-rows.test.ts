// Events of some names by day, out of blocks of windows.
import {expect, test} from 'vitest';
import {dayMs} from '../../../../actors/limits.js';
import {NamedRows} from '../../../../actors/report/funnel/named-rows.js';

const block = (cells: readonly (readonly [hour: number, name: number, count: number])[]) => ({
  hours: Uint32Array.from(cells, ([hour]) => hour),
  names: Uint32Array.from(cells, ([, name]) => name),
  counts: Float64Array.from(cells, ([, , count]) => count),
});

test('cells are summed over the days that a stretch touches, those of erased events subtracted', () => {
  const rows = new NamedRows(new Set([1, 2]));
  rows.add(
    block([
      [0, 1, 5],
      [0, 3, 9],
      [23, 1, 7],
      [24, 1, 11],
      [24, 2, 2],
      [71, 1, 13],
    ]),
  );
  rows.add(block([[1, 1, -4]]));
  const days = (first: number, last: number) => ({startMs: first * dayMs, lastMs: (last + 1) * dayMs - 1});
  expect(rows.of(1, days(0, 0))).toBe(8);
  expect(rows.of(1, days(1, 1))).toBe(11);
  expect(rows.of(1, {startMs: dayMs - 1, lastMs: dayMs})).toBe(19);
  expect(rows.of(1, days(0, 2))).toBe(32);
  expect(rows.of(2, days(0, 2))).toBe(2);
  expect(rows.of(3, days(0, 2))).toBe(0);
  expect(rows.of(1, days(5, 9))).toBe(0);
});
