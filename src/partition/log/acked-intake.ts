// What the edge of this process hands over to a thread that folds: messages that their logs acked (ingest/hand-over.ts).
//   A1. Messages of a new connection number are used only after the partitions compared their positions with the log as it
//       is now: what was folded before may not be in it any more, and then sequences mean something else.
//   A2. Once the thread lost its own connection, nothing that was acked before is used: the log may come back without it.
//       The edge is asked for a new number, which it gives as soon as its own connection is seen to live.
//   A3. Every message is released, used or not.

import type {AckedMessage, AckedParcel} from '../../worker-messages.js';
import type {OfferedMessage} from './offered-messages.js';

/** A partition of this thread, as the intake sees it. */
export interface OfferedPartition {
  offer(message: OfferedMessage): void;
  forgetOffered(): void;
  /** The log may be another one: compares before it folds on. */
  compareLog(): void;
}

export class AckedIntake {
  private readonly partitions: ReadonlyMap<number, OfferedPartition>;
  /** Bytes released since the start, by partition; the edge looks at it. */
  private readonly releasedBytes: Int32Array;
  private readonly askAnew: () => void;
  /** Highest connection number that came. */
  private newest = 0;
  /** The one whose messages are used; 0: none. */
  private accepted = 0;

  constructor(partitions: ReadonlyMap<number, OfferedPartition>, releasedBytes: Int32Array, askAnew: () => void) {
    this.partitions = partitions;
    this.releasedBytes = releasedBytes;
    this.askAnew = askAnew;
  }

  take({connection, messages}: AckedParcel): void {
    if (connection > this.newest) this.accept(connection);
    const isUsed = connection === this.accepted;
    for (const message of messages) {
      const release = this.releaseOf(message);
      if (isUsed) this.partitions.get(message.partition)?.offer({...message, release});
      else release(message.bytes.length);
    }
  }

  /** A1 */
  private accept(connection: number): void {
    this.newest = this.accepted = connection;
    for (const partition of this.partitions.values()) {
      partition.forgetOffered();
      partition.compareLog();
    }
  }

  /** A3 */
  private releaseOf({partition}: AckedMessage): (bytes: number) => void {
    return (bytes) => void Atomics.add(this.releasedBytes, partition, bytes);
  }

  /** A2 */
  logDisconnected(): void {
    this.accepted = 0;
    for (const partition of this.partitions.values()) partition.forgetOffered();
    this.askAnew();
  }
}
