// Finds the rows of one chunk that have a name, and a code in one column, for counts with a property filter.
//   The plain twin of kernels/row-finder.ts.
//   RF1. Names and codes may be compared with numbers that their columns are too narrow for: no row has those.

import type {RowColumn, RowsView} from '../../chunk/rows.js';
import {chunkRowsMax} from '../../limits.js';

export interface RowFinder {
  /** Chooses the columns that `find` searches. */
  open(names: RowsView['names'], codes: RowColumn['codes']): void;
  /** Ascending; until the next call. RF1 */
  find(name: number, code: number): Uint16Array;
}

export class PlainRowFinder implements RowFinder {
  private readonly found = new Uint16Array(chunkRowsMax);
  private names: RowsView['names'] = new Uint8Array(0);
  private codes: RowColumn['codes'] = new Uint8Array(0);

  open(names: RowsView['names'], codes: RowColumn['codes']): void {
    this.names = names;
    this.codes = codes;
  }

  find(name: number, code: number): Uint16Array {
    return this.found.subarray(0, findRows(this.names, name, this.codes, code, this.found));
  }
}

/** Branch-free: every row is written, and the next one overwrites a row that does not match. */
function findRows(
  names: RowsView['names'],
  name: number,
  codes: RowColumn['codes'],
  code: number,
  found: Uint16Array,
): number {
  let count = 0;
  for (let row = 0; row < names.length; row++) {
    found[count] = row;
    count += +(names[row] === name) & +(codes[row] === code);
  }
  return count;
}
