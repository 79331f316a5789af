// Pages of history that read much of the store. Each part costs this thread half a millisecond and nats-server up to two, and a
// rare event may take thousands: whoever asks for it must not keep the thread from folding, nor from pages that read little.
//   L1. A page reads `partsFreely` parts as it comes. For more it needs one of a few turns of the thread, first come, first
//       served; it keeps that until it ends.
//   L2. A page ends with the time for which its asker waits, also while it waits for its turn: nothing is read for nobody.
import {monotonicMs} from '../../clock.js';

/** What a page of a user needs out of an empty cache, and some more. */
const partsFreely = 256;
const longAtOnceMax = 2;

/** The page needs more than can be read while its asker waits. */
export class ReadTooLong extends Error {
  override name = 'ReadTooLong';
}

/** Of a thread. */
export class LongReads {
  private taken = 0;
  /** Those that wait for a turn, in their order. */
  private readonly waiting = new Set<() => void>();

  /** Reads a page, until `endMs` of the monotonic clock at most. @throws ReadTooLong */
  async read<T>(endMs: number, page: (budget: ReadBudget) => Promise<T>): Promise<T> {
    const budget = new ReadBudget(this, endMs);
    try {
      return await page(budget);
    } finally {
      if (budget.hasTurn) this.passOn();
    }
  }

  /** Resolves when the turn has come. @throws ReadTooLong */
  async turn(endMs: number): Promise<void> {
    if (this.taken < longAtOnceMax) this.taken += 1;
    else await this.wait(endMs);
  }

  private wait(endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.waiting.delete(begin);
        resolve();
      };
      const giveUp = (): void => {
        this.waiting.delete(begin);
        reject(new ReadTooLong());
      };
      const timer = setTimeout(giveUp, endMs - monotonicMs());
      this.waiting.add(begin);
    });
  }

  /** The turn goes to whoever waits longest. */
  private passOn(): void {
    const [next] = this.waiting;
    if (next === undefined) this.taken -= 1;
    else next();
  }
}

/** Of one page. */
export class ReadBudget {
  hasTurn = false;
  private parts = 0;
  private readonly reads: LongReads;
  private readonly endMs: number;

  constructor(reads: LongReads, endMs: number) {
    this.reads = reads;
    this.endMs = endMs;
  }

  /** Counts a part that was read; a promise is to be awaited before the next one. @throws ReadTooLong */
  count(): Promise<void> | undefined {
    if (monotonicMs() > this.endMs) throw new ReadTooLong();
    this.parts += 1;
    return this.parts <= partsFreely || this.hasTurn ? undefined : this.takeTurn();
  }

  private async takeTurn(): Promise<void> {
    await this.reads.turn(this.endMs);
    this.hasTurn = true;
  }
}
