// A semaphore for reports: how many are computed at once, and how many may wait. Background work runs while it is idle.

/** Too many callers wait already: the answer is 503, and nothing was done. */
export class Overload extends Error {
  override name = 'Overload';
}

export class Turns {
  private readonly atOnceMax: number;
  private readonly waitingMax: number;
  private taken = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly forQuiet = new Set<() => void>();

  constructor(atOnceMax: number, waitingMax: number) {
    this.atOnceMax = atOnceMax;
    this.waitingMax = waitingMax;
  }

  /** Runs the work when its turn comes, in order of arrival. @throws Overload */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.atOnceMax) this.taken += 1;
    else await this.wait();
    try {
      return await work();
    } finally {
      this.passOn();
    }
  }

  /** Resolves when no report runs, or after `waitMsMax`, so that background work proceeds slowly on a busy thread. */
  quiet(waitMsMax: number): Promise<void> {
    if (this.taken === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const goOn = (): void => {
        clearTimeout(timer);
        this.forQuiet.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, waitMsMax);
      this.forQuiet.add(goOn);
    });
  }

  private async wait(): Promise<void> {
    if (this.waiting.length === this.waitingMax) throw new Overload(`${this.waitingMax} reports wait already`);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Gives the turn to the caller that has waited longest. */
  private passOn(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.taken -= 1;
    else next();
    if (this.taken === 0) for (const goOn of this.forQuiet) goOn();
  }
}

/** Background work: one at a time, begun when no report runs, or after `waitMsMax`. */
export class QuietTurns extends Turns {
  private readonly others: Turns;
  private readonly beginWaitMsMax: number;

  constructor(others: Turns, waitMsMax: number) {
    super(1, Number.POSITIVE_INFINITY);
    this.others = others;
    this.beginWaitMsMax = waitMsMax;
  }

  override take<T>(work: () => Promise<T>): Promise<T> {
    return super.take(async () => {
      await this.others.quiet(this.beginWaitMsMax);
      return work();
    });
  }
}
