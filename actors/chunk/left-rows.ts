// Rows of users who left for another partition (actors/identity): they are in their chunks, and count no more.

import type {ChunkEntry} from '../manifest.js';
import type {UserSet} from '../table/user-set.js';
import {noName, type RowsView} from './rows.js';

type Users = Pick<RowsView, 'users' | 'count'> & Partial<Pick<RowsView, 'noUser'>>;

/** The rows of these users, ascending. */
export function rowsOfUsers({users, count, noUser}: Users, hasLeft: UserSet): number[] {
  const found: number[] = [];
  if (hasLeft.count === 0) return found;
  for (let row = 0; row < count; row++) if (users[row] !== noUser && hasLeft.has(users[row])) found.push(row);
  return found;
}

/** The chunk as if these users had no rows in it: those are not in `order`, and have no name. Their codes are left. */
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
