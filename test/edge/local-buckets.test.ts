// Buckets of days and hours that are not like others, with labels and instants that were worked out by hand.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bucketLabels, bucketNext, bucketStarts, type Interval} from '../../actors/calendar.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {localBuckets, type WeekStart} from '../../src/edge/query/local-buckets.js';
import {utc, zoneOf} from '../../src/zone.js';
import {bucketsOf} from '../../tools/model/calendar.js';
import {runs} from '../support/runs.js';

const ms = (text: string): number => Date.parse(text);
const iso = (timeMs: number): string => new Date(timeMs).toISOString().replace(':00.000Z', 'Z');

function buckets(name: string, from: string, to: string, interval: Interval, weekStart: WeekStart = 'monday') {
  const found = localBuckets({fromMs: ms(from), toMs: ms(to), interval}, zoneOf(name)!, weekStart, 10_000)!;
  const starts = found.labels.map((label, bucket) => `${label} = ${iso(found.edges[bucket]!)}`);
  return [...starts, `end = ${iso(found.edges.at(-1)!)}`];
}

describe('hours', () => {
  test('an hour that comes twice is two buckets', () => {
    expect(buckets('Europe/Berlin', '2026-10-25T00:10Z', '2026-10-25T01:59Z', 'hour')).toEqual([
      '2026-10-25T02:00:00+02:00 = 2026-10-25T00:00Z',
      '2026-10-25T02:00:00+01:00 = 2026-10-25T01:00Z',
      'end = 2026-10-25T02:00Z',
    ]);
  });

  test('an hour that the clock skips has none', () => {
    expect(buckets('Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T01:00Z', 'hour')).toEqual([
      '2026-03-29T01:00:00+01:00 = 2026-03-29T00:00Z',
      '2026-03-29T03:00:00+02:00 = 2026-03-29T01:00Z',
      'end = 2026-03-29T02:00Z',
    ]);
  });

  test('a shift by half an hour makes one of 90 minutes, or one of 30', () => {
    expect(buckets('Australia/Lord_Howe', '2024-04-06T13:00Z', '2024-04-06T15:30Z', 'hour')).toEqual([
      '2024-04-07T00:00:00+11:00 = 2024-04-06T13:00Z',
      '2024-04-07T01:00:00+11:00 = 2024-04-06T14:00Z',
      '2024-04-07T02:00:00+10:30 = 2024-04-06T15:30Z',
      'end = 2024-04-06T16:30Z',
    ]);
    expect(buckets('Australia/Lord_Howe', '2024-10-05T14:30Z', '2024-10-05T16:00Z', 'hour')).toEqual([
      '2024-10-06T01:00:00+10:30 = 2024-10-05T14:30Z',
      '2024-10-06T02:30:00+11:00 = 2024-10-05T15:30Z',
      '2024-10-06T03:00:00+11:00 = 2024-10-05T16:00Z',
      'end = 2024-10-05T17:00Z',
    ]);
  });

  test('the clock of St. John’s goes back by a minute past midnight', () => {
    expect(buckets('America/St_Johns', '2010-11-07T02:00Z', '2010-11-07T03:30Z', 'hour')).toEqual([
      '2010-11-06T23:00:00-02:30 = 2010-11-07T01:30Z',
      '2010-11-07T00:00:00-02:30 = 2010-11-07T02:30Z',
      '2010-11-06T23:01:00-03:30 = 2010-11-07T02:31Z',
      '2010-11-07T00:00:00-03:30 = 2010-11-07T03:30Z',
      'end = 2010-11-07T04:30Z',
    ]);
  });

  test('Kathmandu, and Liberia before 1972', () => {
    expect(buckets('Asia/Kathmandu', '2024-03-10T00:00Z', '2024-03-10T00:15Z', 'hour')).toEqual([
      '2024-03-10T05:00:00+05:45 = 2024-03-09T23:15Z',
      '2024-03-10T06:00:00+05:45 = 2024-03-10T00:15Z',
      'end = 2024-03-10T01:15Z',
    ]);
    expect(buckets('Africa/Monrovia', '1971-01-01T12:00Z', '1971-01-01T12:00Z', 'hour')).toEqual([
      '1971-01-01T11:00:00-00:44:30 = 1971-01-01T11:44:30.000Z',
      'end = 1971-01-01T12:44:30.000Z',
    ]);
  });
});

describe('days and what is made of them', () => {
  test('a day that never was has no bucket', () => {
    expect(buckets('Pacific/Apia', '2011-12-29T10:00Z', '2011-12-30T10:00Z', 'day')).toEqual([
      '2011-12-29 = 2011-12-29T10:00Z',
      '2011-12-31 = 2011-12-30T10:00Z',
      'end = 2011-12-31T10:00Z',
    ]);
    expect(buckets('Pacific/Apia', '2011-12-30T09:59Z', '2011-12-30T09:59Z', 'day')).toEqual([
      '2011-12-29 = 2011-12-29T10:00Z',
      'end = 2011-12-30T10:00Z',
    ]);
  });

  test('a day that has begun stays begun', () => {
    expect(buckets('America/St_Johns', '2010-11-07T02:45Z', '2010-11-07T02:45Z', 'day')).toEqual([
      '2010-11-07 = 2010-11-07T02:30Z',
      'end = 2010-11-08T03:30Z',
    ]);
  });

  test('midnights that do not exist', () => {
    expect(buckets('Africa/Cairo', '2024-04-25T21:59Z', '2024-04-25T22:00Z', 'day')).toEqual([
      '2024-04-25 = 2024-04-24T22:00Z',
      '2024-04-26 = 2024-04-25T22:00Z',
      'end = 2024-04-26T21:00Z',
    ]);
  });

  test('weeks from Monday and from Sunday', () => {
    // 2026-03-29, when clocks go forward, is a Sunday.
    expect(buckets('Europe/Berlin', '2026-03-29T12:00Z', '2026-03-29T22:00Z', 'week')).toEqual([
      '2026-03-23 = 2026-03-22T23:00Z',
      '2026-03-30 = 2026-03-29T22:00Z',
      'end = 2026-04-05T22:00Z',
    ]);
    expect(buckets('Europe/Berlin', '2026-03-29T12:00Z', '2026-03-29T22:00Z', 'week', 'sunday')).toEqual([
      '2026-03-29 = 2026-03-28T23:00Z',
      'end = 2026-04-04T22:00Z',
    ]);
    expect(buckets('UTC', '2026-03-28T23:59Z', '2026-03-29T00:00Z', 'week', 'sunday')).toEqual([
      '2026-03-22 = 2026-03-22T00:00Z',
      '2026-03-29 = 2026-03-29T00:00Z',
      'end = 2026-04-05T00:00Z',
    ]);
  });

  test('months, quarters and years', () => {
    expect(buckets('America/New_York', '2026-03-31T23:00Z', '2026-04-01T04:00Z', 'month')).toEqual([
      '2026-03-01 = 2026-03-01T05:00Z',
      '2026-04-01 = 2026-04-01T04:00Z',
      'end = 2026-05-01T04:00Z',
    ]);
    expect(buckets('Asia/Kolkata', '2026-03-31T18:29Z', '2026-03-31T18:30Z', 'quarter')).toEqual([
      '2026-01-01 = 2025-12-31T18:30Z',
      '2026-04-01 = 2026-03-31T18:30Z',
      'end = 2026-06-30T18:30Z',
    ]);
    expect(buckets('+14:00', '2025-12-31T10:00Z', '2026-12-31T09:59Z', 'year')).toEqual([
      '2026-01-01 = 2025-12-31T10:00Z',
      'end = 2026-12-31T10:00Z',
    ]);
  });
});

const intervals = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
const someRange = fc
  .tuple(fc.integer({min: Date.UTC(1970, 0), max: Date.UTC(2060, 0)}), fc.integer({min: 0, max: 400 * 86_400_000}))
  .map(([fromMs, lengthMs]) => ({fromMs, toMs: fromMs + lengthMs}));

test('UTC is a zone like others: its buckets are those of the calendar', () => {
  const property = fc.property(someRange, fc.constantFrom(...intervals.slice(1)), ({fromMs, toMs}, interval) => {
    const starts = bucketStarts(fromMs, toMs, interval, 10_000)!;
    const edges = [...starts, bucketNext(starts.at(-1)!, interval)];
    const labels = bucketLabels(Float64Array.from(starts), interval);
    expect(localBuckets({fromMs, toMs, interval}, utc, 'monday', 10_000)).toEqual({edges, labels, starts});
  });
  fc.assert(property, {numRuns: runs(200)});
});

test('any zone: the range is covered, edges ascend, and the label of an hour is the instant of its start', () => {
  const names = ['Africa/Cairo', 'America/Santiago', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe'];
  const zones = [
    ...names,
    'Asia/Kathmandu',
    'America/New_York',
    'Europe/Berlin',
    'Antarctica/Troll',
    'America/Caracas',
  ];
  const property = fc.property(
    someRange,
    fc.constantFrom(...intervals),
    fc.constantFrom(...zones),
    fc.constantFrom('monday' as const, 'sunday' as const),
    (range, interval, name, weekStart) => {
      const toMs = interval === 'hour' ? Math.min(range.toMs, range.fromMs + 90 * 3_600_000) : range.toMs;
      const asked = {fromMs: range.fromMs, toMs, interval};
      const {edges, labels} = localBuckets(asked, zoneOf(name)!, weekStart, 10_000)!;
      expect(edges).toHaveLength(labels.length + 1);
      expect(edges[0]).toBeLessThanOrEqual(asked.fromMs);
      expect(edges[1]).toBeGreaterThan(asked.fromMs);
      expect(edges.at(-2)).toBeLessThanOrEqual(toMs);
      expect(edges.at(-1)).toBeGreaterThan(toMs);
      expect(edges.every((edge, at) => at === 0 || edge > edges[at - 1]!)).toBe(true);
      expect(new Set(labels).size).toBe(labels.length);
      if (interval === 'hour') expect(labels.map(parseTimestamp)).toEqual(edges.slice(0, -1));
      const exact = localBuckets(asked, zoneOf(name)!, weekStart, labels.length);
      expect(exact?.labels).toEqual(labels);
      expect(localBuckets(asked, zoneOf(name)!, weekStart, labels.length - 1)).toBeUndefined();
    },
  );
  fc.assert(property, {numRuns: runs(300)});
});

test('zones: buckets are those that Temporal computes', () => {
  const zones = [
    'Africa/Cairo',
    'Asia/Beirut',
    'America/Santiago',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Asia/Kolkata',
  ];
  const others = [
    'America/New_York',
    'Europe/Berlin',
    'Europe/London',
    'Antarctica/Troll',
    'Africa/Casablanca',
    '-03:17',
  ];
  const property = fc.property(
    fc.integer({min: Date.UTC(2012, 0), max: Date.UTC(2040, 0)}),
    fc.integer({min: 0, max: 120 * 86_400_000}),
    fc.constantFrom(...intervals),
    fc.constantFrom(...zones, ...others),
    (fromMs, lengthMs, interval, name) => {
      const toMs = fromMs + (interval === 'hour' ? Math.floor(lengthMs / 40) : lengthMs);
      const {edges, labels} = localBuckets({fromMs, toMs, interval}, zoneOf(name)!, 'monday', 10_000)!;
      const expected = bucketsOf({fromMs, toMs}, interval, name);
      expect(labels).toEqual(expected.map(({label}) => label));
      expect(edges).toEqual([...expected.map(({startMs}) => startMs), expected.at(-1)!.endMs]);
    },
  );
  fc.assert(property, {numRuns: runs(300)});
});
