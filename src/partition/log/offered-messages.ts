// Messages of one log that it acked for the edge of this process, which hands them over: whoever folds them need not have
// nats-server send them back.
//   O1. In order of their sequences, each once. What is missing between them was appended by others, and is in the log alone.
//   O2. Each is released once: when it is taken, or as soon as it is of no use. That bounds what waits here (hand-over.ts).

import type {LogMessage} from './log-reader.js';

export interface OfferedMessage extends LogMessage {
  /** Told when it is taken, or of no use. */
  readonly release: (bytes: number) => void;
}

export class OfferedMessages {
  private queue: OfferedMessage[] = [];

  add(message: OfferedMessage): void {
    const last = this.queue[this.queue.length - 1];
    // An ack that came twice: the second one says nothing new.
    if (last !== undefined && message.sequence <= last.sequence) release(message);
    else this.queue.push(message);
  }

  /** Sequence of the first one at or after `due`; what stands before is of no use any more. */
  first(due: number): number | undefined {
    let passed = 0;
    while (passed < this.queue.length && this.queue[passed].sequence < due) release(this.queue[passed++]);
    if (passed > 0) this.queue.splice(0, passed);
    return this.queue[0]?.sequence;
  }

  /** Sequence of the newest one. */
  get last(): number | undefined {
    return this.queue[this.queue.length - 1]?.sequence;
  }

  /** Those from `due` on that follow each other, of about `bytesMax` at most; none when `due` itself is not here. */
  take(due: number, bytesMax: number): LogMessage[] {
    this.first(due);
    let [count, bytes] = [0, 0];
    while (count < this.queue.length && this.queue[count].sequence === due + count && bytes < bytesMax) {
      bytes += this.queue[count++].bytes.length;
    }
    const taken = this.queue.splice(0, count);
    for (const message of taken) release(message);
    return taken;
  }

  clear(): void {
    for (const message of this.queue.splice(0)) release(message);
  }
}

function release({release, bytes}: OfferedMessage): void {
  release(bytes.length);
}
