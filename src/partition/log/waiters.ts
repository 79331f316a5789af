// Those who wait for a number to be reached: a sequence to be applied, a position to be published.

interface Waiter {
  readonly sequence: number;
  readonly resolve: (reached: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

export class Waiters {
  private readonly waiters = new Set<Waiter>();
  private reached: number;

  constructor(reached: number) {
    this.reached = reached;
  }

  /** Whether `sequence` was reached before the deadline. */
  wait(sequence: number, waitMs: number): Promise<boolean> {
    if (this.reached >= sequence) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        sequence,
        resolve,
        timer: setTimeout(() => this.finish(waiter, false), waitMs),
      };
      this.waiters.add(waiter);
    });
  }

  advance(sequence: number): void {
    this.reached = sequence;
    if (this.waiters.size === 0) return;
    for (const waiter of [...this.waiters]) if (waiter.sequence <= sequence) this.finish(waiter, true);
  }

  /** Sequences start anew: those who wait go on waiting, for the new ones. */
  reset(): void {
    this.reached = 0;
  }

  private finish(waiter: Waiter, reached: boolean): void {
    clearTimeout(waiter.timer);
    this.waiters.delete(waiter);
    waiter.resolve(reached);
  }
}
