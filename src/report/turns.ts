// How many reports are computed at once, and how many may wait for their turn; work that nobody waits for comes between.

/** More waiting askers than there is room for: the answer is 503, and nothing was done. */
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

  /** Does the work when its turn comes; first come, first served. @throws Overload */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.atOnceMax) this.taken += 1;
    else await this.wait();
    try {
      return await work();
    } finally {
      this.passOn();
    }
  }

  get isIdle(): boolean {
    return this.taken === 0;
  }

  /** Resolves when nobody is at work, or after `waitMsMax`: where somebody always is, the others go on slowly. */
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

  /** The turn goes to whoever waits longest: nobody who comes meanwhile overtakes. */
  private passOn(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.taken -= 1;
    else next();
    if (this.taken === 0) for (const goOn of this.forQuiet) goOn();
  }
}

/** Work that nobody waits for: one at a time, and begun when nobody is at work, or after `waitMsMax`. */
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
