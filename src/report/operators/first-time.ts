// Finds the users who did something before a moment: whatever they do later is not their first time.
import {wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {RowScan} from './row-scan.js';
import {usersByBucket} from './users-by-bucket.js';

/** A set of bits by user index (actors/report/rows/bucket-sets.ts). `users`: undefined for all. */
export async function usersBefore(
  reading: Reading,
  snapshot: PartitionSnapshot,
  selector: Selector,
  beforeMs: number,
  users?: Users,
): Promise<Uint32Array> {
  const stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: beforeMs - 1};
  const edges = Float64Array.of(stretch.startMs, beforeMs);
  const found = new Uint32Array(wordsOf(snapshot.index.users.count));
  await usersByBucket(
    reading,
    new RowScan(reading, {stretch, selectors: [selector]}),
    snapshot,
    {selectors: [selector], kind: 'before', edges, cuts: []},
    function* ({userStart, sets: [before]}) {
      found.set(before!.subarray(0, found.length - userStart / 32), userStart / 32);
      yield;
    },
    users,
  );
  return found;
}

/** The users who are not in the set; undefined: all. */
export const without = (users: Users | undefined, others: Uint32Array): Users | undefined =>
  others.every((word) => word === 0)
    ? users
    : {has: (user) => (others[user >>> 5]! & (1 << (user & 31))) === 0 && (users === undefined || users.has(user))};
