// Active users of one partition over hours: (hour, user) pairs are gathered from rows, sorted by hour, and counted in sliding
// windows. Windows of hourly buckets are always trailing ones (active-plan.ts).
//   When the pairs exceed the bound of memory, several passes over the chunks each take some of the users; windows count
//   users one by one, so the passes add up.

import {firstAt, firstAtNear, type RowsView, timeOf} from '../../chunk/rows.js';
import {assert} from '../../invariant.js';
import {hourMs} from '../../limits.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {GatheredRows, inSlices, newBytes, sliceRows} from '../rows/gathered-rows.js';
import {chunksWithin, liveRows, type Stretch} from '../selection.js';
import type {ActiveResult} from './active-days.js';
import {type ActivePlan, isEmpty} from './active-plan.js';
import {SlidingUsers} from './sliding-users.js';

const never = -1;

export class ActiveHoursPartial {
  private readonly plan: ActivePlan;
  private readonly stretch: Stretch;
  private readonly sliding: SlidingUsers;
  private readonly pairs: GatheredRows<Uint8Array>;
  /** Hour of each user's last gathered pair: most rows repeat it. */
  private readonly lastHour: Int32Array;
  /** Users that were active in `plan.head`. */
  private readonly inHead: Uint8Array;
  private total = 0;

  constructor(index: SnapshotIndex, plan: ActivePlan, toMs: number, pairsMax: number) {
    assert(plan.elementMs === hourMs, 'active hours: elements are hours');
    this.plan = plan;
    this.stretch = {startMs: plan.firstElement * hourMs, lastMs: toMs};
    this.sliding = new SlidingUsers(index.users.count, plan.elementCount, plan.windows);
    this.pairs = new GatheredRows(index.users.count, pairsMax, liveRows(this.chunks(index)), newBytes);
    this.lastHour = new Int32Array(index.users.count).fill(never);
    this.inHead = new Uint8Array(index.users.count);
  }

  /** Chunks of each pass. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    return chunksWithin(index.chunks, [this.stretch]);
  }

  addRows(rows: RowsView): void {
    this.markHead(rows);
    const end = firstAt(rows, this.stretch.lastMs + 1);
    for (let at = firstAt(rows, this.stretch.startMs); at < end; ) at = this.addHourRows(rows, at, end);
  }

  /** Adds from `order[start]` to the end of that row's hour; returns where the next hour's rows start. */
  private addHourRows(rows: RowsView, start: number, end: number): number {
    const {order, users} = rows;
    const {lastHour, pairs} = this;
    const hour = Math.floor(timeOf(rows, order[start]) / hourMs);
    const hourEnd = Math.min(end, firstAtNear(rows, (hour + 1) * hourMs, start));
    const element = hour - this.plan.firstElement;
    for (let at = start; at < hourEnd; at++) {
      const user = users[order[at]];
      if (lastHour[user] === element) continue;
      lastHour[user] = element;
      pairs.add(user, element, 0);
    }
    return hourEnd;
  }

  private markHead(rows: RowsView): void {
    const {head} = this.plan;
    if (isEmpty(head)) return;
    const end = firstAt(rows, head.lastMs + 1);
    for (let at = firstAt(rows, head.startMs); at < end; at++) this.inHead[rows.users[rows.order[at]]] = 1;
  }

  /** Counts the users of this pass, and yields between slices; true when another pass over the chunks is due. */
  *endPass(): Generator<void, boolean, void> {
    const {starts, users} = yield* this.byHour();
    for (let hour = 0; hour < this.plan.elementCount; hour++) {
      this.sliding.begin(hour);
      for (let at = starts[hour]; at < starts[hour + 1]; at += sliceRows) {
        this.visit(users, at, Math.min(at + sliceRows, starts[hour + 1]));
        yield;
      }
    }
    this.sliding.finish();
    const {userStart, userEnd} = this.pairs;
    yield* inSlices(userEnd - userStart, (start, end) => this.addTotal(userStart + start, userStart + end));
    if (!this.pairs.nextPass()) return false;
    this.sliding.restart();
    this.lastHour.fill(never);
    return true;
  }

  /** A counting sort: the users of hour h are [starts[h], starts[h + 1]). */
  private *byHour(): Generator<void, {starts: Uint32Array; users: Uint32Array}, void> {
    const {times: hours, users, count} = this.pairs;
    const starts = new Uint32Array(this.plan.elementCount + 1);
    yield* inSlices(count, (start, end) => {
      for (let i = start; i < end; i++) starts[hours[i] + 1] += 1;
    });
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    const places = starts.slice();
    const sorted = new Uint32Array(count);
    yield* inSlices(count, (start, end) => {
      for (let i = start; i < end; i++) sorted[places[hours[i]]++] = users[i];
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
