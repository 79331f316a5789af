// The times of a query, with and without a zone of the request or of the service.

import {describe, expect, test} from 'vitest';
import {
  type AskedBuckets,
  activeBucketsOf,
  askedTime,
  bucketCount,
  bucketsOf,
  optionalBoundsOf,
} from '../../src/edge/query/asked-times.js';
import {zoneOf} from '../../src/zone.js';

const noZone = {reportZone: undefined};
const inBerlin = {reportZone: zoneOf('Europe/Berlin')};
const time = (text: string) => askedTime.parse(text)!;
const iso = (ms: number | undefined): string => new Date(ms!).toISOString();

const bounds = (from: string, to: string, timezone?: string, service: typeof noZone | typeof inBerlin = noZone) => {
  const zone = timezone === undefined ? undefined : zoneOf(timezone);
  const {fromMs, toMs} = optionalBoundsOf({from: time(from), to: time(to), timezone: zone}, service);
  return [iso(fromMs), iso(toMs)];
};

describe('bounds', () => {
  test.each([
    ['2024-03-10', '2024-03-10', undefined, '2024-03-10T00:00:00.000Z', '2024-03-10T23:59:59.999Z'],
    ['2024-03-10T12:00', '2024-03-10T12:00:00.5', undefined, '2024-03-10T12:00:00.000Z', '2024-03-10T12:00:00.500Z'],
    ['2024-03-10T12:00+02:00', '2024-03-10 12:00z', undefined, '2024-03-10T10:00:00.000Z', '2024-03-10T12:00:00.000Z'],
    // An offset is an instant, whatever the zone.
    ['2024-03-10T12:00+02:00', '2024-03-10T12:00-01', undefined, undefined, undefined],
    ['2024-03-10T12:00Z', '2024-03-11', 'America/New_York', '2024-03-10T12:00:00.000Z', '2024-03-12T03:59:59.999Z'],
    ['2024-03-10', '2024-03-10T12:00', 'America/New_York', '2024-03-10T05:00:00.000Z', '2024-03-10T16:00:00.000Z'],
    // Twice, and never.
    ['2024-10-27T02:30', '2024-10-27T02:30', 'Europe/Berlin', '2024-10-27T00:30:00.000Z', '2024-10-27T01:30:00.000Z'],
    ['2024-03-31T02:30', '2024-03-31T02:30', 'Europe/Berlin', '2024-03-31T01:00:00.000Z', '2024-03-31T01:00:00.000Z'],
    ['2011-12-30', '2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    ['2011-12-29', '2011-12-31', 'Pacific/Apia', '2011-12-29T10:00:00.000Z', '2011-12-31T09:59:59.999Z'],
  ])('%s to %s in %s', (from, to, timezone, start, end) => {
    if (start === undefined) expect(askedTime.parse(to)).toBeUndefined();
    else expect(bounds(from, to, timezone)).toEqual([start, end]);
  });

  test('the zone of the service is that of requests without one', () => {
    const berlin = ['2024-03-09T23:00:00.000Z', '2024-03-10T22:59:59.999Z'];
    expect(bounds('2024-03-10', '2024-03-10', undefined, inBerlin)).toEqual(berlin);
    expect(bounds('2024-03-10', '2024-03-10', 'UTC', inBerlin)[0]).toBe('2024-03-10T00:00:00.000Z');
  });

  test.each(['2024-03-10T1', '2024-02-30', '2024-03-10T25:00', '', 'now'])('%j is no time', (text) => {
    expect(askedTime.parse(text)).toBeUndefined();
  });
});

describe('buckets', () => {
  const asked = (more: Partial<AskedBuckets> = {}): AskedBuckets => ({
    from: time('2024-03-10'),
    to: time('2024-03-12'),
    interval: 'day',
    week_start: 'monday',
    timezone: undefined,
    ...more,
  });
  const utcRange = {fromMs: Date.UTC(2024, 2, 10), toMs: Date.UTC(2024, 2, 13) - 1};

  test('of UTC are left to the report, and no zone is named that nobody asked for', () => {
    expect(bucketsOf(asked(), noZone)).toEqual({...utcRange, interval: 'day'});
    expect(bucketsOf(asked({timezone: zoneOf('UTC')}), inBerlin)).toEqual({
      ...utcRange,
      interval: 'day',
      zone: {name: 'UTC'},
    });
    expect(bucketCount(bucketsOf(asked(), noZone))).toBe(3);
    expect(bucketCount(bucketsOf(asked(), inBerlin))).toBe(3);
  });

  test('of a zone come with the question, and with the version of its rules', () => {
    expect(bucketsOf(asked(), inBerlin)).toMatchObject({
      zone: {name: 'Europe/Berlin', rules: process.versions.tz},
      buckets: {labels: ['2024-03-10', '2024-03-11', '2024-03-12']},
    });
    expect(bucketsOf(asked({timezone: zoneOf('-03:30')}), noZone).zone).toEqual({name: '-03:30'});
  });

  test('weeks from Sunday are computed in UTC, too', () => {
    const sunday = asked({interval: 'week', week_start: 'sunday'});
    expect(bucketsOf(sunday, noZone)).toMatchObject({buckets: {labels: ['2024-03-10']}});
    expect(bucketsOf(sunday, noZone)).not.toHaveProperty('zone');
    expect(bucketsOf(asked({week_start: 'sunday'}), noZone)).not.toHaveProperty('buckets');
  });

  test('windows of local days come with days and weeks of a zone alone', () => {
    const {windows} = activeBucketsOf(asked({timezone: zoneOf('America/New_York')}), 7, noZone);
    // Clocks went forward on the 10th.
    expect(windows!.map(iso)).toEqual([
      '2024-03-04T05:00:00.000Z',
      '2024-03-05T05:00:00.000Z',
      '2024-03-06T05:00:00.000Z',
    ]);
    expect(activeBucketsOf(asked(), 7, noZone)).not.toHaveProperty('windows');
    expect(activeBucketsOf(asked({interval: 'hour'}), 7, inBerlin)).not.toHaveProperty('windows');
    expect(activeBucketsOf(asked(), undefined, inBerlin)).not.toHaveProperty('windows');
  });

  test('too many are refused, and so are those that no label names', () => {
    const field = (more: Partial<AskedBuckets>): string | undefined => {
      try {
        bucketsOf(asked(more), noZone);
        return undefined;
      } catch (error) {
        return (error as {failure: {field?: string}}).failure.field;
      }
    };
    const kathmandu = {timezone: zoneOf('Asia/Kathmandu')};
    expect(field({...kathmandu, from: time('2023-01-01'), interval: 'hour'})).toBe('interval');
    expect(field({...kathmandu, from: time('0000-01-01')})).toBe('interval');
    expect(field({...kathmandu, to: time('9999-12-31'), interval: 'year'})).toBeUndefined();
    expect(field({timezone: zoneOf('-10:00'), from: time('0000-01-01T00:00Z'), interval: 'year'})).toBe('from');
    expect(field({timezone: zoneOf('+10:00'), to: time('9999-12-31T23:00Z'), interval: 'year'})).toBe('to');
    expect(field({from: time('2024-03-13')})).toBe('from');
  });
});
