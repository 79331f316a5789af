// Distinct users of an event by bucket, from its postings, which are grouped by user already (otherwise: rows/user-walk.ts).
import {lowerBound} from '../../order/search.js';
import type {UserSet} from '../../table/user-set.js';
import type {Buckets} from '../counts/buckets.js';
import {ranksPerMs, timeOfKey} from '../funnel/event-key.js';
import type {UserPostings} from '../funnel/user-postings.js';
import {inSlices} from '../rows/gathered-rows.js';
import type {MeasuredCells} from '../rows/measures.js';

/** Cursor over a name's postings in one segment; users must be sought in ascending order. */
interface Cursor {
  readonly keys: Float64Array;
  readonly starts: Uint32Array;
  /** Undefined: `starts` is indexed by user. */
  readonly users: Uint32Array | undefined;
  at: number;
}

/** Adds the events of series 0 to the cells, and yields between slices. Users who left do not count. */
export function* addPostedUsers(
  segments: readonly UserPostings[],
  name: number,
  buckets: Buckets,
  hasLeft: UserSet,
  cells: MeasuredCells,
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
  const startKey = buckets.fromMs * ranksPerMs;
  const endKey = (buckets.toMs + 1) * ranksPerMs;
  yield* inSlices(userEnd, (first, end) => {
    for (let user = first; user < end; user++) {
      if (hasLeft.count > 0 && hasLeft.has(user)) continue;
      for (const cursor of cursors) {
        const place = placeOf(cursor, user);
        if (place < 0) continue;
        const last = lowerBound(cursor.keys, endKey, cursor.starts[place], cursor.starts[place + 1]);
        for (let at = lowerBound(cursor.keys, startKey, cursor.starts[place], last); at < last; at++)
          cells.addUserEvent(0, buckets.indexOf(timeOfKey(cursor.keys[at])), user);
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
