// The model's own reading of time: the timestamp forms of docs/api/events.md and the buckets of reports, with Temporal. It shares
// no code with the service on purpose: two readings of the same text must agree.
//   Of zones it knows what Temporal knows: not the hours of Lord Howe's half-hour shift, no day that never was, and no date that
//   the clock goes back to.

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

/** Epoch milliseconds; throws for a text that has none of the forms of docs/api/events.md. */
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

/** A date-only `to` is the whole day (docs/api/reports/README.md). */
export const parseTo = (text: string): number => parseTime(text) + (isDateOnly(text) ? dayMs - 1 : 0);

/** In a zone dates are local days; other texts have an offset. */
export function parseRange(from: string, to: string, zone?: string): Range {
  if (zone === undefined) return {fromMs: parseTime(from), toMs: parseTo(to)};
  const startOf = (text: string, daysLater: number): number =>
    dayStart(Temporal.PlainDate.from(text).add({days: daysLater}), zone);
  return {
    fromMs: isDateOnly(from) ? startOf(from, 0) : parseTime(from),
    toMs: isDateOnly(to) ? startOf(to, 1) - 1 : parseTime(to),
  };
}

const dayStart = (date: Temporal.PlainDate, zone: string): number => date.toZonedDateTime(zone).epochMilliseconds;

export const isInside = (timeMs: number, range: Range): boolean => range.fromMs <= timeMs && timeMs <= range.toMs;

/** ISO 8601 UTC with milliseconds. */
export const formatTime = (timeMs: number): string => new Date(timeMs).toISOString();

/** Every bucket that the range touches, in order; the first may begin before the range. */
export function bucketsOf(range: Range, interval: Interval, zone?: string): Bucket[] {
  if (zone !== undefined) return bucketsIn(zone, range, interval);
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

function bucketsIn(zone: string, range: Range, interval: Interval): Bucket[] {
  const from = Temporal.Instant.fromEpochMilliseconds(range.fromMs).toZonedDateTimeISO(zone);
  const ofHours = interval === 'hour';
  const buckets: Bucket[] = [];
  let start = ofHours
    ? from.round({smallestUnit: 'hour', roundingMode: 'floor'})
    : bucketStart(range.fromMs + from.offsetNanoseconds / 1e6, interval)
        .toPlainDate()
        .toZonedDateTime(zone);
  while (start.epochMilliseconds <= range.toMs) {
    const later = interval === 'quarter' ? {months: 3} : {[`${interval}s`]: 1};
    const end = ofHours ? start.add(later) : start.toPlainDate().add(later).toZonedDateTime(zone);
    const text = start.toString({timeZoneName: 'never', smallestUnit: 'second'});
    const label = ofHours ? (zone === 'UTC' ? text.replace('+00:00', 'Z') : text) : text.slice(0, 10);
    buckets.push({startMs: start.epochMilliseconds, endMs: end.epochMilliseconds, label});
    start = end;
  }
  return buckets;
}

/** Where the window of days begins that ends with a bucket: of local days, by their dates. */
export function windowStart({endMs}: Bucket, days: number, interval: Interval, zone: string | undefined): number {
  if (zone === undefined || interval === 'hour') return endMs - days * dayMs;
  const end = Temporal.Instant.fromEpochMilliseconds(endMs).toZonedDateTimeISO(zone).toPlainDate();
  return dayStart(end.subtract({days}), zone);
}
