// GET /v1/reports/events by counting the list once per bucket.

import {bucketsOf, type Interval, isInside, parseRange} from './calendar.js';
import type {Json, JsonObject, Model, StoredEvent} from './model.js';

export interface EventCountsQuery {
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly interval?: Interval;
  readonly timezone?: string;
  /** `<property>=<value>`. */
  readonly filter?: string;
}

export function eventCountsOf(model: Model, query: EventCountsQuery): JsonObject {
  const {timezone} = query;
  const range = parseRange(query.from, query.to, timezone);
  const interval = query.interval ?? 'day';
  const counted = model.events.filter(
    (event) => event.name === query.event && isInside(event.timeMs, range) && passes(event, query.filter),
  );
  const data = bucketsOf(range, interval, timezone).map((bucket) => ({
    date: bucket.label,
    count: counted.filter((event) => bucket.startMs <= event.timeMs && event.timeMs < bucket.endMs).length,
  }));
  return {event: query.event, interval, ...(timezone === undefined ? {} : {timezone}), data, total: counted.length};
}

function passes(event: StoredEvent, filter: string | undefined): boolean {
  if (filter === undefined) return true;
  const split = filter.indexOf('=');
  return stringForm(propertyAt(event.properties, filter.slice(0, split))) === filter.slice(split + 1);
}

/** A literal key wins over the path that its dots would form. */
export function propertyAt(properties: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(properties, path)) return properties[path];
  let value: Json | undefined = properties;
  for (const key of path.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
}

export function stringForm(value: Json | undefined): string | undefined {
  const isComparable = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isComparable ? String(value) : undefined;
}
