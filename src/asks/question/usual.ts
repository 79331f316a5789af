// What is usual for the length of a range on the pages of reports.
import type {Interval} from '../../../actors/calendar.js';
import {breakdownCellsMax} from '../../../actors/limits.js';
import {type Days, lengthOf} from './day-range.js';

/** The usual bucket of retention and lifecycle. It is longer than that of counts, so that their table fits on a page. */
export function usualPeriod(range: Days): Interval {
  const days = lengthOf(range);
  if (days <= 31) return 'day';
  return days <= 183 ? 'week' : 'month';
}

/** Values of a breakdown of counts with rows of their own: more than the palette has colours for lines. */
const breakdownRows = 25;
const rowsMin = 6;
/** Rows of what is no value of its own: other, missing, null, not_scalar. */
const kindRows = 4;

/** Rows of each breakdown of counts: their product times the buckets is bounded. */
export function usualRows(range: Days, interval: Interval, breakdowns = 1): number {
  const bucketsMax = (lengthOf(range) + 1) * (interval === 'hour' ? 24 : 1);
  const most = Math.floor((breakdownCellsMax / bucketsMax) ** (1 / breakdowns)) - kindRows;
  return Math.max(breakdowns === 1 ? rowsMin : 1, Math.min(breakdownRows, most));
}
