// Rows that no report counts, and that stay in their chunks for now: of users who moved to another partition (actors/identity), and
// expired ones (expired-parts.ts).

import type {ChunkEntry} from '../manifest.js';
import type {UserSet} from '../table/user-set.js';
import {expiredRows, noName, type RowsView} from './rows.js';

type UserColumn = Pick<RowsView, 'users' | 'count'> & Partial<Pick<RowsView, 'noUser'>>;

/** Rows of the users in `hasLeft`, ascending. */
export function rowsOfUsers({users, count, noUser}: UserColumn, hasLeft: UserSet): number[] {
  const found: number[] = [];
  if (hasLeft.count === 0) return found;
  for (let row = 0; row < count; row++) if (users[row] !== noUser && hasLeft.has(users[row])) found.push(row);
  return found;
}

/** The chunk without expired rows and those of these users: they leave `order` and lose their name. Their property codes stay. */
export function countedRows<R extends RowsView>(
  {leftOut, keptFromMs}: Pick<ChunkEntry, 'leftOut' | 'keptFromMs'>,
  rows: R,
  hasLeft: UserSet,
): R {
  const expired = expiredRows(rows, keptFromMs);
  if (leftOut === 0 && expired === 0) return rows;
  const {users, order: live} = rows;
  const names = rows.names.slice();
  const order = new Uint16Array(live.length);
  let counted = 0;
  for (let at = 0; at < live.length; at++) {
    const row = live[at];
    if (at < expired || hasLeft.has(users[row])) names[row] = noName;
    else order[counted++] = row;
  }
  return {...rows, names, order: order.subarray(0, counted)};
}
