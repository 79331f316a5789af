// What is worked out of one chunk's rows for reports and kept beside them: each piece when somebody first asks for it.
//   Never needed: every answer can be had from the rows alone, and is the same.
import type {RowsView} from '../rows.js';
import {RowsByName} from './rows-by-name.js';
import {ValueCodes} from './value-codes.js';

export class DerivedRows {
  private readonly rows: RowsView;
  private readonly onGrowth: (bytes: number) => void;
  private byName: RowsByName | undefined | null = null;
  private codes: ValueCodes | undefined;

  /** `onGrowth` is told of the bytes of each piece when it is made. */
  constructor(rows: RowsView, onGrowth: (bytes: number) => void) {
    this.rows = rows;
    this.onGrowth = onGrowth;
  }

  /** Undefined when the chunk cannot be grouped. */
  get names(): RowsByName | undefined {
    if (this.byName === null) this.byName = RowsByName.of(this.rows, this.onGrowth);
    return this.byName;
  }

  get values(): ValueCodes {
    this.codes ??= new ValueCodes(this.rows, this.onGrowth);
    return this.codes;
  }
}
