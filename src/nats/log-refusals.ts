// Answers of the log instead of an ack: it refuses, or there is no such stream. Silence is not one of them.
//   LR1. The process log has a line when a refusal begins, one for all partitions with the same, and one when it ends.
//   LR2. A refusal holds until the same log takes a message, or for `keptMs` after the last one: only another attempt can find
//        its end, and a balancer that asks /readyz may send nothing before that is ready.
import type {Logger} from '../observe.js';
import {logStream} from './topology.js';

/** Time for which a refusal holds. LR2 */
export const keptMs = 30_000;
/** Time between two looks for the stream: a message without an answer is sent ten times a second. */
const lookEveryMs = 1_000;

interface LogRefusalsOptions {
  /** Whether this partition's stream exists; undefined: unknown. */
  readonly isStreamThere: (partition: number) => Promise<boolean | undefined>;
  readonly monotonicMs: () => number;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

export class LogRefusals {
  private readonly options: LogRefusalsOptions;
  /** Refusal per partition, and when it was noticed. */
  private readonly standing = new Map<number, {readonly reason: string; readonly atMs: number}>();
  private readonly lookedMs = new Map<number, number>();

  constructor(options: LogRefusalsOptions) {
    this.options = options;
  }

  /** Reasons for `/readyz`, each once. */
  reasons(): string[] {
    this.dropOld();
    return [...new Set([...this.standing.values()].map(({reason}) => reason))];
  }

  /** `words`: NATS's own. */
  refused(partition: number, words: string): void {
    this.note(partition, `the log refuses events: ${words}`);
  }

  /** Notes that no server took the message: the stream is missing, or has no leader now. */
  unheard(partition: number): void {
    const nowMs = this.options.monotonicMs();
    if (nowMs - (this.lookedMs.get(partition) ?? Number.NEGATIVE_INFINITY) < lookEveryMs) return;
    this.lookedMs.set(partition, nowMs);
    void this.look(partition);
  }

  /** Notes that the log took a message. Called for every ack. */
  stored(partition: number): void {
    if (this.standing.size === 0 || !this.standing.delete(partition)) return;
    if (this.standing.size === 0) this.options.logger.warn('the log accepts events again'); // LR1
  }

  private async look(partition: number): Promise<void> {
    if ((await this.options.isStreamThere(partition)) === false) {
      this.note(partition, `stream ${logStream(partition)} does not exist`);
    }
  }

  private note(partition: number, reason: string): void {
    const isKnown = this.reasons().includes(reason);
    this.standing.set(partition, {reason, atMs: this.options.monotonicMs()});
    if (!isKnown) this.options.logger.error({partition, reason}, 'events are not stored');
  }

  private dropOld(): void {
    const endMs = this.options.monotonicMs() - keptMs;
    for (const [partition, {atMs}] of this.standing) if (atMs <= endMs) this.standing.delete(partition);
  }
}
