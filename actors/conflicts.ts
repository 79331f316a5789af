// Entries that were dropped though they were no retries: their message id had come before, with other content.
//   C1. Only the newest are held, in memory alone; all are counted.
//   C2. No text of a client but the event's name.

/** Newest conflicts kept for each partition. A client that gives all its events one id fills it in a second. C1 */
const heldMax = 1_000;

export interface Conflict {
  /** Receipt time, epoch ms. */
  readonly timeMs: number;
  /** The event's name; null: it is an identify. */
  readonly event: string | null;
}

export class Conflicts {
  count = 0;
  private readonly held: Conflict[] = [];

  add(conflict: Conflict): void {
    this.held[this.count % heldMax] = conflict;
    this.count += 1;
  }

  /** The newest first. */
  newest(): Conflict[] {
    const start = this.count % heldMax;
    return [...this.held.slice(start), ...this.held.slice(0, start)].reverse();
  }
}
