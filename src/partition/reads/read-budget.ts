// What a page of history may read. Each part costs this thread half a millisecond and nats-server up to two, and a rare event
// may take thousands of them: its page must not keep the thread from folding, nor from pages that read little.
//   RB1. A page reads `partsFreely` parts as it comes. For more it needs one of the thread's few slots for long reads, first
//        come, first served; it keeps that until it ends.
//   RB2. A page ends with the time for which its asker waits, also while it waits for a slot: nothing is read for nobody.
import {monotonicMs} from '../../clock.js';
import {Semaphore} from '../../pacing/semaphore.js';

/** What a page of a user needs out of an empty cache, and some more. */
const partsFreely = 256;
const longAtOnceMax = 2;

/** The page needs more than can be read while its asker waits. */
export class ReadTooLong extends Error {
  override name = 'ReadTooLong';
}

/** The slots for long reads of a thread. */
export const longReadSlots = (): Semaphore => new Semaphore(longAtOnceMax);

/** Reads a page, until `endMs` of the monotonic clock at most. @throws ReadTooLong */
export async function readPage<T>(
  slots: Semaphore,
  endMs: number,
  page: (budget: ReadBudget) => Promise<T>,
): Promise<T> {
  const budget = new ReadBudget(slots, endMs);
  try {
    return await page(budget);
  } finally {
    budget.end();
  }
}

export class ReadBudget {
  private readonly slots: Semaphore;
  private readonly endMs: number;
  private parts = 0;
  private hasSlot = false;

  constructor(slots: Semaphore, endMs: number) {
    this.slots = slots;
    this.endMs = endMs;
  }

  /** Counts a part that was read; a promise is to be awaited before the next one. @throws ReadTooLong */
  count(): Promise<void> | undefined {
    if (monotonicMs() > this.endMs) throw new ReadTooLong();
    this.parts += 1;
    return this.parts <= partsFreely || this.hasSlot ? undefined : this.takeSlot();
  }

  private async takeSlot(): Promise<void> {
    this.hasSlot = await this.slots.take(this.endMs - monotonicMs());
    if (!this.hasSlot) throw new ReadTooLong();
  }

  end(): void {
    if (this.hasSlot) this.slots.free();
  }
}
