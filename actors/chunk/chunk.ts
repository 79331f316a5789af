// A chunk in memory: the open one, and closed ones on their way into parts.
import type {RowColumns} from './bodies.js';
import type {WholeRows} from './property-columns.js';
import {type RowsView, timeOrder} from './rows.js';

/** Columns of a chunk in memory, at full width; parts narrow them. */
export type OpenColumns = RowColumns & {readonly times: Float64Array; readonly users: Uint32Array};

export const inOrder = (columns: OpenColumns): WholeRows => ({
  ...columns,
  order: timeOrder(columns.times, columns.users, columns.count),
});

/** User, name and time columns in arrival order, erased slots included. */
export type RowsByOrdinal = Pick<
  RowsView,
  'baseOrdinal' | 'count' | 'timeBase' | 'times' | 'users' | 'noUser' | 'names'
>;

/** A chunk in memory for readers. Only what `rowsNow` returns changes when rows are appended later. */
export interface ChunkInMemory {
  readonly chunk: number;
  readonly baseOrdinal: number;
  /** Rows so far. */
  readonly count: number;
  /** Live columns without a copy: the caller must be done with them before the next row is appended. */
  rowsNow(): RowsByOrdinal;
  /** Columns to decode bodies with; the rows are not ordered by time. */
  columnsView(): OpenColumns;
  /** Uncompressed body blocks so far; the last one may be short. Full ones are the same arrays every time. */
  blocks(): Uint8Array[];
  /** The block at `index` of `blocks()`. */
  blockAt(index: number): Uint8Array;
}
