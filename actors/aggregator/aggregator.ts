// The aggregator actor: counts of each event by hour and in total, and the active users of each day.
//   Owns:    event names, their counts, the changes of windows since the last snapshot.
//   Does not own: windows of earlier cuts, which are in parts (windows.ts).

import {type Actor, bytesIn, chained, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import {bytesOf} from '../bytes/bytes.js';
import type {EncodedBlock, MoveContents} from '../manifest.js';
import {InternedTable, type TableSize} from '../table/interned.js';
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

interface CountedRun extends RowRun {
  /** From 0: false only if the row's user was active on its day before. */
  readonly isNewDay: Uint8Array;
}

/** A row that leaves its chunk: of an erased user, or one that counted no more. */
export interface ErasedRow {
  readonly timeMs: number;
  readonly name: number;
  /** The chunk that held it, and its ordinal. */
  readonly chunk: number;
  readonly ordinal: number;
  /** Whether it had expired: windows have lost it already. */
  readonly isExpired?: true;
}

/** Small state. */
export interface AggregatorState {
  readonly names: TableSize;
}

const namesName = 'aggregator.names';
const countsName = 'aggregator.counts';

export class Aggregator implements Actor<CountedRun> {
  readonly name = 'aggregator';
  readonly names = new InternedTable();
  private nameCounts = new Float64Array(64);
  /** Whether counts are others than in the last snapshot. */
  private areCountsChanged = false;
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
    this.areCountsChanged = true;
    this.windows.add(timeMs, name, user, isNewDay);
  }

  /** Applies a run of rows, each like `applyEvent`. */
  apply({times, names, users, start, end, isNewDay}: CountedRun): void {
    const {nameCounts, windows} = this;
    this.areCountsChanged = true;
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
    this.areCountsChanged = true;
    for (const row of rows) {
      if (!haveLeft && !row.isExpired) this.windows.subtract(row.timeMs, row.name);
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
    this.areCountsChanged = true;
    this.names.remove(name);
  }

  /** Adds the number of events by day, before a day, that came since the last snapshot. */
  addDaysBefore(day: number, counts: Map<number, number>): void {
    this.windows.addDaysBefore(day, counts);
  }

  freeze(): Iterable<FrozenPart> {
    const state: AggregatorState = {names: this.names.size};
    return chained(this.names.freeze(namesName), this.frozenCounts(), [jsonPart(this.name, state)]);
  }

  private frozenCounts(): FrozenPart[] {
    if (!this.areCountsChanged || this.names.count === 0) return [];
    this.areCountsChanged = false;
    return [{name: countsName, block: 0, payload: bytesOf(this.nameCounts.slice(0, this.names.count))}];
  }

  /**
   * Freezes the changes of windows since the last snapshot: a run. Blocks are read once, and encoded then, without the members
   * that `isErased` by then. Days before `fromDay` have expired.
   */
  freezeRun(isErased: (user: number) => boolean, fromDay: number): Iterable<EncodedBlock> {
    const {windows} = this;
    this.windows = new WindowDeltas();
    return encoded(windows, isErased, fromDay);
  }

  restore(name: string, _block: number, payload: Payload): void {
    if (name === namesName) this.names.restoreBlock(bytesIn(payload));
    else if (name === countsName) this.restoreCounts(bytesIn(payload));
    else this.names.reserve(jsonOf<AggregatorState>(payload).names);
  }

  private restoreCounts(payload: Uint8Array): void {
    const counts = new Float64Array(payload.slice().buffer);
    this.nameCounts = new Float64Array(Math.max(64, counts.length * 2));
    this.nameCounts.set(counts);
  }
}

function* encoded(
  windows: WindowDeltas,
  isErased: (user: number) => boolean,
  fromDay: number,
): Generator<EncodedBlock> {
  for (const view of windows.encode(isErased, fromDay))
    yield {first: view.firstDay, last: view.lastDay, payload: encodeWindows(view)};
}

function grown(counts: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(counts.length * 2);
  larger.set(counts);
  return larger;
}
