// What the shares of a snapshot are counted from: a stretch of rows in the order of arrival.

/** Rows [start, end) of these columns. */
export interface RowRange {
  readonly times: Float64Array;
  readonly names: Uint32Array;
  readonly users: Uint32Array;
  readonly start: number;
  readonly end: number;
}
