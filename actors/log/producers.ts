// Producers of the log: each edge process numbers its messages from 1 on.
//   PR1. A message that its producer numbered no higher than one before is a copy, and is skipped.
//   PR2. A producer is remembered for as long as the log may still hold a message of it.
import {producerMs} from '../limits.js';
import type {SnapshotIndex} from '../manifest.js';

/** In periods of the ticks: a snapshot cuts the log at the second tick after a message, at the earliest. PR2 */
const periodsKept = 3;

type StoredProducers = SnapshotIndex['producers'];

export class Producers {
  private readonly known = new Map<string, {n: number; seenLogicalMs: number}>();
  private gaps = 0;

  /** Whether the message is new. One that skips numbers is, too, and counts as a gap. PR1 */
  accept(producer: string, n: number, logicalMs: number): boolean {
    const last = this.known.get(producer)?.n ?? 0;
    if (n <= last) return false;
    if (n !== last + 1) this.gaps += 1;
    this.known.set(producer, {n, seenLogicalMs: logicalMs});
    return true;
  }

  /** Gaps since this was asked last. */
  takeGaps(): number {
    const {gaps} = this;
    this.gaps = 0;
    return gaps;
  }

  /** PR2 */
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
