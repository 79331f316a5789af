// Answers of GET /v1/events and GET /v1/users/:id, without the fields that only the server knows (`id`, `received_at`).

import {formatTime, parseTime, parseTo} from './calendar.js';
import type {JsonObject, Model, StoredEvent, UserRef} from './model.js';
import {userKeyOf} from './model.js';

export interface HistoryQuery {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly event?: string;
  readonly from?: string;
  readonly to?: string;
}

export interface HistoryPage {
  readonly rows: StoredEvent[];
  readonly hasMore: boolean;
}

export const profileEventsMax = 100;

/** All events that the query selects, newest first. */
export function historyOf(model: Model, query: HistoryQuery): StoredEvent[] {
  const selected = model.events.filter((event) => selects(query, event));
  return model.inOrder(selected).reverse();
}

export function pageOf(rows: readonly StoredEvent[], start: number, limit: number): HistoryPage {
  return {rows: rows.slice(start, start + limit), hasMore: rows.length > start + limit};
}

function selects(query: HistoryQuery, event: StoredEvent): boolean {
  const isOf = (kind: UserRef['kind'], id: string): boolean => userKeyOf(event.user) === userKeyOf({kind, id});
  if (query.userId !== undefined && !isOf('user', query.userId)) return false;
  if (query.anonymousId !== undefined && !isOf('anonymous', query.anonymousId)) return false;
  if (query.event !== undefined && query.event !== event.name) return false;
  if (query.from !== undefined && event.timeMs < parseTime(query.from)) return false;
  return query.to === undefined || event.timeMs <= parseTo(query.to);
}

/** An event as answers have it, without `id` and `received_at`. */
export function eventJson(event: StoredEvent): JsonObject {
  return {
    event: event.name,
    userId: event.userId,
    anonymousId: event.anonymousId,
    properties: event.properties,
    ...(event.isJoined ? {joined: true} : {}),
    timestamp: formatTime(event.timeMs),
    ...(event.messageId === undefined ? {} : {messageId: event.messageId}),
  };
}

export interface ProfileAnswer {
  readonly id: string;
  /** In no order; of a known user. */
  readonly anonymousIds: readonly string[] | undefined;
  readonly traits: JsonObject;
  readonly traitsOverLimit: number;
  /** A range: an identify was set at some time between its sending and its answer. */
  readonly createdAt: {readonly earliestMs: number; readonly latestMs: number};
  readonly lastSeen: {readonly earliestMs: number; readonly latestMs: number};
  readonly rows: StoredEvent[];
  readonly hasMore: boolean;
}

export function profileOf(model: Model, user: UserRef): ProfileAnswer | undefined {
  if (!model.knows(user)) return undefined;
  const profile = model.profiles.get(userKeyOf(user));
  const events = model.inOrder(model.eventsOf(user)).reverse();
  const eventTimes = model.timesOf(user).map((timeMs) => ({earliestMs: timeMs, latestMs: timeMs}));
  const identifyTimes = profile?.identified ?? [];
  const page = pageOf(events, 0, profileEventsMax);
  return {
    id: user.id,
    anonymousIds: user.kind === 'user' ? model.persons.devicesOf(user.id) : undefined,
    traits: Object.fromEntries(profile?.traits ?? []),
    traitsOverLimit: profile?.traitsOverLimit ?? 0,
    createdAt: bound(Math.min, [...eventTimes, ...identifyTimes]),
    lastSeen: bound(Math.max, eventTimes.length > 0 ? eventTimes : identifyTimes),
    rows: page.rows,
    hasMore: page.hasMore,
  };
}

function bound(
  pick: (...values: number[]) => number,
  times: readonly {readonly earliestMs: number; readonly latestMs: number}[],
): {earliestMs: number; latestMs: number} {
  return {
    earliestMs: pick(...times.map((time) => time.earliestMs)),
    latestMs: pick(...times.map((time) => time.latestMs)),
  };
}
