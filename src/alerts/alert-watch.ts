// Schedules the evaluation of alerts: soon after each publication, and every few seconds for alerts of lag.
//   AW1. Hundreds of partitions publish at different times: a pass waits for `restTimes` of what the last one took, so that
//        alerts never take more than a small share of the thread. It waits for a refresh at most: so a rest makes an alert late by
//        one publication, and not by more.
//   AW2. Alerts are late when a publication has waited for a whole pass longer than until the next one is due, and `graceMs`.
//   AW3. Two processes that both take themselves for the owner (actors/cluster) do no harm: states are written by compare-and-set, and
//        the id of a message follows from the state.
import {throwBroken} from '../../actors/invariant.js';
import type {Digests} from '../digests/digests.js';
import {recordSweepEveryMs} from '../kept/record-sweep.js';
import {BucketFault} from '../keys/key-bucket.js';
import type {Logger} from '../observe.js';
import type {AlertEvaluator} from './evaluator.js';
import type {Revisions} from './revisions.js';
import type {Stalls} from './stalls.js';

const lookMs = 500;
const lagEveryMs = 5_000;
/** A pass runs at least this often, because a notice of a publication may be lost. */
const unnoticedMs = 10_000;
const restTimes = 8;
/** AW1 makes a pass wait after a long one. */
const graceMs = 30_000;

interface WatchOptions {
  readonly evaluator: Pick<AlertEvaluator, 'newestSet' | 'judgeReports' | 'judgeLags' | 'forget'>;
  readonly stalls: Pick<Stalls, 'judge' | 'forget'>;
  readonly revisions: Pick<Revisions, 'judge' | 'forget'>;
  readonly digests: Pick<Digests, 'judge' | 'forget'>;
  /** Whether this process evaluates alerts now. AW3 */
  readonly isOwner: () => boolean;
  /** Removes records of what was deleted. Rejects with a `BucketFault`. */
  readonly sweep: () => Promise<void>;
  /** Whether there is anything to evaluate. */
  readonly isNeeded: () => boolean;
  /** Time between publications; it may change. */
  readonly refresh: {readonly ms: number};
  readonly monotonicMs: () => number;
  readonly logger: Logger;
}

export class AlertWatch {
  private readonly options: WatchOptions;
  private readonly timer: NodeJS.Timeout;
  private isPublished = true;
  /** When the oldest publication came that the running pass judges, and the oldest that no pass has begun to judge. AW2 */
  private judgedSinceMs: number | undefined;
  private unjudgedSinceMs: number | undefined;
  private isLate = false;
  private passMs = Number.NEGATIVE_INFINITY;
  private lagMs = Number.NEGATIVE_INFINITY;
  private sweptMs = Number.NEGATIVE_INFINITY;
  private restUntilMs = 0;
  private running: Promise<void> | undefined;

  constructor(options: WatchOptions) {
    this.options = options;
    this.timer = setInterval(() => {
      void this.look();
      this.judgeLateness();
    }, lookMs);
    this.timer.unref();
  }

  notePublished(): void {
    this.isPublished = true;
    this.unjudgedSinceMs ??= this.options.monotonicMs();
  }

  /** How long a publication has waited, ms, while alerts are late. AW2 */
  get lateMs(): number | undefined {
    const {isNeeded, monotonicMs, refresh} = this.options;
    const sinceMs = this.judgedSinceMs ?? this.unjudgedSinceMs;
    if (sinceMs === undefined || !isNeeded()) return undefined;
    const waitedMs = monotonicMs() - sinceMs;
    return waitedMs > refresh.ms + graceMs ? waitedMs : undefined;
  }

  /** Writes one line when alerts become late, and one when they are not any more. */
  judgeLateness(): void {
    const {lateMs} = this;
    if (this.isLate === (lateMs !== undefined)) return;
    this.isLate = lateMs !== undefined;
    const {logger} = this.options;
    const alarm = 'alerts_late';
    if (lateMs === undefined) logger.info({alarm}, 'alerts are in time again');
    else logger.error({alarm, waitedMs: lateMs}, 'alarm: alerts are late: a publication waits to be judged');
  }

  /** Runs a pass if one is due. Rejects only for a broken invariant. */
  look(): Promise<void> {
    this.running ??= this.pass().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Resolves when no pass runs any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async pass(): Promise<void> {
    const {evaluator, stalls, revisions, digests, isOwner, sweep, isNeeded, refresh, monotonicMs, logger} =
      this.options;
    const startMs = monotonicMs();
    const isDue = this.isPublished || startMs - this.passMs >= unnoticedMs;
    const isLagDue = startMs - this.lagMs >= lagEveryMs;
    const isSweepDue = startMs - this.sweptMs >= recordSweepEveryMs;
    const isReadDue = isNeeded() && (isDue || isLagDue);
    if (!isNeeded()) this.forgetWaiting();
    if (startMs < this.restUntilMs || !(isReadDue || isSweepDue)) return;
    try {
      if (!isOwner()) {
        this.forgetWaiting();
        evaluator.forget();
        stalls.forget();
        digests.forget();
        return revisions.forget();
      }
      if (isSweepDue) {
        await sweep();
        this.sweptMs = startMs;
      }
      if (!isReadDue) return;
      if (isDue) {
        this.isPublished = false;
        this.passMs = startMs;
        this.judgedSinceMs ??= this.unjudgedSinceMs;
        this.unjudgedSinceMs = undefined;
        if (await this.judgeNewest()) this.judgedSinceMs = undefined;
      }
      if (isLagDue) {
        this.lagMs = startMs;
        await evaluator.judgeLags();
      }
    } catch (error) {
      throwBroken(error);
      if (!(error instanceof BucketFault)) throw error;
      logger.debug({err: error}, 'alerts were not evaluated: the store of their states does not answer');
    }
    const endMs = monotonicMs();
    this.restUntilMs = endMs + Math.min(restTimes * (endMs - startMs), refresh.ms); // AW1
  }

  /** Nobody waits for this process to judge publications. */
  private forgetWaiting(): void {
    this.judgedSinceMs = undefined;
    this.unjudgedSinceMs = undefined;
  }

  /** False: the set was not judged as a whole, and the next pass judges a newer one. */
  private async judgeNewest(): Promise<boolean> {
    const {evaluator, stalls, revisions, digests} = this.options;
    const set = await evaluator.newestSet();
    if (set === undefined) return false;
    const isWhole = await evaluator.judgeReports(set);
    await stalls.judge(set);
    await revisions.judge(set);
    await digests.judge(set);
    return isWhole;
  }
}
