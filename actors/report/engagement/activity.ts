// Active users who did an event: distinct users in the window of each bucket, from rows (docs/api/reports/active.md).
//   AC1. Windows are those of all active users (active-plan.ts): trailing ones look back before `from`, and overlap.
//   AC2. A user is counted once in each window and series. Rows come by time, so the windows that already count the user come
//        before those that a later row adds.
import {upperBound} from '../../order/search.js';
import {type ActiveMetric, type StretchPlan, windowStarts} from '../active/active-plan.js';
import {SlidingUsers} from '../active/sliding-users.js';
import type {Buckets} from '../counts/buckets.js';
import type {Stretch} from '../selection.js';

/** Window of each bucket. AC1 */
export class ActivityWindows {
  readonly buckets: Buckets;
  private readonly starts: Float64Array;
  private readonly ends: Float64Array;

  /** `given`: window starts that came with the question. */
  constructor(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]) {
    this.buckets = buckets;
    this.starts = windowStarts(buckets, metric, given);
    if (this.starts[0] === buckets.edges[0]) this.starts[0] = buckets.fromMs; // No window looks back before `from`.
    this.ends = buckets.edges.subarray(1);
  }

  /** The stretch that is read. */
  get stretch(): Stretch {
    return {startMs: this.starts[0], lastMs: this.buckets.toMs};
  }

  /** The window of a bucket up to `to`; undefined: [from, to]. */
  stretchOf(bucket: number | undefined): Stretch {
    const {fromMs, toMs} = this.buckets;
    if (bucket === undefined) return {startMs: fromMs, lastMs: toMs};
    return {startMs: this.starts[bucket], lastMs: Math.min(this.ends[bucket] - 1, toMs)};
  }

  /** The first bucket whose window contains this time of the stretch. */
  firstOf(timeMs: number): number {
    return upperBound(this.ends, timeMs);
  }

  /** End of the buckets whose window contains this time. */
  endOf(timeMs: number): number {
    return upperBound(this.starts, timeMs);
  }
}

/** Users by window, from the users of each element of a plan (bucket-sets.ts). */
export class ActivitySums {
  /** Number of users in each window. */
  readonly counts: Float64Array;
  /** Number of distinct users in [from, to]. */
  total = 0;
  private readonly plan: StretchPlan;

  constructor(plan: StretchPlan) {
    this.plan = plan;
    this.counts = new Float64Array(plan.windows.ends.length);
  }

  /** Adds the users of each element; every user is added once. */
  *addSets(sets: readonly Uint32Array[]): Generator<void, void, void> {
    const {elementCount, windows, totalElement} = this.plan;
    const userCount = 32 * sets[0].length;
    const sliding = new SlidingUsers(userCount, elementCount, windows);
    for (const [element, set] of sets.entries()) {
      sliding.begin(element);
      for (let word = 0; word < set.length; word++)
        for (let bits = set[word]; bits !== 0; bits &= bits - 1)
          sliding.visit(32 * word + 31 - Math.clz32(bits & -bits));
      yield;
    }
    sliding.finish();
    for (let window = 0; window < this.counts.length; window++) this.counts[window] += sliding.counts[window];
    for (let user = 0; user < userCount; user++) if (sliding.wasActiveSince(user, totalElement)) this.total += 1;
  }
}

/** Users by series and window. Series 0 is the unbroken one and includes every row. */
export class ActivityCells {
  readonly windows: ActivityWindows;
  /** Change of the number of users from one window to the next. */
  private readonly changes: Float64Array;
  private readonly totals: Float64Array;
  /** End of the buckets that count the current user, per series. AC2 */
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

  /** Adds one user's rows; the kind of a row is its series. */
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

  /** Number of users in each window. */
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

  /** Number of distinct users in [from, to]. */
  total(series: number): number {
    return this.totals[series];
  }
}
