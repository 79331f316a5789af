// Finds the rows of one chunk that have a name, and a code in one column, for counts with a property filter.
//   RF1. Names and codes may be compared with numbers that their columns are too narrow for: no row has those.

import type {RowColumn} from '../../chunk/property-columns.js';
import type {RowsView} from '../../chunk/rows.js';

/** kernels/row-finder.ts, handed in by the shell. */
export interface RowFinder {
  /** Chooses the columns that `find` searches. */
  open(names: RowsView['names'], codes: RowColumn['codes']): void;
  /** Ascending; until the next call. RF1 */
  find(name: number, code: number): Uint16Array;
}
