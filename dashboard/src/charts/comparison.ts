// A range beside an earlier one, in charts and totals: which days, until which moment, and the words that say so.
//   CP1. While today is in the range, totals of the earlier one end at the same moment: a whole day is not compared with half.

import type {Interval} from '../address/range.js';
import {type Compare, type Days, type Past, pastOf} from '../address/range.js';
import type {Span} from '../address/report-address.js';
import {clockText, datesText} from './format.js';

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

/** `until 12:03`: a bucket that is not over. */
export const untilText = (asOfMs: number | undefined): string =>
  asOfMs === undefined ? 'so far' : `until ${clockText(asOfMs / 1_000).slice(0, 5)}`;

/** Goes with a point that is not final. */
export const soFarText = (asOfMs: number | undefined): string =>
  asOfMs === undefined ? 'so far' : `so far, ${untilText(asOfMs)}`;

/** Meaning of the lines of a chart: `by the day, dotted: 1 - 7 Nov, dashed: until 12:03 UTC`. */
export const linesNote = ({
  what,
  past,
  isOpen,
  asOfMs,
  today,
  zone = 'UTC',
}: {
  readonly what?: string;
  readonly past: Days | undefined;
  /** The last bucket is not over. */
  readonly isOpen: boolean;
  readonly asOfMs: number | undefined;
  readonly today: number;
  readonly zone?: string;
}): string =>
  [
    ...(what === undefined ? [] : [what]),
    ...(past === undefined ? [] : [`dotted: ${datesText(past, today)}`]),
    ...(isOpen && asOfMs !== undefined ? [`dashed: ${untilText(asOfMs)} ${zone}`] : []),
  ].join(', ');
