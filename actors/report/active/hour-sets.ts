// Active users of one partition over hours, as a bit set of users for each hour. All windows are trailing and of one length
// (active-plan.ts), so two unions an hour give them all (van Herk 1992, Gil and Werman 1993): hours are in blocks of a window's
// length, and a window is the union of the last hours of one block and the first hours of the next.
//   When the sets exceed the bound of memory, several passes over the chunks each take some of the users.
//   With few rows for many users and hours most bits would be zero: then ActiveRowsPartial gathers the rows instead.

import {firstAt, firstAtNear, type RowsView, timeOf} from '../../chunk/rows.js';
import {assert} from '../../invariant.js';
import {hourMs} from '../../limits.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {bitCount} from '../../order/bit-count.js';
import {chunksWithin, liveRows, type Stretch} from '../selection.js';
import type {ActiveResult} from './active-days.js';
import {type ActivePlan, isEmpty} from './active-plan.js';

const wordUsers = 32;
const wordBytes = 4;
/** Gathering and sorting a row takes as long as some ten words of the sets; another pass over the rows is cheap. */
const wordsPerRowMax = 8;
const passesMax = 8;
/** Words united between two yields: well below a ms, except for one set of millions of users. */
const sliceWords = 65_536;

/** Words of one hour's set in each pass; undefined when sets are slower than rows, or do not fit. */
export function hourSetWords(
  {users: {count}, chunks}: SnapshotIndex,
  plan: ActivePlan,
  toMs: number,
  bytesMax: number,
): number | undefined {
  const words = Math.ceil(count / wordUsers);
  const rows = liveRows(chunksWithin(chunks, [stretchOf(plan, toMs)]));
  const passWords = Math.floor(bytesMax / wordBytes / (plan.elementCount + 2));
  if (words * plan.elementCount > rows * wordsPerRowMax || passWords * passesMax < words) return undefined;
  return Math.min(words, passWords);
}

/** Bytes of a pass's sets; `words`: length of one set (`hourSetWords`). */
export const hourSetBytes = (words: number, plan: ActivePlan): number => words * (plan.elementCount + 2) * wordBytes;

/** The stretch whose rows a report by hours reads. */
export function stretchOf(plan: ActivePlan, toMs: number): Stretch {
  return {startMs: plan.firstElement * hourMs, lastMs: toMs};
}

export class HourSetsPartial {
  private readonly plan: ActivePlan;
  private readonly stretch: Stretch;
  private readonly userCount: number;
  /** Words of one set. */
  private readonly words: number;
  /** Set of element e: sets[e * words .. (e + 1) * words). Bit i of word w: user firstUser + 32 * w + i. */
  private readonly sets: Int32Array;
  /** Users active in `plan.head`, or since `plan.totalElement`. */
  private readonly inTotal: Int32Array;
  private readonly counts: Float64Array;
  private firstUser = 0;
  private total = 0;
  /** Words united since the last yield. */
  private wordsDone = 0;

  /** `words`: from `hourSetWords`. */
  constructor(index: SnapshotIndex, plan: ActivePlan, toMs: number, words: number) {
    assert(plan.elementMs === hourMs, 'hour sets: elements are hours');
    this.plan = plan;
    this.stretch = stretchOf(plan, toMs);
    this.userCount = index.users.count;
    this.words = words;
    this.sets = new Int32Array(words * plan.elementCount);
    this.inTotal = new Int32Array(words);
    this.counts = new Float64Array(plan.windows.ends.length);
  }

  /** Chunks that each pass reads. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    return chunksWithin(index.chunks, [this.stretch]);
  }

  addRows(rows: RowsView): void {
    const {head, firstElement} = this.plan;
    if (!isEmpty(head)) this.mark(rows, firstAt(rows, head.startMs), firstAt(rows, head.lastMs + 1), this.inTotal, 0);
    const end = firstAt(rows, this.stretch.lastMs + 1);
    for (let at = firstAt(rows, this.stretch.startMs); at < end; ) {
      const hour = Math.floor(timeOf(rows, rows.order[at]) / hourMs);
      const hourEnd = Math.min(end, firstAtNear(rows, (hour + 1) * hourMs, at));
      this.mark(rows, at, hourEnd, this.sets, (hour - firstElement) * this.words);
      at = hourEnd;
    }
  }

  /** Adds the users of order[start .. end) to the set at `sets[at]`. */
  private mark({order, users}: RowsView, start: number, end: number, sets: Int32Array, at: number): void {
    const {firstUser} = this;
    const userMax = this.words * wordUsers;
    for (let place = start; place < end; place++) {
      const user = (users[order[place]] - firstUser) >>> 0; // Users before the first wrap round to large numbers.
      if (user < userMax) sets[at + (user >>> 5)] |= 1 << (user & 31);
    }
  }

  /** Counts the users of this pass, and yields between slices; true when another pass over the chunks is due. */
  *endPass(): Generator<void, boolean, void> {
    const {sets, inTotal, words, plan} = this;
    for (let element = plan.totalElement; element < plan.elementCount; element++) {
      unite(inTotal, 0, sets, element * words, words);
      if (this.isTurnDue()) yield;
    }
    this.total += bitsOf(inTotal);
    yield* this.slide();
    this.firstUser += words * wordUsers;
    if (this.firstUser >= this.userCount) return false;
    for (let element = 0; element < plan.elementCount; element++) {
      sets.fill(0, element * words, (element + 1) * words);
      if (this.isTurnDue()) yield;
    }
    inTotal.fill(0);
    return true;
  }

  /** Counts a set; whether a yield is due. */
  private isTurnDue(): boolean {
    this.wordsDone += this.words;
    if (this.wordsDone < sliceWords) return false;
    this.wordsDone = 0;
    return true;
  }

  /** Adds the users of each window. Sets of past blocks become unions to the ends of their blocks. */
  private *slide(): Generator<void, void, void> {
    const {sets, words, plan, counts} = this;
    const {starts, ends} = plan.windows;
    const length = ends[0] - starts[0];
    const passed = new Int32Array(words);
    for (let window = 0, element = 0; element < plan.elementCount; element++) {
      unite(passed, 0, sets, element * words, words);
      const isLast = element % length === length - 1;
      if (element === ends[window] - 1) {
        counts[window] += isLast ? bitsOf(passed) : unionBits(passed, sets, starts[window] * words, words);
        window += 1;
      }
      if (this.isTurnDue()) yield;
      if (!isLast) continue;
      passed.fill(0);
      for (let back = element - 1; back > element - length; back--) {
        unite(sets, back * words, sets, (back + 1) * words, words);
        if (this.isTurnDue()) yield;
      }
    }
  }

  result(): ActiveResult {
    return {counts: this.counts, total: this.total};
  }
}

function unite(into: Int32Array, intoAt: number, set: Int32Array, setAt: number, words: number): void {
  for (let word = 0; word < words; word++) into[intoAt + word] |= set[setAt + word];
}

function unionBits(one: Int32Array, other: Int32Array, otherAt: number, words: number): number {
  let bits = 0;
  for (let word = 0; word < words; word++) bits += bitCount(one[word] | other[otherAt + word]);
  return bits;
}

function bitsOf(set: Int32Array): number {
  let bits = 0;
  for (let word = 0; word < set.length; word++) bits += bitCount(set[word]);
  return bits;
}
