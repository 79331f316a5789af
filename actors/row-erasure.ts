// Taking one user's rows out of a closed chunk: slots are zeroed, and what only these rows said leaves the dictionaries.
import {codeAbsent, codeInBody, noName, noUser, type RowColumn, type RowsView, timeOrder} from './rows.js';

/** Rows of a user in a chunk, ascending. */
export function rowsOfUser(rows: RowsView, user: number): number[] {
  const found: number[] = [];
  for (let row = 0; row < rows.count; row++) if (rows.users[row] === user) found.push(row);
  return found;
}

/** A copy of the chunk without these rows. R1 */
export function eraseRows(rows: RowsView, erased: readonly number[]): RowsView {
  const times = rows.times.slice();
  const users = rows.users.slice();
  const names = rows.names.slice();
  const columns = rows.columns.map((column): RowColumn => ({key: column.key, codes: column.codes.slice()}));
  for (const row of erased) {
    times[row] = 0;
    users[row] = noUser;
    names[row] = noName;
    for (const column of columns) column.codes[row] = codeAbsent;
  }
  return {
    ...rows,
    times,
    users,
    names,
    order: timeOrder(times, users, rows.count),
    columns: columns.map((column) => (column.codes.some((code) => code !== codeAbsent) ? column : emptied(column))),
    ...withoutUnusedValues(rows, columns),
  };
}

/** The column keeps its place (codes refer to it), its name goes: 0xff is no byte of any WTF-8 text, so nothing asks for it. */
const emptied = (column: RowColumn): RowColumn => ({key: Uint8Array.of(0xff), codes: column.codes});

/** Codes keep their numbers; a value that no row has any more becomes empty. */
function withoutUnusedValues(rows: RowsView, columns: readonly RowColumn[]) {
  const codeEnd = rows.codeColumns.length;
  const used = new Uint8Array(codeEnd);
  for (const column of columns) {
    for (const code of column.codes) if (code !== codeInBody) used[code] = 1;
  }
  const dictionaryOffsets = new Uint32Array(codeEnd + 1);
  const dictionary = new Uint8Array(rows.dictionary.length);
  let at = 0;
  for (let code = 1; code < codeEnd; code++) {
    dictionaryOffsets[code] = at;
    if (used[code] === 0) continue;
    const value = rows.dictionary.subarray(rows.dictionaryOffsets[code], rows.dictionaryOffsets[code + 1]);
    dictionary.set(value, at);
    at += value.length;
  }
  dictionaryOffsets[codeEnd] = at;
  return {dictionary: dictionary.slice(0, at), dictionaryOffsets};
}
