// Finds the users who did something before a moment: whatever they do later is not their first time.
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {type RowReading, RowScan} from './row-scan.js';

/** `users`: undefined for all. */
export async function usersBefore(
  reading: RowReading,
  snapshot: PartitionSnapshot,
  selector: Selector,
  beforeMs: number,
  users?: Users,
): Promise<UserSet> {
  const stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: beforeMs - 1};
  const found = new UserSet();
  await new RowScan(reading, {stretch, selectors: [selector]}).fold(
    snapshot,
    (rows, [chosen]) => {
      for (const row of chosen!) found.add(rows.users[row]!);
    },
    users,
  );
  return found;
}

/** The users who are not in the set; undefined: all. */
export const without = (users: Users | undefined, others: UserSet): Users | undefined =>
  others.count === 0 ? users : {has: (user) => !others.has(user) && (users === undefined || users.has(user))};
