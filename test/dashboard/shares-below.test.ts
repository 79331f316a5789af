import {expect, test} from 'vitest';
import {boundText, sharesBelow} from '../../dashboard/src/charts/shares-below.js';

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

test('a bound is said to the second', () => {
  const said = [0.005, 0.5, 1, 60, 1_000, 5_000, 10_000, 86_400, 100_000].map(boundText);
  expect(said).toEqual([
    '5 ms',
    '500 ms',
    '1 s',
    '1 min',
    '16 min 40 s',
    '1 h 23 min 20 s',
    '2 h 46 min 40 s',
    '1 d',
    '1 d 3 h 46 min 40 s',
  ]);
});
