// How far the threads of this process have folded, for edges of other processes (ingest/fold-lag.ts, F6).
//   AR1. Nothing is told while nothing is folded.
//   AR2. A lost message makes a partition seem further behind until the next one. What is no message of a process that folds is ignored
//        as a whole. What a process tells of a partition that it does not own is ignored, too: it may have been paused.
import type {AppliedSequence} from '../ingest/fold-lag.js';
import {jsonOrUndefined} from '../json.js';
import type {FoldingThread} from '../worker-messages.js';

/** Several times within a second: edges take a partition that does not move for that long for one that stands still. */
export const appliedEveryMs = 250;

/** What one process tells: of each of its threads. */
interface AppliedReport {
  readonly member: string;
  readonly threads: readonly (readonly AppliedSequence[])[];
}

export class AppliedReporter {
  private told = '';

  constructor(
    private readonly threads: readonly Pick<FoldingThread, 'partitions' | 'appliedSequences'>[],
    private readonly member: () => string,
    private readonly publish: (message: string) => void,
  ) {}

  /** AR1 */
  tell(): void {
    const threads = this.threads.map(({partitions, appliedSequences}) =>
      partitions.map((partition): AppliedSequence => [partition, Atomics.load(appliedSequences, partition)]),
    );
    const message = JSON.stringify({member: this.member(), threads} satisfies AppliedReport);
    if (message === this.told) return;
    this.told = message;
    this.publish(message);
  }
}

/** Undefined: the message is none of a process that folds `partitionCount` partitions. AR2 */
export function appliedIn(message: string, partitionCount: number): AppliedReport | undefined {
  const {member, threads} = (jsonOrUndefined(message) ?? {}) as Partial<AppliedReport>;
  if (typeof member !== 'string' || !Array.isArray(threads)) return undefined;
  const isApplied = (one: unknown): boolean =>
    Array.isArray(one) &&
    one.length === 2 &&
    one.every(Number.isInteger) &&
    (one[0] as number) >= 0 &&
    (one[0] as number) < partitionCount;
  return threads.every((thread) => Array.isArray(thread) && thread.every(isApplied)) ? {member, threads} : undefined;
}
