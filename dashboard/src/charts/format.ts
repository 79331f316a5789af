// Numbers, shares, durations, UTC dates and ranges as people read them. One place, so that every page says them alike.
import {dateText} from '../../../actors/calendar.js';
import type {Days, Interval, Range} from '../address/range.js';

const whole = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', {notation: 'compact', maximumFractionDigits: 1});

export const count = (value: number): string => whole.format(value);
/** Number in full up to five digits, shorter beyond: for axes. */
export const short = (value: number): string =>
  Math.abs(value) < 100_000 ? whole.format(value) : compact.format(value).toLowerCase().replace('m', 'M');
/**
 * Share as text, with a thin space before the sign. Rounded, it is never none or all where it is not: `<0.1 %` of one in ten thousand,
 * `>99.9 %` without one of them.
 */
export function percent(share: number, digits = 1): string {
  const text = sized(share, digits);
  const isAll = share < 1 && Number((share * 100).toFixed(digits)) === 100;
  return isAll ? `>${(100 - 10 ** -digits).toFixed(digits)}\u2009%` : text;
}

/** As `percent`, of what may be more than all. */
const sized = (share: number, digits = 1): string =>
  share > 0 && Number((share * 100).toFixed(digits)) === 0
    ? `<${(10 ** -digits).toFixed(digits)}\u2009%`
    : `${(share * 100).toFixed(digits)}\u2009%`;

/** `+6.2 %`, `−3.1 %`; above tenfold `14 times`; empty where there is nothing to compare with. */
export function change(now: number, before: number): string {
  if (before === 0) return '';
  const share = now / before - 1;
  if (share >= 9) return `${count(Math.round(now / before))} times`;
  return `${share < 0 ? '−' : '+'}${sized(Math.abs(share))}`;
}

const units: readonly (readonly [seconds: number, name: string])[] = [
  [31_557_600, 'y'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** The two largest units, rounded to the smaller one: `4 min 12 s`, `2 d 3 h`. Below ten seconds with a decimal. */
export function duration(seconds: number): string {
  if (seconds < 0.9995) return seconds === 0 ? '0 s' : `${Math.max(1, Math.round(seconds * 1_000))} ms`;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`;
  const [smaller] = units[units.findIndex(([size]) => seconds >= size) + 1] ?? units.at(-1)!;
  const rounded = Math.round(seconds / smaller) * smaller;
  const at = units.findIndex(([size]) => rounded >= size);
  const [size, name] = units[at]!;
  const next = units[at + 1];
  const first = Math.floor(rounded / size);
  const rest = next === undefined ? 0 : Math.floor((rounded - first * size) / next[0]);
  return rest === 0 || next === undefined ? `${first} ${name}` : `${first} ${name} ${rest} ${next[1]}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const dayText = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
};
/** `Nov 2026` */
export const monthText = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
};
export const longDayText = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return `${weekdays[date.getUTCDay()]} ${dayText(seconds)} ${date.getUTCFullYear()}`;
};
export const clockText = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 19);
export const weekdayName = (seconds: number): string => weekdayNames[new Date(seconds * 1_000).getUTCDay()]!;

/** `3 Nov`, in UTC; `3 Nov 2025` in another year than that of now. */
export function dateOf(ms: number, nowMs = Date.now()): string {
  const year = new Date(ms).getUTCFullYear();
  return dayText(ms / 1_000) + (year === new Date(nowMs).getUTCFullYear() ? '' : ` ${year}`);
}
/** `3 Nov, 14:05:12`, in UTC, with the year as `dateOf` has it. */
export const momentText = (ms: number, nowMs?: number): string => `${dateOf(ms, nowMs)}, ${clockText(ms / 1_000)}`;
/** `3 Nov, 14:05` */
export const minuteText = (ms: number, nowMs?: number): string => momentText(ms, nowMs).slice(0, -3);

/** Clocks of browsers and servers differ by some seconds: so far ahead is now. */
const aheadMsMax = 60_000;

/** `41 s ago`, `3 d 2 h ago`; `20 h ahead` of a time to come; `now` below a second. */
export function agoText(ms: number, nowMs: number): string {
  if (ms - nowMs > aheadMsMax) return `${duration(Math.floor((ms - nowMs) / 1_000))} ahead`;
  return nowMs - ms < 1_000 ? 'now' : `${duration(Math.floor((nowMs - ms) / 1_000))} ago`;
}

// -- Buckets and ranges ------------------------------------------------------------------------------------------------

/** Epoch seconds of a bucket's `date`, as reports give it: what clocks of its zone show then. */
export const secondsOf = (date: string): number =>
  Date.parse(date.length > 19 ? `${date.slice(0, 19)}Z` : date) / 1_000;

/** A bucket in full: `Wed 11 Nov 2026, 14:00 UTC`, `Week of 9 Nov 2026`, `November 2026`. */
export function bucketText(seconds: number, interval: Interval, zone = 'UTC'): string {
  const date = new Date(seconds * 1_000);
  switch (interval) {
    case 'hour':
      return `${longDayText(seconds)}, ${clockText(seconds).slice(0, 5)} ${zone}`;
    case 'day':
      return longDayText(seconds);
    case 'week':
      return `Week of ${dayText(seconds)} ${date.getUTCFullYear()}`;
    case 'month':
      return `${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
    case 'quarter':
      return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`;
    case 'year':
      return String(date.getUTCFullYear());
  }
}

const daySeconds = 86_400;
const yearOf = (day: number): string => dateText(day).slice(0, 4);

/** `21 Oct – 20 Nov`; with years where it is not all of this year. */
export function datesText({from, to}: Days, today: number): string {
  const [first, last] = [dayText(from * daySeconds), dayText(to * daySeconds)];
  if (yearOf(from) !== yearOf(to)) return `${first} ${yearOf(from)} – ${last} ${yearOf(to)}`;
  const year = yearOf(to) === yearOf(today) ? '' : ` ${yearOf(to)}`;
  return from === to ? `${last}${year}` : `${first} – ${last}${year}`;
}

/** `Last 30 days`, `October 2026`; undefined for days that have no name. */
export function rangeName(range: Range): string | undefined {
  switch (range.kind) {
    case 'last':
      if (range.unit === 'month') return range.amount === 1 ? 'This month' : `Last ${range.amount} months`;
      return range.amount === 1 ? 'Today' : `Last ${range.amount} days`;
    case 'yesterday':
      return 'Yesterday';
    case 'month':
      return `${monthNames[range.month - 1]} ${range.year}`;
    case 'year':
      return String(range.year);
    case 'whole':
      return `${range.text.startsWith('this') ? 'This' : 'Last'} ${range.text.slice(range.text.lastIndexOf('-') + 1)}`;
    case 'days':
      return undefined;
  }
}

/** `today`, `Friday` within the last week, else its date. */
export function dayName(day: number, today: number): string {
  if (day === today) return 'today';
  if (day === today - 1) return 'yesterday';
  return datesText({from: day, to: day}, today);
}

/** Properties in one line: `plan pro, seats 12`. */
export const propertiesText = (properties: Readonly<Record<string, unknown>>): string =>
  Object.entries(properties)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, 160);

const windowUnits: Readonly<Record<string, string>> = {s: 'second', m: 'minute', h: 'hour', d: 'day'};

/** The window of a funnel: `14 days` for `14d`. A number alone is of seconds. */
export function windowText(window: string): string {
  const [, amount = '', unit = 's'] = /^(\d+)([a-z])?$/.exec(window) ?? [];
  return `${amount} ${windowUnits[unit]}${amount === '1' ? '' : 's'}`;
}
