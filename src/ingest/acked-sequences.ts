// The newest sequence of each log that was acked to the edge of this process, over shared memory. Where nobody else writes
// events, that is what a live read has to wait for, and nats-server need not be asked.
//   A1. An ack is noted before anybody is told of it: who was answered 200 finds at least that sequence here.
//   A2. Sequences of one connection are of one log. With the next connection all of them are unknown again: the log that
//       comes back may be shorter (a power cut without sync). A later ack of a log covers the earlier ones.

/** Shared memory for a process: an element a partition, and one for the connection. */
export const newAckedSequences = (partitionCount: number): BigInt64Array<SharedArrayBuffer> =>
  new BigInt64Array(new SharedArrayBuffer((partitionCount + 1) * BigInt64Array.BYTES_PER_ELEMENT));

const unknown = 0n; // Sequences begin with 1.

export class AckedSequences {
  private readonly numbers: BigInt64Array;
  private readonly connectionAt: number;

  /** `numbers`: of `newAckedSequences`, or a copy of these. */
  constructor(numbers: BigInt64Array) {
    this.numbers = numbers;
    this.connectionAt = numbers.length - 1;
  }

  /** A1 */
  acked(partition: number, sequence: number): void {
    Atomics.store(this.numbers, partition, BigInt(sequence));
  }

  /** A2 */
  startConnection(): void {
    Atomics.add(this.numbers, this.connectionAt, 1n);
    for (let partition = 0; partition < this.connectionAt; partition++) Atomics.store(this.numbers, partition, unknown);
  }

  /** Goes up with every connection. */
  get connection(): bigint {
    return Atomics.load(this.numbers, this.connectionAt);
  }

  /** What it says now, for a thread to know it later. The thread that notes acks calls this: its numbers go together. */
  copy(): BigInt64Array {
    return this.numbers.slice();
  }

  /** Undefined: nothing was acked over this connection. */
  newest(partition: number): number | undefined {
    const sequence = Atomics.load(this.numbers, partition);
    return sequence === unknown ? undefined : Number(sequence);
  }
}
