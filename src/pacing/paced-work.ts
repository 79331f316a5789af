// Background work in pieces, one after the other: a piece runs when it is woken, and again after a pause that the work chooses.
//   PW1. A wake during a piece is followed by another piece: its cause may have come too late for the first.

export class PacedWork {
  private readonly work: () => Promise<number | undefined>;
  private readonly isAllowed: () => boolean;
  private readonly onFailed: (error: Error) => void;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWanted = false;
  private isStopped = false;
  private readonly stopped: Promise<undefined>;
  private tellStopped: () => void = () => undefined;

  /** `work` returns the pause before the next piece, ms; undefined: the next piece waits for a wake. */
  constructor(work: () => Promise<number | undefined>, isAllowed: () => boolean, onFailed: (error: Error) => void) {
    this.work = work;
    this.isAllowed = isAllowed;
    this.onFailed = onFailed;
    this.stopped = new Promise((resolve) => {
      this.tellStopped = () => resolve(undefined);
    });
  }

  wake(): void {
    this.isWanted = true;
    if (this.running === undefined && this.timer === undefined) this.start(0);
  }

  private start(afterMs: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.isAllowed()) this.run();
    }, afterMs);
  }

  private run(): void {
    this.isWanted = false;
    this.running = this.work()
      .then((afterMs) => {
        this.running = undefined;
        if (afterMs !== undefined) this.start(afterMs);
        else if (this.isWanted) this.start(0);
      })
      .catch((error: unknown) => {
        this.running = undefined;
        this.onFailed(error as Error);
      });
  }

  /** The result; undefined once the work is stopped. */
  unlessStopped<T>(result: Promise<T>): Promise<T | undefined> {
    return Promise.race([result, this.stopped]);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.tellStopped();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.running;
  }
}
