// Finds the rows of one chunk with a name and a code in one column, or with a name alone.
//   RF1. A name or code may be too large for its narrow column: then no row has it.

import type {RowColumn} from '../../chunk/property-columns.js';
import type {RowsView} from '../../chunk/rows.js';

/** Port of kernels/row-finder.ts, which the shell provides. */
export interface RowFinder {
  /** Chooses the columns that `find` searches. */
  open(names: RowsView['names'], codes: RowColumn['codes']): void;
  /** Rows, ascending; valid until the next call. RF1 */
  find(name: number, code: number): Uint16Array;
}
