// UTC calendar arithmetic on epoch ms: buckets of reports, ISO texts. No clock and no Date: civil dates by
// Howard Hinnant's days_from_civil (https://howardhinnant.github.io/date_algorithms.html).
//   C1. A bucket is [startMs, nextMs): hours, days, weeks from Monday, months, quarters, years, UTC (docs/api/reports/README.md).
import {dayMs, hourMs} from './limits.js';

export type Interval = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Number of months of each interval that consists of whole months. */
const monthsOf = {month: 1, quarter: 3, year: 12} as const;

interface CivilDate {
  readonly year: number;
  /** 1-12 */
  readonly month: number;
  /** 1-31 */
  readonly day: number;
}

/** Days since 1970-01-01 of a valid civil date. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): CivilDate {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const mp = Math.floor((5 * dayOfYear + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * mp + 2) / 5) + 1,
  };
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const firstYearMs = daysFromCivil(0, 1, 1) * dayMs;
const lastYearEndMs = daysFromCivil(10_000, 1, 1) * dayMs;

/** Whether the label of a bucket that begins at `startMs` has a year of four digits. */
export function isLabelled(startMs: number): boolean {
  return startMs >= firstYearMs && startMs < lastYearEndMs;
}

/** Start of the bucket that holds `timeMs`. C1 */
export function bucketStart(timeMs: number, interval: Interval): number {
  const day = Math.floor(timeMs / dayMs);
  switch (interval) {
    case 'hour':
      return Math.floor(timeMs / hourMs) * hourMs;
    case 'day':
      return day * dayMs;
    case 'week':
      // 1970-01-01 was a Thursday: three days after its Monday.
      return (day - ((((day + 3) % 7) + 7) % 7)) * dayMs;
    case 'month':
    case 'quarter':
    case 'year': {
      const {year, month} = civilFromDays(day);
      return daysFromCivil(year, month - ((month - 1) % monthsOf[interval]), 1) * dayMs;
    }
  }
}

/** Start of the bucket after the one that starts at `startMs`. */
export function bucketNext(startMs: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return startMs + hourMs;
    case 'day':
      return startMs + dayMs;
    case 'week':
      return startMs + 7 * dayMs;
    case 'month':
    case 'quarter':
    case 'year': {
      const {year, month} = civilFromDays(startMs / dayMs);
      const next = month + monthsOf[interval];
      return (next > 12 ? daysFromCivil(year + 1, 1, 1) : daysFromCivil(year, next, 1)) * dayMs;
    }
  }
}

/** Starts of all buckets that touch [fromMs, toMs]; undefined when they are more than `countMax`. */
export function bucketStarts(fromMs: number, toMs: number, interval: Interval, countMax: number): number[] | undefined {
  const starts: number[] = [];
  for (let start = bucketStart(fromMs, interval); start <= toMs; start = bucketNext(start, interval)) {
    if (starts.length === countMax) return undefined;
    starts.push(start);
  }
  return starts;
}

const two = (value: number): string => (value < 10 ? '0' : '') + value;

/** `YYYY`; for other years ISO 8601's expanded form, as JavaScript writes it. */
function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return String(year).padStart(4, '0');
  return (year < 0 ? '-' : '+') + String(Math.abs(year)).padStart(6, '0');
}

/** `YYYY-MM-DD` of an epoch day. */
export function dateText(day: number): string {
  const {year, month, day: dayOfMonth} = civilFromDays(day);
  return `${yearText(year)}-${two(month)}-${two(dayOfMonth)}`;
}

/** Label of a bucket: its date; for hours date and hour (docs/api/reports/README.md). */
export function bucketLabel(startMs: number, interval: Interval): string {
  const day = Math.floor(startMs / dayMs);
  return interval === 'hour' ? `${dateText(day)}T${two((startMs - day * dayMs) / hourMs)}:00:00Z` : dateText(day);
}

/** Texts of days and hours, 00 to 31: a report needs hundreds of them. */
const twoDigits: readonly string[] = Array.from({length: 32}, (_, value) => two(value));

/** `bucketLabel` of ascending starts: the text of a month is formatted once for all its days. */
export function bucketLabels(startsMs: Float64Array, interval: Interval): string[] {
  const labels: string[] = [];
  let [month, beforeMonth, monthEnd] = ['', 0, Number.NEGATIVE_INFINITY]; // `YYYY-MM`; epoch days before and after the month.
  for (const startMs of startsMs) {
    const day = Math.floor(startMs / dayMs);
    if (day >= monthEnd) {
      const {year, month: number, day: dayOfMonth} = civilFromDays(day);
      month = `${yearText(year)}-${twoDigits[number]}-`;
      beforeMonth = day - dayOfMonth;
      monthEnd = beforeMonth + daysInMonth(year, number) + 1;
    }
    const date = month + twoDigits[day - beforeMonth];
    labels.push(interval === 'hour' ? `${date}T${twoDigits[(startMs - day * dayMs) / hourMs]}:00:00Z` : date);
  }
  return labels;
}

/** ISO 8601 UTC with milliseconds. */
export function isoText(timeMs: number): string {
  const day = Math.floor(timeMs / dayMs);
  const rest = timeMs - day * dayMs;
  const seconds = Math.floor(rest / 1_000);
  const clock = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${dateText(day)}T${clock}.${String(rest % 1_000).padStart(3, '0')}Z`;
}
