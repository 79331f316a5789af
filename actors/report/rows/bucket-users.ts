// Events of a name in one bucket, and the set of their users: distinct users of several buckets are the union of their sets.
import type {RowsView} from '../../chunk/rows.js';
import {UserSet} from '../../table/user-set.js';

export interface BucketUsers {
  events: number;
  readonly users: UserSet;
}

/** Bytes of a set, at most: it grows by half. */
export const bucketUsersBytesMax = (userCount: number): number => 256 + (1.5 * userCount) / 8;

export const newBucketUsers = (): BucketUsers => ({events: 0, users: new UserSet()});

/** Users of all buckets of one partition. */
export function unionOf(buckets: readonly BucketUsers[]): UserSet {
  const union = new UserSet();
  for (const {users} of buckets) union.addAll(users);
  return union;
}

/**
 * Adds the chosen rows of a chunk to the sets of their buckets; undefined: the bucket is known.
 * `users`: of each row of the chunk. `buckets`: of each chosen row.
 */
export function addToSets(
  users: RowsView['users'],
  chosen: Uint16Array,
  buckets: Uint32Array,
  sets: readonly (BucketUsers | undefined)[],
): void {
  for (let i = 0; i < chosen.length; i++) {
    const set = sets[buckets[i]];
    if (set === undefined) continue;
    set.events += 1;
    set.users.add(users[chosen[i]]);
  }
}
