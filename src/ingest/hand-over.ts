// What the log acked goes on to the thread of this process that folds it, so that nats-server need not send it back: the
// same bytes, known by partition and sequence. Whatever does not come this way is read from the log, which has everything.
//   Owns: what was acked and is not handed over yet. Does not own: what follows from it (partition/log/acked-intake.ts).
//   H1. Handed over is what the log acked, in the order of the acks, and nothing else.
//   H2. Acks of one connection number speak of one log. The number goes up when the connection was lost, as the log that
//       comes back may be another one (a power cut without sync), and it is told at once, before anything of the new one.
//   H3. What a thread was handed and has not released is bounded; past that its log has the rest. Every partition has room
//       for a message of any size: a share that the largest never fit would make each of them a gap to ask the log for.

import {logMessageBytesMax} from '../../actors/limits.js';
import type {AckedMessage, FoldingThread} from '../worker-messages.js';
import type {FoldLag} from './fold-lag.js';

/** H3, for all partitions together: about half a million events. More from 68 partitions on: of each a largest message. */
export const handedBytesMax = 64 * 1024 * 1024;
/**
 * Acked messages wait so long for others, or until they are this many bytes: a thread is woken for many, and folds them
 * while code and columns are in its core's caches. Who waits for one of them has it at once (`now`).
 */
const gatherMs = 50;
const gatherBytesMax = 512 * 1024;

export class HandOver {
  private readonly threads: readonly FoldingThread[];
  private readonly lag: FoldLag;
  private readonly partitionBytesMax: number;
  /** By partition; undefined for those that another process folds. */
  private readonly byPartition: (FoldingThread | undefined)[];
  private readonly gathered = new Map<FoldingThread, AckedMessage[]>();
  private gatheredBytes = 0;
  /** Handed over since the start, by partition; modulo 2^32, as is what was released. */
  private readonly handedBytes: Int32Array;
  private connection = 1;
  private timer: NodeJS.Timeout | undefined;

  /** `lag` is told what was acked, handed over or not. */
  constructor(threads: readonly FoldingThread[], partitionCount: number, lag: FoldLag) {
    this.threads = threads;
    this.lag = lag;
    this.partitionBytesMax = Math.max(logMessageBytesMax, Math.floor(handedBytesMax / partitionCount)); // H3
    this.byPartition = Array.from({length: partitionCount}, (_, partition) =>
      threads.find(({partitions}) => partitions.includes(partition)),
    );
    this.handedBytes = new Int32Array(partitionCount);
  }

  /** The log stored these bytes at this sequence. Copies them. */
  stored(partition: number, sequence: number, bytes: Uint8Array): void {
    this.lag.acked(partition, sequence, bytes.length);
    const thread = this.byPartition[partition];
    if (thread === undefined || !this.hasRoom(thread, partition, bytes.length)) return;
    this.handedBytes[partition]! += bytes.length;
    const messages = this.gathered.get(thread);
    const message = {partition, sequence, bytes: new Uint8Array(bytes)};
    if (messages === undefined) this.gathered.set(thread, [message]);
    else messages.push(message);
    this.gatheredBytes += bytes.length;
    if (this.gatheredBytes >= gatherBytesMax) this.now();
    else this.timer ??= setTimeout(this.now, gatherMs);
  }

  /** H3 */
  private hasRoom({releasedBytes}: FoldingThread, partition: number, length: number): boolean {
    const held = (this.handedBytes[partition]! - Atomics.load(releasedBytes, partition)) | 0;
    return held + length <= this.partitionBytesMax;
  }

  /** What was acked goes on without waiting for more: somebody waits for its fold. */
  readonly now = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.gatheredBytes = 0;
    for (const [thread, messages] of this.gathered) {
      thread.take({kind: 'acked', connection: this.connection, messages});
    }
    this.gathered.clear();
  };

  /** The connection to the log is another one, or was seen to live after somebody had lost theirs. H2 */
  startConnection(): void {
    this.now();
    this.connection += 1;
    this.lag.startConnection();
    for (const thread of this.threads) thread.take({kind: 'acked', connection: this.connection, messages: []});
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
