// Active users of one partition from rows, over hours or stretches between the edges of a zone, in sliding windows
// (active-plan.ts).

import {firstAt, type RowsView} from '../../chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {inSlices} from '../rows/gathered-rows.js';
import type {ActiveResult} from './active-days.js';
import {isEmpty, type RowPlan} from './active-plan.js';
import {ElementPairs} from './element-pairs.js';
import {SlidingUsers} from './sliding-users.js';

export class ActiveRowsPartial {
  private readonly plan: RowPlan;
  private readonly pairs: ElementPairs;
  private readonly sliding: SlidingUsers;
  /** Users active in `plan.head`, as flags. */
  private readonly inHead: Uint8Array;
  private total = 0;

  constructor(index: SnapshotIndex, plan: RowPlan, toMs: number, pairsMax: number) {
    this.plan = plan;
    this.pairs = new ElementPairs(index, plan, toMs, pairsMax);
    this.sliding = new SlidingUsers(index.users.count, plan.elementCount, plan.windows);
    this.inHead = new Uint8Array(index.users.count);
  }

  /** Chunks that each pass reads. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    return this.pairs.chunks(index);
  }

  addRows(rows: RowsView): void {
    this.markHead(rows);
    this.pairs.addRows(rows);
  }

  private markHead(rows: RowsView): void {
    const {head} = this.plan;
    if (isEmpty(head)) return;
    const end = firstAt(rows, head.lastMs + 1);
    for (let at = firstAt(rows, head.startMs); at < end; at++) this.inHead[rows.users[rows.order[at]]] = 1;
  }

  /** Counts the users of this pass, and yields between slices; true when another pass over the chunks is due. */
  *endPass(): Generator<void, boolean, void> {
    yield* this.pairs.walk(this.sliding);
    const {userStart, userEnd} = this.pairs.users;
    yield* inSlices(userEnd - userStart, (start, end) => this.addTotal(userStart + start, userStart + end));
    if (!this.pairs.nextPass()) return false;
    this.sliding.restart();
    return true;
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
