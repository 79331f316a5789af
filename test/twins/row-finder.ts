// The plain twin of kernels/row-finder.ts.

import type {RowsView} from '../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../actors/limits.js';
import type {RowFinder} from '../../actors/report/rows/row-finder.js';

export class PlainRowFinder implements RowFinder {
  private readonly found = new Uint16Array(chunkRowsMax);

  /** Branch-free: every row is written, and the next one overwrites a row that does not match. */
  find(names: RowsView['names'], name: number): Uint16Array {
    const {found} = this;
    let count = 0;
    for (let row = 0; row < names.length; row++) {
      found[count] = row;
      count += +(names[row] === name);
    }
    return found.subarray(0, count);
  }
}
