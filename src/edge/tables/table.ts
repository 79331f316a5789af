// A report or list as a table: what CSV (csv.ts) and Parquet (src/edge/parquet) are made of.

export type Cell = string | number | boolean | null;

/**
 * What the cells of a column are. `bucket`: a date, of an hour its time with its offset; `time`: an ISO time; `count`: an integer.
 */
export type CellType = 'text' | 'count' | 'number' | 'bucket' | 'time' | 'flag';

export type Column = readonly [title: string, type: CellType];

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}
