// GET /v1/reports/users of those who did something: the same windows, over a part of the events.

import {type ActiveUsersQuery, activeAmong, distinctUsers, readFromMs} from './active-users.js';
import {type AskedBreakdown, brokenBy, rowsByValue} from './breakdowns.js';
import {isInside, parseRange} from './calendar.js';
import {type Did, didIt, isOfMeant, skippedIn, type UserFilter} from './conditions.js';
import type {JsonObject, Model, StoredEvent} from './model.js';

export interface ActivityQuery extends ActiveUsersQuery {
  readonly did: Did;
  readonly users?: UserFilter;
  readonly breakdown?: readonly AskedBreakdown[];
}

export function activityOf(model: Model, query: ActivityQuery): JsonObject {
  const {interval = 'day', metric = 'dau', timezone, breakdown} = query;
  const range = parseRange(query.from, query.to, timezone);
  const firstMs = readFromMs(query);
  const named = model.events.filter(
    (event) =>
      firstMs <= event.timeMs &&
      event.timeMs <= range.toMs &&
      didIt(event, {...query.did, where: []}) &&
      isOfMeant(model, event, query.users),
  );
  const events = named.filter((event) => didIt(event, query.did));
  const skipped = skippedIn([[named, query.did.where]]);
  const fields = (of: readonly StoredEvent[]): JsonObject => activeAmong(of, query);
  const whole = {metric, interval, ...(timezone === undefined ? {} : {timezone}), ...fields(events)};
  if (breakdown === undefined) return {...whole, ...skipped};
  // The look-back of a trailing window decides no order.
  const usersInside = (of: readonly StoredEvent[]): number =>
    distinctUsers(of.filter(({timeMs}) => isInside(timeMs, range)));
  const rows = rowsByValue(model, breakdown, events, (event) => event, fields, usersInside);
  return {...whole, breakdown: {...brokenBy(breakdown), additive: false, rows}, ...skipped};
}
