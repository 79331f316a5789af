// How far the threads of this process that fold are behind what the log acked here. Without it an edge and its log would
// take more than can be folded for as long as somebody sends it: reports would come ever later, and live reads in vain.
//   Owns: what was acked here and is not folded yet. Does not own: who waits for it (edge/admission/intake.ts).
//   F1. Only a lag that is being worked off counts: not that of a partition which folded nothing of it for `standstillMs`. It
//       stands still, recovers, reads its log anew, or its thread is busy otherwise; writes need the log alone.
//   F2. However far it is behind, something is taken on, less than is folded meanwhile: a lag that grew while it did not
//       count holds up writes, and stops none.
//   F3. Sequences of one connection are of one log. The next connection starts without a lag: its log may have lost its tail.
//   F4. What is kept of each partition is bounded, also of one that never folds again.

import type {FoldingThread} from '../worker-messages.js';

/**
 * A third to half a second of folding on two cores that other programs use, too.
 * Pages of history beside saturated batches took 0.73 s at most, at 48 MiB 1.4 s, with as much stored; live reads have 2 s.
 */
export const foldLagBytesMax = 32 * 1024 * 1024;
/** F1. A cut of millions of users is over in less. */
export const standstillMs = 1_000;
/** F2. Of the bytes folded; what is taken on are bodies, which are half as long again as what the log has of them. */
const takenOnShare = 0.5;
const takenOnBytesMax = 1024 * 1024;
/** F4. Several seconds of messages; past that they are joined. */
const marksMax = 1_024;

/** Messages acked one after the other; their bytes are folded when the last one is. */
interface Mark {
  /** Modulo 2^32. */
  sequence: number;
  bytes: number;
}

interface PartitionLag {
  readonly partition: number;
  readonly thread: FoldingThread;
  readonly marks: Mark[];
  bytes: number;
  /** When some of it was folded, or it began. F1 */
  progressMs: number;
}

export class FoldLag {
  private readonly monotonicMs: () => number;
  /** By partition; undefined for those that another process folds. */
  private readonly byPartition: readonly (PartitionLag | undefined)[];
  private readonly byThread: readonly (readonly PartitionLag[])[];
  /** F2 */
  private takableBytes = 0;

  constructor(threads: readonly FoldingThread[], partitionCount: number, monotonicMs: () => number) {
    this.monotonicMs = monotonicMs;
    this.byThread = threads.map((thread) =>
      thread.partitions.map((partition) => ({partition, thread, marks: [], bytes: 0, progressMs: 0})),
    );
    const all = this.byThread.flat();
    this.byPartition = Array.from({length: partitionCount}, (_, number) =>
      all.find(({partition}) => partition === number),
    );
  }

  /** The log stored so many bytes at this sequence. */
  acked(partition: number, sequence: number, bytes: number): void {
    const lag = this.byPartition[partition];
    if (lag === undefined) return;
    const nowMs = this.monotonicMs();
    this.passFolded(lag, nowMs);
    if (lag.marks.length === 0) lag.progressMs = nowMs;
    lag.bytes += bytes;
    if (lag.marks.length < marksMax) {
      lag.marks.push({sequence: sequence | 0, bytes});
      return;
    }
    const last = lag.marks[marksMax - 1]!; // F4
    last.sequence = sequence | 0;
    last.bytes += bytes;
  }

  private passFolded(lag: PartitionLag, nowMs: number): void {
    const folded = Atomics.load(lag.thread.appliedSequences, lag.partition);
    const {marks} = lag;
    let [count, bytes] = [0, 0];
    while (count < marks.length && ((folded - marks[count]!.sequence) | 0) >= 0) bytes += marks[count++]!.bytes;
    if (count === 0) return;
    marks.splice(0, count);
    lag.bytes -= bytes;
    lag.progressMs = nowMs;
    this.takableBytes = Math.min(this.takableBytes + takenOnShare * bytes, takenOnBytesMax);
  }

  /** Log bytes that were acked here and are not folded yet, of the thread that is furthest behind. F1 */
  bytes(): number {
    const nowMs = this.monotonicMs();
    let most = 0;
    for (const lags of this.byThread) {
      let bytes = 0;
      for (const lag of lags) {
        this.passFolded(lag, nowMs);
        if (nowMs - lag.progressMs < standstillMs) bytes += lag.bytes;
      }
      most = Math.max(most, bytes);
    }
    return most;
  }

  /** Takes on a body of so many bytes; false: not before more is folded. */
  take(bytes: number): boolean {
    if (this.bytes() < foldLagBytesMax) return true;
    if (this.takableBytes <= 0) return false;
    this.takableBytes -= bytes; // F2
    return true;
  }

  /** F3 */
  startConnection(): void {
    for (const lag of this.byPartition) {
      if (lag === undefined) continue;
      lag.marks.length = 0;
      lag.bytes = 0;
    }
  }
}
