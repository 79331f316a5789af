// Days of ranges. Pages import this file, too.
//   DR1. Days are numbers since 1970-01-01; both ends of a range are in it.
import {bucketStart, dateText, daysFromCivil, daysInMonth, type Interval} from '../../../actors/calendar.js';
import {dayMs} from '../../../actors/limits.js';

export interface Days {
  readonly from: number;
  readonly to: number;
}

// -- Calendar --

export const dayOfMs = (ms: number): number => Math.floor(ms / dayMs);
export const monthStart = (day: number): number => bucketStart(day * dayMs, 'month') / dayMs;
/** The same day of another month; the last one of a month that is shorter. */
export function monthsLater(day: number, months: number): number {
  const [year, month, dayOfMonth] = dateText(day).split('-').map(Number) as [number, number, number];
  const at = year * 12 + month - 1 + months;
  const [otherYear, otherMonth] = [Math.floor(at / 12), (((at % 12) + 12) % 12) + 1];
  return daysFromCivil(otherYear, otherMonth, Math.min(dayOfMonth, daysInMonth(otherYear, otherMonth)));
}

/** `this-week`, `last-sunday-week`, `this-quarter`: whole stretches of the calendar. `this` one ends with today. */
export function wholeDays(text: string, today: number): Days {
  const unit = text.slice(text.lastIndexOf('-') + 1) as 'week' | 'month' | 'quarter' | 'year';
  // Weeks from Sunday are those from Monday, a day earlier.
  const shift = text.includes('sunday') ? 1 : 0;
  const startOf = (day: number): number => bucketStart((day + shift) * dayMs, unit) / dayMs - shift;
  const start = startOf(today);
  return text.startsWith('this') ? {from: start, to: today} : {from: startOf(start - 1), to: start - 1};
}

/** The months up to today; the first one is whole. */
export const lastMonths = (amount: number, today: number): Days => ({
  from: monthsLater(monthStart(today), 1 - amount),
  to: today,
});

// -- What is usual --

export const lengthOf = ({from, to}: Days): number => to - from + 1;

/** Some 30 to 120 buckets. */
export function usualInterval(range: Days): Interval {
  const days = lengthOf(range);
  if (days <= 3) return 'hour';
  if (days <= 120) return 'day';
  return days <= 731 ? 'week' : 'month';
}
