// Budget of a page of history. Each part costs this thread half a millisecond and nats-server up to two, and a rare event may
// take thousands of parts: its page must delay neither folding nor pages that read little.
//   RB1. A page reads `partsFreely` parts freely. For more it needs one of the thread's few slots for long reads, first come,
//        first served, until it ends.
//   RB2. A page ends when its caller's deadline passes, even while it waits for a slot.
import {monotonicMs} from '../../clock.js';
import {Semaphore} from '../../pacing/semaphore.js';

/** Parts that a page of one user needs from an empty cache, and some more. */
const partsFreely = 256;
const longAtOnceMax = 2;

/** The page needs more parts than can be read within its caller's deadline. */
export class ReadTooLong extends Error {
  override name = 'ReadTooLong';
}

/** The slots for long reads of a thread. */
export const longReadSlots = (): Semaphore => new Semaphore(longAtOnceMax);

/** Reads a page, at most until `endMs` of the monotonic clock. @throws ReadTooLong */
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

  /** Counts a part that was read; await a returned promise before the next one. @throws ReadTooLong */
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
