// Times of the first and last event of some names of one partition, ever.
//   NT1. They come from rows alone. An erased row is in no chunk's order, so they are exact right after an erasure.
//   NT2. A chunk is read only if, by its bounds and names, it may hold an earlier or later event than those found. Where events
//        arrive about in order, that is the oldest and newest chunks of a name.

import {type RowsView, timeOf} from '../../chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';

const notAsked = -1;

export class NameTimes {
  /** First and last time of each requested name, epoch ms; `Infinity` and `-Infinity` for names without events. */
  readonly firstMs: Float64Array;
  readonly lastMs: Float64Array;
  /** Position in the lists by name index. */
  private readonly places: Int32Array;
  /** Chunks that may be needed; the next one is last. */
  private readonly oldestLast: ChunkEntry[];
  private readonly newestLast: ChunkEntry[];
  private readonly read = new Set<number>();

  /** `asked`: distinct name indexes. `names`: number of indexes ever given out. */
  constructor({chunks}: SnapshotIndex, asked: readonly number[], names: number) {
    this.firstMs = new Float64Array(asked.length).fill(Number.POSITIVE_INFINITY);
    this.lastMs = new Float64Array(asked.length).fill(Number.NEGATIVE_INFINITY);
    this.places = new Int32Array(names).fill(notAsked);
    for (const [place, name] of asked.entries()) this.places[name] = place;
    const live = chunks.filter((chunk) => chunk.live > 0);
    this.oldestLast = live.toSorted((a, b) => b.minTimeMs - a.minTimeMs);
    this.newestLast = live.toSorted((a, b) => a.maxTimeMs - b.maxTimeMs);
  }

  /** Up to `max` chunks to read next, alternately old and new ones; none once the times are known. */
  next(max: number): ChunkEntry[] {
    const due: ChunkEntry[] = [];
    for (let before = -1; before < due.length && due.length < max; ) {
      before = due.length;
      this.takeDue(this.oldestLast, this.mayBeginBefore, due);
      if (due.length < max) this.takeDue(this.newestLast, this.mayEndAfter, due);
    }
    return due;
  }

  private takeDue(
    waiting: ChunkEntry[],
    isWanted: (chunk: ChunkEntry, place: number) => boolean,
    due: ChunkEntry[],
  ): void {
    for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
      if (this.read.has(chunk.chunk) || !this.placesIn(chunk).some((place) => isWanted(chunk, place))) continue;
      this.read.add(chunk.chunk);
      due.push(chunk);
      return;
    }
  }

  private readonly mayBeginBefore = ({minTimeMs}: ChunkEntry, place: number): boolean =>
    minTimeMs < this.firstMs[place];

  private readonly mayEndAfter = ({maxTimeMs}: ChunkEntry, place: number): boolean => maxTimeMs > this.lastMs[place];

  /** Positions of the requested names that the chunk may hold. */
  private placesIn({names}: ChunkEntry): number[] {
    if (names === null) return Array.from(this.firstMs, (_, place) => place);
    return names.map((name) => this.places[name]).filter((place) => place !== notAsked);
  }

  addRows(rows: RowsView): void {
    const {places, firstMs, lastMs} = this;
    for (const row of rows.order) {
      const place = places[rows.names[row]];
      if (place === notAsked) continue;
      const timeMs = timeOf(rows, row);
      if (timeMs < firstMs[place]) firstMs[place] = timeMs;
      if (timeMs > lastMs[place]) lastMs[place] = timeMs;
    }
  }
}
