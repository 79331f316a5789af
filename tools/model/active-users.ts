// GET /v1/reports/users: one set of users per bucket, by the table "metric x interval" of docs/api.md.

import {type Bucket, bucketsOf, dayMs, type Interval, isInside, parseRange} from './calendar.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export type Metric = 'dau' | 'wau' | 'mau';
export const metrics: readonly Metric[] = ['dau', 'wau', 'mau'];

export interface ActiveUsersQuery {
  readonly from: string;
  readonly to: string;
  readonly interval?: Interval;
  readonly metric?: Metric;
}

/** Days of a trailing window; undefined where the calendar bucket itself is counted. */
const trailingDays: Record<Metric, Record<Interval, number | undefined>> = {
  dau: {hour: 1, day: undefined, week: undefined, month: undefined, quarter: undefined, year: undefined},
  wau: {hour: 7, day: 7, week: undefined, month: undefined, quarter: undefined, year: undefined},
  mau: {hour: 30, day: 30, week: 30, month: undefined, quarter: undefined, year: undefined},
};

export function activeUsersOf(model: Model, query: ActiveUsersQuery): JsonObject {
  const {interval = 'day', metric = 'dau'} = query;
  return {metric, interval, ...activeAmong(model.events, query)};
}

/** From when on events count: of the first bucket, a trailing window looks back. */
export function readFromMs({from, to, interval = 'day', metric = 'dau'}: ActiveUsersQuery): number {
  const range = parseRange(from, to);
  const days = trailingDays[metric][interval];
  return days === undefined ? range.fromMs : bucketsOf(range, interval)[0]!.endMs - days * dayMs;
}

/** `data` and `total` of these events alone. */
export function activeAmong(
  events: readonly StoredEvent[],
  {from, to, interval = 'day', metric = 'dau'}: ActiveUsersQuery,
): JsonObject {
  const range = parseRange(from, to);
  const days = trailingDays[metric][interval];
  const usersOf = (bucket: Bucket): number =>
    distinctUsers(
      events.filter((event) => {
        const startMs = days === undefined ? Math.max(bucket.startMs, range.fromMs) : bucket.endMs - days * dayMs;
        return startMs <= event.timeMs && event.timeMs < bucket.endMs && event.timeMs <= range.toMs;
      }),
    );
  const data = bucketsOf(range, interval).map((bucket) => ({date: bucket.label, count: usersOf(bucket)}));
  const total = distinctUsers(events.filter((event) => isInside(event.timeMs, range)));
  return {data, total};
}

export const distinctUsers = (events: readonly StoredEvent[]): number =>
  new Set(events.map((event) => userKeyOf(event.user))).size;
