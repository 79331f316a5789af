// Producers of the log: each edge process numbers its messages from 1 on.
//   PR1. A message whose number is not above its producer's last one is a copy: it is skipped.
//   PR2. A producer is remembered for as long as the log may still hold a message from it.
import {producerMs} from '../limits.js';
import type {SnapshotIndex} from '../manifest.js';

/** Tick periods: a snapshot truncates the log at the second tick after a message, at the earliest. PR2 */
const periodsKept = 3;

type StoredProducers = SnapshotIndex['producers'];

export class Producers {
  private readonly known = new Map<string, {n: number; seenLogicalMs: number}>();
  private gaps = 0;

  /** Whether the message is new. A new message that skips numbers counts as a gap. PR1 */
  accept(producer: string, n: number, logicalMs: number): boolean {
    const last = this.known.get(producer)?.n ?? 0;
    if (n <= last) return false;
    if (n !== last + 1) this.gaps += 1;
    this.known.set(producer, {n, seenLogicalMs: logicalMs});
    return true;
  }

  /** Gaps since the last call. */
  takeGaps(): number {
    const {gaps} = this;
    this.gaps = 0;
    return gaps;
  }

  /** Forgets the producers whose messages the log no longer holds. PR2 */
  forgetUnseen(logicalMs: number, periodMs: number): void {
    const seenSinceMs = logicalMs - Math.max(producerMs, periodsKept * periodMs);
    for (const [id, {seenLogicalMs}] of this.known) if (seenLogicalMs < seenSinceMs) this.known.delete(id);
  }

  stored(): StoredProducers {
    return [...this.known].map(([id, {n, seenLogicalMs}]) => [id, n, seenLogicalMs] as const);
  }

  restore(stored: StoredProducers): void {
    for (const [id, n, seenLogicalMs] of stored) this.known.set(id, {n, seenLogicalMs});
  }
}
