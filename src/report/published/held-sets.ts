// Sets of snapshots that answers named, so that a later question can ask for the same set: the tiles of a page then agree.
//   HS1. A set is held for 10 minutes after it last answered as the newest one; at most the newest 10 are held.
//   HS2. A set ends as soon as the newest snapshots know a deletion that it does not know, or that it knows as pending: no
//        receipt waits for a set, and none is answered from after a receipt. A receipt follows the publication of a snapshot
//        that has folded the deletion, and a question sees every snapshot that was published before it (NS1). A set also
//        ends once further events have expired in the newest snapshots.
//   HS3. A set does not keep its parts: the store erases those that no kept manifest names. The engine ends a set whose part
//        is gone.
//   Memory: a set shares with the next one the snapshots of partitions that did not publish in between, and what did not change
//   of the others. A partition that did has another list of chunks (8 bytes a chunk), the entries of its last block of chunks
//   (up to 0.2 MB), and another table of names if one is new: ten sets of four partitions take some 10 MB.

import {retainedFromDayOf} from '../../../actors/identity/snapshot-set.js';
import type {Manifest} from '../../../actors/manifest.js';
import {positionText} from '../../log-position.js';
import {deletionsOf, type PartitionSnapshot} from './newest-snapshots.js';

export const heldMs = 10 * 60_000;
export const heldSetsMax = 10;

/** Snapshots of all partitions that agree. */
export type WholeSet = readonly PartitionSnapshot[];

interface HeldSet {
  readonly snapshots: WholeSet;
  /** What had left by then. HS2 */
  readonly left: string;
  /** HS1 */
  readonly untilMs: number;
}

export class HeldSets {
  /** Sets by their position, the oldest first. */
  private readonly sets = new Map<string, HeldSet>();

  /** Holds the newest set, which is about to be answered from. */
  hold(newest: WholeSet, nowMs: number): void {
    const position = positionOf(newest.map(({manifest}) => manifest));
    const known = this.sets.get(position);
    const left = known?.snapshots === newest ? known.left : leftOf(newest);
    this.sets.delete(position);
    this.sets.set(position, {snapshots: newest, left, untilMs: nowMs + heldMs});
    for (const [held, set] of this.sets) {
      const isOver = set.untilMs <= nowMs || set.left !== left || this.sets.size > heldSetsMax;
      if (isOver) this.sets.delete(held);
    }
  }

  /** The set at a position; undefined if it is not held (any more). The newest set must be held first. */
  at(position: string): WholeSet | undefined {
    return this.sets.get(position)?.snapshots;
  }

  /** HS3 */
  end(position: string): void {
    this.sets.delete(position);
  }
}

/** Deletions, and the day from which on events are kept. */
const leftOf = (set: WholeSet): string => `${retainedFromDayOf(set)} ${deletionsOf(set)}`;

/** `Report-Log-Position` of the answers over a set. */
export const positionOf = (manifests: readonly Manifest[]): string =>
  manifests.map(({partition, position}) => positionText({partition, ...position})).join(',');
