// A chunk in memory: the open one, and closed ones on their way into parts.
import type {RowColumns} from './bodies.js';
import type {WholeRows} from './property-columns.js';
import {type RowsView, timeOrder} from './rows.js';

/** Columns as they are before parts make them narrow. */
export type OpenColumns = RowColumns & {readonly times: Float64Array; readonly users: Uint32Array};

export const inOrder = (columns: OpenColumns): WholeRows => ({
  ...columns,
  order: timeOrder(columns.times, columns.users, columns.count),
});

/** Whose and what rows are, by ordinal: erased ones as well, in no order of time. */
export type RowsByOrdinal = Pick<
  RowsView,
  'baseOrdinal' | 'count' | 'timeBase' | 'times' | 'users' | 'noUser' | 'names'
>;

/** What readers ask of it. But for `rowsNow` it stays as it is when rows come later. */
export interface ChunkInMemory {
  readonly chunk: number;
  readonly baseOrdinal: number;
  /** Rows so far. */
  readonly count: number;
  /** For who is done with them before the next row comes: nothing is copied. */
  rowsNow(): RowsByOrdinal;
  /** What bodies are read with: a view whose rows are not in order. */
  columnsView(): OpenColumns;
  /** Uncompressed body blocks so far; the last one may be short. Full ones are the same arrays every time. */
  blocks(): Uint8Array[];
  /** One of them. */
  blockAt(index: number): Uint8Array;
}
