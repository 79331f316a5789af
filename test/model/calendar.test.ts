import {describe, expect, test} from 'vitest';
import {bucketsOf, formatTime, parseRange, parseTime, parseTo} from '../../tools/model/calendar.js';

describe('timestamps of docs/api/events.md', () => {
  test.each([
    ['1970-01-01', 0],
    ['1970-01-01T00:00', 0],
    ['1970-01-01T00:00:01', 1_000],
    ['1970-01-01T00:00:01.5', 1_500],
    ['1970-01-01T00:00:01.1239Z', 1_123],
    ['1970-01-01t00:01z', 60_000],
    ['1970-01-01 01:00', 3_600_000],
    ['1970-01-01T01:00+01:00', 0],
    ['1970-01-01T01:00+0100', 0],
    ['1969-12-31T23:30-0030', 0],
    ['2024-02-29', 1_709_164_800_000],
    ['2001-09-09T01:46:40Z', 1_000_000_000_000],
  ])('%s is %i', (text, timeMs) => expect(parseTime(text)).toBe(timeMs));

  test.each([
    '2023-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-01-01T24:00',
    '2024-01-01T23:59:60',
    '2024-01-01T10',
    '2024-01-01T10:00+01',
    '2024-01-01T10:00+24:00',
    '2024-01-01Z',
    '20240101',
    ' 2024-01-01',
  ])('%s is none', (text) => expect(() => parseTime(text)).toThrow(RangeError));

  test('a date-only `to` is the whole day, a `to` with a time is exact', () => {
    expect(parseTo('1970-01-01')).toBe(86_399_999);
    expect(parseTo('1970-01-01T00:00')).toBe(0);
  });

  test('answers show milliseconds in UTC', () => expect(formatTime(5)).toBe('1970-01-01T00:00:00.005Z'));
});

describe('buckets', () => {
  const labels = (from: string, to: string, interval: 'hour' | 'day' | 'week' | 'month'): string[] =>
    bucketsOf(parseRange(from, to), interval).map((bucket) => bucket.label);

  test('hours carry their time, the first label lies before `from`', () => {
    expect(labels('2024-02-28T22:30', '2024-02-29T00:00', 'hour')).toEqual([
      '2024-02-28T22:00:00Z',
      '2024-02-28T23:00:00Z',
      '2024-02-29T00:00:00Z',
    ]);
  });

  test('days go over a leap day', () => {
    expect(labels('2024-02-28', '2024-03-01', 'day')).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
  });

  test('weeks start on Monday', () => {
    expect(labels('2024-01-03', '2024-01-15', 'week')).toEqual(['2024-01-01', '2024-01-08', '2024-01-15']);
    expect(labels('2024-01-07', '2024-01-07', 'week')).toEqual(['2024-01-01']);
    expect(labels('1970-01-01', '1970-01-01', 'week')).toEqual(['1969-12-29']);
  });

  test('months start on the first', () => {
    expect(labels('2023-12-31', '2024-02-01', 'month')).toEqual(['2023-12-01', '2024-01-01', '2024-02-01']);
  });

  test('a bucket ends where the next one starts', () => {
    const [february, march] = bucketsOf(parseRange('2024-02-10', '2024-03-10'), 'month');
    expect(february!.endMs).toBe(march!.startMs);
    expect(february!.endMs - february!.startMs).toBe(29 * 86_400_000);
  });
});
