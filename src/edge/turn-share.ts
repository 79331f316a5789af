// What bodies may take of a turn of the event loop: past that the others wait for the next ones, so that small requests,
// reports and metrics have theirs between.
//   S1. A turn's share begins with the first that asks, and ends when the loop has gone on.
//   S2. What is begun is not interrupted: a turn takes at most the share and one body.

/** Ten batches of plain events. Turns without any cost some 20 us. */
export const turnShareMs = 3;

export interface TurnShareOptions {
  readonly monotonicMs: () => number;
  /** Calls back once, when all that this turn reads is read (setImmediate). */
  readonly atTurnEnd: (call: () => void) => void;
}

export class TurnShare {
  private endMs: number | undefined;

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

  /** Calls back once, in a turn that has its share: at the end of this one bodies would take a second share of it. */
  next(call: () => void): void {
    const {atTurnEnd} = this.options;
    atTurnEnd(() => atTurnEnd(call));
  }
}
