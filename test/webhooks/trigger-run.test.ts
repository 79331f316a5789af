// The delivery of one trigger over a fake world: what of it is stored, and what is not.
import {expect, test} from 'vitest';
import type {KeptStore} from '../../src/kept/kept-store.js';
import {createLogger} from '../../src/observe.js';
import type {DeliveryQueue, PulledMessage} from '../../src/webhooks/delivery-queue.js';
import type {EventReader} from '../../src/webhooks/event-reader.js';
import {Owners} from '../../src/webhooks/owners.js';
import type {DeadLetter, Queued} from '../../src/webhooks/queued-delivery.js';
import {attemptsMax} from '../../src/webhooks/schedule.js';
import {Recipient, sharedSockets} from '../../src/webhooks/sender.js';
import {TriggerRun} from '../../src/webhooks/trigger-run.js';
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
  const world = {poster, store: {} as KeptStore, bucket, wallMs, probeDelayMs: () => 0, logger};
  const recipient = new Recipient(endpoint, world, sharedSockets());
  const run = new TriggerRun(recipient, {
    source: {
      next: async (): Promise<PulledMessage | undefined> => {
        await until('one waits', () => waiting.length > 0 || acked.length > 0);
        const queued = waiting.shift();
        const back = (ms: number): void => void backs.push(ms);
        return queued && {queued, sequence: 1, ack: () => void acked.push(queued.id), back, alive: () => undefined};
      },
    },
    deliveryQueue: {} as DeliveryQueue,
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
  const world = {poster, store: {} as KeptStore, bucket, wallMs: () => 5, probeDelayMs: () => 0, logger};
  const recipient = new Recipient(endpoint, world, sharedSockets());
  const deliveryQueue = {
    queue: async (_: string, queued: Queued) => void waiting.push(queued),
    bury: async (_: string, letter: DeadLetter) => void dead.push(letter),
  } as unknown as DeliveryQueue;
  const run = new TriggerRun(recipient, {
    source: {
      next: async (): Promise<PulledMessage | undefined> => {
        await until('one waits', () => waiting.length > 0 || dead.length > 0);
        const queued = waiting.shift();
        return queued && {queued, sequence: 1, ack: () => undefined, back: () => undefined, alive: () => undefined};
      },
    },
    deliveryQueue,
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

/** A stream that takes no record while it is full, and delivers a message that went back. */
class FullStream {
  isFull = true;
  nowMs = 1_000;
  /** Answers to attempts, the next one first; 500 if there is none. */
  readonly answers: number[] = [];
  readonly posts: number[] = [];
  readonly backs: number[] = [];
  readonly taken: (Queued | DeadLetter)[] = [];
  isAcked = false;
  private isHanded = false;
  private readonly returned: Queued[];
  private readonly recipient: Recipient;
  private readonly running: Promise<void>;

  constructor(queued: Queued) {
    const logger = createLogger('silent', 'test');
    const wallMs = (): number => this.nowMs;
    this.returned = [queued];
    const poster = {
      post: async (_: string, contentOf: () => Promise<unknown>) => {
        await contentOf();
        this.posts.push(this.nowMs);
        const status = this.answers.shift() ?? 500;
        return status < 300 ? ({kind: 'delivered', status} as const) : ({kind: 'failed', status} as const);
      },
    };
    const bucket = {read: async () => undefined, write: async () => 1};
    const world = {poster, store: {} as KeptStore, bucket, wallMs, probeDelayMs: () => 0, logger};
    this.recipient = new Recipient(endpoint, world, sharedSockets());
    const take = async (_: string, letter: Queued | DeadLetter): Promise<void> => {
      if (this.isFull) throw new Error('maximum bytes exceeded');
      this.taken.push(letter);
    };
    const back = (ms: number): void => {
      this.backs.push(ms);
      this.returned.push(queued); // As the stream has it.
    };
    this.running = new TriggerRun(this.recipient, {
      source: {
        next: async (): Promise<PulledMessage | undefined> => {
          await until('it waits, or is over', () => this.isHanded || this.isAcked);
          this.isHanded = false;
          const waiting = this.returned.shift();
          return (
            waiting && {queued: waiting, sequence: 7, ack: () => void (this.isAcked = true), back, alive: () => {}}
          );
        },
      },
      deliveryQueue: {queue: take, bury: take} as unknown as DeliveryQueue,
      owners: {} as Owners,
      events: {} as EventReader,
      wallMs,
      retryDelayMs: () => 60_000,
      logger,
    }).run();
  }

  /** Delivers the message, `ms` later, and waits until it is back or over. */
  async deliver(ms = 0): Promise<void> {
    const {length} = this.backs;
    this.nowMs += ms;
    this.isHanded = true;
    await until('it is back, or over', () => this.backs.length > length || this.isAcked);
  }

  async end(): Promise<void> {
    this.isAcked = true;
    this.recipient.gate.stop();
    await this.running;
  }
}

const plain: Queued = {v: 1, id: 'msg_1', type: 'test', timestampMs: 1, data: {}};

test('while the stream takes nothing, a failed message comes again at its time, whenever the stream delivers it', async () => {
  const stream = new FullStream(plain);
  await stream.deliver();
  for (let tries = 0; tries < 5; tries++) await stream.deliver(1_000);
  expect(stream.posts).toEqual([1_000]);
  expect(Math.max(...stream.backs)).toBeLessThanOrEqual(10_000); // Its record is tried meanwhile.
  await stream.deliver(55_000);
  expect(stream.posts).toEqual([1_000, 61_000]);
  await stream.deliver(1_000);
  expect(stream.posts.length).toBe(2);
  stream.isFull = false;
  await stream.deliver(1_000);
  await stream.end();
  expect(stream.taken).toEqual([{...plain, attempts: 2, dueMs: 121_000, waitMs: 60_000}]);
  expect(stream.posts.length).toBe(2);
});

test('while the stream takes nothing, a message that is accepted at last is over', async () => {
  const stream = new FullStream(plain);
  stream.answers.push(500, 204);
  await stream.deliver();
  await stream.deliver(60_000);
  expect([stream.isAcked, stream.posts, stream.taken]).toEqual([true, [1_000, 61_000], []]);
  await stream.end();
});

test('while the stream takes nothing, the last attempt is the last: its dead letter waits alone', async () => {
  const stream = new FullStream({...plain, attempts: attemptsMax - 1, dueMs: 1_000, waitMs: 1});
  await stream.deliver();
  for (let tries = 0; tries < 5; tries++) await stream.deliver(3_600_000);
  expect(stream.posts).toEqual([1_000]);
  stream.isFull = false;
  await stream.deliver();
  await stream.end();
  expect(stream.taken).toMatchObject([{id: 'msg_1', attempts: attemptsMax, why: 'the receiver answered 500'}]);
});
