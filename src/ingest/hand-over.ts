// Hands messages that their logs acked to a thread of this process that folds them, so that nats-server need not send them back.
//   Owns:    acked messages that are not handed over yet.
//   Does not own: how many bytes a thread may be handed (fold-lag.ts), when it uses them (partition/log/handed-messages.ts).
//   HO1. Every message handed over was acked; those of a partition come in the order of their sequences. Not every acked message
//        is handed over: a log has all of them.
//   HO2. The sequences of one connection are of one log. Its number goes up when the log that comes back may be another one (a
//        power cut without sync), and the thread is told before it gets anything of that one.

/** A message as its log has it. */
export interface AckedMessage {
  readonly partition: number;
  readonly sequence: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** To a folding thread; the messages of a partition in the order of their sequences. */
export interface AckedParcel {
  readonly kind: 'acked';
  /** Number of the connection over which they were acked; those of different ones may be of different logs. */
  readonly connection: number;
  readonly messages: readonly AckedMessage[];
}

/** A thread is woken for many messages: it folds them while its code and columns are in the caches of its core. */
const gatherMs = 50;
const gatherBytesMax = 512 * 1024;

export class HandOver {
  private readonly post: (parcel: AckedParcel) => void;
  private messages: AckedMessage[] = [];
  private bytes = 0;
  private connection = 1;
  private timer: NodeJS.Timeout | undefined;

  constructor(post: (parcel: AckedParcel) => void) {
    this.post = post;
  }

  /** Copies the bytes. */
  add(partition: number, sequence: number, bytes: Uint8Array): void {
    this.messages.push({partition, sequence, bytes: new Uint8Array(bytes)});
    this.bytes += bytes.length;
    if (this.bytes >= gatherBytesMax) this.now();
    else this.timer ??= setTimeout(this.now, gatherMs);
  }

  /** Hands over what was gathered: a caller waits for its fold. */
  readonly now = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.messages.length > 0) this.send();
  };

  /** HO2 */
  startConnection(): void {
    this.now();
    this.connection += 1;
    this.send();
  }

  private send(): void {
    const {connection, messages} = this;
    this.messages = [];
    this.bytes = 0;
    this.post({kind: 'acked', connection, messages});
  }
}
