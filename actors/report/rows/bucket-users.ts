// Events of a name in one bucket, and the set of their users: distinct users of several buckets are the union of their sets.
import {UserSet} from '../../table/user-set.js';

export interface BucketUsers {
  events: number;
  readonly users: UserSet;
}

export const newBucketUsers = (): BucketUsers => ({events: 0, users: new UserSet()});

/** Users of all buckets of one partition. */
export function unionOf(buckets: readonly BucketUsers[]): UserSet {
  const union = new UserSet();
  for (const {users} of buckets) union.addAll(users);
  return union;
}
