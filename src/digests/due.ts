// When a digest is due.
//   DU1. A digest is of finished days: it ends with the start of the local day on which it is due. This end, and not the hour, says whether it
//        was told: after an edit of the hour or zone no day is told twice, and none is left out.
//   DU2. An hour that the clock skips is the end of the gap; of one that it shows twice the first counts (src/zone.ts ZN2).
//   DU3. Of several that were missed the last one is told, late, with the number of the others.
import {dayMs, hourMs} from '../../actors/limits.js';
import {type Zone, zoneOf} from '../zone.js';
import {type Schedule, type Weekday, weekdays} from './definition.js';

/** A year of days: no longer outage is counted. */
const missedMax = 366;

export interface Due {
  readonly dueMs: number;
  /** End of the last finished day. DU1 */
  readonly untilMs: number;
  /** Number of earlier ones that were not told. DU3 */
  readonly missed: number;
}

/**
 * What is due at `nowMs`; undefined: nothing. `sinceMs`: the creation of the digest; nothing is due before it. `toldMs`: end of the one
 * that was told last.
 */
export function dueAt(schedule: Schedule, sinceMs: number, toldMs: number, nowMs: number): Due | undefined {
  const zone = zoneOf(schedule.timezone)!;
  const due = (day: number) => ({
    dueMs: zone.firstAt(day * dayMs + schedule.hour * hourMs), // DU2
    untilMs: zone.dayStart(day),
  });
  const isNew = ({dueMs, untilMs}: ReturnType<typeof due>): boolean => dueMs > sinceMs && untilMs > toldMs;
  const [last, daysBetween] = [lastDay(schedule, zone, nowMs), schedule.weekday === undefined ? 1 : 7];
  if (!isNew(due(last))) return undefined;
  let missed = 0;
  while (missed < missedMax && isNew(due(last - (missed + 1) * daysBetween))) missed += 1;
  return {...due(last), missed};
}

/** The last local day whose hour has come. */
function lastDay({hour, weekday}: Schedule, zone: Zone, nowMs: number): number {
  let day = zone.dayOf(nowMs) + 1;
  while (zone.firstAt(day * dayMs + hour * hourMs) > nowMs || (weekday !== undefined && weekdayOf(day) !== weekday))
    day -= 1;
  return day;
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): Weekday => weekdays[(((day + 3) % 7) + 7) % 7]!;
