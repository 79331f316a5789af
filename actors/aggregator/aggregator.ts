// The aggregator actor: counts of each event by hour and in total, and the active users of each day.
//   Owns:    event names, their counts, the changes of windows since the last snapshot.
//   Does not own: windows of earlier cuts, which are in parts (windows.ts).

import {bytesOf} from '../bytes/bytes.js';
import type {EncodedBlock, MoveContents} from '../manifest.js';
import {type EncodedTable, InternedTable} from '../table/interned.js';
import type {UserSet} from '../table/user-set.js';
import {WindowDeltas} from './window-deltas.js';
import {encodeWindows} from './windows.js';

/** Rows [start, end) of these columns, in arrival order. */
export interface RowRun {
  readonly times: Float64Array;
  readonly names: Uint32Array;
  readonly users: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** An event of an erased user. */
export interface ErasedRow {
  readonly timeMs: number;
  readonly name: number;
  /** The chunk that held it, and its ordinal. */
  readonly chunk: number;
  readonly ordinal: number;
}

/** The aggregator's share of a snapshot. Iterables are single-use. */
export interface AggregatorDelta {
  readonly names: EncodedTable;
  readonly nameCounts: Uint8Array;
  readonly windowBlocks: Iterable<EncodedBlock>;
}

export class Aggregator {
  readonly names = new InternedTable();
  private nameCounts = new Float64Array(64);
  private windows = new WindowDeltas();

  /** Interns the name bytes[start .. end); returns its index. */
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

  /** Applies a run of rows; `isNewDay` has an element for each of them, from 0. */
  applyRun({times, names, users, start, end}: RowRun, isNewDay: Uint8Array): void {
    const {nameCounts, windows} = this;
    for (let row = start; row < end; row++) {
      nameCounts[names[row]] += 1;
      windows.add(times[row], names[row], users[row], isNewDay[row - start] !== 0);
    }
  }

  /** Subtracts the events of users who left; their rows stay and still refer to names. */
  leave(cells: MoveContents['cells']): void {
    for (const [hour, name, count] of cells) this.windows.subtractCell(hour, name, count);
  }

  /** Subtracts erased rows. Rows of users who left are subtracted from the windows already. A name without rows is forgotten. */
  subtract(rows: readonly ErasedRow[], haveLeft = false): void {
    for (const row of rows) {
      if (!haveLeft) this.windows.subtract(row.timeMs, row.name);
      this.nameCounts[row.name] -= 1;
    }
    for (const name of new Set(rows.map((row) => row.name))) if (this.nameCounts[name] === 0) this.names.remove(name);
  }

  /**
   * Subtracts all events of a name, and forgets it. `cells`: by hour, those that count here. `inactive`: users by the days of which
   * none of their events is left.
   */
  eraseName(name: number, cells: ReadonlyMap<number, number>, inactive: ReadonlyMap<number, UserSet>): void {
    for (const [hour, count] of cells) this.windows.subtractCell(hour, name, count);
    this.windows.removeMembers(inactive);
    this.nameCounts[name] = 0;
    this.names.remove(name);
  }

  /**
   * Freezes the changes of windows since the last snapshot. Blocks are encoded lazily, without the members that `isErased` by then.
   */
  freeze(isErased: (user: number) => boolean): AggregatorDelta {
    const {windows} = this;
    this.windows = new WindowDeltas();
    return {
      names: this.names.freeze(),
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
