// What the log says instead of taking a message: that it refuses, or that there is no such stream. Silence is none of it.
//   LR1. It is said in the process log once when it begins, for all partitions that hear the same, and once when it is over.
//   LR2. It stands until the same log takes a message, or for `keptMs` after the last refusal: somebody must try again to
//        find out, and whoever asks /readyz may send nothing before it is ready.
import type {Logger} from '../observe.js';
import {logStream} from './topology.js';

/** LR2 */
export const keptMs = 30_000;
/** While nobody answers, a message is sent ten times a second. */
const lookEveryMs = 1_000;

interface LogRefusalsOptions {
  /** Of this partition's stream; undefined: nothing is known. */
  readonly isStreamThere: (partition: number) => Promise<boolean | undefined>;
  readonly monotonicMs: () => number;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

export class LogRefusals {
  private readonly options: LogRefusalsOptions;
  /** By partition. */
  private readonly standing = new Map<number, {readonly reason: string; readonly atMs: number}>();
  private readonly lookedMs = new Map<number, number>();

  constructor(options: LogRefusalsOptions) {
    this.options = options;
  }

  /** For `/readyz`, each once. */
  reasons(): string[] {
    this.dropOld();
    return [...new Set([...this.standing.values()].map(({reason}) => reason))];
  }

  /** In NATS's own words. */
  refused(partition: number, words: string): void {
    this.note(partition, `the log refuses events: ${words}`);
  }

  /** Nobody took the message: the stream is not there, or has no leader now. */
  unheard(partition: number): void {
    const nowMs = this.options.monotonicMs();
    if (nowMs - (this.lookedMs.get(partition) ?? Number.NEGATIVE_INFINITY) < lookEveryMs) return;
    this.lookedMs.set(partition, nowMs);
    void this.look(partition);
  }

  /** Hot: an ack a message. */
  stored(partition: number): void {
    if (this.standing.size === 0 || !this.standing.delete(partition)) return;
    if (this.standing.size === 0) this.options.logger.warn('the log takes events again'); // LR1
  }

  private async look(partition: number): Promise<void> {
    if ((await this.options.isStreamThere(partition)) === false) {
      this.note(partition, `stream ${logStream(partition)} is not there`);
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
