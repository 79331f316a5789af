// What bodies may take of a turn of the event loop: past that the others wait for the next ones, so that small requests,
// reports and metrics have theirs between.
//   S1. A turn's share begins with the first that asks, and ends when the loop has gone on.
//   S2. What is begun is not interrupted: a turn takes at most the share and one body.
//   S3. Between two reads of the sockets bodies have one share at most. What must wait begins at the end of the next turn,
//       and goes on at the end of every turn from then on.

/** Some six batches of plain events. Turns without any cost some 20 us. */
export const turnShareMs = 2;

export interface TurnShareOptions {
  readonly monotonicMs: () => number;
  /** Calls back once, when all that this turn reads is read; asked for in such a call, at the end of the next turn (setImmediate). */
  readonly atTurnEnd: (call: () => void) => void;
}

export class TurnShare {
  private endMs: number | undefined;
  /** The sockets of this turn are read: the next end of a turn is that of another one. */
  private isAtEnd = false;

  constructor(private readonly options: TurnShareOptions) {}

  /** Whether another one may be begun in this turn. */
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

  /** Calls back once, at the end of the next turn: at the end of this one bodies might take a second share of it. S3 */
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
