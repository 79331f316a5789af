// Finds the rows of one chunk with a name.
//   RF1. A name may be too large for its narrow column: then no row has it.

import type {RowsView} from '../../chunk/rows.js';

/** Port of kernels/row-finder.ts, which the shell provides. */
export interface RowFinder {
  /** Rows, ascending; valid until the next call. RF1 */
  find(names: RowsView['names'], name: number): Uint16Array;
}
