// Bounds of one bucket of an answer, as days of its zone or as two moments.
//   BS1. An hour has bounds in UTC: one hour a year comes twice on a clock of the zone.
import {hourMs} from '../../../actors/limits.js';
import {dayOfMs, type Interval} from '../address/range.js';
import type {Span} from '../address/report-address.js';

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
