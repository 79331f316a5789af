// Messages of one log that the edge of this process handed over (ingest/hand-over.ts), until they are folded.
//   HM1. In the order of their sequences, each once. Messages between them were appended by others, and are in the log alone.
//   HM2. Only messages of the newest connection are used. After `forget` that is the next one: messages of the one before may be
//        of another log than the one that comes back.

export interface ReceivedMessage {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** Bound of the messages that are folded one after the other before others get a turn of the event loop. */
const takenBytesMax = 2 * 1024 * 1024;

export class HandedMessages {
  private queue: ReceivedMessage[] = [];
  /** The newest connection that handed over, and whether its messages may be used. */
  private connection = 0;
  private isUsable = false;

  /** @returns whether this is a new connection: the log must be compared before its messages are folded. */
  accept(connection: number): boolean {
    if (connection <= this.connection) return false;
    this.queue = [];
    this.connection = connection;
    this.isUsable = true;
    return true;
  }

  add(connection: number, message: ReceivedMessage): void {
    const last = this.queue[this.queue.length - 1];
    const isNew = last === undefined || message.sequence > last.sequence; // A message may be acked twice.
    if (isNew && this.isUsable && connection === this.connection) this.queue.push(message);
  }

  /** Whether `due` is here. Drops what is before it. */
  has(due: number): boolean {
    const {queue} = this;
    let passed = 0;
    while (passed < queue.length && queue[passed]!.sequence < due) passed++;
    queue.splice(0, passed);
    return queue[0]?.sequence === due;
  }

  /** Messages from `due` on that follow each other; none when `due` is not here. */
  take(due: number): ReceivedMessage[] {
    if (!this.has(due)) return [];
    const {queue} = this;
    let [count, bytes] = [0, 0];
    while (count < queue.length && queue[count]!.sequence === due + count && bytes < takenBytesMax)
      bytes += queue[count++]!.bytes.length;
    return queue.splice(0, count);
  }

  get isEmpty(): boolean {
    return this.queue.length === 0;
  }

  /** HM2 */
  forget(): void {
    this.queue = [];
    this.isUsable = false;
  }
}
