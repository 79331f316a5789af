// Timestamps of clients: RFC 3339 and the ISO 8601 forms of docs/api/events.md. Parsed by hand: V8's Date takes 30 February for 2
// March, and the hot path must not allocate.
//
//   timestamp = date [sep HH:MM [:SS [.f+]] [zone]]      sep = T | t | space      zone = Z | z | ±HH[:]MM
//
//   T1. Only real dates and times of day: no 24:00, no :60, no 30 February.
//   T2. Without a zone the time is UTC; digits after the millisecond are dropped.
import {daysFromCivil, daysInMonth} from '../calendar.js';
import {dayMs} from '../limits.js';

const zero = 0x30;
const dash = 0x2d;
const plus = 0x2b;
const colon = 0x3a;
const dot = 0x2e;
const dateChars = 10;

/** Epoch ms, or NaN when `text` is no timestamp. A date alone means its midnight. */
export function parseTimestamp(text: string): number {
  const day = parseDay(text);
  if (text.length === dateChars) return day * dayMs;
  const separator = text.charCodeAt(dateChars);
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return Number.NaN;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  if (text.charCodeAt(13) !== colon || !(hour <= 23 && minute <= 59)) return Number.NaN;
  return day * dayMs + hour * 3_600_000 + minute * 60_000 + parseSeconds(text, 16);
}

/** Epoch day of the leading YYYY-MM-DD. T1 */
function parseDay(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (text.charCodeAt(4) !== dash || text.charCodeAt(7) !== dash) return Number.NaN;
  if (!(month >= 1 && month <= 12 && day >= 1 && year >= 0) || day > daysInMonth(year, month)) return Number.NaN;
  return daysFromCivil(year, month, day);
}

/** Ms of `[:SS[.f+]][zone]` from `at` to the end; the zone is subtracted. */
function parseSeconds(text: string, at: number): number {
  if (text.charCodeAt(at) !== colon) return parseZone(text, at, 0);
  const second = twoDigits(text, at + 1);
  if (!(second <= 59)) return Number.NaN;
  if (text.charCodeAt(at + 3) !== dot) return parseZone(text, at + 3, second * 1_000);
  return parseFraction(text, at + 4, second * 1_000);
}

function parseFraction(text: string, start: number, timeMs: number): number {
  let at = start;
  let fractionMs = 0;
  for (let scale = 100; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (!(digit >= 0 && digit <= 9)) break;
    fractionMs += digit * scale; // T2: from the fourth digit on the scale is 0.
    scale = scale === 100 ? 10 : scale === 10 ? 1 : 0;
  }
  return at === start ? Number.NaN : parseZone(text, at, timeMs + fractionMs);
}

/** `timeMs` minus the offset of the zone that fills the rest of `text`. T2 */
function parseZone(text: string, at: number, timeMs: number): number {
  if (at === text.length) return timeMs;
  const sign = text.charCodeAt(at);
  if (sign === 0x5a || sign === 0x7a) return at + 1 === text.length ? timeMs : Number.NaN;
  if (sign !== plus && sign !== dash) return Number.NaN;
  const minuteAt = text.charCodeAt(at + 3) === colon ? at + 4 : at + 3;
  const hour = twoDigits(text, at + 1);
  const minute = twoDigits(text, minuteAt);
  if (!(hour <= 23 && minute <= 59) || minuteAt + 2 !== text.length) return Number.NaN;
  const offsetMs = hour * 3_600_000 + minute * 60_000;
  return sign === plus ? timeMs - offsetMs : timeMs + offsetMs;
}

/** The number of the two ASCII digits at `at`; NaN when there are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - zero;
  const units = text.charCodeAt(at + 1) - zero;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}
