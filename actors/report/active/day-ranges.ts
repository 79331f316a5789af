// Precomputed distinct-user counts of one partition for every range of days; active-user reports become table lookups.
//   A pass over the days keeps the last active day of each user. The number of users by last day, summed backwards from the
//   newest day, gives the distinct users of each range that ends there. One pass thus fills a number for every pair of days: 16
//   KB for 90 days, 2.4 MB for three years, however many users and events.
//   DR1. Days without active users have no row.
//   DR2. Erased users count nowhere, although old window runs still hold them.
//   DR3. Snapshots mostly change the newest days. So a table keeps its pass's state some days before its end, and the next
//        table resumes there if nothing before has changed.

import type {WindowsView} from '../../aggregator/windows.js';
import type {SnapshotIndex} from '../../manifest.js';
import {lowerBound} from '../../order/search.js';
import {chunksWithin, type DaySegment, daySegments, type Stretch} from '../selection.js';
import type {ActiveResult} from './active-days.js';
import {type ActivePlan, isEmpty} from './active-plan.js';
import {visitMembers} from './day-members.js';
import {type ElementWindows, type SlidingState, SlidingUsers} from './sliding-users.js';

/** Days with users in one table: 8.4 MB of numbers. Questions over more days read the day sets. */
export const rangeDaysMax = 2_048;

/** Rows allocated for a new table: a quarter of a year. */
const firstRows = 96;
/** Days that a later table recounts: a week for late events, and a week until everything would be recounted. */
export const recountedDays = 14;

/** State of a pass before `day` was added. DR3 */
export interface Checkpoint {
  readonly day: number;
  /** The first day of the pass, and the number of days with users so far. */
  readonly firstDay: number;
  readonly dayCount: number;
  readonly state: SlidingState;
}

/** Start of the row of days[i] in the triangle, whose rows grow by one. */
export const rowStart = (i: number): number => (i * (i + 1)) / 2;

export class DayRanges {
  readonly checkpoint: Checkpoint | undefined;
  /** Days with active users, ascending. */
  private readonly days: Uint32Array;
  /** Row of days[i]: distinct users of days[j] to days[i], for each j from 0 to i. */
  private readonly triangle: Uint32Array;

  constructor(days: Uint32Array, triangle: Uint32Array, checkpoint: Checkpoint | undefined) {
    this.days = days;
    this.triangle = triangle;
    this.checkpoint = checkpoint;
  }

  get bytes(): number {
    const checkpointBytes = this.checkpoint === undefined ? 0 : this.checkpoint.state.last.byteLength;
    return this.days.byteLength + this.triangle.byteLength + checkpointBytes;
  }

  /** Days and rows before the checkpoint. */
  passed({dayCount}: Checkpoint): {days: Uint32Array; triangle: Uint32Array} {
    return {days: this.days.subarray(0, dayCount), triangle: this.triangle.subarray(0, rowStart(dayCount))};
  }

  /** Distinct users of days [first, last], which must lie within the covered days. */
  distinct(first: number, last: number): number {
    return this.between(lowerBound(this.days, first), lowerBound(this.days, last + 1));
  }

  /**
   * Distinct users of each window, in days from `firstDay`. Window bounds never move back, so two cursors follow them: a search
   * for each bound took half of an answer's time.
   */
  distinctIn({starts, ends}: ElementWindows, firstDay: number): Float64Array {
    const {days} = this;
    const counts = new Float64Array(ends.length);
    let from = lowerBound(days, firstDay + (starts[0] ?? 0));
    let end = from;
    for (let window = 0; window < counts.length; window++) {
      while (from < days.length && days[from] < firstDay + starts[window]) from += 1;
      while (end < days.length && days[end] < firstDay + ends[window]) end += 1;
      counts[window] = this.between(from, end);
    }
    return counts;
  }

  /** Distinct users of days[from .. end). */
  private between(from: number, end: number): number {
    return from < end ? this.triangle[rowStart(end - 1) + from] : 0;
  }
}

/** Days [firstDay, lastDay]. */
export interface DaySpan {
  readonly firstDay: number;
  readonly lastDay: number;
}

/** Days that a trailing window of 30 days sees before its first day. */
const trailingDays = 29;

export class DayRangesBuilder {
  /** Days that the table answers for; infinite where the partition's data ends. */
  readonly covered: DaySpan;
  private readonly firstDay: number;
  private readonly lastDay: number;
  private readonly sliding: SlidingUsers;
  private days: number[] = [];
  /** Triangle of these days, with spare room. */
  private triangle = new Uint32Array(rowStart(firstRows));
  private nextDay: number;
  private checkpoint: Checkpoint | undefined;

  /**
   * Covers also the days before `asked` that trailing windows see, because questions about them mostly follow; at most as many
   * as were asked for, so that the first answer is not much later.
   */
  constructor(index: SnapshotIndex, asked: DaySpan) {
    const blocks = index.windowRuns.flatMap((run) => run.blocks);
    const first = blocks.reduce((day, block) => Math.min(day, block.first), Infinity);
    const last = blocks.reduce((day, block) => Math.max(day, block.last), -Infinity);
    const wanted = asked.firstDay - Math.min(trailingDays, asked.lastDay - asked.firstDay + 1);
    this.firstDay = Math.max(first, wanted);
    this.lastDay = Math.min(last, asked.lastDay);
    this.covered = {
      firstDay: wanted <= first ? -Infinity : wanted,
      lastDay: asked.lastDay >= last ? Infinity : asked.lastDay,
    };
    const noWindows = {starts: new Int32Array(0), ends: new Int32Array(0)};
    const dayCount = Math.max(this.lastDay - this.firstDay + 1, 0);
    this.sliding = new SlidingUsers(index.users.count, dayCount, noWindows);
    this.sliding.exclude(index.erasedUsers); // DR2
    this.nextDay = this.firstDay;
  }

  /** Resumes an earlier table: its days before the checkpoint, and the erased users, must be unchanged. DR3 */
  resume(earlier: DayRanges): void {
    const {checkpoint} = earlier;
    if (checkpoint === undefined || checkpoint.firstDay !== this.firstDay || checkpoint.day > this.lastDay) return;
    const {days, triangle} = earlier.passed(checkpoint);
    this.days = [...days];
    this.triangle = enlarged(triangle, rowStart(days.length + recountedDays));
    this.sliding.resume(checkpoint.state);
    this.nextDay = checkpoint.day;
    this.checkpoint = checkpoint;
  }

  /** Days to be added in order, with the blocks that hold their sets. */
  segments(index: SnapshotIndex): DaySegment[] {
    return this.nextDay > this.lastDay ? [] : daySegments(index.windowRuns, this.nextDay, this.lastDay);
  }

  /** Adds a day. `views`: at most one block of each run, of the day's segment. False: too many days for a table. */
  addDay(day: number, views: readonly WindowsView[]): boolean {
    const {sliding, days} = this;
    if (this.isCheckpoint(day)) this.checkpoint = this.stand(day);
    sliding.begin(day - this.firstDay);
    for (const view of views) visitMembers(sliding, view, day);
    if (sliding.lastActiveIn(day - this.firstDay) === 0) return true; // DR1
    if (days.length === rangeDaysMax) return false;
    const start = rowStart(days.length);
    days.push(day);
    if (this.triangle.length < rowStart(days.length))
      this.triangle = enlarged(this.triangle, 2 * rowStart(days.length));
    let users = 0;
    for (let at = days.length - 1; at >= 0; at--) {
      this.triangle[start + at] = users += sliding.lastActiveIn(days[at] - this.firstDay);
    }
    return true;
  }

  /** Whether to keep the state before this day. A short table needs none: it is recounted quickly. */
  private isCheckpoint(day: number): boolean {
    return day === this.lastDay + 1 - recountedDays && day - this.firstDay >= recountedDays;
  }

  private stand(day: number): Checkpoint {
    return {day, firstDay: this.firstDay, dayCount: this.days.length, state: this.sliding.save()};
  }

  finish(): DayRanges {
    const triangle = this.triangle.slice(0, rowStart(this.days.length));
    return new DayRanges(Uint32Array.from(this.days), triangle, this.checkpoint);
  }
}

function enlarged(triangle: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(triangle);
  return larger;
}

/** Whether day sets alone answer: by the chunks' bounds no event is in the parts of days that `from` and `to` exclude. */
export function cutsNoUser(plan: ActivePlan, {chunks}: SnapshotIndex): boolean {
  const {head, tail, elementMs, firstElement, elementCount} = plan;
  const cut: Stretch[] = [];
  if (!isEmpty(head)) cut.push({startMs: Math.floor(head.startMs / elementMs) * elementMs, lastMs: head.startMs - 1});
  if (!isEmpty(tail)) cut.push({startMs: tail.lastMs + 1, lastMs: (firstElement + elementCount) * elementMs - 1});
  return cut.length === 0 || chunksWithin(chunks, cut).length === 0;
}

/** Looks up the answer to a plan for which `cutsNoUser` holds. */
export function activeInRanges(plan: ActivePlan, ranges: DayRanges): ActiveResult {
  const {windows, firstElement, elementCount, totalElement, head} = plan;
  const counts = ranges.distinctIn(windows, firstElement);
  const totalDay = firstElement + totalElement - (isEmpty(head) ? 0 : 1);
  return {counts, total: ranges.distinct(totalDay, firstElement + elementCount - 1)};
}
