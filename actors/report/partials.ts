// A partial: what a round of a question has of some partitions (src/report/rounds.ts), as bytes for another process.
//   PA1. Adding partials in any order gives the same: sums are of whole numbers, or exact (rows/exact-sum.ts), and lists are ranked
//        once they are whole.
import type {ByteReader, ByteWriter} from '../bytes/bytes.js';
import {assert} from '../invariant.js';

/** Items between two yields: less than a ms. */
const sliceItems = 4_096;

/** What can be added to what another process has. Both yield between slices. */
export interface PartialSum {
  write(to: ByteWriter): Generator<void, void, void>;
  /** Adds what `write` wrote. PA1 */
  add(from: ByteReader): Generator<void, void, void>;
}

/** Calls `item` with each number below `count`. It yields after every slice. */
export function* each(count: number, item: (i: number) => void): Generator<void, void, void> {
  for (let i = 0; i < count; i++) {
    item(i);
    if (i % sliceItems === sliceItems - 1) yield;
  }
}

/** Whole numbers of either sign. */
const writeWhole = (to: ByteWriter, value: number): void => to.varint(value < 0 ? -2 * value - 1 : 2 * value);

function readWhole(from: ByteReader): number {
  const value = from.varint();
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Columns of whole sums. */
export class SumColumns implements PartialSum {
  private readonly columns: readonly Float64Array[];

  constructor(columns: readonly Float64Array[]) {
    this.columns = columns;
  }

  *write(to: ByteWriter): Generator<void, void, void> {
    for (const column of this.columns) {
      to.varint(column.length);
      yield* each(column.length, (cell) => writeWhole(to, column[cell]));
    }
  }

  *add(from: ByteReader): Generator<void, void, void> {
    for (const column of this.columns) {
      assert(from.varint() === column.length, 'partials of a round have the same cells');
      yield* each(column.length, (cell) => {
        column[cell] += readWhole(from);
      });
    }
  }
}

/** Any numbers: mostly whole ms, which take fewer bytes as such. */
export function writeNumber(to: ByteWriter, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0 && value < 2 ** 52 && !Object.is(value, -0)) {
    to.varint(value + 1);
    return;
  }
  to.varint(0);
  to.f64(value);
}

export function readNumber(from: ByteReader): number {
  const whole = from.varint();
  return whole === 0 ? from.f64() : whole - 1;
}
