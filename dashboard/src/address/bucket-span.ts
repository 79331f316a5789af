// Bounds of one bucket of an answer, as days of its zone or as two moments.
//   BS1. An hour has bounds in UTC: one hour a year comes twice on a clock of the zone.
import {bucketNext, bucketStart, dateText} from '../../../actors/calendar.js';
import {dayMs, hourMs} from '../../../actors/limits.js';
import {dayOfMs, type Interval} from './range.js';
import type {Span} from './report-address.js';

/** A bucket of an answer: the dates of all of them, and its index. */
export interface AskedBucket {
  readonly dates: readonly string[];
  readonly at: number;
  readonly interval: Interval;
}

/** Two moments, both inclusive, as a span. Epoch ms. */
export const spanOfMoments = (fromMs: number, untilMs: number): Span => ({
  from: dayOfMs(fromMs),
  to: dayOfMs(untilMs),
  fromMs,
  untilMs,
});

const dayOf = (date: string): number => dayOfMs(Date.parse(date));

/** Start and last ms of the hour with this index. BS1 */
function hourAt(dates: readonly string[], at: number): readonly [fromMs: number, untilMs: number] {
  const fromMs = Date.parse(dates[at]!);
  const next = dates[at + 1];
  return [fromMs, (next === undefined ? fromMs + hourMs : Date.parse(next)) - 1];
}

/** The last day of the bucket by the calendar, also where the range ends before. */
const lastDayOf = (date: string, interval: Interval): number => dayOfMs(bucketNext(dayOf(date) * dayMs, interval) - 1);

/** `dates`: those of the answer's buckets. What the range cuts off is not in it. */
export function bucketSpan(dates: readonly string[], at: number, days: Span, interval: Interval): Span {
  if (interval === 'hour') return spanOfMoments(...hourAt(dates, at));
  const next = dates[at + 1];
  return {
    ...days,
    from: Math.max(days.from, dayOf(dates[at]!)),
    to: next === undefined ? days.to : Math.min(days.to, dayOf(next) - 1),
  };
}

/** The `length` days that end with the bucket: they begin before the range, and nothing after it counts. */
export function trailingSpan(
  dates: readonly string[],
  at: number,
  days: Span,
  interval: Interval,
  length: number,
): Span {
  if (interval === 'hour') {
    const [, untilMs] = hourAt(dates, at);
    return spanOfMoments(untilMs + 1 - length * dayMs, untilMs);
  }
  const last = lastDayOf(dates[at]!, interval);
  return {...days, from: last - length + 1, to: Math.min(days.to, last)};
}

/** The bucket that is `later` buckets after the one with this date. It is whole: what a range cuts off is in it. */
export function laterBucket(date: string, later: number, interval: Interval, zone: string): Span {
  if (interval === 'hour') {
    const fromMs = Date.parse(date) + later * hourMs;
    return spanOfMoments(fromMs, fromMs + hourMs - 1);
  }
  let startMs = dayOf(date) * dayMs;
  for (let bucket = 0; bucket < later; bucket++) startMs = bucketNext(startMs, interval);
  return {from: dayOfMs(startMs), to: dayOfMs(bucketNext(startMs, interval) - 1), zone};
}

/** The bucket before the one with this date. It is whole. */
export const bucketBefore = (date: string, interval: Interval, zone: string): Span =>
  interval === 'hour'
    ? laterBucket(date, -1, interval, zone)
    : laterBucket(dateText(dayOfMs(bucketStart(dayOf(date) * dayMs - 1, interval))), 0, interval, zone);
