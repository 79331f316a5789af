// The first start event and the last return of each user in each bucket, in place of the user's rows: all that retention by
// calendar periods asks (retention.ts, RN2 and RN3).
//   PE1. A return in a later bucket than the start event comes after it. Within one bucket the order of the history decides:
//        time, then the order of the log.
//   PE2. Where the cells of all users exceed the bound, several passes over the same rows each take a range of users.
//   PE3. Cells of one bucket are side by side: rows come by time, so those of a chunk touch few cells, which stay in the
//        processor's cache.
import type {RowsView} from '../../chunk/rows.js';
import {assert} from '../../invariant.js';
import {chunkRowsMax, dayMs} from '../../limits.js';
import {firstPlace} from '../../order/search.js';
import type {Stretch} from '../selection.js';

/** A time in its bucket: ms since the bucket's start, of which the longest is a month. */
assert(31 * dayMs < 2 ** 32 - 2, 'a time in its bucket, or the one after it, is a word');
const noStart = 0xffff_ffff;

/** Words of a cell of starts or returns: a time, and the number of its row in the order of the log. */
const cellWords = 2;
const cellBytes = 2 * cellWords * 4;
const seriesBytes = 4;
/** Cells between two yields. */
const cellsPerSlice = 8_192;

/** One user of the pass, by place. */
type WalkPeriods = (periods: UserPeriods, place: number) => void;

export class UserPeriods {
  readonly bucketCount: number;
  /** Users [userStart, userEnd) are in this pass. */
  private userStart = 0;
  private userEnd: number;
  private readonly userCount: number;
  private readonly usersMax: number;
  private readonly walkUser: WalkPeriods;
  private readonly edges: Float64Array;
  /** The first start event of each cell: ms since the bucket's start, or `noStart`. PE3 */
  private readonly starts: Uint32Array;
  /** The last return of each cell: ms since the bucket's start plus 1; 0: none. */
  private readonly returns: Uint32Array;
  /** Series of the start event of each cell; undefined where there is only one. */
  private readonly startSeries: Uint32Array | undefined;
  /** Number of the open chunk's first row. */
  private firstRow = 0;

  /** Bytes of the cells of one user. */
  static bytesEach(edges: Float64Array, isSplit: boolean): number {
    return (edges.length - 1) * (cellBytes + (isSplit ? seriesBytes : 0));
  }

  /** `edges`: starts of all buckets and the end of the last. `userCount`: users of the partition. */
  constructor(userCount: number, edges: Float64Array, isSplit: boolean, bytesMax: number, walkUser: WalkPeriods) {
    this.userCount = userCount;
    this.edges = edges;
    this.bucketCount = edges.length - 1;
    const bytesEach = UserPeriods.bytesEach(edges, isSplit);
    this.usersMax = Math.max(1, Math.min(userCount, Math.floor(bytesMax / bytesEach)));
    this.userEnd = Math.min(this.usersMax, userCount);
    const count = this.usersMax * this.bucketCount;
    this.starts = new Uint32Array(count * cellWords).fill(noStart);
    this.returns = new Uint32Array(count * cellWords);
    this.startSeries = isSplit ? new Uint32Array(count) : undefined;
    this.walkUser = walkUser;
  }

  /** Adds the returns of a chunk: rows in the buckets, those of equal time in the order of the log. */
  addReturns({users, times, timeBase}: RowsView, rows: Uint16Array): void {
    const {userStart, userEnd, usersMax, returns, firstRow} = this;
    let [bucket, start, end] = [0, 0, 0];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const time = times[row];
      if (time < start || time >= end) {
        bucket = this.bucketOf(timeBase + time);
        start = this.edges[bucket] - timeBase;
        end = this.edges[bucket + 1] - timeBase;
      }
      const user = users[row];
      if (user < userStart || user >= userEnd) continue;
      const at = (bucket * usersMax + user - userStart) * cellWords;
      const after = time - start + 1;
      if (after < returns[at]) continue; // The later one of two rows with equal times counts.
      returns[at] = after;
      returns[at + 1] = firstRow + row;
    }
  }

  /**
   * Adds the start events of a chunk, without those in `cut`: rows in the buckets, those of equal time in the order of the log.
   * `series`: of each of them.
   */
  addStarts({users, times, timeBase}: RowsView, rows: Uint16Array, cut: Stretch, series?: Uint32Array): void {
    const {userStart, userEnd, usersMax, starts, startSeries, firstRow} = this;
    const [cutStart, cutLast] = [cut.startMs - timeBase, cut.lastMs - timeBase];
    let [bucket, start, end] = [0, 0, 0];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const time = times[row];
      if (time >= cutStart && time <= cutLast) continue;
      if (time < start || time >= end) {
        bucket = this.bucketOf(timeBase + time);
        start = this.edges[bucket] - timeBase;
        end = this.edges[bucket + 1] - timeBase;
      }
      const user = users[row];
      if (user < userStart || user >= userEnd) continue;
      const cell = bucket * usersMax + user - userStart;
      const at = cell * cellWords;
      if (time - start >= starts[at]) continue; // The earlier one of two rows with equal times counts.
      starts[at] = time - start;
      starts[at + 1] = firstRow + row;
      if (startSeries !== undefined && series !== undefined) startSeries[cell] = series[i];
    }
  }

  /** Ends a chunk. */
  nextChunk(): void {
    this.firstRow += chunkRowsMax;
  }

  private bucketOf(timeMs: number): number {
    const {edges} = this;
    return firstPlace(0, edges.length, (place) => edges[place] <= timeMs) - 1;
  }

  private cellOf(place: number, bucket: number): number {
    return bucket * this.usersMax + place;
  }

  /** The user at a place of this pass. */
  userAt(place: number): number {
    return this.userStart + place;
  }

  hasStart(place: number, bucket: number): boolean {
    return this.starts[this.cellOf(place, bucket) * cellWords] !== noStart;
  }

  seriesOf(place: number, bucket: number): number {
    return this.startSeries?.[this.cellOf(place, bucket)] ?? 0;
  }

  hasReturn(place: number, bucket: number): boolean {
    return this.returns[this.cellOf(place, bucket) * cellWords] !== 0;
  }

  /** Whether a return comes after the first start event of the same bucket. PE1 */
  returnsWithin(place: number, bucket: number): boolean {
    const {starts, returns} = this;
    const at = this.cellOf(place, bucket) * cellWords;
    if (returns[at] === 0) return false;
    const [start, last] = [starts[at], returns[at] - 1];
    return last > start || (last === start && returns[at + 1] > starts[at + 1]);
  }

  /** Walks the users of this pass, and yields between slices; true when another pass is due. PE2 */
  *endPass(): Generator<void, boolean, void> {
    const {bucketCount} = this;
    const places = this.userEnd - this.userStart;
    for (let place = 0, sliceEnd = cellsPerSlice; place < places; place++) {
      this.walkUser(this, place);
      if (place * bucketCount < sliceEnd) continue;
      sliceEnd = place * bucketCount + cellsPerSlice;
      yield;
    }
    this.userStart = this.userEnd;
    this.userEnd = Math.min(this.userStart + this.usersMax, this.userCount);
    this.firstRow = 0;
    this.starts.fill(noStart);
    this.returns.fill(0);
    return this.userStart < this.userEnd;
  }
}
