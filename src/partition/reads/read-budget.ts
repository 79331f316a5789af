// Budget of a page of history. Each part costs this thread half a millisecond and nats-server up to two, and a rare event may
// take thousands of parts: its page must delay neither folding nor pages that read little.
//   RB1. A page reads `partsFreely` parts freely. For more it needs one of the thread's few slots for long reads, which callers
//        have in turn (src/pacing/dealt-slots.ts), until it ends.
//   RB2. A page ends when its caller's deadline passes, or nobody waits for it any more, even while it waits for a slot.
import {type Asker, ofService} from '../../asks/asker.js';
import {monotonicMs} from '../../clock.js';
import {DealtSlots, type Slot} from '../../pacing/dealt-slots.js';
import {newStop, Stopped} from '../../pacing/stop.js';

/** Parts that a page of one user needs from an empty cache, and some more. */
const partsFreely = 256;
/** One slot is left for another caller. */
const longAtOnceMax = 3;
const longOfCallerMax = 2;
const waitingOfCallerMax = 32;

/** The page needs more parts than can be read within its caller's deadline. */
export class ReadTooLong extends Error {
  override name = 'ReadTooLong';
}

/** The slots for long reads of a thread. */
export const longReadSlots = (): DealtSlots =>
  new DealtSlots({slots: longAtOnceMax, ofCallerMax: longOfCallerMax, waitingMax: waitingOfCallerMax, ownSlots: []});

/** Reads a page, at most until `endMs` of the monotonic clock. @throws ReadTooLong, Crowded, Stopped */
export async function readPage<T>(
  slots: DealtSlots,
  endMs: number,
  page: (budget: ReadBudget) => Promise<T>,
  asker: Asker = ofService,
): Promise<T> {
  const budget = new ReadBudget(slots, endMs, asker);
  try {
    return await page(budget);
  } finally {
    budget.end();
  }
}

export class ReadBudget {
  private readonly slots: DealtSlots;
  private readonly endMs: number;
  private readonly asker: Asker;
  private parts = 0;
  private slot: Slot | undefined;

  constructor(slots: DealtSlots, endMs: number, asker: Asker) {
    this.slots = slots;
    this.endMs = endMs;
    this.asker = asker;
  }

  /** Counts a part that was read; await a returned promise before the next one. @throws ReadTooLong, Crowded, Stopped */
  count(): Promise<void> | undefined {
    if (this.asker.gone.aborted) throw new Stopped();
    if (monotonicMs() > this.endMs) throw new ReadTooLong();
    this.parts += 1;
    return this.parts <= partsFreely || this.slot !== undefined ? undefined : this.takeSlot();
  }

  private async takeSlot(): Promise<void> {
    const {caller, gone} = this.asker;
    const place = this.slots.place(caller, caller === ofService.caller ? Number.POSITIVE_INFINITY : waitingOfCallerMax);
    const stop = newStop();
    const giveUp = (): void => stop.abort();
    const isBounded = this.endMs !== Number.POSITIVE_INFINITY;
    const timer = isBounded ? setTimeout(giveUp, this.endMs - monotonicMs()) : undefined;
    gone.addEventListener('abort', giveUp);
    try {
      this.slot = await this.slots.take(place, stop.signal);
    } catch (error) {
      throw gone.aborted ? error : new ReadTooLong();
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', giveUp);
    }
  }

  end(): void {
    this.slot?.free();
  }
}
