import {expect, test} from 'vitest';
import {bucketStarts} from '../../actors/calendar.js';
import {dayMs} from '../../actors/limits.js';
import {ticksOnBuckets, ticksTo} from '../../dashboard/src/charts/ticks.js';

const day = dayMs / 1_000;
const monday = Date.parse('2026-01-05') / 1_000;
const weeks = Array.from({length: 53}, (_, at) => monday + at * 7 * day);

// What a chart asks for, in days: the distances that its library knows.
const distances = [1, 2, 3, 5, 7, 8, 9, 10, 15, 30, 60, 90, 180, 365];

test.each(distances)('ticks %i days apart stand on weeks, as far apart as there is need for', (days) => {
  const ticks = ticksOnBuckets(weeks, days * day);
  expect(ticks[0]).toBe(monday);
  expect(ticks.filter((tick) => !weeks.includes(tick))).toEqual([]);
  const gaps = ticks.slice(1).map((tick, at) => (tick - ticks[at]!) / day);
  expect(new Set(gaps).size).toBeLessThanOrEqual(1);
  for (const gap of gaps) {
    expect(gap).toBeGreaterThan(days - 1.5);
    expect(gap).toBeLessThan(days + 7);
  }
});

test('ticks a month apart are never two in one month: each has a name of its own', () => {
  const months = ticksOnBuckets(weeks, 30 * day).map((tick) => new Date(tick * 1_000).toISOString().slice(0, 7));
  expect(new Set(months).size).toBe(months.length);
});

test.each(['month', 'quarter', 'year'] as const)('every %s has a tick where there is room', (interval) => {
  const starts = bucketStarts(monday * 1_000, (monday + 1_500 * day) * 1_000, interval, 100);
  const times = starts!.map((ms) => ms / 1_000);
  const room = {month: 30, quarter: 90, year: 365}[interval];
  expect(ticksOnBuckets(times, room * day)).toEqual(times);
  expect(ticksOnBuckets(times, 2 * room * day)).toEqual(times.filter((_, at) => at % 2 === 0));
});

test('lines of counts are whole, however few there are', () => {
  expect([1, 2, 3, 11].map((max) => ticksTo(max, true))).toEqual([
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 5, 10, 15],
  ]);
  expect(ticksTo(1)).toHaveLength(6);
});
