// What is worked out of one chunk's rows for reports and kept beside them: each piece when somebody first asks for it and
// there is room.
//   Never needed: every answer can be had from the rows alone, and is the same.
import type {RowsView} from '../rows.js';
import {RowsByName} from './rows-by-name.js';
import {ValueCodes} from './value-codes.js';

/** Asks for so many bytes more, or gives some back (below 0); false when there is no room now. */
export type Reserve = (bytes: number) => boolean;

export class DerivedRows {
  private readonly rows: RowsView;
  private readonly reserve: Reserve;
  private byName: RowsByName | undefined;
  private codes: ValueCodes | undefined;

  constructor(rows: RowsView, reserve: Reserve) {
    this.rows = rows;
    this.reserve = reserve;
  }

  get names(): RowsByName | undefined {
    this.byName ??= RowsByName.of(this.rows, this.reserve);
    return this.byName;
  }

  /** What `names` made before. */
  get heldNames(): RowsByName | undefined {
    return this.byName;
  }

  get values(): ValueCodes | undefined {
    this.codes ??= ValueCodes.of(this.rows, this.reserve);
    return this.codes;
  }
}
