// Paths of all users, as columns: the source of a funnel's series and of its breakdown.
//   PL1. A path is of one user, or of one pair of user and held value; it has at least one step.
//   PL2. A sum over partitions is a sum over paths, so the order of additions does not matter.
import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';
import {each, readNumber, writeNumber} from '../partials.js';
import {inSlices} from '../rows/gathered-rows.js';

/** A column that grows. */
class Column<C extends Uint32Array | Float64Array> {
  values: C;
  count = 0;
  private readonly make: (length: number) => C;

  constructor(make: (length: number) => C) {
    this.make = make;
    this.values = make(256);
  }

  push(value: number): void {
    if (this.count === this.values.length) {
      const grown = this.make(Math.ceil(this.values.length * 1.5));
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.count++] = value;
  }
}

const words = (length: number): Uint32Array => new Uint32Array(length);
const doubles = (length: number): Float64Array => new Float64Array(length);

/** A path to be logged. */
export interface Path {
  readonly depth: number;
  /** Times at which the steps were reached, epoch ms, up to the depth. */
  readonly times: Float64Array;
}

export class PathLog {
  private readonly depths = new Column(words);
  private readonly groups = new Column(words);
  /** Bucket of each path's entry. */
  private readonly buckets = new Column(words);
  /** Start of each path's gaps. */
  private readonly starts = new Column(words);
  /** Ms from each step of a path to the next. */
  private readonly gaps = new Column(doubles);
  /** 1: the path may still convert. */
  private readonly open = new Column(words);

  get count(): number {
    return this.depths.count;
  }

  get bytes(): number {
    return [this.depths, this.groups, this.buckets, this.starts, this.gaps, this.open].reduce(
      (sum, {values}) => sum + values.byteLength,
      0,
    );
  }

  add({depth, times}: Path, group: number, bucket: number, isUndecided: boolean): void {
    this.depths.push(depth);
    this.groups.push(group);
    this.buckets.push(bucket);
    this.open.push(isUndecided ? 1 : 0);
    this.starts.push(this.gaps.count);
    for (let step = 1; step < depth; step++) this.gaps.push(times[step] - times[step - 1]);
  }

  *write(to: ByteWriter): Generator<void, void, void> {
    to.varint(this.count);
    yield* each(this.count, (path) => {
      to.varint(this.depth(path));
      to.varint(this.group(path));
      to.varint(this.bucket(path));
      to.u8(this.open.values[path]);
      for (let step = 1; step < this.depth(path); step++) writeNumber(to, this.gap(path, step));
    });
  }

  /** Adds what `write` wrote. `groups`: groups here, by those there. */
  *addRead(from: ByteReader, groups: Uint32Array): Generator<void, void, void> {
    yield* each(from.varint(), () => {
      const depth = from.varint();
      this.depths.push(depth);
      this.groups.push(groups[from.varint()]);
      this.buckets.push(from.varint());
      this.open.push(from.u8());
      this.starts.push(this.gaps.count);
      for (let step = 1; step < depth; step++) this.gaps.push(readNumber(from));
    });
  }

  depth(path: number): number {
    return this.depths.values[path];
  }

  group(path: number): number {
    return this.groups.values[path];
  }

  bucket(path: number): number {
    return this.buckets.values[path];
  }

  isUndecided(path: number): boolean {
    return this.open.values[path] === 1;
  }

  /** Ms between step - 1 and `step` of a path that reached it; `step` is at least 1. */
  gap(path: number, step: number): number {
    return this.gaps.values[this.starts.values[path] + step - 1];
  }

  /** Number of paths of each group. Yields between slices. */
  *totals(groupCount: number): Generator<void, Float64Array, void> {
    const totals = new Float64Array(groupCount);
    yield* inSlices(this.count, (start, end) => {
      for (let path = start; path < end; path++) totals[this.group(path)] += 1;
    });
    return totals;
  }

  /** Paths of each row; `rowOf`: the row of each group. Yields between slices. */
  *byRow(rowOf: Uint32Array, rowCount: number): Generator<void, Uint32Array[], void> {
    const starts = new Uint32Array(rowCount + 1);
    yield* inSlices(this.count, (start, end) => {
      for (let path = start; path < end; path++) starts[rowOf[this.group(path)] + 1] += 1;
    });
    for (let row = 0; row < rowCount; row++) starts[row + 1] += starts[row];
    const places = starts.slice();
    const paths = new Uint32Array(this.count);
    yield* inSlices(this.count, (start, end) => {
      for (let path = start; path < end; path++) paths[places[rowOf[this.group(path)]]++] = path;
    });
    return Array.from({length: rowCount}, (_, row) => paths.subarray(starts[row], starts[row + 1]));
  }
}
