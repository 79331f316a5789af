import {expect, test} from 'vitest';
import {isMissed, type Missed, missedRangesMax, withMissed} from '../../src/webhooks/missed.js';

test('ranges that meet are one, in any order', () => {
  let ranges: Missed = [];
  for (const range of [
    [10, 12],
    [2, 3],
    [12, 14],
    [20, 30],
    [1, 2],
    [25, 26],
  ] as const)
    ranges = withMissed(ranges, range);
  expect(ranges).toEqual([
    [1, 3],
    [10, 14],
    [20, 30],
  ]);
  expect([0, 1, 2, 3, 13, 14].map((ordinal) => isMissed(ranges, ordinal))).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('at the bound the closest two are joined, and nothing that was missed is forgotten', () => {
  let ranges: Missed = [];
  const missed = Array.from({length: 200}, (_, n) => n * n);
  for (const ordinal of missed) ranges = withMissed(ranges, [ordinal, ordinal + 1]);
  expect(ranges.length).toBe(missedRangesMax);
  expect(missed.every((ordinal) => isMissed(ranges, ordinal))).toBe(true);
  expect(isMissed(ranges, 199 * 199 - 1)).toBe(false);
});
