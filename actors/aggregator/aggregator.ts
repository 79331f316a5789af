// The aggregator actor: how often each event happened, by hour and of all time, and who was active on which day.
//   Owns:    the names of events, their counts, what the windows gained since the last cut.
//   Does not own: windows of earlier cuts: they are in parts (windows.ts).

import {bytesOf} from '../bytes/bytes.js';
import type {EncodedBlock, MoveContents} from '../manifest.js';
import {type EncodedTable, InternedTable} from '../table/interned.js';
import {WindowDeltas} from './window-deltas.js';
import {encodeWindows} from './windows.js';

/** Rows [start, end) of these columns, in the order of arrival. */
interface NamedRows {
  readonly times: Float64Array;
  readonly names: Uint32Array;
  readonly users: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** One event whose user is erased. */
export interface ErasedRow {
  readonly timeMs: number;
  readonly name: number;
  /** The chunk that it was in. */
  readonly chunk: number;
}

/** What a snapshot takes. What is iterable is iterated once. */
export interface AggregatorCut {
  readonly names: EncodedTable;
  readonly nameCounts: Uint8Array;
  readonly windowBlocks: Iterable<EncodedBlock>;
}

export class Aggregator {
  readonly names = new InternedTable();
  private nameCounts = new Float64Array(64);
  private windows = new WindowDeltas();

  /** The number of a name, which is in `bytes` from `start` to `end`. */
  internName(bytes: Uint8Array, start: number, end: number): number {
    const name = this.names.intern(bytes, start, end);
    if (name >= this.nameCounts.length) this.nameCounts = grown(this.nameCounts);
    return name;
  }

  /** `isNewDay` may be false only if the user was active on this day before. */
  applyEvent(timeMs: number, name: number, user: number, isNewDay: boolean): void {
    this.nameCounts[name] += 1;
    this.windows.add(timeMs, name, user, isNewDay);
  }

  /** The same for a run of rows; `isNewDay` has a place for each of them, from 0 on. */
  applyRun({times, names, users, start, end}: NamedRows, isNewDay: Uint8Array): void {
    const {nameCounts, windows} = this;
    for (let row = start; row < end; row++) {
      nameCounts[names[row]] += 1;
      windows.add(times[row], names[row], users[row], isNewDay[row - start] !== 0);
    }
  }

  /** The events of users who left count no more; their rows are still there, and refer to their names. */
  leave(cells: MoveContents['cells']): void {
    for (const [hour, name, count] of cells) this.windows.subtractCell(hour, name, count);
  }

  /** Rows go; those of users who left count no more already. A name without any row is forgotten. */
  subtract(rows: readonly ErasedRow[], haveLeft = false): void {
    for (const row of rows) {
      if (!haveLeft) this.windows.subtract(row.timeMs, row.name);
      this.nameCounts[row.name] -= 1;
    }
    for (const name of new Set(rows.map((row) => row.name))) if (this.nameCounts[name] === 0) this.names.remove(name);
  }

  /** Sets aside what the windows gained. Members of a day that `isErased` by then are left out as blocks are encoded. */
  cut(isErased: (user: number) => boolean): AggregatorCut {
    const {windows} = this;
    this.windows = new WindowDeltas();
    return {
      names: this.names.cut(),
      nameCounts: bytesOf(this.nameCounts.slice(0, this.names.count)),
      windowBlocks: encoded(windows, isErased),
    };
  }

  restoreCounts(payload: Uint8Array): void {
    const counts = new Float64Array(payload.slice().buffer);
    this.nameCounts = new Float64Array(Math.max(64, counts.length * 2));
    this.nameCounts.set(counts);
  }
}

function* encoded(windows: WindowDeltas, isErased: (user: number) => boolean): Generator<EncodedBlock> {
  for (const view of windows.encode(isErased))
    yield {first: view.firstDay, last: view.lastDay, payload: encodeWindows(view)};
}

function grown(counts: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(counts.length * 2);
  larger.set(counts);
  return larger;
}
