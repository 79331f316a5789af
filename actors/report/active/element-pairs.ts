// (element, user) pairs of one partition, gathered from rows and walked element by element. Elements are hours, or stretches
// between the edges of a zone.
//   EP1. When the pairs exceed the bound of memory, several passes over the chunks each take some of the users. Counts of users
//        add up over the passes.

import {firstAt, firstAtNear, type RowsView, timeOf} from '../../chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {upperBound} from '../../order/search.js';
import {GatheredRows, inSlices, newBytes, sliceRows} from '../rows/gathered-rows.js';
import {chunksWithin, liveRows, type Stretch} from '../selection.js';
import type {SlidingUsers} from './sliding-users.js';

const never = -1;

/** Division of time: element e is [elementStart(e), elementStart(e + 1)). */
export interface Elements {
  readonly elementCount: number;
  readonly elementStart: (element: number) => number;
  readonly elementAt: (timeMs: number) => number;
}

/** Elements between ascending instants, epoch ms. */
export const elementsBetween = (cuts: Float64Array): Elements => ({
  elementCount: cuts.length - 1,
  elementStart: (element) => cuts[element],
  elementAt: (timeMs) => upperBound(cuts, timeMs) - 1,
});

export class ElementPairs {
  private readonly elements: Elements;
  private readonly firstElement: number;
  private readonly stretch: Stretch;
  private readonly pairs: GatheredRows<Uint8Array>;
  /** Element of each user's last gathered pair: most rows repeat it. */
  private readonly lastElement: Int32Array;

  /** Rows before `firstElement` and rows after `lastMs` are not counted. */
  constructor(index: SnapshotIndex, elements: Elements, lastMs: number, pairsMax: number, firstElement = 0) {
    this.elements = elements;
    this.firstElement = firstElement;
    this.stretch = {startMs: elements.elementStart(firstElement), lastMs};
    this.pairs = new GatheredRows(index.users.count, pairsMax, liveRows(this.chunks(index)), newBytes);
    this.lastElement = new Int32Array(index.users.count).fill(never);
  }

  /** Chunks that each pass reads. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    return chunksWithin(index.chunks, [this.stretch]);
  }

  addRows(rows: RowsView): void {
    const end = firstAt(rows, this.stretch.lastMs + 1);
    for (let at = firstAt(rows, this.stretch.startMs); at < end; ) at = this.addElementRows(rows, at, end);
  }

  /** Adds the rows of the element of `order[start]`; returns the position of the next element's rows. */
  private addElementRows(rows: RowsView, start: number, end: number): number {
    const {order, users} = rows;
    const {lastElement, pairs} = this;
    const element = this.elements.elementAt(timeOf(rows, order[start]));
    const elementEnd = Math.min(end, firstAtNear(rows, this.elements.elementStart(element + 1), start));
    for (let at = start; at < elementEnd; at++) {
      const user = users[order[at]];
      if (lastElement[user] === element) continue;
      lastElement[user] = element;
      pairs.add(user, element, 0);
    }
    return elementEnd;
  }

  /** This pass takes users [userStart, userEnd). */
  get users(): {readonly userStart: number; readonly userEnd: number} {
    return this.pairs;
  }

  /** Visits this pass's users of each element, and calls `end` after each element. Yields between slices. */
  *walk(sliding: SlidingUsers, end?: (element: number) => void): Generator<void, void, void> {
    const {starts, users} = yield* this.byElement();
    for (let element = this.firstElement; element < this.elements.elementCount; element++) {
      sliding.begin(element);
      for (let at = starts[element]; at < starts[element + 1]; at += sliceRows) {
        visit(sliding, users, at, Math.min(at + sliceRows, starts[element + 1]));
        yield;
      }
      end?.(element);
    }
    sliding.finish();
  }

  /** Begins the next pass over the chunks; false when no users are left. EP1 */
  nextPass(): boolean {
    if (!this.pairs.nextPass()) return false;
    this.lastElement.fill(never);
    return true;
  }

  /** Users by element, by a counting sort: those of element e are [starts[e], starts[e + 1]). */
  private *byElement(): Generator<void, {starts: Uint32Array; users: Uint32Array}, void> {
    const {times: elements, users, count} = this.pairs;
    const starts = new Uint32Array(this.elements.elementCount + 1);
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
}

function visit(sliding: SlidingUsers, users: Uint32Array, start: number, end: number): void {
  for (let at = start; at < end; at++) sliding.visit(users[at]);
}
