// How far those who fold are behind what the log acked here: threads of this process, and those of other processes as they tell. Without
// it an edge and its log would take more than the threads can fold for as long as a client sends it: reports would become ever older,
// and live reads fail.
//   Owns: the bytes acked here and not folded yet, and which messages are handed over to be folded.
//   Does not own: which bodies wait for them (edge/admission/intake.ts).
//   F1. Only a lag that shrinks counts: not that of a partition that folded none of it for `noProgressMs`. Such a partition has
//       halted, recovers, rereads its log, or its thread is busy otherwise; writes need the log alone.
//   F2. Some bodies are taken at any lag, fewer than are folded in the meantime: a lag that grew while it did not count slows
//       writes and stops none.
//   F3. Sequences of one connection are of one log. The next connection starts without a lag: its log may have lost its tail.
//   F4. The records of each partition, and the messages that its thread was handed and did not fold, are bounded, also of one
//       that never folds again. Messages beyond that are in the log.
//   F5. A partition may move to another thread, or process. What was acked before has no lag there. A thread of this process counts
//       before another process, which may have died and say nothing more.
//   F6. Another process tells several times within `noProgressMs` how far it is. One that tells nothing makes no progress (F1), and one
//       that is further back than before reads its log again: what was acked before has no lag there, either.

import {must} from '../../actors/invariant.js';
import {logMessageBytesMax} from '../../actors/limits.js';
import type {FoldingThread} from '../worker-messages.js';

/**
 * A third to half a second of folding on two cores that other programs use, too.
 * Pages of history during saturated batches took at most 0.73 s, and at 48 MiB 1.4 s; live reads have 2 s.
 */
export const foldLagBytesMax = 32 * 1024 * 1024;
/** A cut of millions of users takes less. F1 */
export const noProgressMs = 1_000;
/** Share of the folded bytes. Bodies count, which are half as long again as their entries. F2 */
const takenOnShare = 0.5;
const takenOnBytesMax = 1024 * 1024;
/** Several seconds of messages; further ones are joined. F4 */
const marksMax = 1_024;

/** Messages acked one after the other; their bytes count as folded when the last one is. */
interface Mark {
  /** Modulo 2^32. */
  sequence: number;
  bytes: number;
}

/** Who folds partitions: a thread of this process, or of another one. */
type Folder = Pick<FoldingThread, 'partitions' | 'appliedSequences'> & Partial<Pick<FoldingThread, 'handOver'>>;

/** A thread of another process. */
interface DistantFolder extends Folder {
  partitions: number[];
}

/** A partition and the last sequence of its log that a thread has folded, modulo 2^32. */
export type AppliedSequence = readonly [partition: number, sequence: number];

interface PartitionLag {
  readonly partition: number;
  /** Undefined: nobody is known to fold it. F5 */
  folder: Folder | undefined;
  readonly marks: Mark[];
  bytes: number;
  /** Time at which some of the lag was folded last, or at which it began. F1 */
  progressMs: number;
}

export class FoldLag {
  private readonly monotonicMs: () => number;
  private readonly threads: readonly FoldingThread[];
  private readonly distant = new Map<string, DistantFolder>();
  private readonly byPartition: readonly PartitionLag[];
  /** Bytes that may be taken at any lag. F2 */
  private takableBytes = 0;

  constructor(threads: readonly FoldingThread[], partitionCount: number, monotonicMs: () => number) {
    this.monotonicMs = monotonicMs;
    this.threads = threads;
    this.byPartition = Array.from({length: partitionCount}, (_, partition): PartitionLag => {
      return {partition, folder: undefined, marks: [], bytes: 0, progressMs: 0};
    });
  }

  /** Another process tells how far its threads are. `isOwner`: whether it owns the partition now. F6 */
  told(
    process: string,
    threads: readonly (readonly AppliedSequence[])[],
    isOwner: (partition: number) => boolean,
  ): void {
    for (const [at, applied] of threads.entries()) {
      const others = applied.filter(([partition]) => isOwner(partition) && !this.isFoldedHere(partition));
      this.toldOf(`${process} ${at}`, others);
    }
    for (const [name, {partitions}] of this.distant) if (partitions.length === 0) this.distant.delete(name);
  }

  private isFoldedHere(partition: number): boolean {
    return this.threads.some(({partitions}) => partitions.includes(partition));
  }

  private toldOf(name: string, applied: readonly AppliedSequence[]): void {
    const folder = this.distant.get(name) ?? {
      partitions: [],
      appliedSequences: new Int32Array(this.byPartition.length),
    };
    for (const [partition, sequence] of applied) {
      for (const other of this.distant.values())
        if (other !== folder) other.partitions = other.partitions.filter((one) => one !== partition);
      if (((sequence - folder.appliedSequences[partition]!) | 0) < 0) clear(this.byPartition[partition]!);
      folder.appliedSequences[partition] = sequence;
    }
    folder.partitions = applied.map(([partition]) => partition);
    this.distant.set(name, folder);
  }

  /** Undefined when nobody is known to fold the partition. F5 */
  private lagOf(partition: number): PartitionLag | undefined {
    const lag = this.byPartition[partition]!;
    const {folder} = lag;
    const isDistant = folder?.handOver === undefined;
    if (folder?.partitions.includes(partition) && !(isDistant && this.isFoldedHere(partition))) return lag;
    lag.folder = this.folders.find(({partitions}) => partitions.includes(partition));
    clear(lag);
    return lag.folder && lag;
  }

  private get folders(): readonly Folder[] {
    return this.distant.size === 0 ? this.threads : [...this.threads, ...this.distant.values()];
  }

  /** The log stored the message at `sequence`. Copies its bytes. */
  acked(partition: number, sequence: number, message: Uint8Array): void {
    const lag = this.lagOf(partition);
    if (lag === undefined) return;
    this.count(lag, sequence, message.length);
    const {handOver, partitions} = must(lag.folder, 'somebody folds it');
    if (handOver === undefined) return;
    const bytesMax = Math.max(foldLagBytesMax / partitions.length, logMessageBytesMax); // F4: one message always has room.
    if (lag.bytes <= bytesMax) handOver.add(partition, sequence, message);
  }

  private count(lag: PartitionLag, sequence: number, bytes: number): void {
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
    const folded = Atomics.load(must(lag.folder, 'somebody folds it').appliedSequences, lag.partition);
    const {marks} = lag;
    let [count, bytes] = [0, 0];
    while (count < marks.length && ((folded - marks[count]!.sequence) | 0) >= 0) bytes += marks[count++]!.bytes;
    if (count === 0) return;
    marks.splice(0, count);
    lag.bytes -= bytes;
    lag.progressMs = nowMs;
    this.takableBytes = Math.min(this.takableBytes + takenOnShare * bytes, takenOnBytesMax);
  }

  /** Log bytes acked here and not folded yet, of the thread that is furthest behind, here or elsewhere. F1 */
  bytes(): number {
    const nowMs = this.monotonicMs();
    let most = 0;
    for (const folder of this.folders) {
      let bytes = 0;
      for (const partition of folder.partitions) {
        const lag = must(this.lagOf(partition), 'the thread folds it');
        if (lag.folder !== folder) continue; // F5
        this.passFolded(lag, nowMs);
        if (nowMs - lag.progressMs < noProgressMs) bytes += lag.bytes;
      }
      most = Math.max(most, bytes);
    }
    return most;
  }

  /** Takes a body of `bytes`; false: more must be folded first. */
  take(bytes: number): boolean {
    if (this.bytes() < foldLagBytesMax) return true;
    if (this.takableBytes <= 0) return false;
    this.takableBytes -= bytes; // F2
    return true;
  }

  /** The log may be another one: starts without a lag. F3 */
  startConnection(): void {
    for (const {handOver} of this.threads) handOver.startConnection();
    for (const lag of this.byPartition) clear(lag);
  }
}

function clear(lag: PartitionLag): void {
  lag.marks.length = 0;
  lag.bytes = 0;
}
