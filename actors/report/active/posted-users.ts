// Distinct users of a name by bucket, from its postings, which are grouped by user already (otherwise: rows/user-walk.ts).
import {lowerBound} from '../../order/search.js';
import type {UserSet} from '../../table/user-set.js';
import type {Buckets} from '../counts/buckets.js';
import {ranksPerMs, timeOfKey} from '../funnel/event-key.js';
import type {UserPostings} from '../funnel/user-postings.js';
import type {BucketUsers} from '../rows/bucket-users.js';
import {inSlices} from '../rows/gathered-rows.js';
import type {MeasuredCells} from '../rows/measures.js';

/** Events of one name. */
export interface PostedName {
  readonly segments: readonly UserPostings[];
  readonly name: number;
}

/** Cursor over a name's postings in one segment; users must be sought in ascending order. */
interface Cursor {
  readonly keys: Float64Array;
  readonly starts: Uint32Array;
  /** Undefined: `starts` is indexed by user. */
  readonly users: Uint32Array | undefined;
  at: number;
}

/** Events of a user: keys[start .. end), in order. */
type EachUser = (user: number, keys: Float64Array, start: number, end: number) => void;

/** Adds the events and users of series 0 to the cells, and yields between slices. Users who left do not count. */
export function addPostedUsers(
  events: PostedName,
  buckets: Buckets,
  hasLeft: UserSet,
  cells: MeasuredCells,
): Generator<void, void, void> {
  let ofEvents = new Uint32Array(1_024);
  return forEachUser(events, buckets, hasLeft, (user, keys, start, end) => {
    if (end - start > ofEvents.length) ofEvents = new Uint32Array(2 * (end - start));
    for (let at = start; at < end; at++) ofEvents[at - start] = buckets.indexOf(timeOfKey(keys[at]));
    cells.addUserEvents(ofEvents, end - start, user);
  });
}

/** Adds the events and users of some buckets to their sets; undefined: the bucket has its own already. */
export function addToSets(
  events: PostedName,
  buckets: Buckets,
  hasLeft: UserSet,
  sets: readonly (BucketUsers | undefined)[],
): Generator<void, void, void> {
  const first = sets.findIndex((set) => set !== undefined);
  const last = sets.findLastIndex((set) => set !== undefined);
  const fromMs = Math.max(buckets.fromMs, buckets.edges[first]);
  const toMs = Math.min(buckets.toMs, buckets.edges[last + 1] - 1);
  return forEachUser(events, {fromMs, toMs}, hasLeft, (user, keys, start, end) => {
    for (let at = start; at < end; at++) {
      const set = sets[buckets.indexOf(timeOfKey(keys[at]))];
      if (set === undefined) continue;
      set.events += 1;
      set.users.add(user);
    }
  });
}

/** Calls `each` with every user's events in [from, to], segment by segment, by ascending user. */
function* forEachUser(
  {segments, name}: PostedName,
  {fromMs, toMs}: Pick<Buckets, 'fromMs' | 'toMs'>,
  hasLeft: UserSet,
  each: EachUser,
): Generator<void, void, void> {
  const cursors = segments.flatMap((segment): Cursor[] => {
    const postings = segment.of(name);
    if (postings === undefined) return [];
    const {keys, starts} = postings;
    return [{keys, starts, users: postings.kind === 'sparse' ? postings.users : undefined, at: 0}];
  });
  const userEnd = cursors.reduce((end, {starts, users}) => {
    return Math.max(end, users === undefined ? starts.length - 1 : users[users.length - 1] + 1);
  }, 0);
  const startKey = fromMs * ranksPerMs;
  const endKey = (toMs + 1) * ranksPerMs;
  yield* inSlices(userEnd, (first, end) => {
    for (let user = first; user < end; user++) {
      if (hasLeft.count > 0 && hasLeft.has(user)) continue;
      for (const cursor of cursors) {
        const place = placeOf(cursor, user);
        if (place < 0) continue;
        const {keys, starts} = cursor;
        const last = lowerBound(keys, endKey, starts[place], starts[place + 1]);
        const start = lowerBound(keys, startKey, starts[place], last);
        if (start < last) each(user, keys, start, last);
      }
    }
  });
}

/** Position of the user's starts; negative if it has no events. */
function placeOf(cursor: Cursor, user: number): number {
  const {users, starts} = cursor;
  if (users === undefined) return user + 1 < starts.length ? user : -1;
  while (cursor.at < users.length && users[cursor.at] < user) cursor.at += 1;
  return users[cursor.at] === user ? cursor.at : -1;
}
