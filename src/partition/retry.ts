// Work that must happen: tried again while the world is down.
//   R1. What fails is said when it begins, each reason once, and that it is over: never at every try, and once for all that
//       is tried at the same time.
import {setTimeout as pause} from 'node:timers/promises';
import {OperatorFault, throwBroken} from '../../actors/invariant.js';
import {reasonOf} from '../nats/error-codes.js';
import type {Logger} from '../observe.js';

const firstPauseMs = 50;
const pauseMsMax = 2_000;
/** R1. Some reasons hold a number of their own. */
const reasonsMax = 8;

/** Errors that trying again cannot mend end the partition: they are thrown on. */
export class Final extends OperatorFault {
  override name = 'Final';
}

type Log = Pick<Logger, 'warn'>;

/** One kind of work that is tried again, as the log hears of it. R1 */
export class Trouble {
  private readonly log: Log;
  private readonly work: object;
  private readonly reasons = new Set<string>();
  private failing = 0;
  private newest: string | undefined;
  private heard = 0;

  /** `work`: what is tried, and whose it is. */
  constructor(log: Log, work: {readonly tried: string; readonly partition?: number}) {
    this.log = log;
    this.work = work;
  }

  begin(): void {
    this.failing += 1;
  }

  /** Why it fails now; undefined while nothing is tried again, and until a second try failed, too: most succeed. */
  get reason(): string | undefined {
    return this.heard > 1 ? this.newest : undefined;
  }

  hear(reason: string): void {
    this.newest = reason;
    this.heard += 1;
    if (this.reasons.has(reason) || this.reasons.size >= reasonsMax) return;
    this.reasons.add(reason);
    this.log.warn({...this.work, reason}, 'NATS did not do what is needed: it is tried again until it does');
  }

  end(): void {
    this.failing -= 1;
    if (this.failing > 0) return;
    this.reasons.clear();
    this.heard = 0;
    this.log.warn(this.work, 'NATS does it again');
  }
}

/** Repeats until it succeeds; pauses double up to 2 s. @throws Final and InvariantError, as `work` throws them. */
export async function retryForever<T>(work: () => Promise<T>, trouble?: Trouble): Promise<T> {
  let isFailing = false;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Final) throw error;
        throwBroken(error);
        if (!isFailing) trouble?.begin();
        isFailing = true;
        trouble?.hear(reasonOf(error as Error));
        await pause(pauseMs);
      }
    }
  } finally {
    if (isFailing) trouble?.end();
  }
}
