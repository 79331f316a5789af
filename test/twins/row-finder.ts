// The plain twin of kernels/row-finder.ts.

import type {RowColumn} from '../../actors/chunk/property-columns.js';
import type {RowsView} from '../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../actors/limits.js';
import type {RowFinder} from '../../actors/report/rows/row-finder.js';

export class PlainRowFinder implements RowFinder {
  private readonly found = new Uint16Array(chunkRowsMax);
  private names: RowsView['names'] = new Uint8Array(0);
  private codes: RowColumn['codes'] = new Uint8Array(0);

  open(names: RowsView['names'], codes: RowColumn['codes']): void {
    this.names = names;
    this.codes = codes;
  }

  /** Branch-free: every row is written, and the next one overwrites a row that does not match. */
  find(name: number, code: number): Uint16Array {
    const {names, codes, found} = this;
    let count = 0;
    for (let row = 0; row < names.length; row++) {
      found[count] = row;
      count += +(names[row] === name) & +(codes[row] === code);
    }
    return found.subarray(0, count);
  }
}
