// Event counts with conditions, measures and breakdowns, by filtering the list once for every number.

import {type AskedBreakdown, brokenBy, rowsByValue} from './breakdowns.js';
import {bucketsOf, type Interval, isInside, parseRange} from './calendar.js';
import {type Condition, holdAll, isOfMeant, type UserFilter} from './conditions.js';
import {propertyAt} from './event-counts.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface MeasuredQuery {
  /** Undefined: any event. */
  readonly event?: string;
  readonly from: string;
  readonly to: string;
  readonly interval: Interval;
  readonly where: readonly Condition[];
  readonly users?: UserFilter;
  readonly measure?: string;
  readonly property?: string;
  readonly breakdown?: readonly AskedBreakdown[];
}

export function measuredOf(model: Model, query: MeasuredQuery): JsonObject {
  const range = parseRange(query.from, query.to);
  const named = model.events.filter(
    (event) =>
      (query.event === undefined || event.name === query.event) &&
      isInside(event.timeMs, range) &&
      isOfMeant(model, event, query.users),
  );
  const counted = named.filter((event) => holdAll(event.properties, query.where));
  const {event, interval} = query;
  const fields = {...(event === undefined ? {any_event: true} : {event}), interval};
  const series = seriesOf(query, counted);
  const skipped = skippedOf(query, named, counted);
  return {
    ...fields,
    ...series,
    ...(query.breakdown === undefined ? {} : {breakdown: breakdownOf(model, query, query.breakdown, counted)}),
    ...(skipped === undefined ? {} : {skipped}),
  };
}

function seriesOf(query: MeasuredQuery, events: readonly StoredEvent[]): JsonObject {
  const range = parseRange(query.from, query.to);
  const isMeasured = query.measure !== undefined;
  const data = bucketsOf(range, query.interval).map((bucket) => {
    const inside = events.filter(({timeMs}) => bucket.startMs <= timeMs && timeMs < bucket.endMs);
    return {date: bucket.label, count: inside.length, ...(isMeasured ? {value: measureOf(query, inside)} : {})};
  });
  return {data, total: events.length, ...(isMeasured ? {total_value: measureOf(query, events)} : {})};
}

function measureOf({measure, property}: MeasuredQuery, events: readonly StoredEvent[]): number | null {
  if (measure === 'total') return events.length;
  if (measure === 'users') return new Set(events.map(({user}) => userKeyOf(user))).size;
  const numbers = events
    .map(({properties}) => propertyAt(properties, property!))
    .filter((value) => typeof value === 'number')
    .sort((a, b) => a - b);
  if (numbers.length === 0) return null;
  // The stories have few, small, dyadic numbers: any order of adding is exact.
  const sum = numbers.reduce((all, value) => all + value, 0);
  if (measure === 'sum') return sum;
  if (measure === 'avg') return sum / numbers.length;
  if (measure === 'min') return numbers[0]!;
  if (measure === 'max') return numbers.at(-1)!;
  return numbers[Math.max(0, Math.ceil((numbers.length * Number(measure!.slice(1))) / 100) - 1)]!;
}

function breakdownOf(
  model: Model,
  query: MeasuredQuery,
  breakdown: readonly AskedBreakdown[],
  events: readonly StoredEvent[],
): JsonObject {
  const rows = rowsByValue(
    model,
    breakdown,
    events,
    (event) => event,
    (of) => seriesOf(query, of),
  );
  const additive = [undefined, 'total', 'sum'].includes(query.measure);
  return {...brokenBy(breakdown), additive, rows};
}

/** Values that no comparison of numbers can judge, condition by condition, and values that are no numbers to measure. */
function skippedOf(
  query: MeasuredQuery,
  named: readonly StoredEvent[],
  counted: readonly StoredEvent[],
): number | undefined {
  const isSkipped = (event: StoredEvent, property: string): boolean => {
    const value = propertyAt(event.properties, property);
    return value !== undefined && typeof value !== 'number';
  };
  const isOfNumbers = query.property !== undefined;
  if (!isOfNumbers && !query.where.some(({op}) => /^[gl]te?$/.test(op))) return undefined;
  let skipped = 0;
  let left = named;
  for (const condition of query.where) {
    if (/^[gl]te?$/.test(condition.op)) skipped += left.filter((event) => isSkipped(event, condition.property)).length;
    left = left.filter((event) => holdAll(event.properties, [condition]));
  }
  return skipped + (isOfNumbers ? counted.filter((event) => isSkipped(event, query.property!)).length : 0);
}
