// A semaphore: a number of pieces of work run at once, the others in the order in which they came. Background work waits until it is
// idle.
//   SM1. A slot that is freed goes to the caller that waits longest, in constant time: 100,000 may wait.
import {ConditionVariable} from './condition-variable.js';
import {Fifo} from './fifo.js';

export class Semaphore {
  private readonly slots: number;
  private taken = 0;
  /** Hands a slot to each caller that waits. SM1 */
  private readonly waiting = new Fifo<() => void>();
  private readonly emptied = new ConditionVariable();

  constructor(slots: number) {
    this.slots = slots;
  }

  /** Runs the work in a slot. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.tryTake()) await this.take();
    try {
      return await work();
    } finally {
      this.free();
    }
  }

  /** Takes a slot, to be given back by `free`. False: the caller had none within `waitMs`. */
  take(waitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.tryTake()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const entry = this.waiting.add(() => {
        clearTimeout(timer);
        resolve(true);
      });
      const giveUp = (): void => {
        this.waiting.remove(entry);
        resolve(false);
      };
      const timer = waitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(giveUp, waitMs);
    });
  }

  /** SM1 */
  free(): void {
    const handOn = this.waiting.shift();
    if (handOn !== undefined) {
      handOn();
      return;
    }
    this.taken -= 1;
    this.emptied.notify();
  }

  /** Whether no slot was taken at some moment within `waitMs`. The bound lets background work continue on a busy thread. */
  idle(waitMs: number): Promise<boolean> {
    return this.emptied.until(() => this.taken === 0, waitMs);
  }

  private tryTake(): boolean {
    if (this.taken === this.slots) return false;
    this.taken += 1;
    return true;
  }
}
