// Measures of the events of each bucket: distinct users, sums, averages, extremes, percentiles.
//   ME1. A cell is one series and one bucket; the last cell of a series is its total over [from, to].
//   ME2. Only JSON numbers are measured: other values are counted as skipped. A cell without any number has no value.
//   ME3. Sums and averages are rounded once (exact-sum.ts); a percentile is the nearest rank of the sorted values: the smallest
//       one that at least p % of them do not exceed.
import type {ByteReader, ByteWriter} from '../../bytes/bytes.js';
import {bitCount} from '../../order/bit-count.js';
import {each, type PartialSum, readNumber, SumColumns, writeNumber} from '../partials.js';
import {inWordSlices, type SetsOfPass} from './bucket-sets.js';
import {ExactSum} from './exact-sum.js';
import {rankedNumber} from './ranked-number.js';

export const measures = ['total', 'users', 'sum', 'avg', 'min', 'max', 'p50', 'p90', 'p95', 'p99'] as const;
export type Measure = (typeof measures)[number];

/** Whether the measure reads numbers of a property. */
export const isOfNumbers = (measure: Measure | undefined): boolean =>
  measure !== undefined && measure !== 'total' && measure !== 'users';

/** Whether the rows of a breakdown add up to the unbroken series. */
export const isAdditive = (measure: Measure | undefined): boolean =>
  measure === undefined || measure === 'total' || measure === 'sum';

/** Numbers of rows that are side by side (timed-numbers.ts). */
type RunNumbers = Int32Array | Float64Array;

/** Adds the numbers one by one. */
function addEach(to: Pick<CellNumbers, 'add'>, cell: number, numbers: RunNumbers, start: number, end: number): void {
  for (let i = start; i < end; i++) if (!Number.isNaN(numbers[i])) to.add(cell, numbers[i]);
}

/** Numbers by cell. ME1 */
interface CellNumbers {
  add(cell: number, value: number): void;
  /** Adds numbers [start, end), of which there is one at least. NaN: none. They stay as they are. */
  addRun(cell: number, numbers: RunNumbers, start: number, end: number): void;
  /** Adds all numbers of a cell to another one. */
  merge(from: number, to: number): void;
  /** The value of a cell; null without numbers. ME2 */
  valueOf(cell: number): number | null;
  /** Writes the numbers of a cell: one may have all. Both yield between slices. */
  write(cell: number, to: ByteWriter): Generator<void, void, void>;
  /** Adds what `write` wrote. */
  addRead(cell: number, from: ByteReader): Generator<void, void, void>;
  /** Estimated bytes of memory. */
  readonly bytes: number;
}

class Sums implements CellNumbers {
  private readonly sums: (ExactSum | undefined)[] = [];

  constructor(private readonly isAverage: boolean) {}

  add(cell: number, value: number): void {
    this.sumOf(cell).add(value);
  }

  addRun(cell: number, numbers: RunNumbers, start: number, end: number): void {
    if (numbers instanceof Int32Array) this.sumOf(cell).addWhole(sumOf(numbers, start, end), end - start);
    else addEach(this, cell, numbers, start, end);
  }

  merge(from: number, to: number): void {
    const sum = this.sums[from];
    if (sum !== undefined) this.sumOf(to).addAll(sum);
  }

  private sumOf(cell: number): ExactSum {
    let sum = this.sums[cell];
    if (sum === undefined) this.sums[cell] = sum = new ExactSum();
    return sum;
  }

  valueOf(cell: number): number | null {
    const sum = this.sums[cell];
    const value = sum?.rounded(this.isAverage ? sum.count : 1);
    return value === undefined || !Number.isFinite(value) ? null : value;
  }

  *write(cell: number, to: ByteWriter): Generator<void, void, void> {
    const sum = this.sums[cell];
    to.u8(sum === undefined ? 0 : 1);
    sum?.write(to);
    yield;
  }

  *addRead(cell: number, from: ByteReader): Generator<void, void, void> {
    if (from.u8() > 0) this.sumOf(cell).addAll(ExactSum.read(from));
    yield;
  }

  get bytes(): number {
    return this.sums.length * 128;
  }
}

/** Exact in a double: a chunk has fewer than 2^16 rows. */
function sumOf(integers: Int32Array, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += integers[i];
  return sum;
}

class Extremes implements CellNumbers {
  private readonly values: number[] = [];

  constructor(private readonly pick: (a: number, b: number) => number) {}

  add(cell: number, value: number): void {
    const known = this.values[cell];
    this.values[cell] = known === undefined ? value : this.pick(known, value);
  }

  addRun(cell: number, numbers: RunNumbers, start: number, end: number): void {
    addEach(this, cell, numbers, start, end);
  }

  merge(from: number, to: number): void {
    const value = this.values[from];
    if (value !== undefined) this.add(to, value);
  }

  valueOf(cell: number): number | null {
    const value = this.values[cell];
    return value === undefined ? null : value + 0; // Adding 0 turns -0 into 0: JSON has no -0.
  }

  *write(cell: number, to: ByteWriter): Generator<void, void, void> {
    const value = this.values[cell];
    to.u8(value === undefined ? 0 : 1);
    if (value !== undefined) writeNumber(to, value);
    yield;
  }

  *addRead(cell: number, from: ByteReader): Generator<void, void, void> {
    if (from.u8() > 0) this.add(cell, readNumber(from));
    yield;
  }

  get bytes(): number {
    return this.values.length * 8;
  }
}

class Ranks implements CellNumbers {
  /** Columns with the numbers of each cell: an own one, which grows, then others. Merged cells share them. */
  private readonly columns: (NumberColumn[] | undefined)[] = [];
  private readonly runs: (RunNumbers[] | undefined)[] = [];
  bytes = 0;

  constructor(private readonly percent: number) {}

  add(cell: number, value: number): void {
    let own = this.columns[cell];
    if (own === undefined) this.columns[cell] = own = [new NumberColumn()];
    this.bytes += own[0].push(value);
  }

  addRun(cell: number, numbers: RunNumbers, start: number, end: number): void {
    const run = numbers.subarray(start, end);
    if (run instanceof Float64Array && run.some(Number.isNaN)) addEach(this, cell, numbers, start, end);
    else this.runs[cell] = [...(this.runs[cell] ?? []), run];
  }

  merge(from: number, to: number): void {
    const columns = this.columns[from];
    const runs = this.runs[from];
    if (columns !== undefined) this.columns[to] = [...(this.columns[to] ?? []), ...columns];
    if (runs !== undefined) this.runs[to] = [...(this.runs[to] ?? []), ...runs];
  }

  *write(cell: number, to: ByteWriter): Generator<void, void, void> {
    const columns = this.numbersOf(cell);
    to.varint(columns.reduce((sum, {length}) => sum + length, 0));
    for (const numbers of columns) yield* each(numbers.length, (i) => writeNumber(to, numbers[i]));
    yield;
  }

  *addRead(cell: number, from: ByteReader): Generator<void, void, void> {
    yield* each(from.varint(), () => this.add(cell, readNumber(from)));
    yield;
  }

  private numbersOf(cell: number): RunNumbers[] {
    return [...(this.columns[cell] ?? []).map(({held}) => held), ...(this.runs[cell] ?? [])];
  }

  valueOf(cell: number): number | null {
    const columns = this.numbersOf(cell);
    const count = columns.reduce((sum, {length}) => sum + length, 0);
    if (count === 0) return null;
    return rankedNumber(columns, Math.max(0, Math.ceil((count * this.percent) / 100) - 1)) + 0;
  }
}

/** Numbers as 32-bit integers, until one does not fit. */
class NumberColumn {
  private numbers: Int32Array | Float64Array = new Int32Array(8);
  count = 0;

  /** @returns bytes by which it grew. */
  push(value: number): number {
    const before = this.numbers.byteLength;
    if (this.numbers instanceof Int32Array && (value | 0) !== value) this.numbers = Float64Array.from(this.numbers);
    if (this.count === this.numbers.length) this.grow();
    this.numbers[this.count++] = value;
    return this.numbers.byteLength - before;
  }

  private grow(): void {
    const length = Math.ceil(this.count * 1.5);
    const grown = this.numbers instanceof Int32Array ? new Int32Array(length) : new Float64Array(length);
    grown.set(this.numbers);
    this.numbers = grown;
  }

  get held(): Int32Array | Float64Array {
    return this.numbers.subarray(0, this.count);
  }
}

function cellNumbers(measure: Measure | undefined): CellNumbers | undefined {
  switch (measure) {
    case undefined:
    case 'total':
    case 'users':
      return undefined;
    case 'sum':
    case 'avg':
      return new Sums(measure === 'avg');
    case 'min':
      return new Extremes(Math.min);
    case 'max':
      return new Extremes(Math.max);
    default:
      return new Ranks(Number(measure.slice(1)));
  }
}

/** Cells of one answer. Totals and the sums over all series exist after `finish`. ME1 */
export class MeasuredCells implements PartialSum {
  readonly counts: Float64Array;
  readonly measure: Measure | undefined;
  readonly bucketCount: number;
  private readonly seriesCount: number;
  private readonly numbers: CellNumbers | undefined;
  /** Distinct users per cell, and the last user counted in it, as index + 1; only for `users`. */
  private readonly users: Float64Array;
  private readonly lastUser: Uint32Array;

  /** `measure` undefined: only events are counted. */
  constructor(measure: Measure | undefined, seriesCount: number, bucketCount: number) {
    const cells = seriesCount * (bucketCount + 1);
    this.measure = measure;
    this.bucketCount = bucketCount;
    this.seriesCount = seriesCount;
    this.counts = new Float64Array(cells);
    this.numbers = cellNumbers(measure);
    this.users = new Float64Array(measure === 'users' ? cells : 0);
    this.lastUser = new Uint32Array(this.users.length);
  }

  /** Bytes that the measured numbers take. */
  get numberBytes(): number {
    return this.numbers?.bytes ?? 0;
  }

  cellOf(series: number, bucket: number): number {
    return series * (this.bucketCount + 1) + bucket;
  }

  /** Counts the first `count` events of the lists: the cell of each, and its number (NaN: none). */
  addEvents(cells: Uint32Array, numbers: Float64Array, count: number): void {
    const {counts} = this;
    for (let i = 0; i < count; i++) counts[cells[i]] += 1;
    if (this.numbers === undefined) return;
    for (let i = 0; i < count; i++) if (!Number.isNaN(numbers[i])) this.numbers.add(cells[i], numbers[i]);
  }

  /** Counts events [start, end) of a list in one cell, and their numbers. */
  addRun(cell: number, numbers: RunNumbers, start: number, end: number): void {
    this.counts[cell] += end - start;
    this.numbers?.addRun(cell, numbers, start, end);
  }

  /** Counts an event of a user; a user's events come together, and `user` is the partition's index. */
  addUserEvent(series: number, bucket: number, user: number): void {
    const cell = this.cellOf(series, bucket);
    this.counts[cell] += 1;
    this.countUser(cell, user);
    this.countUser(this.cellOf(series, this.bucketCount), user);
    if (series === 0) return;
    this.countUser(this.cellOf(0, bucket), user);
    this.countUser(this.cellOf(0, this.bucketCount), user);
  }

  /** Counts the events and users of all buckets of series 0. */
  addSets({sets, events}: SetsOfPass): Generator<void, void, void> {
    for (let bucket = 0; bucket < events.length; bucket++) this.counts[bucket] += events[bucket];
    return inWordSlices(sets, (start, end) => {
      const all = new Uint32Array(end - start);
      for (const [bucket, set] of sets.entries()) this.users[bucket] += uniteCounting(set.subarray(start, end), all);
      this.users[this.bucketCount] += uniteCounting(all, all);
    });
  }

  private countUser(cell: number, user: number): void {
    if (this.lastUser[cell] === user + 1) return;
    this.lastUser[cell] = user + 1;
    this.users[cell] += 1;
  }

  /** Forgets the last users: another partition has other indexes. */
  nextPartition(): void {
    this.lastUser.fill(0);
  }

  /** Call it before `finish`. */
  *write(to: ByteWriter): Generator<void, void, void> {
    yield* this.sums.write(to);
    const {numbers, counts} = this;
    if (numbers !== undefined) for (let cell = 0; cell < counts.length; cell++) yield* numbers.write(cell, to);
  }

  *add(from: ByteReader): Generator<void, void, void> {
    yield* this.sums.add(from);
    const {numbers, counts} = this;
    if (numbers !== undefined) for (let cell = 0; cell < counts.length; cell++) yield* numbers.addRead(cell, from);
  }

  private get sums(): SumColumns {
    return new SumColumns([this.counts, this.users]);
  }

  /** Adds the other series to series 0, and the buckets of each series to its total. Call it after the last event. */
  finish(): void {
    const {bucketCount, seriesCount} = this;
    for (let series = 1; series < seriesCount; series++)
      for (let bucket = 0; bucket < bucketCount; bucket++) this.merge(this.cellOf(series, bucket), bucket);
    for (let series = 0; series < seriesCount; series++) {
      const total = this.cellOf(series, bucketCount);
      for (let bucket = 0; bucket < bucketCount; bucket++) this.merge(this.cellOf(series, bucket), total);
    }
  }

  private merge(from: number, to: number): void {
    this.counts[to] += this.counts[from];
    this.numbers?.merge(from, to);
  }

  count(series: number, bucket: number): number {
    return this.counts[this.cellOf(series, bucket)];
  }

  value(series: number, bucket: number): number | null {
    const cell = this.cellOf(series, bucket);
    if (this.numbers !== undefined) return this.numbers.valueOf(cell);
    return this.measure === 'users' ? this.users[cell] : this.counts[cell];
  }

  total(series: number): number {
    return this.count(series, this.bucketCount);
  }

  totalValue(series: number): number | null {
    return this.value(series, this.bucketCount);
  }
}

/** Adds a set to another one, and counts its users. */
function uniteCounting(set: Uint32Array, all: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < set.length; word++) {
    const bits = set[word];
    if (bits === 0) continue;
    count += bitCount(bits);
    all[word] |= bits;
  }
  return count;
}
