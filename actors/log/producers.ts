// Producers of the log: each edge process numbers its messages from 1 on.
//   PR1. A message whose number is not above its producer's last one is a copy: it is skipped.
//   PR2. A producer is remembered for as long as the log may still hold a message from it.
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import {producerMs} from '../limits.js';

/** Tick periods: a snapshot truncates the log at the second tick after a message, at the earliest. PR2 */
const periodsKept = 3;

/** Last number of each producer, and the logical time at which it was seen. */
export type ProducersState = readonly (readonly [id: string, n: number, seenLogicalMs: number])[];

export class Producers implements Actor<{readonly producer: string; readonly n: number}> {
  readonly name = 'producers';
  private readonly known = new Map<string, {n: number; seenLogicalMs: number}>();
  private gaps = 0;

  /** Whether the message is new. A new message that skips numbers counts as a gap. PR1 */
  apply({producer, n}: {readonly producer: string; readonly n: number}, logicalMs: number): boolean {
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

  freeze(): FrozenPart[] {
    const state: ProducersState = Array.from(this.known, ([id, {n, seenLogicalMs}]) => [id, n, seenLogicalMs]);
    return [jsonPart(this.name, state)];
  }

  restore(_name: string, _block: number, payload: Payload): void {
    for (const [id, n, seenLogicalMs] of jsonOf<ProducersState>(payload)) this.known.set(id, {n, seenLogicalMs});
  }
}
