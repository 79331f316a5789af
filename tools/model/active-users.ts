// GET /v1/reports/users: one set of users per bucket, by metric and interval of docs/api/reports/active.md.

import {type Bucket, bucketsOf, type Interval, isInside, parseRange, windowStart} from './calendar.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export type Metric = 'dau' | 'wau' | 'mau';
export const metrics: readonly Metric[] = ['dau', 'wau', 'mau'];

export interface ActiveUsersQuery {
  readonly from: string;
  readonly to: string;
  readonly interval?: Interval;
  readonly metric?: Metric;
  readonly timezone?: string;
}

/** Days of a trailing window; undefined where the calendar bucket itself is counted. */
const trailingDays: Record<Metric, Record<Interval, number | undefined>> = {
  dau: {hour: 1, day: undefined, week: undefined, month: undefined, quarter: undefined, year: undefined},
  wau: {hour: 7, day: 7, week: undefined, month: undefined, quarter: undefined, year: undefined},
  mau: {hour: 30, day: 30, week: 30, month: undefined, quarter: undefined, year: undefined},
};

export function activeUsersOf(model: Model, query: ActiveUsersQuery): JsonObject {
  const {interval = 'day', metric = 'dau', timezone} = query;
  return {metric, interval, ...(timezone === undefined ? {} : {timezone}), ...activeAmong(model.events, query)};
}

/** From when on events count: of the first bucket, a trailing window looks back. */
export function readFromMs({from, to, interval = 'day', metric = 'dau', timezone}: ActiveUsersQuery): number {
  const range = parseRange(from, to, timezone);
  const days = trailingDays[metric][interval];
  if (days === undefined) return range.fromMs;
  return windowStart(bucketsOf(range, interval, timezone)[0]!, days, interval, timezone);
}

/** `data` and `total` of these events alone. */
export function activeAmong(
  events: readonly StoredEvent[],
  {from, to, interval = 'day', metric = 'dau', timezone}: ActiveUsersQuery,
): JsonObject {
  const range = parseRange(from, to, timezone);
  const days = trailingDays[metric][interval];
  const usersOf = (bucket: Bucket): number => {
    const startMs =
      days === undefined ? Math.max(bucket.startMs, range.fromMs) : windowStart(bucket, days, interval, timezone);
    return distinctUsers(
      events.filter(({timeMs}) => startMs <= timeMs && timeMs < bucket.endMs && timeMs <= range.toMs),
    );
  };
  const data = bucketsOf(range, interval, timezone).map((bucket) => ({date: bucket.label, count: usersOf(bucket)}));
  const total = distinctUsers(events.filter((event) => isInside(event.timeMs, range)));
  return {data, total};
}

export const distinctUsers = (events: readonly StoredEvent[]): number =>
  new Set(events.map((event) => userKeyOf(event.user))).size;
