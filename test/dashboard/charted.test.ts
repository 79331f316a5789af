// Answers of reports as lines, figures, CSV, stickiness and activity.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {dayMs} from '../../actors/limits.js';
import {activityOf} from '../../dashboard/src/charts/activity.js';
import {chartOf, csvRows, figuresOf} from '../../dashboard/src/charts/charted.js';
import {stickinessOf} from '../../dashboard/src/charts/stickiness.js';
import {freshnessIn, freshnessOf, oldest, openFrom} from '../../dashboard/src/service/freshness.js';

const days = (...counts: number[]) => ({data: counts.map((count, at) => ({date: `2026-11-0${at + 1}`, count}))});
const meta = {as_of: '2026-11-30T00:00:00Z', next_by: '2026-11-30T00:05:00Z', incomplete_from: null};
const openAt = (date: string) => ({...meta, incomplete_from: date});

describe('what is not finished', () => {
  test('begins with the bucket that the service names, and only there', () => {
    expect(openFrom(days(1, 2, 3).data, openAt('2026-11-03'))).toBe(2);
    expect(openFrom(days(1, 2, 3).data, meta)).toBeUndefined();
    expect(openFrom(days(1, 2, 3).data, openAt('2026-11-09'))).toBeUndefined();
    const line = {label: 'a', tone: 1, answer: days(1, 2, 3), meta: openAt('2026-11-02')};
    expect(chartOf([line], 'day').openFrom).toBe(1);
  });

  test('ends a line: a bucket that has not begun is no zero', () => {
    const noon = {...openAt('2026-11-02'), as_of: '2026-11-02T12:00:00Z'};
    const {series} = chartOf([{label: 'a', tone: 1, answer: days(1, 2, 0), meta: noon}], 'day');
    expect(series[0]!.values).toEqual([1, 2, null]);
  });

  test('is in the total, and in no mean', () => {
    expect(figuresOf(days(10, 20, 3), openAt('2026-11-03'))).toEqual({total: 33, mean: 15, last: 20, now: 3});
    expect(figuresOf(days(10, 20, 3), meta)).toEqual({total: 33, mean: 11, last: 3, now: 3});
    expect(figuresOf(days(3), openAt('2026-11-01'))).toEqual({total: 3, mean: null, last: null, now: 3});
  });
});

test('the time before stands beside the buckets, a gap where it has none', () => {
  const line = {label: 'a', tone: 2, answer: days(5, 6), meta: undefined, past: days(4)};
  const {series, times, beforeMoment} = chartOf([line], 'day');
  expect(series).toEqual([{label: 'a', tone: 2, values: [5, 6], before: [4, null]}]);
  expect(times).toEqual([Date.UTC(2026, 10, 1) / 1_000, Date.UTC(2026, 10, 2) / 1_000]);
  expect([beforeMoment!(0), beforeMoment!(1)]).toEqual(['Sun 1 Nov 2026', 'nothing']);
});

test('a CSV has a row a bucket and a column a line', () => {
  const lines = [
    {label: 'a', tone: 1, answer: days(1, 2), meta: undefined},
    {label: 'b', tone: 2, answer: days(3, 4), meta: undefined},
  ];
  expect(csvRows(lines)).toEqual([
    ['date', 'a', 'b'],
    ['2026-11-01', 1, 3],
    ['2026-11-02', 2, 4],
  ]);
});

test('stickiness is a share, and nothing where nobody came', () => {
  expect(stickinessOf([2, 0, 0, null], [8, 4, 0, 5])).toEqual([0.25, 0, null, null]);
});

test('freshness is that of the oldest answer', () => {
  const at = (asOf: string) => freshnessOf({...meta, as_of: asOf});
  const [early, late] = [at('2026-11-03T00:00:00Z'), at('2026-11-03T00:04:00Z')];
  expect(oldest([late, undefined, early])).toEqual(early);
  expect(oldest([undefined])).toBeUndefined();
  expect(freshnessOf(undefined)).toBeUndefined();
  expect(freshnessOf({...meta, retained_from: '2026-09-01T00:00:00Z'})?.keptFrom).toBe('2026-09-01T00:00:00Z');
  expect(freshnessIn(new Headers())).toBeUndefined();
  const headers = new Headers({'Report-As-Of': meta.as_of, 'Report-Next-By': meta.next_by});
  expect(freshnessIn(headers)).toEqual(freshnessOf(meta));
});

describe('activity', () => {
  const last = 20_000;
  const times = fc
    .array(fc.integer({min: (last - 120) * dayMs, max: (last + 1) * dayMs - 1}))
    .map((all) => all.sort((a, b) => b - a));

  test('counts every event of its days, once all are read', () => {
    fc.assert(
      fc.property(times, (all) => {
        const within = all.filter((ms) => ms >= (last - 89) * dayMs).length;
        const shown = activityOf(all, true, last, 90);
        expect(shown).toHaveLength(90);
        expect(shown.reduce((sum, {count}) => sum + count!, 0)).toBe(within);
      }),
    );
  });

  test('does not know the days up to the oldest event that was read', () => {
    const shown = activityOf([last * dayMs, (last - 2) * dayMs], false, last, 4);
    expect(shown.map(({count}) => count)).toEqual([null, null, 0, 1]);
    expect(activityOf([], false, last, 2).map(({count}) => count)).toEqual([null, null]);
  });
});
