// Active users who did something: distinct users in the window of each bucket, out of their rows (docs/api.md, metric x interval).
//   AC1. Windows are those of all active users (active-plan.ts): trailing ones look back before `from`, and overlap.
//   AC2. A user is counted once in each window and series. Rows come by time, so windows that have the user are behind those that
//        an earlier row reached.
import {upperBound} from '../../order/search.js';
import {type ActiveMetric, windowStarts} from '../active/active-plan.js';
import type {Buckets} from '../counts/buckets.js';
import type {Stretch} from '../selection.js';

/** The window of each bucket. AC1 */
export class ActivityWindows {
  readonly buckets: Buckets;
  private readonly starts: Float64Array;
  private readonly ends: Float64Array;

  /** `given`: where they came with the question. */
  constructor(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]) {
    this.buckets = buckets;
    this.starts = windowStarts(buckets, metric, given);
    if (this.starts[0] === buckets.edges[0]) this.starts[0] = buckets.fromMs; // Nothing looks back.
    this.ends = buckets.edges.subarray(1);
  }

  /** What is read. */
  get stretch(): Stretch {
    return {startMs: this.starts[0], lastMs: this.buckets.toMs};
  }

  /** The first bucket whose window has this time, which is read. */
  firstOf(timeMs: number): number {
    return upperBound(this.ends, timeMs);
  }

  /** One more than the last bucket whose window has this time. */
  endOf(timeMs: number): number {
    return upperBound(this.starts, timeMs);
  }
}

/** Users by window of each series. Series 0 is the unbroken one, of which every row is, too. */
export class ActivityCells {
  readonly windows: ActivityWindows;
  /** Users who enter a window, less those who left the one before. */
  private readonly changes: Float64Array;
  private readonly totals: Float64Array;
  /** By series: one more than the last bucket in which the current user was counted. AC2 */
  private readonly reached: Int32Array;
  private readonly isInTotal: Uint8Array;
  private readonly touched: number[] = [];

  constructor(windows: ActivityWindows, seriesCount: number) {
    this.windows = windows;
    this.changes = new Float64Array(seriesCount * (windows.buckets.count + 1));
    this.totals = new Float64Array(seriesCount);
    this.reached = new Int32Array(seriesCount);
    this.isInTotal = new Uint8Array(seriesCount);
  }

  /** The kind of a row is its series. */
  addUser(times: Float64Array, series: Uint32Array, start: number, end: number): void {
    const {windows, touched, reached, isInTotal} = this;
    for (let at = start; at < end; at++) {
      const [first, last] = [windows.firstOf(times[at]), windows.endOf(times[at])];
      const isInside = times[at] >= windows.buckets.fromMs;
      this.addRow(0, first, last, isInside);
      if (series[at] > 0) this.addRow(series[at], first, last, isInside);
    }
    for (const one of touched) {
      reached[one] = 0;
      isInTotal[one] = 0;
    }
    touched.length = 0;
  }

  private addRow(series: number, first: number, end: number, isInside: boolean): void {
    const {changes, reached, touched, isInTotal, totals} = this;
    if (reached[series] === 0) touched.push(series);
    const start = Math.max(first, reached[series]);
    if (start < end) {
      const place = series * (this.windows.buckets.count + 1);
      changes[place + start] += 1;
      changes[place + end] -= 1;
      reached[series] = end;
    }
    if (!isInside || isInTotal[series] === 1) return;
    isInTotal[series] = 1;
    totals[series] += 1;
  }

  /** Users of each window. */
  counts(series: number): Float64Array {
    const {count} = this.windows.buckets;
    const counts = new Float64Array(count);
    let users = 0;
    for (let bucket = 0; bucket < count; bucket++) {
      users += this.changes[series * (count + 1) + bucket];
      counts[bucket] = users;
    }
    return counts;
  }

  /** Distinct users of [from, to]. */
  total(series: number): number {
    return this.totals[series];
  }
}
