// The plain twin of kernels/funnel-progress.ts: which users of a block have an event of a step's name after their last step.

import {ranksPerMs, timeOfKey} from '../../actors/report/funnel/event-key.js';
import {
  blockUsers,
  type DensePostings,
  type EntryProgress,
  type FunnelProgress,
} from '../../actors/report/funnel/funnel-progress.js';
import {seekDense} from '../../actors/report/funnel/posted-funnel.js';

const never = Number.POSITIVE_INFINITY;

export class PlainFunnelProgress implements FunnelProgress {
  readonly users = new Uint32Array(blockUsers);
  readonly keys = new Float64Array(blockUsers);
  readonly found = new Float64Array(blockUsers);
  readonly gaps = new Float64Array(blockUsers);

  seek(count: number, postings: DensePostings): void {
    this.found.fill(Number.POSITIVE_INFINITY, 0, count);
    seekDense(this, count, postings);
  }

  entryProgress(): EntryProgress {
    return new PlainEntryProgress(this);
  }

  advance(count: number, endKey: number): number {
    const {users, keys, found, gaps} = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const next = found[i];
      if (!(next < endKey)) continue;
      gaps[kept] = timeOfKey(next) - timeOfKey(keys[i]);
      users[kept] = users[i];
      keys[kept++] = next;
    }
    return kept;
  }
}

/**
 * State of the users of a block while they walk from one entry after the other (actors/report/funnel/entry-rounds.ts).
 * The place of a user in the block changes when users before it are dropped; its slot does not: the n-th user that entered has
 * slot n.
 */
class PlainEntryProgress implements EntryProgress {
  private readonly progress: FunnelProgress;
  /** By place in the block. */
  private readonly slots = new Uint32Array(blockUsers);
  /** Slots of the users that walk in this round, ascending. */
  private readonly walking = new Uint32Array(blockUsers);
  // By slot:
  private readonly users = new Uint32Array(blockUsers);
  /** Where this round's walk began, how many steps it reached, and the event that was found for the next one. */
  private readonly entryKeys = new Float64Array(blockUsers);
  private readonly depths = new Uint32Array(blockUsers);
  private readonly nextKeys = new Float64Array(blockUsers);
  /** The deepest walk of all rounds. */
  private readonly deepestKeys = new Float64Array(blockUsers);
  private readonly deepest = new Uint32Array(blockUsers);

  constructor(progress: FunnelProgress) {
    this.progress = progress;
  }

  begin(count: number): void {
    const {users, keys} = this.progress;
    for (let slot = 0; slot < count; slot++) {
      this.users[slot] = users[slot];
      this.deepest[slot] = 0;
      this.startAt(slot, slot, keys[slot]);
    }
  }

  keepWithin(count: number, step: number, windowMs: number, endKey: number): number {
    const {found, keys, users} = this.progress;
    const {slots, entryKeys, depths, nextKeys} = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const slot = slots[i];
      const next = found[i] < endKey ? found[i] : never;
      nextKeys[slot] = next;
      if (!(next < (timeOfKey(entryKeys[slot]) + windowMs + 1) * ranksPerMs)) continue;
      depths[slot] = step + 1;
      users[kept] = users[i];
      slots[kept] = slot;
      keys[kept++] = next;
    }
    return kept;
  }

  seekLater(walked: number, stepCount: number, windowMs: number): number {
    const {users, keys} = this.progress;
    const {slots, walking, depths, nextKeys} = this;
    let count = 0;
    for (let i = 0; i < walked; i++) {
      const slot = walking[i];
      this.noteDepth(slot);
      if (depths[slot] === stepCount || nextKeys[slot] === never) continue;
      users[count] = this.users[slot];
      slots[count] = slot;
      keys[count++] = (timeOfKey(nextKeys[slot]) - windowMs) * ranksPerMs - 1;
    }
    return count;
  }

  /** ER3 (entry-rounds.ts) */
  private noteDepth(slot: number): void {
    const {depths, deepest} = this;
    if (depths[slot] <= deepest[slot]) return;
    deepest[slot] = depths[slot];
    this.deepestKeys[slot] = this.entryKeys[slot];
  }

  takeLater(count: number, endKey: number): number {
    const {found, users, keys} = this.progress;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if (!(found[i] < endKey)) continue;
      users[kept] = users[i];
      keys[kept] = found[i];
      this.startAt(kept++, this.slots[i], found[i]);
    }
    return kept;
  }

  private startAt(place: number, slot: number, key: number): void {
    this.slots[place] = slot;
    this.walking[place] = slot;
    this.entryKeys[slot] = key;
    this.depths[slot] = 1;
  }

  beginDeepest(entered: number): number {
    const {users, keys} = this.progress;
    let count = 0;
    for (let slot = 0; slot < entered; slot++) {
      if (this.deepest[slot] < 2) continue;
      users[count] = this.users[slot];
      keys[count] = this.deepestKeys[slot];
      this.slots[count++] = slot;
    }
    return count;
  }

  takeDeepest(count: number, step: number): number {
    const {users, keys, found, gaps} = this.progress;
    const {slots, deepest} = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      gaps[i] = timeOfKey(found[i]) - timeOfKey(keys[i]);
      const slot = slots[i];
      if (deepest[slot] <= step + 1) continue;
      users[kept] = users[i];
      slots[kept] = slot;
      keys[kept++] = found[i];
    }
    return kept;
  }
}
