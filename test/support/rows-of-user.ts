// Rows of one user in a chunk.
import type {RowsView} from '../../actors/chunk/rows.js';

/** Ascending; none for an erased row's `noUser`. */
export function rowsOfUser({users, count, noUser}: RowsView, user: number): number[] {
  if (user >= noUser) return [];
  return Array.from({length: count}, (_, row) => row).filter((row) => users[row] === user);
}
