// The generation of each partition's log as this edge knows it: positions of writes have it.
//   A log that lost its newest messages gives their sequences again, in a new generation. The partition's owner decides that by
//   comparing what it folded with the log.
//   LG1. A generation is known once the owner confirmed it after this edge's connection to the logs began: an earlier answer may
//        be about a log that was replaced.
//   LG2. A generation is doubted, and the owner asked again, when the connection to the logs returns, when a log acks a sequence
//        that it had reached before, and when an owner that compared its log names another generation.
//   LG3. No write waits for a generation: until it is known, writes are answered without a position.
import {InvariantError} from '../../../actors/invariant.js';

interface LogGenerationsOptions {
  readonly partitionCount: number;
  /** Resolves to the generation that the owner of the partition confirms now; rejects when it cannot. */
  readonly ask: (partition: number) => Promise<number>;
  readonly soon: (call: () => void) => void;
}

const unknown = 0; // Generations begin with 1.

export class LogGenerations {
  private readonly options: LogGenerationsOptions;
  private readonly generations: Int32Array;
  /** Newest acked sequence of each log over this connection. */
  private readonly sequences: Float64Array;
  /** Number of doubts about each generation: an answer to a question from before the last doubt is outdated. LG1 */
  private readonly doubts: Int32Array;
  private readonly isAsking: Uint8Array;
  private isStopped = false;

  constructor(options: LogGenerationsOptions) {
    const {partitionCount} = options;
    this.options = options;
    this.generations = new Int32Array(partitionCount);
    this.sequences = new Float64Array(partitionCount);
    this.doubts = new Int32Array(partitionCount);
    this.isAsking = new Uint8Array(partitionCount);
  }

  /** Generation of a sequence that the log has just acked; 0 when it is unknown. */
  ofAck(partition: number, sequence: number): number {
    if (sequence <= this.sequences[partition]!) this.doubt(partition); // LG2
    this.sequences[partition] = sequence;
    return this.generations[partition]!;
  }

  /** A connection to the logs begins. LG2 */
  startConnection(): void {
    this.sequences.fill(0);
    for (let partition = 0; partition < this.doubts.length; partition++) this.doubt(partition);
  }

  /** The owner of the partition compared its log. LG2 */
  compared(partition: number, generation: number): void {
    if (this.generations[partition] !== generation) this.doubt(partition);
  }

  isKnown(partition: number): boolean {
    return this.generations[partition] !== unknown;
  }

  private doubt(partition: number): void {
    this.generations[partition] = unknown;
    this.doubts[partition]! += 1;
    void this.ask(partition);
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Asks until an answer is newer than the last doubt. */
  private async ask(partition: number): Promise<void> {
    if (this.isAsking[partition] === 1 || this.isStopped) return;
    this.isAsking[partition] = 1;
    const doubts = this.doubts[partition];
    const generation = await this.options.ask(partition).catch((error: unknown) => {
      if (error instanceof InvariantError) throw error;
      return unknown;
    });
    this.isAsking[partition] = 0;
    if (doubts !== this.doubts[partition]) void this.ask(partition);
    else if (generation === unknown) this.options.soon(() => void this.ask(partition));
    else this.generations[partition] = generation;
  }
}
