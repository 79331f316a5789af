// The buckets next to a range are those of a longer range, in every zone.
import {expect, test} from 'vitest';
import type {Interval} from '../../actors/calendar.js';
import {dayMs} from '../../actors/limits.js';
import {bucketsOf} from '../../src/edge/query/asked-times.js';
import {endsAfter, startBefore} from '../../src/edge/query/neighbour-buckets.js';
import {zoneOf} from '../../src/zone.js';

const service = {reportZone: undefined};
const zones = [
  'UTC',
  '-03:17',
  'Europe/Berlin',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
];
const intervals: readonly Interval[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
const lengths = {hour: 1 / 24, day: 1, week: 7, month: 31, quarter: 92, year: 366};

const asked = (zone: string, interval: Interval, week_start: 'monday' | 'sunday', fromMs: number, toMs: number) => {
  const at = (timeMs: number) => ({timeMs, is: 'an instant'}) as const;
  return {from: at(fromMs), to: at(toMs), interval, week_start, timezone: zoneOf(zone)};
};

const edgesOf = (one: ReturnType<typeof asked>): readonly number[] => {
  const {buckets, fromMs, toMs, interval} = bucketsOf(one, service);
  return buckets?.edges ?? utcEdges(fromMs, toMs, interval);
};

/** By the calendar of JavaScript. */
function utcEdges(fromMs: number, toMs: number, interval: Interval): number[] {
  const edges: number[] = [];
  for (let hour = Math.floor(fromMs / 3_600_000) - 400 * 24; ; hour++) {
    const date = new Date(hour * 3_600_000);
    const isStart =
      interval === 'hour' ||
      (date.getUTCHours() === 0 &&
        (interval === 'day' ||
          (interval === 'week' && date.getUTCDay() === 1) ||
          (interval !== 'week' &&
            date.getUTCDate() === 1 &&
            date.getUTCMonth() % {month: 1, quarter: 3, year: 12}[interval] === 0)));
    if (!isStart) continue;
    if (date.getTime() <= fromMs) edges.length = 0;
    edges.push(date.getTime());
    if (date.getTime() > toMs) return edges;
  }
}

test.each(zones)('%s', (zone) => {
  for (const interval of intervals) {
    for (const week of ['monday', 'sunday'] as const) {
      for (const around of ['2024-03-30T12:00Z', '2024-10-05T15:30Z', '2011-12-30T09:59Z', '2011-12-30T10:00Z']) {
        const fromMs = Date.parse(around);
        const range = asked(zone, interval, week, fromMs, fromMs + 10);
        const length = edgesOf(range).length - 1;
        const longMs = Math.ceil(9 * lengths[interval]) * dayMs;
        const after = edgesOf(asked(zone, interval, week, fromMs, fromMs + longMs)).slice(length + 1, length + 6);
        expect(endsAfter(bucketsOf(range, service), range, service, 5)).toEqual(after);
        const before = edgesOf(asked(zone, interval, week, fromMs - longMs, fromMs));
        expect(startBefore(bucketsOf(range, service), range, service)).toBe(before.at(-3));
      }
    }
  }
});
