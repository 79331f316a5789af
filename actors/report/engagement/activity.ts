// Active users: distinct users in the window of each bucket (docs/api/reports/active.md), out of sets of users by element of time,
// or out of the rows of each user where a breakdown splits them or sets take too much memory.
//   AC1. Windows are those of active-plan.ts: trailing ones look back before `from`, and overlap.
//   AC2. A user is counted once in each window and series. Rows come by time, so the windows that already count the user come
//        before those that a later row adds.
//   AC3. Each window costs two unions of sets, whatever its length (van Herk 1992, Gil and Werman 1993): it is the union of the
//        last elements before a cut and the first elements after it. Where a window begins at the cut or later, the next cut is
//        its end, and each element before that becomes the union up to there.
import {bitCount} from '../../order/bit-count.js';
import {upperBound} from '../../order/search.js';
import type {Buckets} from '../counts/buckets.js';
import {SumColumns} from '../partials.js';
import {inWordSlices} from '../rows/bucket-sets.js';
import type {Stretch} from '../selection.js';
import {type ActiveMetric, type ActivePlan, windowStarts} from './active-plan.js';

/** Window of each bucket. AC1 */
export class ActivityWindows {
  readonly buckets: Buckets;
  private readonly starts: Float64Array;
  private readonly ends: Float64Array;

  /** `given`: window starts that came with the question. */
  constructor(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]) {
    this.buckets = buckets;
    this.starts = windowStarts(buckets, metric, given);
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
  private readonly totals = new Float64Array(1);
  readonly sums: SumColumns;
  private readonly plan: ActivePlan;
  /** Scratch for the union of each element with later ones. */
  private readonly unions: Uint32Array[] = [];

  constructor(plan: ActivePlan) {
    this.plan = plan;
    this.counts = new Float64Array(plan.windows.ends.length);
    this.sums = new SumColumns([this.counts, this.totals]);
  }

  /** Number of distinct users in [from, to]. */
  get total(): number {
    return this.totals[0];
  }

  /** Adds the users of each element; every user is added once. */
  addSets(sets: readonly Uint32Array[]): Generator<void, void, void> {
    return inWordSlices(sets, (start, end) => {
      const words = sets.map((set) => set.subarray(start, end));
      this.addTotal(words);
      this.addWindows(words);
    });
  }

  /** Adds users of whom there are rows alone. */
  addCells(cells: ActivityCells): void {
    for (const [window, users] of cells.counts(0).entries()) this.counts[window] += users;
    this.totals[0] += cells.total(0);
  }

  private addTotal(sets: readonly Uint32Array[]): void {
    const all = new Uint32Array(sets[0].length);
    for (let element = this.plan.totalElement; element < sets.length; element++) unite(all, sets[element], all);
    this.totals[0] += countUnion(all, all);
  }

  /** AC3 */
  private addWindows(sets: readonly Uint32Array[]): void {
    const {starts, ends} = this.plan.windows;
    /** By element before the cut: the users of this element, and of all elements from there to the cut. */
    const untilCut: Uint32Array[] = [];
    const sinceCut = new Uint32Array(sets[0].length);
    let [cut, next] = [0, 0];
    for (let window = 0; window < ends.length; window++) {
      if (starts[window] >= cut) {
        if (next > cut) sinceCut.fill(0);
        cut = next = ends[window];
        untilCut[cut - 1] = sets[cut - 1];
        for (let element = cut - 2; element >= starts[window]; element--) {
          untilCut[element] = this.scratchOf(element, sinceCut.length);
          unite(sets[element], untilCut[element + 1], untilCut[element]);
        }
      }
      for (; next < ends[window]; next++) unite(sinceCut, sets[next], sinceCut);
      const own = untilCut[starts[window]];
      this.counts[window] += countUnion(own, next > cut ? sinceCut : own);
    }
  }

  private scratchOf(element: number, words: number): Uint32Array {
    const known = this.unions[element];
    if (known?.length === words) return known;
    this.unions[element] = new Uint32Array(words);
    return this.unions[element];
  }
}

/** Writes the union of two sets into a third, which may be one of them. */
function unite(one: Uint32Array, other: Uint32Array, into: Uint32Array): void {
  for (let word = 0; word < into.length; word++) into[word] = one[word] | other[word];
}

function countUnion(one: Uint32Array, other: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < one.length; word++) count += bitCount(one[word] | other[word]);
  return count;
}

/** Users by series and window. Series 0 is the unbroken one and includes every row. */
export class ActivityCells {
  readonly windows: ActivityWindows;
  /** Change of the number of users from one window to the next. */
  private readonly changes: Float64Array;
  private readonly totals: Float64Array;
  readonly sums: SumColumns;
  /** End of the buckets that count the current user, per series. AC2 */
  private readonly reached: Int32Array;
  private readonly isInTotal: Uint8Array;
  private readonly touched: number[] = [];

  constructor(windows: ActivityWindows, seriesCount: number) {
    this.windows = windows;
    this.changes = new Float64Array(seriesCount * (windows.buckets.count + 1));
    this.totals = new Float64Array(seriesCount);
    this.sums = new SumColumns([this.changes, this.totals]);
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
