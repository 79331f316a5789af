// The range beside which a page shows its own.
//   CP1. While today is in the range, totals of the earlier one end at the same moment: a whole day is not compared with half.
//   CP2. Days before there was any data are no time to compare with: half of a range would be taken for all of it.
import {pastOf} from '../../../src/asks/question/past-range.js';
import type {Compare, Days, Interval, Past} from './range.js';
import type {Span} from './report-address.js';

/** Undefined when the page compares with nothing. `since`: the first day with data, where it is known (CP2). */
export function comparedDays(days: Days, interval: Interval, compare: Compare, since?: number): Past | undefined {
  const past = compare === 'off' ? undefined : pastOf(days, interval, compare);
  return past === undefined || beginsBefore(past, since) ? undefined : past;
}

/** Whether data begins within the days, or after them. CP2 */
export const beginsBefore = ({from}: Pick<Days, 'from'>, since: number | undefined): boolean =>
  since !== undefined && from < since;

/** The earlier range up to the moment that this one has reached; undefined when this one is over, or not known yet. CP1 */
export const pastSoFar = (
  past: Past | undefined,
  days: Days,
  today: number,
  asOfMs: number | undefined,
): Span | undefined =>
  past === undefined || asOfMs === undefined || days.to < today ? undefined : {...past, untilMs: past.momentOf(asOfMs)};
