// What the times of a question mean.
//   TI1. A bound without an offset is a time of the asked zone: of `timezone`, else of REPORT_TIMEZONE, else of UTC.
//   TI2. A date means the local day from its first to its last moment. A time that the clock shows twice begins with the first
//        and ends with the last of both. A time or a day that the clock skips is the instant at which the gap ends.
//   TI3. A range that moves ends with today of the asked zone; `last` ones end before.
import {dayMs} from '../../../actors/limits.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {utc, type Zone, zoneOf} from '../../zone.js';
import {type Days, lastMonths, wholeDays} from './day-range.js';
import {relativePattern, type weekStarts} from './members.js';
import {rangeText} from './range-text.js';

/** A bound as its text has it. `timeMs` reads a text without an offset as UTC. */
export interface AskedTime {
  readonly timeMs: number;
  readonly is: 'a date' | 'a local time' | 'an instant';
}

const dateChars = 10;
/** Later than every event. */
export const endOfTimeMs = 8.64e15;

/** Undefined for a text that is no date, nor a date and time. */
export function readTime(text: string): AskedTime | undefined {
  const timeMs = parseTimestamp(text);
  if (!Number.isFinite(timeMs)) return undefined;
  if (text.length === dateChars) return {timeMs, is: 'a date'};
  return {timeMs, is: /[Zz+-]/.test(text.slice(dateChars)) ? 'an instant' : 'a local time'};
}

/** The zone of a request, and what the service has for those that name none. */
export interface AskedZone {
  readonly timezone: Zone | undefined;
}
export interface ZoneDefault {
  /** Undefined: UTC. */
  readonly reportZone: Zone | undefined;
}

/** What a question needs to know of the service: the zone of those that name none, and the time. */
export interface Service extends ZoneDefault {
  readonly wallMs: () => number;
}

/** The zone in which a request is read. TI1 */
export const zoneIn = ({timezone: asked}: AskedZone, {reportZone}: ZoneDefault): Zone => asked ?? reportZone ?? utc;

/** Name of the zone of questions that name none. */
export const zoneNameIn = ({reportZone}: ZoneDefault): string => (reportZone ?? utc).name;

/** TI2 */
function startOf({timeMs, is}: AskedTime, local: Zone): number {
  return is === 'an instant' ? timeMs : local.firstAt(timeMs);
}

/** TI2 */
function endOf({timeMs, is}: AskedTime, local: Zone): number {
  if (is === 'an instant') return timeMs;
  if (is === 'a local time') return local.lastAt(timeMs);
  const [start, end] = [local.firstAt(timeMs), local.firstAt(timeMs + dayMs)];
  return Math.max(start, end - 1);
}

/** Bounds of a range that may be empty, inclusive, epoch ms; each of them may be absent. */
export function momentsOf(
  {from, to, ...asked}: AskedZone & {readonly from: AskedTime | undefined; readonly to: AskedTime | undefined},
  service: ZoneDefault,
): {fromMs: number | undefined; toMs: number | undefined} {
  const local = zoneIn(asked, service);
  return {
    fromMs: from === undefined ? undefined : startOf(from, local),
    toMs: to === undefined ? undefined : endOf(to, local),
  };
}

type Range = string | {readonly from?: string | undefined; readonly to?: string | undefined};
type WeekStart = (typeof weekStarts)[number];

export interface Times<R extends Range | undefined> {
  readonly range?: R | undefined;
  readonly timezone?: string | undefined;
  readonly week_start?: WeekStart | undefined;
}

/** Bounds and zone of a question. A bound is undefined only where the range may be open. */
export function timesOf<R extends Range | undefined>({range, timezone, week_start}: Times<R>, service: Service) {
  const asked = {timezone: timezone === undefined ? undefined : zoneOf(timezone)};
  if (typeof range === 'string') {
    const {from, to} = daysOf(range, zoneIn(asked, service).dayOf(service.wallMs()), week_start);
    return {...asked, from: dayAt(from), to: dayAt(to)};
  }
  const {from, to} = range ?? {};
  type Bound = R extends string | {readonly from: string; readonly to: string} ? AskedTime : AskedTime | undefined;
  return {...asked, from: timeAt(from) as Bound, to: timeAt(to) as Bound};
}

const timeAt = (text: string | undefined): AskedTime | undefined => (text === undefined ? undefined : readTime(text));
const dayAt = (day: number): AskedTime => ({timeMs: day * dayMs, is: 'a date'});

/** Days of a range that moves. TI3 */
export function daysOf(range: string, today: number, weekStart: WeekStart = 'monday'): Days {
  if (range === 'today') return {from: today, to: today};
  if (range === 'yesterday') return {from: today - 1, to: today - 1};
  const [, days, months] = relativePattern.exec(range)!;
  if (days !== undefined) return {from: today - Number(days) + 1, to: today};
  if (months !== undefined) return lastMonths(Number(months), today);
  return wholeDays(rangeText(range, weekStart), today);
}
