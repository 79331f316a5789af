// Range of days of a report, as an address writes it. Days are those of the zone that the page counts in.
//   R1. A relative range stays relative: `30d` means other days tomorrow.
//   R2. Days are numbers since 1970-01-01; both ends of a span of days are in it.
import {dateText, daysFromCivil, daysInMonth, type Interval} from '../../../actors/calendar.js';
import {reportBucketsMax} from '../../../actors/limits.js';
import {type Days, dayOfMs, lastMonths, monthsLater, wholeDays} from '../../../src/asks/question/day-range.js';

import type {Past} from '../../../src/asks/question/past-range.js';

export {usualInterval} from '../../../src/asks/question/day-range.js';
export type {Days, Past};
export {dayOfMs};

export type Range =
  /** Ends with today, which counts as the last one. */
  | {readonly kind: 'last'; readonly amount: number; readonly unit: 'day' | 'month'}
  | {readonly kind: 'yesterday'}
  | {readonly kind: 'month'; readonly year: number; readonly month: number}
  | {readonly kind: 'year'; readonly year: number}
  /** `this-week`, `last-quarter`. */
  | {readonly kind: 'whole'; readonly text: string}
  | ({readonly kind: 'days'} & Days);

export const compares = ['off', 'before', 'weekdays', 'year', 'previous'] as const;
export type Compare = (typeof compares)[number];

const lastMax = {day: 9_999, month: 600} as const;

// -- Addresses ---------------------------------------------------------------------------------------------------------

/** `today`, `yesterday`, `30d`, `12mo`, `this-week`, `2026`, `2026-10`, `2026-11-03`, `2026-11-03..2026-11-09`. */
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
    case 'whole':
      return range.text;
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
  if (/^(this|last)-((sunday-)?week|month|quarter|year)$/.test(text)) return {kind: 'whole', text};
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

const firstOf = (year: number, month: number): number => daysFromCivil(year, month, 1);

export function daysOf(range: Range, today: number): Days {
  switch (range.kind) {
    case 'last':
      if (range.unit === 'day') return {from: today - range.amount + 1, to: today};
      return lastMonths(range.amount, today);
    case 'yesterday':
      return {from: today - 1, to: today - 1};
    case 'month': {
      const first = firstOf(range.year, range.month);
      return {from: first, to: first + daysInMonth(range.year, range.month) - 1};
    }
    case 'year':
      return {from: firstOf(range.year, 1), to: firstOf(range.year + 1, 1) - 1};
    case 'whole':
      return wholeDays(range.text, today);
    case 'days':
      return range;
  }
}

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

/** Whether the range has at most `reportBucketsMax` buckets of this interval: the service refuses more. */
export function allowsInterval({from, to}: Days, interval: Interval): boolean {
  const daysPerBucket = {hour: 1 / 24, day: 1, week: 7, month: 28, quarter: 90, year: 365}[interval];
  return (to - from + 1) / daysPerBucket + 1 <= reportBucketsMax;
}
