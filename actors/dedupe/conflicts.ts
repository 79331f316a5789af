// Conflicts: entries that were dropped although they were no retries. Their message id was known, with other content.
//   C1. All conflicts are counted; only the newest are held, in memory alone.
//   C2. The event's name is the only text of a client that a conflict holds.

/** Newest conflicts held for each partition: one reply carries them all (src/partition/reads/live-reads.ts). C1 */
export const conflictsMax = 800;

export interface Conflict {
  /** Receipt time, epoch ms. */
  readonly timeMs: number;
  /** The event's name; null for an identify. */
  readonly event: string | null;
}

export class Conflicts {
  count = 0;
  private readonly held: Conflict[] = [];

  add(conflict: Conflict): void {
    this.held[this.count % conflictsMax] = conflict;
    this.count += 1;
  }

  /** The newest first. */
  newest(): Conflict[] {
    const start = this.count % conflictsMax;
    return [...this.held.slice(start), ...this.held.slice(0, start)].reverse();
  }
}
