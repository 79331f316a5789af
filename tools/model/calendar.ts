// The model's own reading of time: the timestamp forms of docs/api.md and the UTC buckets of reports, with Temporal. It shares no
// code with the service on purpose: two readings of the same text must agree.

import {Temporal} from 'temporal-polyfill';

export type Interval = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
export const intervals: readonly Interval[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];

export interface Range {
  /** Both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A half-open range `[startMs, endMs)`. */
export interface Bucket {
  readonly startMs: number;
  readonly endMs: number;
  readonly label: string;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

const timestampForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?$/;

/** Epoch milliseconds; throws for a text that has none of the forms of docs/api.md. */
export function parseTime(text: string): number {
  const match = timestampForm.exec(text);
  if (match === null) throw new RangeError(`not a timestamp: ${text}`);
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, offsetHour, offsetMinute] =
    match;
  if (Number(second) > 59) throw new RangeError(`no leap seconds: ${text}`);
  const wall = Temporal.PlainDateTime.from(
    {
      year: Number(year),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
    },
    {overflow: 'reject'},
  );
  return wall.toZonedDateTime('UTC').epochMilliseconds - offsetMs(sign, offsetHour, offsetMinute);
}

function offsetMs(sign: string | undefined, hour: string | undefined, minute: string | undefined): number {
  if (sign === undefined) return 0;
  if (Number(hour) > 23 || Number(minute) > 59) throw new RangeError(`no such offset: ${sign}${hour}:${minute}`);
  return (sign === '-' ? -1 : 1) * (Number(hour) * 60 + Number(minute)) * 60_000;
}

const isDateOnly = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/** A date-only `to` is the whole day (docs/api.md, Reports). */
export const parseTo = (text: string): number => parseTime(text) + (isDateOnly(text) ? dayMs - 1 : 0);

export const parseRange = (from: string, to: string): Range => ({fromMs: parseTime(from), toMs: parseTo(to)});

export const isInside = (timeMs: number, range: Range): boolean => range.fromMs <= timeMs && timeMs <= range.toMs;

/** ISO 8601 UTC with milliseconds. */
export const formatTime = (timeMs: number): string => new Date(timeMs).toISOString();

/** Every bucket that the range touches, in order; the first may begin before the range. */
export function bucketsOf(range: Range, interval: Interval): Bucket[] {
  const buckets: Bucket[] = [];
  let start = bucketStart(range.fromMs, interval);
  while (epochMs(start) <= range.toMs) {
    const end = start.add(interval === 'quarter' ? {months: 3} : {[`${interval}s`]: 1});
    buckets.push({startMs: epochMs(start), endMs: epochMs(end), label: labelOf(start, interval)});
    start = end;
  }
  return buckets;
}

function bucketStart(timeMs: number, interval: Interval): Temporal.PlainDateTime {
  const wall = Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO('UTC').toPlainDateTime();
  if (interval === 'hour') return wall.round({smallestUnit: 'hour', roundingMode: 'floor'});
  const date = wall.toPlainDate();
  if (interval === 'day') return date.toPlainDateTime();
  if (interval === 'week') return date.subtract({days: date.dayOfWeek - 1}).toPlainDateTime();
  if (interval === 'year') return date.with({month: 1, day: 1}).toPlainDateTime();
  const month = interval === 'quarter' ? date.month - ((date.month - 1) % 3) : date.month;
  return date.with({month, day: 1}).toPlainDateTime();
}

const epochMs = (wall: Temporal.PlainDateTime): number => wall.toZonedDateTime('UTC').epochMilliseconds;

function labelOf(start: Temporal.PlainDateTime, interval: Interval): string {
  const date = start.toPlainDate().toString();
  return interval === 'hour' ? `${date}T${String(start.hour).padStart(2, '0')}:00:00Z` : date;
}
