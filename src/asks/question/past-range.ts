// The range that a range of days is compared with. Pages import this file, too.
//   PR1. It has equally many buckets, so that each lies beside one of the range.
import {dateText, type Interval} from '../../../actors/calendar.js';
import {dayMs} from '../../../actors/limits.js';
import {type Days, dayOfMs, lengthOf, monthStart, monthsLater} from './day-range.js';

/**
 * `before`: of a short range whole weeks before, so a Friday lies beside a Friday; of a longer one the days just before. Of buckets of
 * months as many months. `previous`: always the days just before.
 */
export const comparisons = ['before', 'weekdays', 'year', 'previous'] as const;
export type Comparison = (typeof comparisons)[number];

export interface Past extends Days {
  /** The moment of the past that is compared with a moment of the range. Epoch ms. */
  readonly momentOf: (ms: number) => number;
}

/** In a longer range the weekdays even out. */
const weekdaysDaysMax = 28;
const daysOfWeek = 7;
/** Whole weeks. */
const daysOfYear = 364;

/** How many days the compared range lies before a range of `length` days. */
export function shiftDays(length: number, compare: Comparison, interval: Interval = 'day'): number {
  if (compare === 'year') return daysOfYear;
  const isOfWeeks = compare === 'weekdays' || interval === 'week' || length <= weekdaysDaysMax;
  return compare === 'previous' || !isOfWeeks ? length : Math.ceil(length / daysOfWeek) * daysOfWeek;
}

/** PR1 */
export function pastOf({from, to}: Days, interval: Interval, compare: Comparison): Past {
  const monthsPerBucket = {month: 1, quarter: 3, year: 12}[interval as 'month'];
  if (monthsPerBucket !== undefined && compare !== 'previous') {
    const [first, last] = [dateText(from), dateText(to)].map((text) => text.split('-').map(Number)) as [
      number[],
      number[],
    ];
    const bucketOf = ([year, month]: number[]): number => Math.floor((year! * 12 + month! - 1) / monthsPerBucket);
    const months = compare === 'year' ? 12 : (bucketOf(last) - bucketOf(first) + 1) * monthsPerBucket;
    const shifted = (day: number): number => {
      const other = monthsLater(day, -months);
      return isEndOfMonth(day) ? monthsLater(monthStart(other), 1) - 1 : other;
    };
    return {
      from: monthsLater(from, -months),
      to: shifted(to),
      momentOf: (ms) => monthsLater(dayOfMs(ms), -months) * dayMs + (ms - dayOfMs(ms) * dayMs),
    };
  }
  const days = shiftDays(lengthOf({from, to}), compare, interval);
  return {from: from - days, to: to - days, momentOf: (ms) => ms - days * dayMs};
}

const isEndOfMonth = (day: number): boolean => monthStart(day + 1) === day + 1;
