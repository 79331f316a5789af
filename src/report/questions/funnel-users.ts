// Lists the users of a funnel's step: a page by partition and user index, and of one user by the bytes of the held value.
//   FP1. Indexes stay (user-keys.ts UK1), and users are added at the end of their partition: pages of several snapshots fit
//       together, except for users who got further in the meantime, or moved to another partition.

import {isoText} from '../../../actors/calendar.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {compareTexts} from '../../../actors/report/rows/value-groups.js';
import type {StepPoint} from '../../asks/funnels.js';
import type {QueryOf} from '../../asks/report.js';
import {type FunnelUserPlace, funnelUsersCursorText} from '../../funnel-users-cursor.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {pathsAt} from '../operators/funnel-point.js';
import type {UserPath} from '../operators/funnel-walks.js';
import {userKeys} from '../operators/user-keys.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';

interface FunnelUser extends FunnelUserPlace {
  readonly enteredMs: number;
  readonly atMs: number;
}

/** JSON text of the page. @throws MissingPart, DamagedPart, BeyondMemory */
export async function funnelUsers(
  reading: Reading,
  query: QueryOf<'funnel-users'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const walk = await pathsAt(reading, query, query.point, snapshots);
  const found: FunnelUser[] = [];
  const data: object[] = [];
  for (const snapshot of snapshots) {
    const {partition} = snapshot.manifest;
    if (found.length > query.limit || partition < (query.after?.partition ?? 0)) continue;
    const first = found.length;
    const after = query.after?.partition === partition ? query.after : undefined;
    const users = usersFrom(await filteredUsers(reading, snapshot, query.users), after?.user ?? 0);
    await walk(snapshot, users, (path) => {
      if (found.length > query.limit && found[found.length - 1]!.user !== path.user) return;
      const one = foundUser(partition, path, query.point);
      if (after === undefined || comparePlaces(one, after) > 0) found.push(one);
    });
    // Values of one user come in any order.
    found.push(...found.splice(first).sort(comparePlaces));
    const shown = found.slice(first, query.limit);
    data.push(...(await named(reading, snapshot, shown)));
  }
  const last = found.length > query.limit ? found[query.limit - 1] : undefined;
  return JSON.stringify({
    data,
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : funnelUsersCursorText(query.list, last),
  });
}

const usersFrom = (users: Users | undefined, first: number): Users | undefined =>
  first === 0 ? users : {has: (user) => user >= first && (users?.has(user) ?? true)};

function foundUser(partition: number, {user, held, times}: UserPath, {step, outcome}: StepPoint): FunnelUser {
  const last = outcome === 'reached' ? step : step - 1;
  return {
    partition,
    user,
    ...(held === undefined ? {} : {value: held}),
    enteredMs: times[0]!,
    atMs: times[last - 1]!,
  };
}

const comparePlaces = (a: FunnelUserPlace, b: FunnelUserPlace): number =>
  a.user - b.user || compareTexts(a.value ?? '', b.value ?? '');

/** Items of the answer. */
async function named(
  reading: Reading,
  snapshot: PartitionSnapshot,
  shown: readonly FunnelUser[],
): Promise<readonly object[]> {
  const keys = await userKeys(
    reading.scan,
    snapshot,
    shown.map(({user}) => user),
  );
  return shown.flatMap(({value, enteredMs, atMs}, i) => {
    const key = keys[i];
    if (key === undefined) return []; // Rows of erased users are gone before their keys.
    return [
      {
        id: key.id,
        kind: key.kind,
        ...(value === undefined ? {} : {value}),
        entered_at: isoText(enteredMs),
        at: isoText(atMs),
      },
    ];
  });
}
