// The users of a partition whom a question is about.
import {isIn} from '../../../actors/report/rows/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {UserFilter, UserRules} from '../../asks/user-filter.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {usersWhere} from './traits.js';
import {usersWithin} from './users-within.js';

/** Undefined: all users. @throws MissingPart, DamagedPart */
export async function filteredUsers(
  reading: Reading,
  snapshot: PartitionSnapshot,
  filter: UserFilter | undefined,
): Promise<Users | undefined> {
  if (filter === undefined) return undefined;
  const users = await usersMeeting(reading, snapshot, filter);
  if (filter.except === undefined) return users;
  const others = await usersMeeting(reading, snapshot, filter.except);
  return {
    has: (user) => (users === undefined || users.has(user)) && others !== undefined && !others.has(user),
  };
}

/** Undefined: all users. */
async function usersMeeting(
  reading: Reading,
  snapshot: PartitionSnapshot,
  {where, did}: UserRules,
): Promise<Users | undefined> {
  let users = await usersWhere(reading.scan, snapshot, where);
  for (const deed of did) {
    const before = users;
    const {event, where, fromMs: startMs, toMs: lastMs, isAbsent} = deed;
    const selector = event === undefined ? {where} : {event, where};
    const doers = await usersWithin(reading, snapshot, selector, {startMs, lastMs});
    users = {has: (user) => isIn(doers, user) !== isAbsent && (before === undefined || before.has(user))};
  }
  return users;
}
