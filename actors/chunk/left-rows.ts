// Rows of users who left for another partition (actors/identity): they are in their chunks, and count no more.

import type {UserSet} from '../table/user-set.js';
import {eraseRows} from './row-erasure.js';
import type {RowsView} from './rows.js';

type Users = Pick<RowsView, 'users' | 'count'> & Partial<Pick<RowsView, 'noUser'>>;

/** The rows of these users, ascending. */
export function rowsOfUsers({users, count, noUser}: Users, hasLeft: UserSet): number[] {
  const found: number[] = [];
  if (hasLeft.count === 0) return found;
  for (let row = 0; row < count; row++) if (users[row] !== noUser && hasLeft.has(users[row])) found.push(row);
  return found;
}

/** The chunk as if these users had no rows in it. */
export function withoutUsers(rows: RowsView, hasLeft: UserSet): RowsView {
  const left = rowsOfUsers(rows, hasLeft);
  return left.length === 0 ? rows : eraseRows(rows, left);
}
