// A tail over a fake world: rows of one partition, a bucket in memory, a receiver that the test holds.
import {afterEach, describe, expect, test} from 'vitest';
import type {PartitionQuestion} from '../../src/asks/partition.js';
import {askPartitionSubject} from '../../src/asks/subjects.js';
import {seedsOf} from '../../src/deployment-seeds.js';
import type {KeptStore} from '../../src/kept/kept-store.js';
import {createLogger} from '../../src/observe.js';
import {userRefs} from '../../src/user-ref.js';
import {type Cursor, cursorName} from '../../src/webhooks/cursor.js';
import type {DeliveryQueue} from '../../src/webhooks/delivery-queue.js';
import type {Endpoint} from '../../src/webhooks/endpoint.js';
import {EventReader} from '../../src/webhooks/event-reader.js';
import {Heads} from '../../src/webhooks/heads.js';
import {Owners} from '../../src/webhooks/owners.js';
import type {Content, Outcome} from '../../src/webhooks/post.js';
import type {DeadLetter, Queued} from '../../src/webhooks/queued-delivery.js';
import {attemptsMax} from '../../src/webhooks/schedule.js';
import {Recipient, sharedSockets} from '../../src/webhooks/sender.js';
import {TailRun} from '../../src/webhooks/tail-run.js';
import {messageId} from '../../src/webhooks/trigger.js';
import {MemoryBucket} from '../support/memory-bucket.js';
import {until} from '../support/until.js';
import {webhookOf} from '../support/webhook.js';

const secret = 'secret';
const endpoint = webhookOf('event.tracked');

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

const row = (ordinal: number, event = 'seen'): string =>
  JSON.stringify({
    id: `0-${ordinal}`,
    event,
    userId: 'ada',
    anonymousId: null,
    properties: {marked: 'of a client'},
    timestamp: new Date().toISOString(),
    received_at: new Date().toISOString(),
  });

class World {
  /** Undefined: erased. */
  readonly rows: (string | undefined)[] = [];
  private readonly bucket = new MemoryBucket();
  readonly entries = this.bucket.entries;
  readonly ids: string[] = [];
  readonly bodies: string[] = [];
  /** Pages that were read. */
  pages = 0;
  /** Called when a page is read. */
  onPage: () => void = () => undefined;
  readonly deliveryQueue: (Queued | DeadLetter)[] = [];
  /** How often the stream does not take a letter. */
  refusedLetters = 0;
  /** Pause after each attempt. */
  retryDelayMs = 0;
  isSure = true;
  readonly recipients: Recipient[] = [];
  readonly tails: TailRun[] = [];
  /** Of each message, in order. */
  readonly answers: ((outcome: Outcome) => void)[] = [];

  constructor(private readonly wallMs: () => number) {
    this.entries.set(cursorName(endpoint.id, 0), {
      name: cursorName(endpoint.id, 0),
      revision: 1,
      text: JSON.stringify({v: 1, generation: 1, ordinal: 0} satisfies Cursor),
    });
  }

  get cursor(): Cursor {
    return JSON.parse(this.entries.get(cursorName(endpoint.id, 0))!.text) as Cursor;
  }

  private answer(question: PartitionQuestion): unknown {
    const {rows} = this;
    if (question.ask === 'bodies') {
      const events = question.ordinals.map((ordinal) => rows[ordinal]);
      return {kind: 'bodies', events, users: events.map(() => 0)};
    }
    const {from, limit, names} = question as Extract<PartitionQuestion, {ask: 'tail'}>;
    if (limit > 0) {
      this.pages += 1;
      this.onPage();
    }
    const isAsked = (text: string | undefined): boolean =>
      text !== undefined && (names?.includes((JSON.parse(text) as {event: string}).event) ?? true);
    const ordinals = [...rows.keys()].filter((at) => at >= from && isAsked(rows[at])).slice(0, limit);
    const next = limit === 0 ? from : rows.length;
    const events = ordinals.map((at) => rows[at]);
    const generations = [{generation: 1, ordinal: 0}];
    return {
      kind: 'tail',
      generation: 1,
      generations,
      end: rows.length,
      next,
      ordinals,
      events,
      users: events.map(() => 0),
    };
  }

  /** Names of the events that were sent. */
  get sent(): string[] {
    return this.bodies.map((body) => (JSON.parse(body) as {data: {event: {event: string}}}).data.event.event);
  }

  /** Stores the definition, as an edge does. */
  define(content: Partial<Endpoint>): void {
    const {revision = 0} = this.entries.get(endpoint.id) ?? {};
    const text = JSON.stringify({...endpoint, ...content});
    this.entries.set(endpoint.id, {name: endpoint.id, revision: revision + 1, text});
  }

  /** Only partition 0 has an owner. */
  start(content: Partial<Endpoint> = {}, partitionCount = 1): void {
    const {wallMs} = this;
    const {bucket} = this;
    const owners = new Owners(async (subject, question) => {
      if (subject !== askPartitionSubject(0)) throw new Error('there is no owner');
      return this.answer(question);
    });
    const heads = new Heads(owners);
    const keep = async (_: string, letter: Queued | DeadLetter): Promise<void> => {
      if (this.refusedLetters > 0) {
        this.refusedLetters -= 1;
        throw new Error('the stream does not answer');
      }
      this.deliveryQueue.push(letter);
    };
    const poster = {
      post: async (_: string, contentOf: () => Promise<Content | undefined>) => {
        const {headers, body} = (await contentOf())!;
        this.ids.push(headers['webhook-id']!);
        this.bodies.push(body);
        return new Promise<Outcome>((resolve) => void this.answers.push(resolve));
      },
    };
    const logger = createLogger('silent', 'test');
    const sender = {poster, store: {} as KeptStore, bucket, wallMs, probeDelayMs: () => 0, logger};
    const recipient = new Recipient({...endpoint, ...content}, sender, sharedSockets());
    this.recipients.push(recipient);
    const tail = new TailRun(recipient, 0, {
      bucket,
      owners,
      events: new EventReader(owners, seedsOf(secret), userRefs(secret)),
      heads,
      deliveryQueue: {queue: keep, bury: keep} as unknown as DeliveryQueue,
      wallMs,
      retryDelayMs: () => this.retryDelayMs,
      messageId: (...parts) => messageId(secret, ...parts),
      partitionCount,
      isSure: () => this.isSure,
      placeIn: () => undefined,
      logger,
    });
    this.tails.push(tail);
    heads.follow(1, () => true);
    void tail.run();
    running.push(async () => {
      for (const answer of this.answers) answer({kind: 'delivered', status: 200});
      recipient.gate.stop();
      heads.stop();
      await tail.stop();
    });
  }
}

test('the cursor passes rows once each of their deliveries is settled', async () => {
  const world = new World(Date.now);
  world.rows.push(row(0), row(1));
  world.start();
  await until('both are sent', () => world.answers.length === 2);
  world.answers[1]!({kind: 'delivered', status: 200});
  // It looks ten times a second for more, and saves where it stands at once.
  const before = performance.now();
  await until('it had the time to move', () => performance.now() - before > 300);
  expect(world.cursor.ordinal).toBe(0);
  world.answers[0]!({kind: 'delivered', status: 200});
  await until('it has passed them', () => world.cursor.ordinal === 2);
});

test('a delivery that cannot be queued holds up no other, and is queued once these are settled', async () => {
  const world = new World(Date.now);
  world.rows.push(row(0), row(1), row(2));
  world.refusedLetters = 1;
  world.retryDelayMs = 3_600_000;
  world.start();
  await until('all are sent', () => world.answers.length === 3);
  world.answers[0]!({kind: 'failed', status: 500});
  await until('the stream was asked', () => world.refusedLetters === 0);
  // The page is read again a second after it ended.
  const before = performance.now();
  await until('it had the time to be read again', () => performance.now() - before > 1_500);
  expect(world.answers.length).toBe(3);
  for (const answer of world.answers.slice(1)) answer({kind: 'delivered', status: 200});
  await until('the cursor has passed them', () => world.cursor.ordinal === 3);
  expect(world.answers.length).toBe(3);
  expect(world.deliveryQueue).toMatchObject([{id: world.ids[0], attempts: 1, waitMs: 3_600_000}]);
});

test('while the stream takes nothing, each delivery of a page is tried, and again only when its time has come', async () => {
  let nowMs = Date.now();
  const world = new World(() => nowMs);
  world.rows.push(...Array.from({length: 9}, (_, at) => row(at)));
  world.refusedLetters = Number.POSITIVE_INFINITY;
  world.retryDelayMs = 3_600_000;
  world.start();
  for (let sent = 0; sent < 9; sent++) {
    await until('the next is sent', () => world.answers.length > sent);
    world.answers[sent]!({kind: 'failed', status: 500});
  }
  const {pages} = world;
  await until('the page was read twice more', () => world.pages >= pages + 2);
  expect(world.answers.length).toBe(9);
  expect(world.cursor.ordinal).toBe(0);
  nowMs += 3_600_000;
  await until('the time has come', () => world.answers.length === 17);
  expect(new Set(world.ids.slice(0, 9)).size).toBe(9);
  expect(world.ids.slice(0, 9)).toEqual(expect.arrayContaining(world.ids.slice(9)));
  world.refusedLetters = 0;
  for (const answer of world.answers.slice(9)) answer({kind: 'failed', status: 500});
  await until('the cursor has passed them', () => world.cursor.ordinal === 9);
  const counts = (world.deliveryQueue as Queued[]).map(({attempts}) => attempts);
  expect(counts.sort()).toEqual([1, ...Array(8).fill(2)]);
});

test('what is settled is not sent again because the owner of another partition is away', async () => {
  const world = new World(Date.now);
  const name = cursorName(endpoint.id, 0);
  const cursor = {v: 1, generation: 1, ordinal: 1, missed: [[0, 1]]} satisfies Cursor;
  world.entries.set(name, {name, revision: 1, text: JSON.stringify(cursor)});
  world.rows.push(undefined, row(1));
  world.start({}, 2);
  for (const ordinal of [1, 2]) {
    await until('the next one is sent', () => world.answers.length === ordinal);
    world.answers.at(-1)!({kind: 'delivered', status: 200});
    world.rows.push(row(ordinal + 1));
  }
  await until('the third is sent', () => world.answers.length === 3);
  expect(new Set(world.ids).size).toBe(3);
  expect(world.cursor).toMatchObject({ordinal: expect.any(Number), missed: [[0, 1]]});
});

test('the lag grows while a receiver takes nothing, and ends when it has taken all', async () => {
  let nowMs = Date.now();
  const world = new World(() => nowMs);
  world.rows.push(row(0));
  world.start();
  await until('it is sent', () => world.answers.length === 1);
  expect(world.tails[0]!.lagMs).toBeLessThan(30_000);
  nowMs = Date.now() + 120_000; // The event came before now, and maybe after the time at which the world began.
  expect(world.tails[0]!.lagMs).toBeGreaterThanOrEqual(120_000);
  world.answers[0]!({kind: 'delivered', status: 200});
  await until('the cursor has passed it', () => world.cursor.ordinal === 1);
  expect(world.tails[0]!.lagMs).toBe(0);
});

test('a message has the id of its place, whenever it is sent', async () => {
  const ids: string[][] = [];
  for (const wallMs of [Date.now, () => Date.now() + 3_600_000]) {
    const world = new World(wallMs);
    world.rows.push(row(0), row(1));
    world.start();
    await until('both are sent', () => world.answers.length === 2);
    ids.push(world.ids.sort());
  }
  expect(ids[1]).toEqual(ids[0]);
  expect(ids[0]).toEqual([0, 1].map((ordinal) => messageId(secret, endpoint.id, 0, 1, ordinal)).sort());
});

test('batches that a crash left unsettled come under their ids, though rows of them are erased by then', async () => {
  const batch = {events: 2, ms: 0};
  const before = new World(Date.now);
  before.rows.push(...[0, 1, 2, 3, 4].map((at) => row(at)));
  before.start({batch});
  await until('all batches are sent', () => before.answers.length === 3);
  const after = new World(Date.now);
  for (const [name, entry] of before.entries) after.entries.set(name, entry);
  after.rows.push(row(0), undefined, row(2), row(3), undefined, row(5));
  after.start({batch});
  await until('what is left of them is sent', () => after.answers.length === 2);
  for (const answer of after.answers.splice(0)) answer({kind: 'delivered', status: 200});
  await until('what came later is sent', () => after.answers.length === 1);
  expect(after.ids.slice(0, 2)).toEqual(before.ids.slice(0, 2));
  expect(before.ids).not.toContain(after.ids[2]);
  expect(after.cursor.planned).toEqual([[5]]);
});

test('a row that was away when its batch was planned comes in a batch of its own, which a restart keeps, too', async () => {
  const batch = {events: 3, ms: 0};
  const idsIn = (world: World): string[][] =>
    world.bodies
      .map((body) => (JSON.parse(body) as {data: {events: {event: {id: string}}[]}}).data.events)
      .map((events) => events.map(({event}) => event.id))
      .sort();
  const played = async (entries: World['entries'], messages: number, ...away: number[]): Promise<World> => {
    const world = new World(Date.now);
    for (const [name, entry] of entries) world.entries.set(name, entry);
    world.rows.push(...[0, 1, 2, 3].map((at) => (away.includes(at) ? undefined : row(at))));
    world.start({batch});
    await until('all batches are sent', () => world.answers.length === messages);
    return world;
  };
  const first = await played(new Map(), 1, 1);
  const second = await played(first.entries, 2);
  const third = await played(second.entries, 2, 0);
  expect(idsIn(first)).toEqual([['0-0', '0-2', '0-3']]);
  expect(idsIn(second)).toEqual([['0-0', '0-2', '0-3'], ['0-1']]);
  expect(idsIn(third)).toEqual([['0-1'], ['0-2', '0-3']]);
  expect(second.ids[0]).toBe(first.ids[0]);
  expect(third.ids.sort()).toEqual(second.ids.sort());
});

describe('an edit', () => {
  const named = (...names: string[]) => ({types: [{type: 'event.tracked' as const, names}]});
  const afterFirst = {...named('b'), earlier: [{...named('a'), ends: [{generation: 1, ordinal: 2}]}]};

  test('counts from the rows after it: those that wait have the rule of before', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0, 'a'), row(1, 'b'), row(2, 'a'), row(3, 'b'));
    world.define(afterFirst);
    world.start(afterFirst);
    await until('what is wanted is sent', () => world.answers.length === 2);
    for (const answer of world.answers) answer({kind: 'delivered', status: 200});
    await until('it has passed them', () => world.cursor.ordinal === 4);
    expect(world.sent.sort()).toEqual(['a', 'b']);
    expect(world.ids.sort()).toEqual([0, 3].map((at) => messageId(secret, endpoint.id, 0, 1, at)).sort());
  });

  test('counts for a row that was stored after it, though the process has not heard of the edit', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0, 'a'), row(1, 'b'));
    world.define(named('a'));
    let pages = 0;
    world.onPage = () => {
      pages += 1;
      // Its answer came before these rows.
      if (pages === 1) {
        world.define(afterFirst);
        world.rows.push(row(2, 'a'), row(3, 'b'));
      }
    };
    world.start(named('a'));
    await until('what is wanted is sent', () => world.answers.length === 2);
    for (const answer of world.answers) answer({kind: 'delivered', status: 200});
    await until('it has passed them', () => world.cursor.ordinal === 4);
    expect(world.sent.sort()).toEqual(['a', 'b']);
    expect(pages).toBe(2);
  });

  test('that brings events skips the rows before it', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0, 'b'), row(1, 'b'), row(2, 'b'));
    const {types} = webhookOf('user.deleted');
    const brought = {...named('b'), earlier: [{types, ends: [{generation: 1, ordinal: 2}]}]};
    world.define(brought);
    world.start(brought);
    await until('the one after it is sent', () => world.answers.length === 1);
    expect(world.ids).toEqual([messageId(secret, endpoint.id, 0, 1, 2)]);
    expect(world.cursor.ordinal).toBe(2);
  });

  test('of the batch leaves what is planned its id and its form', async () => {
    const before = new World(Date.now);
    before.rows.push(row(0), row(1));
    before.start({batch: {events: 2, ms: 0}});
    await until('the batch is sent', () => before.answers.length === 1);
    const after = new World(Date.now);
    for (const [name, entry] of before.entries) after.entries.set(name, entry);
    after.rows.push(row(0), row(1), row(2));
    after.start();
    await until('the batch is sent again', () => after.answers.length === 1);
    after.answers[0]!({kind: 'failed', status: 500});
    await until('the single one is sent', () => after.answers.length === 2);
    expect(after.ids).toEqual([before.ids[0], messageId(secret, endpoint.id, 0, 1, 2)]);
    const data = after.bodies.map((body) => Object.keys((JSON.parse(body) as {data: object}).data));
    expect(data).toEqual([['events'], ['event', 'user_ref']]);
    expect(after.deliveryQueue).toMatchObject([{of: {ordinals: [0, 1], isBatch: true}}]);
  });
});

describe('an ordered webhook', () => {
  const taken: Outcome = {kind: 'delivered', status: 200};
  const failed: Outcome = {kind: 'failed', status: 500};

  test('that fails holds up what follows, until an edit says that it is not ordered', async () => {
    const world = new World(Date.now);
    world.retryDelayMs = 3_600_000;
    world.rows.push(row(0), row(1), row(2));
    world.start({ordered: true});
    await until('the first is sent', () => world.answers.length === 1);
    world.answers[0]!(failed);
    const before = performance.now();
    await until('it had the time to send more', () => performance.now() - before > 500);
    expect([world.answers.length, world.deliveryQueue]).toEqual([1, []]);
    const editedMs = Date.now();
    world.recipients[0]!.take({...endpoint, ordered: false});
    await until('the next is sent', () => world.answers.length === 2);
    expect(world.deliveryQueue).toMatchObject([{id: world.ids[0], attempts: 1, waitMs: 3_600_000}]);
    const {dueMs} = world.deliveryQueue[0] as {dueMs: number};
    expect(dueMs - editedMs).toBeLessThanOrEqual(3_600_000);
    world.answers[1]!(taken);
    await until('the third is sent', () => world.answers.length === 3);
    world.answers[2]!(taken);
    await until('it has passed them', () => world.cursor.ordinal === 3);
  });

  test('that starts again goes on with its schedule: neither time nor count begins anew', async () => {
    const before = new World(Date.now);
    before.rows.push(row(0), row(1));
    before.start({ordered: true});
    for (let attempt = 1; attempt < attemptsMax; attempt++) {
      await until('an attempt is made', () => before.answers.length === attempt);
      if (attempt === attemptsMax - 1) before.retryDelayMs = 2_000;
      before.answers[attempt - 1]!(failed);
      await until('the next one stands in the cursor', () => before.cursor.retry?.attempts === attempt);
    }
    const {dueMs} = before.cursor.retry!;
    const after = new World(Date.now);
    for (const [name, entry] of before.entries) after.entries.set(name, entry);
    after.rows.push(...before.rows);
    after.start({ordered: true});
    await until('the last attempt is made', () => after.answers.length === 1);
    expect(Date.now()).toBeGreaterThanOrEqual(dueMs);
    expect(after.ids).toEqual([before.ids[0]]);
    after.answers[0]!(failed);
    await until('what follows it is sent', () => after.answers.length === 2);
    expect(after.deliveryQueue).toMatchObject([
      {id: before.ids[0], attempts: attemptsMax, why: 'the receiver answered 500'},
    ]);
    after.answers[1]!(taken);
    await until('it has passed them', () => after.cursor.ordinal === 2);
    expect(after.cursor.retry).toBeUndefined();
  });

  test('whose dead letter no stream takes sends it no more, and nothing of what follows', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0), row(1));
    world.refusedLetters = Number.POSITIVE_INFINITY;
    world.start({ordered: true});
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await until('an attempt is made', () => world.answers.length === attempt);
      world.answers[attempt - 1]!(failed);
    }
    const {pages} = world;
    await until('the page was read twice more', () => world.pages >= pages + 2);
    expect(world.answers.length).toBe(attemptsMax);
    world.refusedLetters = 0;
    await until('the next is sent', () => world.answers.length === attemptsMax + 1);
    expect(world.deliveryQueue).toMatchObject([{id: world.ids[0], attempts: attemptsMax}]);
  });

  test('that an edit made so in the middle of a page sends one at a time from then on', async () => {
    const world = new World(Date.now);
    world.rows.push(...Array.from({length: 12}, (_, at) => row(at)));
    world.start();
    await until('eight are sent', () => world.answers.length === 8);
    world.recipients[0]!.take({...endpoint, ordered: true});
    for (const answer of world.answers.slice(1)) answer(taken);
    const before = performance.now();
    await until('it had the time to send more', () => performance.now() - before > 500);
    expect(world.answers.length).toBe(8);
    for (let sent = 8; sent < 12; sent++) {
      world.answers[sent === 8 ? 0 : sent - 1]!(taken);
      await until('one more is sent', () => world.answers.length > sent);
      expect(world.answers.length).toBe(sent + 1);
    }
    world.answers[11]!(taken);
    await until('it has passed them', () => world.cursor.ordinal === 12);
  });
});

test('a clock that goes back by a day keeps no cursor from being written', async () => {
  let backMs = 0;
  const world = new World(() => Date.now() - backMs);
  world.rows.push(row(0));
  world.start();
  await until('the first is sent', () => world.answers.length === 1);
  world.answers[0]!({kind: 'delivered', status: 200});
  await until('the cursor is written', () => world.cursor.ordinal === 1);
  backMs = 86_400_000;
  world.rows.push(row(1));
  await until('the second is sent', () => world.answers.length === 2);
  // Always one more waits when one is taken.
  const beganMs = performance.now();
  for (let sent = 2; performance.now() - beganMs < 2_500; sent++) {
    world.rows.push(row(sent));
    world.answers.at(-1)!({kind: 'delivered', status: 200});
    await until('the next is sent', () => world.answers.length === sent + 1);
  }
  expect(world.cursor.ordinal).toBeGreaterThan(1);
});

test.each([false, true])('what is queued or buried has nothing of a client (ordered: %s)', async (ordered) => {
  const world = new World(Date.now);
  world.rows.push(row(0));
  world.start({ordered});
  for (let attempts = 1; world.deliveryQueue.length === 0; attempts++) {
    await until('it is sent, or over', () => world.answers.length === attempts || world.deliveryQueue.length > 0);
    world.answers.at(-1)!({kind: 'failed', status: 500});
  }
  expect(JSON.stringify(world.deliveryQueue)).not.toContain('of a client');
  expect(world.deliveryQueue).toMatchObject([
    {type: 'event.tracked', of: {partition: 0, generation: 1, ordinals: [0]}},
  ]);
});

describe('of two owners, one after the other', () => {
  const taken: Outcome = {kind: 'delivered', status: 200};
  const pass = async (ms: number): Promise<void> => {
    const before = performance.now();
    await until('some time passed', () => performance.now() - before > ms);
  };

  test('the first waits for its attempt when it stops, and the second sends what is left', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0, 'first'), row(1, 'second'), row(2, 'third'));
    world.start({ordered: true});
    await until('the first is sent', () => world.answers.length === 1);
    let hasStopped = false;
    const stopped = world.tails[0]!.stop().then(() => {
      hasStopped = true;
    });
    await pass(200);
    expect(hasStopped).toBe(false);
    world.answers[0]!(taken);
    await stopped;
    expect(world.cursor).toMatchObject({ordinal: 0, settled: [world.ids[0]]});
    world.start({ordered: true});
    for (const count of [2, 3]) {
      await until('the next is sent', () => world.answers.length === count);
      world.answers.at(-1)!(taken);
    }
    await until('it has passed them', () => world.cursor.ordinal === 3);
    expect(world.sent).toEqual(['first', 'second', 'third']);
    expect(world.cursor).not.toHaveProperty('settled');
  });

  test('one that is not sure to be the owner begins no attempt until it is', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0), row(1));
    world.start({ordered: true});
    await until('the first is sent', () => world.answers.length === 1);
    world.isSure = false;
    world.answers[0]!(taken);
    await pass(400);
    expect(world.answers.length).toBe(1);
    world.isSure = true;
    await until('the second is sent', () => world.answers.length === 2);
  });

  test('one whose write is refused goes on from what the other wrote', async () => {
    const world = new World(Date.now);
    world.rows.push(row(0, 'first'), row(1, 'second'), row(2, 'third'));
    world.start({ordered: true});
    await until('the first is sent', () => world.answers.length === 1);
    const name = cursorName(endpoint.id, 0);
    const {revision} = world.entries.get(name)!;
    const text = JSON.stringify({v: 1, generation: 1, ordinal: 2} satisfies Cursor);
    world.entries.set(name, {name, revision: revision + 1, text});
    world.answers[0]!({kind: 'failed', status: 500});
    await until('the third is sent', () => world.answers.length === 2);
    expect(world.sent).toEqual(['first', 'third']);
  });
});
