// Decides which users who moved are left out of each snapshot of a published set (one snapshot per partition).
//   Owns: whether the snapshots of a set agree on the moves, and how each of them counts in the set. Does not own: moves (moves.ts).
//
//   SS1. For every pair of partitions: settled moves were received, and received ones have left. A snapshot that breaks this is
//        outdated: the other snapshot knows of later moves of its partition. A newer one exists then, since only moves of published
//        snapshots are appended (J2) and settled.
//   SS2. The users of a pending move are left out exactly where the destination's snapshot has the move (J5), as if the move
//        were settled: their rows, the counts of their events, and their days.
//   SS3. All partitions of a set keep events from one day on, the latest of theirs: no sum has a day that some of them lack.

import {hoursPerDay} from '../aggregator/windows.js';
import {indexFrom} from '../expired-parts.js';
import {assert, must} from '../invariant.js';
import type {ChunkEntry, Manifest, Move, SnapshotIndex} from '../manifest.js';
import type {UserSet} from '../table/user-set.js';
import {generationOf} from './moves.js';

interface Snapshot {
  readonly manifest: Manifest;
  readonly index: SnapshotIndex;
}

/** Counts of events by (hour, name), ascending. */
export interface HourCells {
  readonly hours: Uint32Array;
  readonly names: Uint32Array;
  readonly counts: Float64Array;
}

/** The share of a snapshot that does not count in its set. */
interface LeftOut {
  /** Users whose rows do not count. */
  readonly users: UserSet;
  /** Negative counts of their events, to be added to the counts of the windows. */
  readonly cells: HourCells;
}

/** A snapshot as it counts in its set: `index` leaves the users out of its days, and says how many rows of each chunk do not count. */
export interface CountedSnapshot {
  readonly index: SnapshotIndex;
  readonly leftOut: LeftOut;
}

/** Partitions whose snapshot is outdated in the set. `undefined`: the partition has not published yet. SS1 */
export function outdatedIn(snapshots: readonly (Snapshot | undefined)[]): number[] {
  const outdated = new Set<number>();
  for (const home of snapshots) {
    for (const destination of snapshots) {
      if (home === undefined || destination === undefined) continue;
      const to = destination.manifest.partition;
      const received = destination.manifest.moves.received[home.manifest.partition];
      if (home.manifest.moves.settled[to] > received) outdated.add(to);
      if (lacks(home, to, received)) outdated.add(home.manifest.partition);
    }
  }
  return [...outdated];
}

/** Whether the snapshot lacks one of the moves up to `received`, or the contents of one. */
function lacks({manifest: {moves, position}, index}: Snapshot, to: number, received: number): boolean {
  // A log that lost its tail made later moves with numbers of a later generation: no newer snapshot has the lost ones.
  if (received > moves.left[to] && generationOf(received) >= position.generation) return true;
  return index.moves.some((move) => move.to === to && move.n <= received && move.contents === null);
}

/** The pending moves of a snapshot that their destinations' snapshots have. SS2 */
export function arrivedMoves(
  {manifest: {partition}, index}: Snapshot,
  snapshots: readonly (Snapshot | undefined)[],
): readonly Move[] {
  return index.moves.filter(({to, n}) => n <= (snapshots[to]?.manifest.moves.received[partition] ?? 0));
}

/** The day from which on a set of snapshots keeps events. SS3 */
export const retainedFromDayOf = (snapshots: readonly (Pick<Snapshot, 'index'> | undefined)[]): number =>
  snapshots.reduce((day, snapshot) => Math.max(day, snapshot?.index.retainedFromDay ?? 0), 0);

/**
 * A snapshot without the users of `settled`, whom it leaves out by itself, and of `arrived`, whom its set leaves out, and with
 * events from `fromDay` on. SS2, SS3
 */
export function countedWithout(
  whole: SnapshotIndex,
  settled: UserSet,
  arrived: readonly Move[],
  fromDay: number,
): CountedSnapshot {
  const index = indexFrom(whole, fromDay);
  if (arrived.length === 0) return {index, leftOut: {users: settled, cells: cellsOf([], fromDay)}};
  const moved = arrived.flatMap(({users}) => users);
  const users = settled.copy();
  for (const user of moved) users.add(user);
  const erasedUsers = [...index.erasedUsers, ...moved].sort((a, b) => a - b);
  return {
    index: {...index, erasedUsers, chunks: chunksWithout(index, arrived)},
    leftOut: {users, cells: cellsOf(arrived, fromDay)},
  };
}

function chunksWithout(index: SnapshotIndex, arrived: readonly Move[]): readonly ChunkEntry[] {
  const chunks = [...index.chunks];
  for (const {contents} of arrived) {
    for (const [chunk, rows] of must(contents, 'the snapshots of a set agree (SS1)').chunks) {
      const entry = chunks[chunk];
      assert(entry?.chunk === chunk, 'chunks are numbered without a gap');
      chunks[chunk] = {...entry, leftOut: entry.leftOut + rows};
    }
  }
  return chunks;
}

/** One more than the largest ordinal of a name. */
const nameEnd = 2 ** 32;

function cellsOf(arrived: readonly Move[], fromDay: number): HourCells {
  const counts = new Map<number, number>();
  for (const {contents} of arrived) {
    for (const [hour, name, count] of must(contents, 'the snapshots of a set agree (SS1)').cells) {
      if (hour < fromDay * hoursPerDay) continue;
      const key = hour * nameEnd + name;
      counts.set(key, (counts.get(key) ?? 0) - count);
    }
  }
  const keys = Float64Array.from(counts.keys()).sort();
  return {
    hours: Uint32Array.from(keys, (key) => Math.floor(key / nameEnd)),
    names: Uint32Array.from(keys, (key) => key % nameEnd),
    counts: Float64Array.from(keys, (key) => counts.get(key)!),
  };
}
