// What came since the moment that reports count up to, out of the rates that the service keeps.
import {expect, test} from 'vitest';
import {sinceThen} from '../../dashboard/src/service/since-then.js';
import type {LoadAnswer, LoadState} from '../../src/edge/dashboard/answers/load.js';

const answer = (seconds: number, more: Partial<LoadState> = {}): LoadAnswer => ({
  at: Array.from({length: seconds + 1}, (_, at) => at * 1_000),
  columns: {
    batch: Array.from({length: seconds + 1}, () => 20),
    single: Array.from({length: seconds + 1}, (_, at) => (at % 2 === 0 ? 1 : null)),
  },
  state: {is_whole: true, partitions: [], ...more} as unknown as LoadState,
  streams: 0,
});

test('rates count for the time that they stand for, from the moment on', () => {
  expect(sinceThen(answer(10), 6_000)).toMatchObject({accepted: 4 * 20 + 2, isAtLeast: false, isOfThisEdge: false});
  expect(sinceThen(answer(10), 9_500).accepted).toBe(11); // Half of a second's 21, rounded.
});

test('a moment before the first row is at least so many, and other edges count apart', () => {
  expect(sinceThen(answer(2, {is_whole: false}), -60_000)).toMatchObject({isAtLeast: true, isOfThisEdge: true});
});

test('the slowest partition is the one with the oldest snapshot; a silent one is not known', () => {
  const partition = (number: number, age: number | null) =>
    ({partition: number, snapshot_age_ms: age, behind_ms: 3}) as LoadState['partitions'][number];
  const partitions = [partition(0, 4_000), partition(1, null), partition(2, 9_000)];
  expect(sinceThen(answer(1, {partitions}), 0).slowest).toEqual({partition: 2, snapshotMs: 9_000, behindMs: 3});
  expect(sinceThen(answer(1), 0).slowest).toBeUndefined();
});
