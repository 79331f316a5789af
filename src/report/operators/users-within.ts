// The users who have an event of a selector in a stretch of time: a set of one bucket (users-by-bucket.ts).
import {isIn, wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {UsersByBucket} from './users-by-bucket.js';

/** A set of bits by user index (actors/report/rows/bucket-sets.ts). @throws MissingPart, DamagedPart */
export async function usersWithin(
  reading: Reading,
  snapshot: PartitionSnapshot,
  selector: Selector,
  {startMs, lastMs}: Stretch,
): Promise<Uint32Array> {
  const found = new Uint32Array(wordsOf(snapshot.index.users.count));
  const edges = Float64Array.of(startMs, lastMs + 1);
  const users = new UsersByBucket(reading, {selector, kind: 'once', edges, fromMs: startMs, toMs: lastMs});
  await users.walk(snapshot, undefined, function* ({userStart, sets: [set]}) {
    found.set(set!.subarray(0, found.length - userStart / 32), userStart / 32);
    yield;
  });
  return found;
}

/** Those who did something before a moment: what they do later is not their first time. @throws MissingPart, DamagedPart */
export const usersBefore = (
  reading: Reading,
  snapshot: PartitionSnapshot,
  selector: Selector,
  beforeMs: number,
): Promise<Uint32Array> =>
  usersWithin(reading, snapshot, selector, {startMs: Number.NEGATIVE_INFINITY, lastMs: beforeMs - 1});

/** The users who are not in the set; undefined: all. */
export const without = (users: Users | undefined, others: Uint32Array): Users | undefined =>
  others.every((word) => word === 0)
    ? users
    : {has: (user) => !isIn(others, user) && (users === undefined || users.has(user))};
