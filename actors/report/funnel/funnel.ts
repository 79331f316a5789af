// The funnel of one partition: number of users at each step, and the time that each step took.
//   Matching rows of all chunks are gathered and grouped by user, then each user is walked (funnel-walk.ts). Rows beyond the
//   bound of memory need several passes over the chunks, each for some of the users (gathered-rows.ts).

import {firstAt, type RowsView} from '../../chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../manifest.js';
import {GatheredRows, groupByUser, newBytes, type RowsByUser, sliceRows} from '../rows/gathered-rows.js';
import {TimeSort} from '../rows/time-sort.js';
import {chunksNaming, chunksWithin, liveRows, type Stretch} from '../selection.js';
import {FunnelWalk} from './funnel-walk.js';
import {medianOf, NumberList} from './median.js';

const noKind = 0xff;

export interface FunnelResult {
  /** Number of users at each step. */
  readonly reached: Float64Array;
  /** Ms since the previous step, for each user of the step; empty for the first step. */
  readonly durations: readonly NumberList[];
}

export class FunnelPartial implements FunnelResult {
  readonly reached: Float64Array;
  readonly durations: readonly NumberList[];
  private readonly stretch: Stretch;
  /** Steps up to the first whose event never occurred in this partition. */
  private readonly names: readonly number[];
  private readonly kindOfName: Uint8Array;
  private readonly rows: GatheredRows<Uint8Array>;
  private readonly walk: FunnelWalk;
  private readonly timeSort = new TimeSort<Uint8Array>((count) => new Uint8Array(count));

  /**
   * `stepNames`: name index of each step's event in this partition, -1 without one. `windowMs` is inclusive, infinite without a
   * window. `rowsMax` bounds the rows gathered at once.
   */
  constructor(index: SnapshotIndex, stepNames: readonly number[], stretch: Stretch, windowMs: number, rowsMax: number) {
    const unknown = stepNames.indexOf(-1);
    this.names = unknown < 0 ? stepNames : stepNames.slice(0, unknown);
    this.stretch = stretch;
    this.reached = new Float64Array(stepNames.length);
    this.durations = stepNames.map(() => new NumberList());
    this.kindOfName = new Uint8Array(index.names.count).fill(noKind);
    // Several steps may take the same event: they share its kind.
    for (const name of this.names) this.kindOfName[name] = this.names.indexOf(name);
    this.rows = new GatheredRows(index.users.count, rowsMax, liveRows(this.chunks(index)), newBytes);
    this.walk = new FunnelWalk(
      Uint8Array.from(this.names, (name) => this.kindOfName[name]),
      windowMs,
    );
  }

  /** Chunks that each pass reads, in this order. */
  chunks(index: SnapshotIndex): ChunkEntry[] {
    if (this.names.length === 0) return [];
    return chunksNaming(chunksWithin(index.chunks, [this.stretch]), this.names);
  }

  addRows(chunk: RowsView): void {
    const {order, names, timeBase, times, users} = chunk;
    const {kindOfName, rows} = this;
    const end = firstAt(chunk, this.stretch.lastMs + 1);
    for (let at = firstAt(chunk, this.stretch.startMs); at < end; at++) {
      const row = order[at];
      const kind = kindOfName[names[row]];
      if (kind !== noKind) rows.add(users[row], timeBase + times[row], kind);
    }
  }

  /** Counts the users of this pass, and yields between slices; true when another pass over the chunks is due. */
  *endPass(): Generator<void, boolean, void> {
    const byUser = yield* groupByUser(this.rows);
    for (let user = 0; user + 1 < byUser.starts.length; ) {
      user = this.walkSlice(byUser, user);
      yield;
    }
    return this.rows.nextPass();
  }

  /** Walks users from `first`; returns the next user. */
  private walkSlice({starts, times, kinds}: RowsByUser<Uint8Array>, first: number): number {
    const sliceEnd = first + starts[first] + sliceRows;
    let user = first;
    for (; user + 1 < starts.length && user + starts[user] < sliceEnd; user++) {
      const start = starts[user];
      const end = starts[user + 1];
      if (start === end) continue;
      this.timeSort.sort(times, kinds, start, end);
      this.count(this.walk.walk(times, kinds, start, end));
    }
    return user;
  }

  private count(depth: number): void {
    const {times} = this.walk;
    for (let step = 0; step < depth; step++) {
      this.reached[step] += 1;
      if (step > 0) this.durations[step].push(times[step] - times[step - 1]);
    }
  }
}

export interface Funnel {
  readonly reached: readonly number[];
  readonly medianMs: readonly (number | null)[];
}

export function mergeFunnels(stepCount: number, partials: readonly FunnelResult[]): Funnel {
  const steps = Array.from({length: stepCount}, (_, step) => step);
  return {
    reached: steps.map((step) => partials.reduce((sum, partial) => sum + partial.reached[step], 0)),
    medianMs: steps.map((step) => medianOf(partials.map(({durations}) => durations[step]))),
  };
}
