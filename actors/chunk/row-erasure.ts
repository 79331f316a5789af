// Erases rows from a chunk: their slots are zeroed, and values that only they had leave the dictionaries.
import {codeAbsent, type RowColumn, type WholeRows} from './property-columns.js';
import {noName} from './rows.js';

/**
 * A copy of the chunk without these rows. Values that no row has any more are not encoded (property-columns.ts PC3, rows.ts
 * R1).
 */
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
 * The column keeps its position, which bodies refer to, and loses its name. No WTF-8 text contains 0xff, so no query names it.
 * Names stay distinct, as an open chunk finds columns by name.
 */
const emptied = (column: RowColumn, at: number): RowColumn => ({...column, key: Uint8Array.of(0xff, at)});
