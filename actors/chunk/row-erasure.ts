// Taking one user's rows out of a chunk: slots are zeroed, and what only these rows said leaves the dictionaries.
import {codeAbsent, type RowColumn, type WholeRows} from './property-columns.js';
import {noName, type RowsView} from './rows.js';

/** Rows of a user in a chunk, ascending. */
export function rowsOfUser(rows: RowsView, user: number): number[] {
  const found: number[] = [];
  if (user >= rows.noUser) return found;
  for (let row = 0; row < rows.count; row++) if (rows.users[row] === user) found.push(row);
  return found;
}

/** A copy of the chunk without these rows; values that no row has any more are not encoded (property-columns.ts PC3, rows.ts R1). */
export function eraseRows(rows: WholeRows, erased: readonly number[]): WholeRows {
  const isErased = new Set(erased);
  const times = rows.times.slice();
  const users = rows.users.slice();
  const names = rows.names.slice();
  const columns = rows.columns.map((column): RowColumn => ({...column, codes: column.codes.slice()}));
  for (const row of erased) {
    times[row] = 0;
    users[row] = rows.noUser;
    names[row] = noName;
    for (const column of columns) column.codes[row] = codeAbsent;
  }
  return {
    ...rows,
    times,
    users,
    names,
    order: rows.order.filter((row) => !isErased.has(row)),
    columns: columns.map((column, at) =>
      column.codes.some((code) => code !== codeAbsent) ? column : emptied(column, at),
    ),
  };
}

/**
 * The column keeps its place (bodies refer to it), its name goes: 0xff is no byte of any WTF-8 text, so nothing asks for it.
 * Each has another one, as an open chunk finds its columns by name.
 */
const emptied = (column: RowColumn, at: number): RowColumn => ({...column, key: Uint8Array.of(0xff, at)});
