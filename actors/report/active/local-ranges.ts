// Precomputed distinct-user counts of one partition for every range of a zone's days. They come from rows, because local days
// overlap the UTC day sets of day-ranges.ts.
//   LR1. A table answers if no event is in the parts of days that `from` and `to` exclude.
//   LR2. A table also covers the days before its range that trailing windows see, at most as many as the range: the first
//        answer is not much later, and the next metric finds them.
//   LR3. A table resumes an earlier one with the same first day if nothing before its checkpoint has changed, as in
//        day-ranges.ts (DR3). Both must take a single pass, because a checkpoint has the state of all users.

import type {RowsView} from '../../chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {lowerBound, upperBound} from '../../order/search.js';
import type {Buckets} from '../counts/buckets.js';
import {chunksWithin, liveRows, type Stretch} from '../selection.js';
import type {ActiveResult} from './active-days.js';
import {type ActiveMetric, trailingDays, windowStarts} from './active-plan.js';
import {type Checkpoint, DayRanges, recountedDays, rowStart} from './day-ranges.js';
import {ElementPairs, elementsBetween} from './element-pairs.js';
import {type ElementWindows, SlidingUsers} from './sliding-users.js';

export interface LocalDaysPlan {
  /** Start of each day, and the end of the last; epoch ms. */
  readonly days: Float64Array;
  /** Window of each bucket, as positions in `days`. */
  readonly windows: ElementWindows;
  /** The day that holds `from`. */
  readonly totalDay: number;
  /** Parts of days that `from` and `to` exclude. */
  readonly cut: readonly Stretch[];
}

/** `starts`: the zone's days from some before `from` to the one with `to`, and the end of that. */
export function planLocalDays(
  buckets: Buckets,
  metric: ActiveMetric,
  given: readonly number[] | undefined,
  starts: readonly number[],
): LocalDaysPlan {
  const {fromMs, toMs, edges, interval} = buckets;
  const all = Float64Array.from(starts);
  const isTrailing = trailingDays(metric, interval) !== undefined;
  const windowsMs = windowStarts(buckets, metric, given);
  if (!isTrailing) windowsMs[0] = Math.max(windowsMs[0], fromMs);
  const dayAt = (timeMs: number): number => upperBound(all, timeMs) - 1;
  const fromDay = dayAt(fromMs);
  const asked = all.length - 1 - fromDay;
  const first = Math.min(dayAt(windowsMs[0]), Math.max(fromDay - asked, 0)); // LR2
  const days = all.subarray(first);
  const lastDay = days.length - 2;
  return {
    days,
    windows: {
      starts: Int32Array.from(windowsMs, (timeMs) => dayAt(timeMs) - first),
      ends: Int32Array.from(edges.subarray(1), (end) => Math.min(lowerBound(days, end), days.length - 1)),
    },
    totalDay: fromDay - first,
    cut: [
      {startMs: all[fromDay], lastMs: fromMs - 1},
      {startMs: toMs + 1, lastMs: days[lastDay + 1] - 1},
    ],
  };
}

/** Whether no event is in the excluded parts of days, by the chunks' bounds. LR1 */
export const cutsNoUserOfDays = ({cut}: LocalDaysPlan, {chunks}: SnapshotIndex): boolean =>
  chunksWithin(chunks, cut).length === 0;

export class LocalRangesBuilder {
  private readonly dayCount: number;
  private readonly pairs: ElementPairs;
  private readonly sliding: SlidingUsers;
  private readonly triangle: Uint32Array;
  private checkpoint: Checkpoint | undefined;

  /** `days`: of the plan. `earlier`: a table to resume (LR3). */
  constructor(index: SnapshotIndex, days: Float64Array, pairsMax: number, earlier?: DayRanges) {
    this.dayCount = days.length - 1;
    const checkpoint = earlier && resumable(earlier, days, index, pairsMax);
    const firstDay = checkpoint?.day ?? 0;
    this.pairs = new ElementPairs(index, elementsBetween(days), days[this.dayCount] - 1, pairsMax, firstDay);
    const noWindows = {starts: new Int32Array(0), ends: new Int32Array(0)};
    this.sliding = new SlidingUsers(index.users.count, this.dayCount, noWindows);
    this.triangle = new Uint32Array(rowStart(this.dayCount));
    if (earlier === undefined || checkpoint === undefined) return;
    this.triangle.set(earlier.passed(checkpoint).triangle);
    this.sliding.resume(checkpoint.state);
    this.checkpoint = checkpoint;
  }

  /** Chunks that each pass reads. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    return this.pairs.chunks(index);
  }

  addRows(rows: RowsView): void {
    this.pairs.addRows(rows);
  }

  /** Counts the users of this pass, and yields between slices; true when another pass over the chunks is due. */
  *endPass(): Generator<void, boolean, void> {
    const isOnly = this.pairs.users.userStart === 0;
    yield* this.pairs.walk(this.sliding, (day) => this.addRanges(day));
    if (!this.pairs.nextPass()) {
      if (!isOnly) this.checkpoint = undefined;
      return false;
    }
    this.sliding.restart();
    return true;
  }

  /** Fills the ranges that end with this day. */
  private addRanges(day: number): void {
    const {triangle, sliding} = this;
    const start = rowStart(day);
    let users = 0;
    for (let at = day; at >= 0; at--) triangle[start + at] += users += sliding.lastActiveIn(at);
    const next = day + 1;
    if (next !== this.dayCount - recountedDays || next < recountedDays) return;
    this.checkpoint = {day: next, firstDay: 0, dayCount: next, state: sliding.save()};
  }

  /** The table, whose days are positions in `days`. */
  finish(): DayRanges {
    const days = Uint32Array.from({length: this.dayCount}, (_, day) => day);
    return new DayRanges(days, this.triangle, this.checkpoint);
  }
}

/** Whether to resume the table: the rows after its checkpoint fit in one pass. LR3 */
function resumable(
  {checkpoint}: DayRanges,
  days: Float64Array,
  {chunks}: SnapshotIndex,
  pairsMax: number,
): Checkpoint | undefined {
  if (checkpoint === undefined || checkpoint.day > days.length - 2) return undefined;
  const later = {startMs: days[checkpoint.day], lastMs: days[days.length - 1] - 1};
  return liveRows(chunksWithin(chunks, [later])) <= pairsMax ? checkpoint : undefined;
}

/** Looks up the answer to a plan that cuts nobody. `firstDay`: position of the plan's first day in the table. */
export function activeInLocalRanges(plan: LocalDaysPlan, ranges: DayRanges, firstDay: number): ActiveResult {
  const {windows, totalDay, days} = plan;
  return {
    counts: ranges.distinctIn(windows, firstDay),
    total: ranges.distinct(firstDay + totalDay, firstDay + days.length - 2),
  };
}
