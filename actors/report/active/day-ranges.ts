// Precomputed distinct-user counts of one partition for every range of days; active-user reports become table lookups.
//   A pass over the days in order knows for each user the last day on which it was active. The number of users by last day,
//   summed from the newest day backwards, gives the distinct users of every range that ends there. So one pass gives a number
//   for every pair of days: 16 KB for 90 days and 2.4 MB for three years, however many users and events.
//   DR1. Days on which nobody was active have no row: a single event of 1970 costs one.
//   DR2. Erased users count nowhere, though old window runs still hold them.
//   DR3. Snapshots mostly change the newest days. A table keeps the state of its pass some days before its end, and the next
//       table goes on from there as long as nothing before has changed.

import type {WindowsView} from '../../aggregator/windows.js';
import type {SnapshotIndex} from '../../manifest.js';
import {lowerBound} from '../../order/search.js';
import {chunksWithin, type DaySegment, daySegments, type Stretch} from '../selection.js';
import type {ActiveResult} from './active-days.js';
import {type ActivePlan, isEmpty} from './active-plan.js';
import {visitMembers} from './day-members.js';
import {type ElementWindows, type SlidingState, SlidingUsers} from './sliding-users.js';

/** Days with users in one table: 8.4 MB of numbers. Questions over more go through the day sets. */
export const rangeDaysMax = 2_048;

/** Rows that a new table has room for: a quarter of a year. */
const firstRows = 96;
/** Days that a later table counts again: a week for late events, and a week before everything is counted again. */
export const recountedDays = 14;

/** State of a pass before `day` was added. DR3 */
export interface Checkpoint {
  readonly day: number;
  /** The pass began with this day, and has passed so many with users. */
  readonly firstDay: number;
  readonly dayCount: number;
  readonly state: SlidingState;
}

/** Where the row of days[i] begins in a triangle, in which each row is one longer than the last. */
export const rowStart = (i: number): number => (i * (i + 1)) / 2;

export class DayRanges {
  readonly checkpoint: Checkpoint | undefined;
  /** Days on which somebody was active, ascending. */
  private readonly days: Uint32Array;
  /** Row by row, of days[i]: distinct users of days[j] to days[i], for every j from 0 to i. */
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

  /** Distinct users of days [first, last], which lie within the days that were added. */
  distinct(first: number, last: number): number {
    return this.between(lowerBound(this.days, first), lowerBound(this.days, last + 1));
  }

  /**
   * Distinct users of each window, in days from `firstDay` on. Windows never move back, so their bounds are followed through
   * the days: searching each of them took half of an answer's time.
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

  /** Distinct users of days[from] to days[end - 1]. */
  private between(from: number, end: number): number {
    return from < end ? this.triangle[rowStart(end - 1) + from] : 0;
  }
}

/** Days [firstDay, lastDay]. */
export interface DaySpan {
  readonly firstDay: number;
  readonly lastDay: number;
}

/** What a trailing window of 30 days sees before its first day. */
const trailingDays = 29;

export class DayRangesBuilder {
  /** Days that the table answers for: infinite where the partition's data goes no further. */
  readonly covered: DaySpan;
  private readonly firstDay: number;
  private readonly lastDay: number;
  private readonly sliding: SlidingUsers;
  private days: number[] = [];
  /** The triangle of these days; longer than they need. */
  private triangle = new Uint32Array(rowStart(firstRows));
  private nextDay: number;
  private checkpoint: Checkpoint | undefined;

  /**
   * The table also covers the days before these that a trailing window sees, as questions about those mostly follow; at most
   * as many as were asked for, so that the answer is not much later.
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

  /** Goes on from an earlier table: its days before the checkpoint, and the erased users, must be the same. DR3 */
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

  /** The days to be added in order, with the blocks that hold their sets. */
  segments(index: SnapshotIndex): DaySegment[] {
    return this.nextDay > this.lastDay ? [] : daySegments(index.windowRuns, this.nextDay, this.lastDay);
  }

  /** `views`: those of the day's segment, one or none a run. False: too many days, there will be no table. */
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

  /** A short table is soon counted again. */
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

/** Whether `from` and `to` cut nobody off their days, so that day sets alone answer. */
export function cutsNobody(plan: ActivePlan, {chunks}: SnapshotIndex): boolean {
  const {head, tail, elementMs, firstElement, elementCount} = plan;
  const cut: Stretch[] = [];
  if (!isEmpty(head)) cut.push({startMs: Math.floor(head.startMs / elementMs) * elementMs, lastMs: head.startMs - 1});
  if (!isEmpty(tail)) cut.push({startMs: tail.lastMs + 1, lastMs: (firstElement + elementCount) * elementMs - 1});
  return cut.length === 0 || chunksWithin(chunks, cut).length === 0;
}

/** The answer to a plan that cuts nobody. */
export function activeInRanges(plan: ActivePlan, ranges: DayRanges): ActiveResult {
  const {windows, firstElement, elementCount, totalElement, head} = plan;
  const counts = ranges.distinctIn(windows, firstElement);
  const totalDay = firstElement + totalElement - (isEmpty(head) ? 0 : 1);
  return {counts, total: ranges.distinct(totalDay, firstElement + elementCount - 1)};
}
