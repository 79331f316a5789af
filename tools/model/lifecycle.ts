// GET /v1/reports/lifecycle and /v1/reports/stickiness: a set of users for each bucket, and questions about these sets.

import {type Bucket, bucketsOf, type Interval, isInside, parseRange, type Range} from './calendar.js';
import {type Did, didIt, isOfMeant, skippedIn, type UserFilter} from './conditions.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface EngagementQuery {
  readonly from: string;
  readonly to: string;
  readonly interval: Interval;
  readonly did: Did;
  readonly users?: UserFilter;
  readonly timezone?: string;
}

const doneIn = (model: Model, {did, users}: EngagementQuery): StoredEvent[] =>
  model.events.filter((event) => didIt(event, did) && isOfMeant(model, event, users));

/** `skipped`, of the events of the name in a range. */
function skippedOf(model: Model, query: EngagementQuery, range: Range): JsonObject {
  const {where} = query.did;
  const named = doneIn(model, {...query, did: {...query.did, where: []}});
  return skippedIn([[named.filter(({timeMs}) => isInside(timeMs, range)), where]]);
}

const usersIn = (events: readonly StoredEvent[], {startMs, endMs}: Pick<Bucket, 'startMs' | 'endMs'>): Set<string> =>
  new Set(events.filter(({timeMs}) => startMs <= timeMs && timeMs < endMs).map(({user}) => userKeyOf(user)));

const headOf = ({interval, timezone}: EngagementQuery): JsonObject => ({
  interval,
  ...(timezone === undefined ? {} : {timezone}),
});

export function lifecycleOf(model: Model, query: EngagementQuery): JsonObject {
  const {timezone} = query;
  const range = parseRange(query.from, query.to, timezone);
  const buckets = bucketsOf(range, query.interval, timezone);
  const {startMs} = buckets[0]!;
  const [before] = bucketsOf({fromMs: startMs - 1, toMs: startMs - 1}, query.interval, timezone);
  const events = doneIn(model, query).filter(({timeMs}) => timeMs <= range.toMs);
  const data = buckets.map((bucket, i) => {
    const now = [...usersIn(events, bucket)];
    const previous = usersIn(events, i === 0 ? before! : buckets[i - 1]!);
    const ever = usersIn(events, {startMs: Number.NEGATIVE_INFINITY, endMs: bucket.startMs});
    const count = (of: readonly string[], holds: (user: string) => boolean): number => of.filter(holds).length;
    return {
      date: bucket.label,
      new: count(now, (user) => !ever.has(user)),
      returning: count(now, (user) => previous.has(user)),
      resurrecting: count(now, (user) => ever.has(user) && !previous.has(user)),
      dormant: count([...previous], (user) => !now.includes(user)),
    };
  });
  const skipped = skippedOf(model, query, {fromMs: before!.startMs, toMs: range.toMs});
  return {...headOf(query), data, ...skipped};
}

export function stickinessOf(model: Model, query: EngagementQuery, isAtLeast: boolean): JsonObject {
  const {timezone} = query;
  const range = parseRange(query.from, query.to, timezone);
  const buckets = bucketsOf(range, query.interval, timezone);
  const events = doneIn(model, query).filter(({timeMs}) => isInside(timeMs, range));
  const sets = buckets.map((bucket) => usersIn(events, bucket));
  const users = [...new Set(events.map(({user}) => userKeyOf(user)))];
  const bucketsWith = users.map((user) => sets.filter((set) => set.has(user)).length);
  const data = buckets.map((_, i) => ({
    buckets: i + 1,
    users: bucketsWith.filter((count) => (isAtLeast ? count >= i + 1 : count === i + 1)).length,
  }));
  return {
    ...headOf(query),
    ...(isAtLeast ? {at_least: true} : {}),
    data,
    total: users.length,
    ...skippedOf(model, query, range),
  };
}
