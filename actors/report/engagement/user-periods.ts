// The first start event and the last return of each user in each bucket, in place of the user's rows: all that retention by
// calendar periods asks (retention.ts, RN2 and RN3).
//   PE1. A return in a later bucket than the start event comes after it. Within one bucket the order of the history decides:
//        time, then the order in which rows came.
//   PE2. Where the cells of all users exceed the bound, several passes over the same rows each take a range of users.
import {assert} from '../../invariant.js';
import {dayMs} from '../../limits.js';

/** A time in its bucket: ms since the bucket's start, of which the longest is a month. */
assert(31 * dayMs < 2 ** 32 - 1, 'a time in its bucket is a word');
const none = 0xffff_ffff;

/** Words of a cell: time and number of the first start event, time and number of the last return. A time is `none` without one. */
const startTime = 0;
const startRow = 1;
const returnTime = 2;
const returnRow = 3;
const cellWords = 4;
const cellBytes = cellWords * 4;
const seriesBytes = 4;
/** Cells between two yields. */
const cellsPerSlice = 8_192;

/** One user with any start event: its buckets are cells [first, first + bucketCount). */
type WalkCells = (cells: UserPeriods, first: number) => void;

export class UserPeriods {
  readonly bytes: number;
  readonly bucketCount: number;
  /** Users [userStart, userEnd) are in this pass. */
  private userStart = 0;
  private userEnd: number;
  private readonly userCount: number;
  private readonly usersMax: number;
  private readonly walkCells: WalkCells;
  private readonly edges: Float64Array;
  /** Four words a cell, so that a row touches one cache line: see `startTime` and those after it. */
  private readonly cells: Uint32Array;
  /** Series of the start event of each cell; undefined where there is only one. */
  private readonly startSeries: Uint32Array | undefined;
  /** Rows of this pass. */
  private rows = 0;

  /** Bytes of the cells of one user. */
  static bytesEach(edges: Float64Array, isSplit: boolean): number {
    return (edges.length - 1) * (cellBytes + (isSplit ? seriesBytes : 0));
  }

  /** `edges`: starts of all buckets and the end of the last. `userCount`: users of the partition. */
  constructor(userCount: number, edges: Float64Array, isSplit: boolean, bytesMax: number, walkCells: WalkCells) {
    this.userCount = userCount;
    this.edges = edges;
    this.bucketCount = edges.length - 1;
    const bytesEach = UserPeriods.bytesEach(edges, isSplit);
    this.usersMax = Math.max(1, Math.min(userCount, Math.floor(bytesMax / bytesEach)));
    this.userEnd = Math.min(this.usersMax, userCount);
    this.bytes = this.usersMax * bytesEach;
    const count = this.usersMax * this.bucketCount;
    this.cells = new Uint32Array(count * cellWords);
    this.startSeries = isSplit ? new Uint32Array(count) : undefined;
    this.clear();
    this.walkCells = walkCells;
  }

  /** The bucket of a time, which is not before that of `bucket`. */
  bucketFrom(bucket: number, timeMs: number): number {
    let found = bucket;
    while (timeMs >= this.edges[found + 1]) found += 1;
    return found;
  }

  /** Rows come chunk by chunk, each chunk's by (time, row). `series`: of a start event; otherwise undefined. */
  add(user: number, timeMs: number, bucket: number, series: number | undefined, isReturn: boolean): void {
    const row = this.rows++;
    if (user < this.userStart || user >= this.userEnd) return;
    const {cells} = this;
    const cell = (user - this.userStart) * this.bucketCount + bucket;
    const at = cell * cellWords;
    const time = timeMs - this.edges[bucket];
    if (isReturn && (cells[at + returnTime] === none || time >= cells[at + returnTime])) {
      cells[at + returnTime] = time;
      cells[at + returnRow] = row;
    }
    if (series === undefined || time >= cells[at + startTime]) return;
    cells[at + startTime] = time;
    cells[at + startRow] = row;
    if (this.startSeries !== undefined) this.startSeries[cell] = series;
  }

  private clear(): void {
    const {cells} = this;
    for (let at = 0; at < cells.length; at += cellWords) {
      cells[at + startTime] = none;
      cells[at + returnTime] = none;
    }
  }

  hasStart(cell: number): boolean {
    return this.cells[cell * cellWords + startTime] !== none;
  }

  seriesOf(cell: number): number {
    return this.startSeries?.[cell] ?? 0;
  }

  hasReturn(cell: number): boolean {
    return this.cells[cell * cellWords + returnTime] !== none;
  }

  /** Whether a return comes after the first start event of the same bucket. PE1 */
  returnsWithin(cell: number): boolean {
    const {cells} = this;
    const at = cell * cellWords;
    const [startMs, lastMs] = [cells[at + startTime], cells[at + returnTime]];
    if (lastMs === none) return false;
    return lastMs > startMs || (lastMs === startMs && cells[at + returnRow] > cells[at + startRow]);
  }

  /** Walks the users of this pass, and yields between slices; true when another pass is due. PE2 */
  *endPass(): Generator<void, boolean, void> {
    const {bucketCount} = this;
    const cellEnd = (this.userEnd - this.userStart) * bucketCount;
    for (let first = 0, sliceEnd = cellsPerSlice; first < cellEnd; first += bucketCount) {
      this.walkCells(this, first);
      if (first < sliceEnd) continue;
      sliceEnd = first + cellsPerSlice;
      yield;
    }
    this.userStart = this.userEnd;
    this.userEnd = Math.min(this.userStart + this.usersMax, this.userCount);
    this.rows = 0;
    this.clear();
    return this.userStart < this.userEnd;
  }
}
