// What follows a failed attempt: a retry, or a dead letter. A pure rule, and how its record is written.
//   SQ1. The time of the next attempt is set when the attempt before it fails. While no stream takes the record, the process keeps the
//        decision in memory, and follows it: an attempt comes no sooner because a write failed.
//   SQ2. A `Retry-After` may delay the next attempt and never expedites it: ten attempts take three days at least, whatever a
//        receiver asks for.
import type {DeliveryQueue} from './delivery-queue.js';
import type {Outcome} from './post.js';
import type {Attempts, Queued} from './queued-delivery.js';
import {attemptsMax, hasCome} from './schedule.js';

/** Attempts made so far, and the time of the next one. */
export type NextAttempt = Required<Attempts>;

export type RetryDecision =
  | {readonly kind: 'retry'; readonly next: NextAttempt}
  /** A dead letter. */
  | {readonly kind: 'dead'; readonly end: {readonly attempts: number; readonly why: string; readonly endedMs: number}};

export type Failed = Extract<Outcome, {readonly kind: 'failed' | 'gone'}>;

/**
 * What follows attempt number `attempt`, from 1, which ended at `nowMs`.
 * `retryDelayMs`: pause after an attempt; undefined: it was the last one.
 */
export function retryDecisionOf(
  outcome: Failed,
  attempt: number,
  nowMs: number,
  retryDelayMs: (attempt: number) => number | undefined,
): RetryDecision {
  const isLast = outcome.kind === 'gone' || ('isFinal' in outcome && outcome.isFinal) || attempt >= attemptsMax;
  const delayMs = isLast ? undefined : retryDelayMs(attempt);
  if (delayMs === undefined) return {kind: 'dead', end: {attempts: attempt, why: whyOf(outcome), endedMs: nowMs}};
  const askedMs = ('waitMs' in outcome ? outcome.waitMs : undefined) ?? 0;
  const waitMs = Math.max(delayMs, askedMs); // SQ2
  return {kind: 'retry', next: {attempts: attempt, dueMs: nowMs + waitMs, waitMs}};
}

const whyOf = (outcome: Failed): string => ('why' in outcome ? outcome.why : `the receiver answered ${outcome.status}`);

/** Whether the attempt may be made. A delivery that was queued without a time is due at once. */
export const isDue = ({dueMs = 0, waitMs = Number.POSITIVE_INFINITY}: Attempts, nowMs: number): boolean =>
  hasCome(dueMs, waitMs, nowMs);

/** Queues the next attempt in OUT, or adds the delivery to DEAD. Rejects while the stream takes nothing. */
export function writeDecision(
  deliveryQueue: Pick<DeliveryQueue, 'queue' | 'bury'>,
  endpointId: string,
  queued: Queued,
  decision: RetryDecision,
): Promise<void> {
  return decision.kind === 'retry'
    ? deliveryQueue.queue(endpointId, {...queued, ...decision.next})
    : deliveryQueue.bury(endpointId, {...queued, ...decision.end});
}
