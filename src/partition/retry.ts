// Work that must succeed: it is retried while NATS is away.
//   R1. Each reason of a failure is logged once, and so is the end of the failures: not every attempt, and once for all attempts
//       that run at the same time.
import {setTimeout as pause} from 'node:timers/promises';
import {OperatorFault, throwBroken} from '../../actors/invariant.js';
import {reasonOf} from '../nats/error-codes.js';
import type {Logger} from '../observe.js';
import {DamagedState} from '../parts/damage.js';

const firstPauseMs = 50;
const pauseMsMax = 2_000;
/** Reasons logged for one row of failures: some contain a number of their own. R1 */
const reasonsMax = 8;

/** An error that no retry can cure: it is rethrown and ends the partition. */
export class Unrecoverable extends OperatorFault {
  override name = 'Unrecoverable';
}

/** What is left of the partition's log and snapshots gives no state: the partition halts, and the others go on. */
export class NoState extends Unrecoverable {
  override name = 'NoState';
}

type Log = Pick<Logger, 'warn'>;

/** Log lines of one kind of retried work. R1 */
export class RetryLog {
  private readonly log: Log;
  private readonly work: object;
  private readonly reasons = new Set<string>();
  private failing = 0;
  private newest: string | undefined;
  private heard = 0;

  /** `work`: what is tried, and for which partition. */
  constructor(log: Log, work: {readonly tried: string; readonly partition?: number}) {
    this.log = log;
    this.work = work;
  }

  begin(): void {
    this.failing += 1;
  }

  /** Reason of the failure; undefined unless a second attempt failed, too: most second attempts succeed. */
  get reason(): string | undefined {
    return this.heard > 1 ? this.newest : undefined;
  }

  hear(reason: string): void {
    this.newest = reason;
    this.heard += 1;
    if (this.reasons.has(reason) || this.reasons.size >= reasonsMax) return;
    this.reasons.add(reason);
    this.log.warn({...this.work, reason}, 'an attempt failed: it is repeated until it succeeds');
  }

  end(): void {
    this.failing -= 1;
    if (this.failing > 0) return;
    this.reasons.clear();
    this.heard = 0;
    this.log.warn(this.work, 'the attempt succeeded');
  }
}

/** Repeats `work` until it succeeds; pauses double up to 2 s. @throws Unrecoverable, DamagedState and InvariantError from `work`. */
export async function retryForever<T>(work: () => Promise<T>, retries?: RetryLog): Promise<T> {
  let isFailing = false;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Unrecoverable || error instanceof DamagedState) throw error;
        throwBroken(error);
        if (!isFailing) retries?.begin();
        isFailing = true;
        retries?.hear(reasonOf(error as Error));
        await pause(pauseMs);
      }
    }
  } finally {
    if (isFailing) retries?.end();
  }
}
