// What follows a failed attempt, as a table.
import {describe, expect, test} from 'vitest';
import type {DeliveryQueue} from '../../src/webhooks/delivery-queue.js';
import type {DeadLetter, Queued} from '../../src/webhooks/queued-delivery.js';
import {type Failed, isDue, type RetryDecision, retryDecisionOf, writeDecision} from '../../src/webhooks/retry.js';
import {attemptsMax, retryDelayMs as scheduleDelayMs} from '../../src/webhooks/schedule.js';

const retryDelayMs = (attempt: number): number | undefined => (attempt < attemptsMax ? attempt * 1_000 : undefined);
const failed: Failed = {kind: 'failed', status: 500};
const dead = (attempts: number, why: string): RetryDecision => ({kind: 'dead', end: {attempts, why, endedMs: 7}});

describe('what follows', () => {
  test.each<[string, Failed, number, RetryDecision]>([
    [
      'the first attempt is the second, after its pause',
      failed,
      1,
      {kind: 'retry', next: {attempts: 1, dueMs: 1_007, waitMs: 1_000}},
    ],
    [
      'an attempt without an answer is the next one, too',
      {kind: 'failed', why: 'no answer within 15 s'},
      3,
      {kind: 'retry', next: {attempts: 3, dueMs: 3_007, waitMs: 3_000}},
    ],
    [
      'a Retry-After is an attempt at its time',
      {kind: 'failed', status: 429, waitMs: 60_000},
      2,
      {kind: 'retry', next: {attempts: 2, dueMs: 60_007, waitMs: 60_000}},
    ],
    [
      'a Retry-After before the time of the schedule is an attempt at that time',
      {kind: 'failed', status: 503, waitMs: 1_000},
      2,
      {kind: 'retry', next: {attempts: 2, dueMs: 2_007, waitMs: 2_000}},
    ],
    [
      'a refusal for good is a dead letter at once',
      {kind: 'failed', status: 550, isFinal: true},
      1,
      dead(1, 'the receiver answered 550'),
    ],
    ['the last attempt is a dead letter', failed, attemptsMax, dead(attemptsMax, 'the receiver answered 500')],
    [
      'the last attempt is a dead letter, whatever Retry-After asks for',
      {kind: 'failed', status: 503, waitMs: 60_000},
      attemptsMax,
      dead(attemptsMax, 'the receiver answered 503'),
    ],
    ['410 is a dead letter', {kind: 'gone', status: 410}, 1, dead(1, 'the receiver answered 410')],
  ])('%s', (_, outcome, attempt, expected) => {
    expect(retryDecisionOf(outcome, attempt, 7, retryDelayMs)).toEqual(expected);
  });
});

test('a receiver that always asks for a second gets ten attempts in three days, and more where it asks for longer', () => {
  const spanOf = (waitMs: number): number => {
    let nowMs = 0;
    for (let attempt = 1; ; attempt++) {
      const decision = retryDecisionOf({kind: 'failed', status: 503, waitMs}, attempt, nowMs, (at) =>
        scheduleDelayMs(at, 0.5),
      );
      if (decision.kind === 'dead') return nowMs;
      nowMs = decision.next.dueMs;
    }
  };
  const hourMs = 3_600_000;
  expect(spanOf(1_000) / hourMs).toBeCloseTo(75.6, 0);
  expect(spanOf(24 * hourMs)).toBe(9 * 24 * hourMs);
});

test('an attempt is due at its time, and at once if it was queued without one', () => {
  const next = {attempts: 1, dueMs: 1_000, waitMs: 500};
  expect([999, 1_000].map((nowMs) => isDue(next, nowMs))).toEqual([false, true]);
  expect(isDue({}, 0)).toBe(true);
});

test('its record is a message of the queue, or a dead letter, and each has the count of attempts', async () => {
  const queued: Queued = {v: 1, id: 'msg_1', type: 'test', timestampMs: 1, data: {}, attempts: 1, dueMs: 2, waitMs: 3};
  const written: (Queued | DeadLetter)[] = [];
  const keep = async (_: string, letter: Queued | DeadLetter): Promise<void> => void written.push(letter);
  const deliveryQueue = {queue: keep, bury: keep} satisfies Pick<DeliveryQueue, 'queue' | 'bury'>;
  await writeDecision(deliveryQueue, 'wh_1', queued, {kind: 'retry', next: {attempts: 2, dueMs: 20, waitMs: 10}});
  await writeDecision(deliveryQueue, 'wh_1', queued, dead(attemptsMax, 'no answer within 15 s'));
  expect(written).toEqual([
    {...queued, attempts: 2, dueMs: 20, waitMs: 10},
    {...queued, attempts: attemptsMax, why: 'no answer within 15 s', endedMs: 7},
  ]);
});
