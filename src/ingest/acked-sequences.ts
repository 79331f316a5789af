// The newest sequence of each log that was acked to the edge of this process, in shared memory. If no other process writes
// events, a live read has to wait for that sequence alone, and need not ask nats-server.
//   A1. An ack is noted before its requests are answered: a client that got a 200 finds at least that sequence here.
//   A2. Sequences of one connection are of one log. With the next connection all are unknown again: the log may have lost its
//       tail (a power cut without sync). A later ack of a log covers the earlier ones.

/** Shared memory for a process: one element for each partition, and one for the connection. */
export const newAckedSequences = (partitionCount: number): BigInt64Array<SharedArrayBuffer> =>
  new BigInt64Array(new SharedArrayBuffer((partitionCount + 1) * BigInt64Array.BYTES_PER_ELEMENT));

const unknown = 0n; // Sequences begin with 1.

export class AckedSequences {
  private readonly numbers: BigInt64Array;
  private readonly connectionAt: number;

  /** `numbers`: from `newAckedSequences`, or a copy of these. */
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

  /** Incremented with every connection. */
  get connection(): bigint {
    return Atomics.load(this.numbers, this.connectionAt);
  }

  /** A copy for another thread. Only the thread that notes acks may call this: the numbers of a copy belong together. */
  copy(): BigInt64Array {
    return this.numbers.slice();
  }

  /** Undefined: nothing was acked over this connection. */
  newest(partition: number): number | undefined {
    const sequence = Atomics.load(this.numbers, partition);
    return sequence === unknown ? undefined : Number(sequence);
  }
}
