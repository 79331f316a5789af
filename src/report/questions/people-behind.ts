// The people behind a number: those whom the walk of its report counts there.
//   PB1. They are as many as the number says, with three exceptions, in which a user counts several times and is one person: events,
//        held values of a funnel, and memberships in several cohorts.
import {UserSet} from '../../../actors/table/user-set.js';
import type {Behind} from '../../asks/people-behind.js';
import {funnelPointUsers} from '../operators/funnel-point.js';
import type {NoteUser} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {activeUsers} from './active.js';
import {measuredUsers} from './counts.js';
import {lifecycleUsers} from './lifecycle.js';
import {pathUsers} from './paths.js';
import {retentionUsers} from './retention.js';
import {stickinessUsers} from './stickiness.js';

/** Users by partition. @throws MissingPart, DamagedPart, BeyondMemory */
export async function peopleBehind(
  reading: Reading,
  behind: Behind,
  snapshots: readonly PartitionSnapshot[],
): Promise<ReadonlyMap<PartitionSnapshot, UserSet>> {
  const users = new Map(snapshots.map((snapshot) => [snapshot, new UserSet()]));
  await noteUsers(reading, behind, snapshots, (snapshot, user) => users.get(snapshot)!.add(user));
  return users;
}

function noteUsers(
  reading: Reading,
  {query, point}: Behind,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  switch (query.report) {
    case 'counts':
      return measuredUsers(reading, query, point, snapshots, note);
    case 'active':
      return activeUsers(reading, query, point, snapshots, note);
    case 'funnel':
      return funnelPointUsers(reading, query, point, snapshots, note);
    case 'retention':
      return retentionUsers(reading, query, point, snapshots, note);
    case 'lifecycle':
      return lifecycleUsers(reading, query, point, snapshots, note);
    case 'stickiness':
      return stickinessUsers(reading, query, point, snapshots, note);
    case 'paths':
      return pathUsers(reading, query, point, snapshots, note);
  }
}
