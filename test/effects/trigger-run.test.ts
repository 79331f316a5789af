// The delivery of one trigger over a fake world: what of it is stored, and what is not.
import {expect, test} from 'vitest';
import {Recipient, sharedSockets} from '../../src/effects/courier.js';
import type {EventReader} from '../../src/effects/event-reader.js';
import type {HookStore} from '../../src/effects/hook-store.js';
import type {Letters} from '../../src/effects/letters.js';
import {Owners} from '../../src/effects/owners.js';
import type {DeadLetter, Queued} from '../../src/effects/queued.js';
import {attemptsMax} from '../../src/effects/schedule.js';
import {type PulledMessage, TriggerRun} from '../../src/effects/trigger-run.js';
import {createLogger} from '../../src/observe.js';
import {until} from '../support/until.js';
import {webhookOf} from '../support/webhook.js';

const endpoint = webhookOf('user.identified');

test('a clock that went back by a day delays no retry, and one that is early waits', async () => {
  const dayMs = 86_400_000;
  const trigger: Queued = {v: 1, id: 'msg_1', type: 'test', timestampMs: 1, data: {}};
  const queuedMs = 10 * dayMs;
  const wallMs = () => queuedMs - dayMs;
  const waiting: Queued[] = [
    {...trigger, id: 'msg_early', attempts: 1, dueMs: wallMs() + dayMs / 2, waitMs: dayMs},
    {...trigger, attempts: 1, dueMs: queuedMs + 5_000, waitMs: 5_000},
  ];
  const backs: number[] = [];
  const acked: string[] = [];
  const logger = createLogger('silent', 'test');
  const bucket = {read: async () => undefined, write: async () => 1};
  const poster = {
    post: async (_: string, contentOf: () => Promise<unknown>) => {
      await contentOf();
      return {kind: 'delivered', status: 200} as const;
    },
  };
  const world = {poster, hooks: {} as HookStore, bucket, wallMs, probeDelayMs: () => 0, logger};
  const recipient = new Recipient(endpoint, world, sharedSockets());
  const run = new TriggerRun(recipient, {
    source: {
      next: async (): Promise<PulledMessage | undefined> => {
        await until('one waits', () => waiting.length > 0 || acked.length > 0);
        const queued = waiting.shift();
        const back = (ms: number): void => void backs.push(ms);
        return queued && {queued, ack: () => void acked.push(queued.id), back, alive: () => undefined};
      },
    },
    letters: {} as Letters,
    owners: {} as Owners,
    events: {} as EventReader,
    wallMs,
    retryDelayMs: () => 0,
    logger,
  }).run();
  await until('it is delivered', () => acked.length > 0);
  recipient.gate.stop();
  await run;
  expect([acked, backs]).toEqual([['msg_1'], [dayMs / 2]]);
});

test('a dead letter is the trigger as it was queued: what was said is nowhere', async () => {
  const trigger: Queued = {v: 1, id: 'msg_1', type: 'user.identified', timestampMs: 1, of: {partition: 0, user: 7}};
  const waiting: Queued[] = [trigger];
  const dead: DeadLetter[] = [];
  const sent: string[] = [];
  const logger = createLogger('silent', 'test');
  const poster = {
    post: async (_: string, contentOf: () => Promise<{body: string} | undefined>) => {
      sent.push((await contentOf())!.body);
      return {kind: 'failed', status: 500} as const;
    },
  };
  const bucket = {read: async () => undefined, write: async () => 1};
  const world = {poster, hooks: {} as HookStore, bucket, wallMs: () => 5, probeDelayMs: () => 0, logger};
  const recipient = new Recipient(endpoint, world, sharedSockets());
  const letters = {
    queue: async (_: string, queued: Queued) => void waiting.push(queued),
    bury: async (_: string, letter: DeadLetter) => void dead.push(letter),
  } as unknown as Letters;
  const run = new TriggerRun(recipient, {
    source: {
      next: async (): Promise<PulledMessage | undefined> => {
        await until('one waits', () => waiting.length > 0 || dead.length > 0);
        const queued = waiting.shift();
        return queued && {queued, ack: () => undefined, back: () => undefined, alive: () => undefined};
      },
    },
    letters,
    owners: new Owners(async () => ({kind: 'effect', dataJson: '{"userId":"ada","traits":{"plan":"of a client"}}'})),
    events: {} as EventReader,
    wallMs: () => 5,
    retryDelayMs: () => 0,
    logger,
  }).run();
  await until('it is buried', () => dead.length > 0);
  recipient.gate.stop();
  await run;
  expect(sent.length).toBe(attemptsMax);
  expect(sent[0]).toContain('of a client');
  expect(dead).toEqual([
    {...trigger, attempts: attemptsMax, dueMs: 5, waitMs: 0, why: 'the receiver answered 500', endedMs: 5},
  ]);
});
