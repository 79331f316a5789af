// The share of bodies in a turn of the event loop: bodies beyond it wait for later turns, so that small requests, reports and
// metrics run between them.
//   S1. The share of a turn starts with its first body, and ends when the loop has moved on.
//   S2. A body that has begun is not interrupted: a turn takes at most the share and one body.
//   S3. Between two reads of the sockets bodies have at most one share. A body that must wait begins at the end of the next
//       turn, and the others follow at the end of every turn.

/** Some six batches of plain events. A turn without bodies costs some 20 us. */
export const turnShareMs = 2;

interface TurnShareOptions {
  readonly monotonicMs: () => number;
  /** Calls back once this turn has read the sockets; a call from inside a callback runs at the end of the next turn. */
  readonly atTurnEnd: (call: () => void) => void;
}

export class TurnShare {
  private endMs: number | undefined;
  /** The sockets of this turn have been read: the next end of a turn is that of another turn. */
  private isAtEnd = false;

  constructor(private readonly options: TurnShareOptions) {}

  /** Whether another body may begin in this turn. */
  hasTime(): boolean {
    const nowMs = this.options.monotonicMs();
    if (this.endMs === undefined) {
      this.endMs = nowMs + turnShareMs; // S1
      this.options.atTurnEnd(this.close);
    }
    return nowMs < this.endMs;
  }

  private readonly close = (): void => {
    this.endMs = undefined;
  };

  /** Calls back once at the end of the next turn: at the end of this one bodies might take a second share. S3 */
  next(call: () => void): void {
    const {atTurnEnd} = this.options;
    const atEnd = (): void => this.atEnd(call);
    if (this.isAtEnd) atTurnEnd(atEnd);
    else atTurnEnd(() => atTurnEnd(atEnd));
  }

  private atEnd(call: () => void): void {
    this.isAtEnd = true;
    try {
      call();
    } finally {
      this.isAtEnd = false;
    }
  }
}
