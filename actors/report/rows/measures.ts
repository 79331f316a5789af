// What a report measures of the events of each bucket, beside their number.
//   ME1. A cell is one series and one bucket; the last cell of a series is its total over [from, to].
//   ME2. Only JSON numbers are measured: other values are counted as skipped. A cell without any number has no value.
//   ME3. Sums and averages are rounded once (exact-sum.ts); a percentile is the nearest rank of the sorted values: the smallest
//       one that at least p % of them do not exceed.
import {ExactSum} from './exact-sum.js';
import type {PropertyValue, PropertyValues} from './property-values.js';

export const measures = ['total', 'users', 'sum', 'avg', 'min', 'max', 'p50', 'p90', 'p95', 'p99'] as const;
export type Measure = (typeof measures)[number];

/** Whether it measures the numbers of a property. */
export const isOfNumbers = (measure: Measure | undefined): boolean =>
  measure !== undefined && measure !== 'total' && measure !== 'users';

/** Whether the values of a breakdown's rows add up to the unbroken one. */
export const isAdditive = (measure: Measure | undefined): boolean =>
  measure === undefined || measure === 'total' || measure === 'sum';

/** Numbers by cell. ME1 */
interface CellNumbers {
  add(cell: number, value: number): void;
  /** Null without any number. ME2 */
  valueOf(cell: number): number | null;
  /** Bytes that it takes, about. */
  readonly bytes: number;
}

class Sums implements CellNumbers {
  private readonly sums: (ExactSum | undefined)[] = [];
  private readonly counts: number[] = [];

  constructor(private readonly isAverage: boolean) {}

  add(cell: number, value: number): void {
    (this.sums[cell] ??= new ExactSum()).add(value);
    this.counts[cell] = (this.counts[cell] ?? 0) + 1;
  }

  valueOf(cell: number): number | null {
    const value = this.sums[cell]?.rounded(this.isAverage ? this.counts[cell] : 1);
    return value === undefined || !Number.isFinite(value) ? null : value;
  }

  get bytes(): number {
    return this.sums.length * 512;
  }
}

class Extremes implements CellNumbers {
  private readonly values: number[] = [];

  constructor(private readonly pick: (a: number, b: number) => number) {}

  add(cell: number, value: number): void {
    const known = this.values[cell];
    this.values[cell] = known === undefined ? value : this.pick(known, value);
  }

  valueOf(cell: number): number | null {
    const value = this.values[cell];
    return value === undefined ? null : value + 0; // No -0, which JSON does not know.
  }

  get bytes(): number {
    return this.values.length * 8;
  }
}

class Ranks implements CellNumbers {
  private readonly lists: (NumberColumn | undefined)[] = [];
  bytes = 0;

  constructor(private readonly percent: number) {}

  add(cell: number, value: number): void {
    const list = (this.lists[cell] ??= new NumberColumn());
    this.bytes += list.push(value);
  }

  valueOf(cell: number): number | null {
    const sorted = this.lists[cell]?.sorted();
    if (sorted === undefined) return null;
    return sorted[Math.max(0, Math.ceil((sorted.length * this.percent) / 100) - 1)] + 0;
  }
}

class NumberColumn {
  private values = new Float64Array(4);
  private count = 0;

  /** @returns bytes by which it grew. */
  push(value: number): number {
    let grown = 0;
    if (this.count === this.values.length) {
      const doubled = new Float64Array(this.count * 2);
      doubled.set(this.values);
      grown = this.values.byteLength;
      this.values = doubled;
    }
    this.values[this.count++] = value;
    return grown;
  }

  sorted(): Float64Array {
    return this.values.slice(0, this.count).sort();
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

/** The cells of one answer. ME1 */
export class MeasuredCells {
  readonly counts: Float64Array;
  /** Undefined: events are counted, and nothing stands beside their number. */
  readonly measure: Measure | undefined;
  readonly bucketCount: number;
  /** Events whose value is no number, though the property is there. ME2 */
  skipped = 0;
  private readonly numbers: CellNumbers | undefined;
  /** For `users`: distinct users of each cell, and one more than the last user that was counted in it. */
  private readonly users: Float64Array;
  private readonly lastUser: Uint32Array;

  constructor(measure: Measure | undefined, seriesCount: number, bucketCount: number) {
    const cells = seriesCount * (bucketCount + 1);
    this.measure = measure;
    this.bucketCount = bucketCount;
    this.counts = new Float64Array(cells);
    this.numbers = cellNumbers(measure);
    this.users = new Float64Array(measure === 'users' ? cells : 0);
    this.lastUser = new Uint32Array(this.users.length);
  }

  get bytes(): number {
    return this.counts.byteLength + this.users.byteLength + this.lastUser.byteLength + (this.numbers?.bytes ?? 0);
  }

  /** Counts an event with this number (NaN: none) in a series. */
  addEvent(series: number, bucket: number, value: number): void {
    const first = series * (this.bucketCount + 1);
    this.counts[first + bucket] += 1;
    this.counts[first + this.bucketCount] += 1;
    if (this.numbers === undefined || Number.isNaN(value)) return;
    this.numbers.add(first + bucket, value);
    this.numbers.add(first + this.bucketCount, value);
  }

  /** Counts an event of a user; a user's events come together, and `user` is the partition's index. */
  addUserEvent(series: number, bucket: number, user: number): void {
    const first = series * (this.bucketCount + 1);
    this.countUser(first + bucket, user);
    this.countUser(first + this.bucketCount, user);
  }

  private countUser(cell: number, user: number): void {
    this.counts[cell] += 1;
    if (this.lastUser[cell] === user + 1) return;
    this.lastUser[cell] = user + 1;
    this.users[cell] += 1;
  }

  /** Users of the next partition have other indexes. */
  nextPartition(): void {
    this.lastUser.fill(0);
  }

  count(series: number, bucket: number): number {
    return this.counts[series * (this.bucketCount + 1) + bucket];
  }

  value(series: number, bucket: number): number | null {
    const cell = series * (this.bucketCount + 1) + bucket;
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

/** The numbers of one chunk's keys, read once for each: NaN for what is no number. */
export class KeyNumbers {
  private numbers = new Float64Array(64);
  private states = new Uint8Array(64);

  /** Turns to a chunk. */
  open({keyCount}: PropertyValues): void {
    if (this.states.length < keyCount) {
      this.numbers = new Float64Array(keyCount * 2);
      this.states = new Uint8Array(keyCount * 2);
    } else this.states.fill(0, 0, keyCount);
  }

  of(values: PropertyValues, key: number): number {
    if (this.states[key] === 0) {
      this.numbers[key] = numberOf(values.valueOf(key));
      this.states[key] = 1;
    }
    return this.numbers[key];
  }
}

const numberOf = (value: PropertyValue): number => (typeof value === 'number' ? value : Number.NaN);
