// Events by number: a breakdown by numbers that earlier answers left behind (timed-numbers.ts) looks up the group of each
// number once, not of each event.
//   NU1. Only whole numbers of [0, smallNumbersEnd) are counted here: an array by the number takes 1 MiB at most.
//   NU2. All events are counted by number first. Those of numbers with a row of their own are then counted by bucket: one array of
//        tens of thousands of numbers stays in the processor's cache, one for each bucket would not.

import {firstValueGroup, type ShownGroups, smallNumbersEnd, type ValueGroups} from '../rows/value-groups.js';
import type {Buckets} from './buckets.js';
import {forEachBucket, rowsWithin, type TimedNumbers} from './timed-numbers.js';

/** Receives the events of a row of the answer in a bucket, any number of times. */
export type NoteEvents = (row: number, bucket: number, events: number) => void;

/** Numbers of one chunk, none of them negative. */
interface WholeNumbers extends TimedNumbers {
  readonly numbers: Int32Array;
}

export class NumberCounts {
  /** Events by number. */
  private counts = new Uint32Array(0);
  private readonly chunks: WholeNumbers[] = [];

  /** Counts the events of a chunk in [from, to]. False: the chunk has other numbers, and none is counted. NU1 */
  add(chunk: TimedNumbers, buckets: Buckets): boolean {
    const {end} = chunk;
    if (end > smallNumbersEnd || !isWhole(chunk)) return false;
    if (end > this.counts.length) {
      const grown = new Uint32Array(2 ** Math.ceil(Math.log2(end)));
      grown.set(this.counts);
      this.counts = grown;
    }
    countEach(chunk.numbers, ...rowsWithin(chunk, buckets), this.counts);
    this.chunks.push(chunk);
    return true;
  }

  /** Hands over all chunks, of which it counts nothing any more. */
  takeOut(): readonly TimedNumbers[] {
    this.counts = new Uint32Array(0);
    return this.chunks.splice(0);
  }

  /** Events of each group: `others`, and those that were counted here. */
  totals(groups: ValueGroups, others: Float64Array): Float64Array {
    const groupOf = this.groupsOf(groups);
    const totals = new Float64Array(Math.max(groups.count, others.length));
    totals.set(others);
    for (let number = 0; number < groupOf.length; number++) totals[groupOf[number]] += this.counts[number];
    return totals;
  }

  /** Groups of the numbers with events; 0 for the others. */
  private groupsOf(groups: ValueGroups): Uint32Array {
    return this.counts.map((events, number) => (events === 0 ? 0 : groups.groupOf(number)));
  }

  /** Calls `note` with the events of each row by bucket, and yields between slices. NU2 */
  *rowsByBucket(groups: ValueGroups, {top, rowOf}: ShownGroups, buckets: Buckets, note: NoteEvents): Generator<void> {
    const other = top.length;
    const rows = new Uint16Array(this.counts.length).fill(other);
    const groupOf = this.groupsOf(groups);
    for (let number = 0; number < rows.length; number++)
      if (groupOf[number] >= firstValueGroup) rows[number] = rowOf[groupOf[number]];
    const events = new Uint32Array(other);
    for (const chunk of this.chunks) {
      forEachBucket(chunk, buckets, (bucket, start, end) => {
        events.fill(0);
        let others = end - start;
        countRows(chunk.numbers, start, end, rows, events);
        for (let row = 0; row < other; row++) {
          if (events[row] === 0) continue;
          note(row, bucket, events[row]);
          others -= events[row];
        }
        note(other, bucket, others);
      });
      yield;
    }
  }
}

const isWhole = (chunk: TimedNumbers): chunk is WholeNumbers => chunk.end > 0 && chunk.numbers instanceof Int32Array;

function countEach(numbers: Int32Array, start: number, end: number, counts: Uint32Array): void {
  for (let i = start; i < end; i++) counts[numbers[i]] += 1;
}

/** Counts the events of rows below `events.length`: most events are of the row after them. */
function countRows(numbers: Int32Array, start: number, end: number, rows: Uint16Array, events: Uint32Array): void {
  const other = events.length;
  for (let i = start; i < end; i++) {
    const row = rows[numbers[i]];
    if (row < other) events[row] += 1;
  }
}
