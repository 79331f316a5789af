// The users of a partition whom a question is about.
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {Deed, UserFilter} from '../../asks/user-filter.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {usersWhere} from './traits.js';
import {usersOfRows} from './users-of-rows.js';

/** Undefined: all users. @throws MissingPart, DamagedPart */
export async function filteredUsers(
  reading: Reading,
  snapshot: PartitionSnapshot,
  filter: UserFilter | undefined,
): Promise<Users | undefined> {
  if (filter === undefined) return undefined;
  let users = await usersWhere(reading.scan, snapshot, filter.where);
  for (const deed of filter.did) {
    const before = users;
    const doers = await usersWhoDid(reading, deed, snapshot);
    users = {has: (user) => doers.has(user) !== deed.isAbsent && (before === undefined || before.has(user))};
  }
  return users;
}

async function usersWhoDid(
  reading: Reading,
  {event, where, fromMs, toMs}: Deed,
  snapshot: PartitionSnapshot,
): Promise<UserSet> {
  const users = new UserSet();
  const selector = event === undefined ? {where} : {event, where};
  const stretch = {startMs: fromMs, lastMs: toMs};
  await usersOfRows(reading, {selector, stretch}, snapshot, undefined, (user) => users.add(user));
  return users;
}
