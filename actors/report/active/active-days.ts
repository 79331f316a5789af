// Active users of one partition over days: whole days from daily sets, partly covered days from rows.
//   AD1. Call `addRows` first, then `addDay` for each day from `firstDay` to `lastDay`, in order.

import type {WindowsView} from '../../aggregator/windows.js';
import {firstAt, type RowsView} from '../../chunk/rows.js';
import {assert} from '../../invariant.js';
import {dayMs} from '../../limits.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {chunksWithin, type DaySegment, daySegments, type Stretch} from '../selection.js';
import {type ActivePlan, isEmpty} from './active-plan.js';
import {visitMembers} from './day-members.js';
import {SlidingUsers} from './sliding-users.js';

const inHead = 1;
const inTail = 2;

export interface ActiveResult {
  /** Distinct users of each bucket. */
  readonly counts: Float64Array;
  /** Distinct users active in [from, to]. */
  readonly total: number;
}

export class ActiveDaysPartial {
  private readonly plan: ActivePlan;
  private readonly sliding: SlidingUsers;
  /** Marks of the users active in partly covered days: `inHead`, `inTail`. */
  private readonly marks: Uint8Array;
  private nextElement = 0;

  constructor(index: SnapshotIndex, plan: ActivePlan) {
    assert(plan.elementMs === dayMs, 'active days: elements are days');
    this.plan = plan;
    this.sliding = new SlidingUsers(index.users.count, plan.elementCount, plan.windows);
    this.sliding.exclude(index.erasedUsers);
    this.marks = new Uint8Array(index.users.count);
  }

  chunks(index: SnapshotIndex): ChunkEntry[] {
    return chunksWithin(index.chunks, [this.plan.head, this.plan.tail]);
  }

  /** Days to be added, with the blocks that hold their sets. */
  segments(index: SnapshotIndex): DaySegment[] {
    const {firstElement, elementCount} = this.plan;
    return daySegments(index.windowRuns, firstElement, firstElement + elementCount - 1);
  }

  addRows(rows: RowsView): void {
    this.mark(rows, this.plan.head, inHead);
    this.mark(rows, this.plan.tail, inTail);
  }

  private mark(rows: RowsView, stretch: Stretch, bit: number): void {
    if (isEmpty(stretch)) return;
    const end = firstAt(rows, stretch.lastMs + 1);
    for (let at = firstAt(rows, stretch.startMs); at < end; at++) this.marks[rows.users[rows.order[at]]] |= bit;
  }

  /** Adds a day. `views`: at most one block of each run, of the day's segment. */
  addDay(day: number, views: readonly WindowsView[]): void {
    const element = day - this.plan.firstElement;
    assert(element === this.nextElement, 'active days: in order (AD1)');
    this.nextElement += 1;
    this.sliding.begin(element);
    if (element === 0 && this.plan.headIsElement) this.visitMarked(inHead);
    else if (element === this.plan.elementCount - 1 && !isEmpty(this.plan.tail)) this.visitMarked(inTail);
    else for (const view of views) visitMembers(this.sliding, view, day);
  }

  private visitMarked(bit: number): void {
    for (let user = 0; user < this.marks.length; user++) if (this.marks[user] & bit) this.sliding.visit(user);
  }

  finish(): ActiveResult {
    assert(this.nextElement === this.plan.elementCount, 'active days: every day was added (AD1)');
    this.sliding.finish();
    let total = 0;
    for (let user = 0; user < this.marks.length; user++) {
      const isActive = this.marks[user] & inHead || this.sliding.wasActiveSince(user, this.plan.totalElement);
      if (isActive) total += 1;
    }
    return {counts: this.sliding.counts, total};
  }
}

/** Adds the partitions' numbers: each user lives in one partition (P5). */
export function mergeActive(bucketCount: number, partials: readonly ActiveResult[]): ActiveResult {
  const counts = new Float64Array(bucketCount);
  let total = 0;
  for (const partial of partials) {
    total += partial.total;
    for (let bucket = 0; bucket < bucketCount; bucket++) counts[bucket] += partial.counts[bucket];
  }
  return {counts, total};
}
