// Rows of users who moved to another partition (actors/identity): they stay in their chunks, and no report counts them.

import type {ChunkEntry} from '../manifest.js';
import type {UserSet} from '../table/user-set.js';
import {noName, type RowsView} from './rows.js';

type UserColumn = Pick<RowsView, 'users' | 'count'> & Partial<Pick<RowsView, 'noUser'>>;

/** Rows of the users in `hasLeft`, ascending. */
export function rowsOfUsers({users, count, noUser}: UserColumn, hasLeft: UserSet): number[] {
  const found: number[] = [];
  if (hasLeft.count === 0) return found;
  for (let row = 0; row < count; row++) if (users[row] !== noUser && hasLeft.has(users[row])) found.push(row);
  return found;
}

/** The chunk without these users' rows: they leave `order` and lose their name. Their property codes stay. */
export function countedRows<R extends RowsView>({leftOut}: Pick<ChunkEntry, 'leftOut'>, rows: R, hasLeft: UserSet): R {
  if (leftOut === 0) return rows;
  const {users, order: live} = rows;
  const names = rows.names.slice();
  const order = new Uint16Array(live.length);
  let counted = 0;
  for (let at = 0; at < live.length; at++) {
    const row = live[at];
    if (hasLeft.has(users[row])) names[row] = noName;
    else order[counted++] = row;
  }
  return {...rows, names, order: order.subarray(0, counted)};
}
