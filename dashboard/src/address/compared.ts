// The range beside which a page shows its own.
//   CP1. While today is in the range, totals of the earlier one end at the same moment: a whole day is not compared with half.
import {type Compare, type Days, type Interval, type Past, pastOf} from './range.js';
import type {Span} from './report-address.js';

/** Undefined when the page compares with nothing. */
export const comparedDays = (days: Days, interval: Interval, compare: Compare): Past | undefined =>
  compare === 'off' ? undefined : pastOf(days, interval, compare);

/** The earlier range up to the moment that this one has reached; undefined when this one is over, or not known yet. CP1 */
export const pastSoFar = (
  past: Past | undefined,
  days: Days,
  today: number,
  asOfMs: number | undefined,
): Span | undefined =>
  past === undefined || asOfMs === undefined || days.to < today ? undefined : {...past, untilMs: past.momentOf(asOfMs)};
