// Rows of users who left for another partition (actors/identity): they are in their chunks, and count no more.

import type {UserSet} from '../table/user-set.js';
import {eraseRows} from './row-erasure.js';
import type {RowsView} from './rows.js';

type Users = Pick<RowsView, 'users' | 'count'> & Partial<Pick<RowsView, 'noUser'>>;

/** How many rows of the chunk are of these users. */
export function rowsOfUsers({users, count, noUser}: Users, hasLeft: UserSet): number {
  if (hasLeft.count === 0) return 0;
  let found = 0;
  for (let row = 0; row < count; row++) if (users[row] !== noUser && hasLeft.has(users[row])) found += 1;
  return found;
}

/** The chunk as if these users had no rows in it. */
export function withoutUsers(rows: RowsView, hasLeft: UserSet): RowsView {
  const left: number[] = [];
  for (let row = 0; row < rows.count; row++)
    if (rows.users[row] !== rows.noUser && hasLeft.has(rows.users[row])) left.push(row);
  return left.length === 0 ? rows : eraseRows(rows, left);
}
