import {expect, test} from 'vitest';
import {sharesBelow} from '../../dashboard/src/charts/shares-below.js';

test('the share below each bound includes all bins before it, and the last is the whole', () => {
  const bins = [3, 0, 5, 2].map((count, at) => ({seconds_from: at, seconds_to: at + 1, count}));
  expect(sharesBelow(bins)).toEqual([0.3, 0.3, 0.8, 1]);
  expect(sharesBelow([{seconds_from: 1, seconds_to: 2, count: 7}])).toEqual([1]);
  expect(sharesBelow([])).toEqual([]);
});

test('many small bins add up to exactly one', () => {
  const bins = Array.from({length: 46}, (_, at) => ({seconds_from: at, seconds_to: at + 1, count: 1}));
  expect(sharesBelow(bins).at(-1)).toBe(1);
});
