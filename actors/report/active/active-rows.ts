// Active users of one partition from rows, over hours or over the stretches between the edges of a zone: (element, user) pairs
// are gathered, sorted by element, and counted in sliding windows (active-plan.ts).
//   When the pairs exceed the bound of memory, several passes over the chunks each take some of the users; windows count
//   users one by one, so the passes add up.

import {firstAt, firstAtNear, type RowsView, timeOf} from '../../chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {GatheredRows, inSlices, newBytes, sliceRows} from '../rows/gathered-rows.js';
import {chunksWithin, liveRows, type Stretch} from '../selection.js';
import type {ActiveResult} from './active-days.js';
import {isEmpty, type RowPlan} from './active-plan.js';
import {SlidingUsers} from './sliding-users.js';

const never = -1;

export class ActiveRowsPartial {
  private readonly plan: RowPlan;
  private readonly stretch: Stretch;
  private readonly sliding: SlidingUsers;
  private readonly pairs: GatheredRows<Uint8Array>;
  /** Element of each user's last gathered pair: most rows repeat it. */
  private readonly lastElement: Int32Array;
  /** Users that were active in `plan.head`. */
  private readonly inHead: Uint8Array;
  private total = 0;

  constructor(index: SnapshotIndex, plan: RowPlan, toMs: number, pairsMax: number) {
    this.plan = plan;
    this.stretch = {startMs: plan.elementStart(0), lastMs: toMs};
    this.sliding = new SlidingUsers(index.users.count, plan.elementCount, plan.windows);
    this.pairs = new GatheredRows(index.users.count, pairsMax, liveRows(this.chunks(index)), newBytes);
    this.lastElement = new Int32Array(index.users.count).fill(never);
    this.inHead = new Uint8Array(index.users.count);
  }

  /** Chunks of each pass. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    return chunksWithin(index.chunks, [this.stretch]);
  }

  addRows(rows: RowsView): void {
    this.markHead(rows);
    const end = firstAt(rows, this.stretch.lastMs + 1);
    for (let at = firstAt(rows, this.stretch.startMs); at < end; ) at = this.addElementRows(rows, at, end);
  }

  /** Adds from `order[start]` to the end of that row's element; returns where the next element's rows start. */
  private addElementRows(rows: RowsView, start: number, end: number): number {
    const {order, users} = rows;
    const {lastElement, pairs} = this;
    const element = this.plan.elementAt(timeOf(rows, order[start]));
    const elementEnd = Math.min(end, firstAtNear(rows, this.plan.elementStart(element + 1), start));
    for (let at = start; at < elementEnd; at++) {
      const user = users[order[at]];
      if (lastElement[user] === element) continue;
      lastElement[user] = element;
      pairs.add(user, element, 0);
    }
    return elementEnd;
  }

  private markHead(rows: RowsView): void {
    const {head} = this.plan;
    if (isEmpty(head)) return;
    const end = firstAt(rows, head.lastMs + 1);
    for (let at = firstAt(rows, head.startMs); at < end; at++) this.inHead[rows.users[rows.order[at]]] = 1;
  }

  /** Counts the users of this pass, and yields between slices; true when another pass over the chunks is due. */
  *endPass(): Generator<void, boolean, void> {
    const {starts, users} = yield* this.byElement();
    for (let element = 0; element < this.plan.elementCount; element++) {
      this.sliding.begin(element);
      for (let at = starts[element]; at < starts[element + 1]; at += sliceRows) {
        this.visit(users, at, Math.min(at + sliceRows, starts[element + 1]));
        yield;
      }
    }
    this.sliding.finish();
    const {userStart, userEnd} = this.pairs;
    yield* inSlices(userEnd - userStart, (start, end) => this.addTotal(userStart + start, userStart + end));
    if (!this.pairs.nextPass()) return false;
    this.sliding.restart();
    this.lastElement.fill(never);
    return true;
  }

  /** A counting sort: the users of element e are [starts[e], starts[e + 1]). */
  private *byElement(): Generator<void, {starts: Uint32Array; users: Uint32Array}, void> {
    const {times: elements, users, count} = this.pairs;
    const starts = new Uint32Array(this.plan.elementCount + 1);
    yield* inSlices(count, (start, end) => {
      for (let i = start; i < end; i++) starts[elements[i] + 1] += 1;
    });
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    const places = starts.slice();
    const sorted = new Uint32Array(count);
    yield* inSlices(count, (start, end) => {
      for (let i = start; i < end; i++) sorted[places[elements[i]]++] = users[i];
    });
    return {starts, users: sorted};
  }

  private visit(users: Uint32Array, start: number, end: number): void {
    for (let at = start; at < end; at++) this.sliding.visit(users[at]);
  }

  private addTotal(userStart: number, userEnd: number): void {
    for (let user = userStart; user < userEnd; user++) {
      if (this.inHead[user] || this.sliding.wasActiveSince(user, this.plan.totalElement)) this.total += 1;
    }
  }

  result(): ActiveResult {
    return {counts: this.sliding.counts, total: this.total};
  }
}
