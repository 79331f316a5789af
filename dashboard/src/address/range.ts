// Range of days of a report, as an address writes it. Days are those of the zone that the page counts in.
//   R1. A relative range stays relative: `30d` means other days tomorrow.
//   R2. Days are numbers since 1970-01-01; both ends of a span of days are in it.
import {bucketStart, dateText, daysFromCivil, daysInMonth, type Interval} from '../../../actors/calendar.js';
import {dayMs, reportBucketsMax} from '../../../actors/limits.js';

export type Range =
  /** Ends with today, which counts as the last one. */
  | {readonly kind: 'last'; readonly amount: number; readonly unit: 'day' | 'month'}
  | {readonly kind: 'yesterday'}
  | {readonly kind: 'month'; readonly year: number; readonly month: number}
  | {readonly kind: 'year'; readonly year: number}
  | ({readonly kind: 'days'} & Days);

export interface Days {
  readonly from: number;
  readonly to: number;
}

/** `before`: of a short range the same weekdays, of a longer one the days just before. */
export const compares = ['off', 'before', 'weekdays', 'year'] as const;
export type Compare = (typeof compares)[number];

const lastMax = {day: 9_999, month: 600} as const;

// -- Addresses ---------------------------------------------------------------------------------------------------------

/** `today`, `yesterday`, `30d`, `12mo`, `2026`, `2026-10`, `2026-11-03`, `2026-11-03..2026-11-09`. */
export function rangeText(range: Range): string {
  switch (range.kind) {
    case 'last':
      if (range.unit === 'month') return `${range.amount}mo`;
      return range.amount === 1 ? 'today' : `${range.amount}d`;
    case 'yesterday':
      return 'yesterday';
    case 'month':
      return dateText(firstOf(range.year, range.month)).slice(0, 7);
    case 'year':
      return dateText(firstOf(range.year, 1)).slice(0, 4);
    case 'days':
      return range.from === range.to ? dateText(range.from) : `${dateText(range.from)}..${dateText(range.to)}`;
  }
}

/** Undefined for a text that is no range. */
export function parseRange(text: string): Range | undefined {
  if (text === 'today') return {kind: 'last', amount: 1, unit: 'day'};
  if (text === 'yesterday') return {kind: 'yesterday'};
  const last = /^([1-9]\d{0,3})(d|mo)$/.exec(text);
  if (last !== null) return lastOf(Number(last[1]), last[2] === 'd' ? 'day' : 'month');
  const [first, second, ...more] = text.split('..');
  const whole = /^(\d{4})(?:-(\d\d))?$/.exec(text);
  if (whole !== null) return wholeOf(Number(whole[1]), whole[2] === undefined ? undefined : Number(whole[2]));
  const from = dayOfText(first!);
  const to = second === undefined ? from : dayOfText(second);
  return more.length === 0 ? daysFrom(from, to) : undefined;
}

export const lastOf = (amount: number, unit: 'day' | 'month'): Range | undefined =>
  amount <= lastMax[unit] ? {kind: 'last', amount, unit} : undefined;

export function wholeOf(year: number, month: number | undefined): Range | undefined {
  if (year === 0) return undefined;
  if (month === undefined) return {kind: 'year', year};
  return month >= 1 && month <= 12 ? {kind: 'month', year, month} : undefined;
}

export const daysFrom = (from: number | undefined, to: number | undefined): Range | undefined =>
  from === undefined || to === undefined || from > to ? undefined : {kind: 'days', from, to};

export function dayOfText(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim()) ?? [];
  return year === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
}

export function dayOf(year: number, month: number, day: number): number | undefined {
  const isDay = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return isDay ? daysFromCivil(year, month, day) : undefined;
}

// -- Days --------------------------------------------------------------------------------------------------------------

export const dayOfMs = (ms: number): number => Math.floor(ms / dayMs);
const firstOf = (year: number, month: number): number => daysFromCivil(year, month, 1);
const monthStart = (day: number): number => bucketStart(day * dayMs, 'month') / dayMs;

export function daysOf(range: Range, today: number): Days {
  switch (range.kind) {
    case 'last':
      if (range.unit === 'day') return {from: today - range.amount + 1, to: today};
      return {from: monthsLater(monthStart(today), 1 - range.amount), to: today};
    case 'yesterday':
      return {from: today - 1, to: today - 1};
    case 'month': {
      const first = firstOf(range.year, range.month);
      return {from: first, to: first + daysInMonth(range.year, range.month) - 1};
    }
    case 'year':
      return {from: firstOf(range.year, 1), to: firstOf(range.year + 1, 1) - 1};
    case 'days':
      return range;
  }
}

/** The same day of another month; the last one of a month that is shorter. */
function monthsLater(day: number, months: number): number {
  const [year, month, dayOfMonth] = dateText(day).split('-').map(Number) as [number, number, number];
  const at = year * 12 + month - 1 + months;
  const [otherYear, otherMonth] = [Math.floor(at / 12), (((at % 12) + 12) % 12) + 1];
  return daysFromCivil(otherYear, otherMonth, Math.min(dayOfMonth, daysInMonth(otherYear, otherMonth)));
}

const isEndOfMonth = (day: number): boolean => monthStart(day + 1) === day + 1;

/** The range of the same length just before or after; undefined when it would begin after today. */
export function steppedRange(range: Range, today: number, step: -1 | 1): Range | undefined {
  if (range.kind === 'month' || range.kind === 'year') {
    const at = range.kind === 'month' ? range.year * 12 + range.month - 1 + step : (range.year + step) * 12;
    const year = Math.floor(at / 12);
    const next: Range = range.kind === 'month' ? {kind: 'month', year, month: (at % 12) + 1} : {kind: 'year', year};
    return year >= 1 && daysOf(next, today).from <= today ? next : undefined;
  }
  const {from, to} = daysOf(range, today);
  const length = to - from + 1;
  const isMonths = range.kind === 'last' && range.unit === 'month';
  const next = isMonths
    ? {from: monthsLater(from, step * range.amount), to: step < 0 ? from - 1 : monthsLater(from, 2 * range.amount) - 1}
    : {from: from + step * length, to: to + step * length};
  return next.from <= today ? {kind: 'days', ...next} : undefined;
}

// -- Intervals ---------------------------------------------------------------------------------------------------------

export type {Interval};
export const intervals: readonly Interval[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];

/** Default interval: some 30 to 120 buckets. */
export function usualInterval({from, to}: Days): Interval {
  const days = to - from + 1;
  if (days <= 3) return 'hour';
  if (days <= 120) return 'day';
  return days <= 731 ? 'week' : 'month';
}

/** Whether the range has at most `reportBucketsMax` buckets of this interval: the service refuses more. */
export function allowsInterval({from, to}: Days, interval: Interval): boolean {
  const daysPerBucket = {hour: 1 / 24, day: 1, week: 7, month: 28, quarter: 90, year: 365}[interval];
  return (to - from + 1) / daysPerBucket + 1 <= reportBucketsMax;
}

// -- Comparison --------------------------------------------------------------------------------------------------------

export interface Past extends Days {
  /** The moment of the past that is compared with a moment of the range. Epoch ms. */
  readonly momentOf: (ms: number) => number;
}

/** Up to here the time before lies whole weeks before: a Friday beside a Friday. In a longer range the weekdays even out. */
const weekdaysDaysMax = 28;

/**
 * The range to compare with. It has equally many buckets, so that each lies beside one of the range: those of weeks lie whole weeks
 * before. A range of more than `weekdaysDaysMax` days is compared with the days just before it: none is left out.
 */
export function pastOf({from, to}: Days, interval: Interval, compare: Exclude<Compare, 'off'>): Past {
  const monthsPerBucket = {month: 1, quarter: 3, year: 12}[interval as 'month'];
  if (monthsPerBucket !== undefined) {
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
  const length = to - from + 1;
  const isOfWeeks = compare === 'weekdays' || interval === 'week' || length <= weekdaysDaysMax;
  const days = compare === 'year' ? 364 : isOfWeeks ? Math.ceil(length / 7) * 7 : length;
  return {from: from - days, to: to - days, momentOf: (ms) => ms - days * dayMs};
}
