// Deliveries over a real nats-server: owners of partitions that hold what the test says, a receiver that answers what the test
// says, and a schedule of milliseconds.
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {type Generations, lostFrom, newestOf, withGeneration} from '../../actors/generations.js';
import type {PartitionQuestion} from '../../src/asks/partition.js';
import {seedsOf} from '../../src/deployment-seeds.js';
import {KeptStore} from '../../src/kept/kept-store.js';
import {forgetRecord} from '../../src/kept/record-sweep.js';
import {BucketFault} from '../../src/keys/key-bucket.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsKeyBucket} from '../../src/nats/key-bucket.js';
import {triggersStream} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {userRefs} from '../../src/user-ref.js';
import {CursorRecord, cursorName} from '../../src/webhooks/cursor.js';
import {DeliveryQueue} from '../../src/webhooks/delivery-queue.js';
import {DeliveryWorker} from '../../src/webhooks/delivery-worker.js';
import type {Endpoint} from '../../src/webhooks/endpoint.js';
import type {EndpointHealth} from '../../src/webhooks/endpoint-health.js';
import {EventReader} from '../../src/webhooks/event-reader.js';
import {Heads} from '../../src/webhooks/heads.js';
import {publishTrigger} from '../../src/webhooks/outbox.js';
import {Owners} from '../../src/webhooks/owners.js';
import type {Outcome} from '../../src/webhooks/post.js';
import {attemptsMax} from '../../src/webhooks/schedule.js';
import {readHealth} from '../../src/webhooks/stored-health.js';
import {messageId, type Trigger} from '../../src/webhooks/trigger.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {until} from '../support/until.js';

const secret = 'secret';
const partitionCount = 2;
let server: TestNats;
let nc: NatsConnection;
let hooks: KeptStore;
let deliveryQueue: DeliveryQueue;
const bucket = () => new NatsKeyBucket(nc, 'hooks');

/** Stored rows of each partition; null: not there any more. */
let rows: (object | null)[][];
/** Where joins brought rows that are not there any more: all others are erased. By id. */
let moved: Map<string, number>;
let isAway = false;
let isStandingAway = false;
/** How often a health was asked for while it was away. */
let standingAsks = 0;
let generations: Generations = [];
let retryMs = 5;
/** Called before rows of a partition are read. */
let beforeRead: (partition: number) => void;
let effects: Map<string, object | null>;

beforeAll(async () => {
  server = await startTestNats(partitionCount);
  nc = await connectNats(server.nats.address, 'test-deliver');
  hooks = await KeptStore.open(bucket(), Date.now);
  deliveryQueue = new DeliveryQueue(jetstream(nc), await jetstreamManager(nc));
});

afterAll(async () => {
  hooks.stop();
  await nc.close();
  await server.stop();
});

beforeEach(() => {
  rows = Array.from({length: partitionCount}, () => []);
  moved = new Map();
  effects = new Map();
  isAway = false;
  isStandingAway = false;
  standingAsks = 0;
  generations = [{generation: 1, ordinal: 0, users: 0}];
  retryMs = 5;
  beforeRead = () => undefined;
});

interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly userId: string | null;
  readonly properties: {readonly n: number};
}

/** The data of any type: those of the others are undefined. */
interface ReceivedData {
  readonly event: ReceivedEvent;
  readonly events: readonly {readonly event: ReceivedEvent; readonly user_ref: string}[];
  readonly user_ref: string;
  readonly traits: {readonly plan: string};
}

interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: ReceivedData;
  readonly signature: string;
}

/** A process that delivers. */
class Process {
  readonly received: Received[] = [];
  /** What the receiver answers, by what it got; it takes everything. */
  answer: (got: Received) => Outcome | Promise<Outcome> = () => ({kind: 'delivered', status: 200});
  private readonly deliveryWorker: DeliveryWorker;
  private readonly heads: Heads;

  constructor(owned: readonly number[] = [...Array(partitionCount).keys()]) {
    const owners = new Owners(async (subject, question) =>
      answerOf(Number(subject.split('.').at(-1)), question as PartitionQuestion),
    );
    this.heads = new Heads(owners);
    const own = bucket();
    const read = own.read.bind(own);
    own.read = async (name) => {
      if (!isStandingAway || !name.startsWith('w.')) return read(name);
      standingAsks += 1;
      throw new BucketFault('away');
    };
    this.deliveryWorker = new DeliveryWorker({
      store: hooks,
      bucket: own,
      owners,
      deliveryQueue,
      events: new EventReader(owners, seedsOf(secret), userRefs(secret)),
      heads: this.heads,
      partitionCount,
      poster: {
        post: async (_, contentOf) => {
          const content = await contentOf();
          if (content === undefined) return {kind: 'erased'};
          const {headers, body} = content;
          const {type, data} = JSON.parse(body);
          const got = {id: headers['webhook-id']!, type, data, signature: headers['webhook-signature']!};
          this.received.push(got);
          return this.answer(got);
        },
      },
      messageId: (...parts) => messageId(secret, ...parts),
      retryDelayMs: (attempt) => (attempt < attemptsMax ? retryMs : undefined),
      probeDelayMs: () => 20,
      isSure: () => true,
      wallMs: Date.now,
      logger: createLogger('silent', 'test'),
    });
    this.deliveryWorker.start();
    for (const partition of owned) this.deliveryWorker.own(partition);
  }

  stop(): Promise<void> {
    return this.deliveryWorker.stop();
  }
}

const processes: Process[] = [];
const start = (): Process => {
  const made = new Process();
  processes.push(made);
  return made;
};

afterEach(async () => {
  for (const each of processes.splice(0)) await each.stop();
  for (const {id} of hooks.endpoints.list()) {
    await hooks.endpoints.remove(id);
    await deliveryQueue.forget(id);
  }
});

const userOfAll = 7;
const timeOf = (text: string): number => Date.parse(text);

interface StoredRow {
  readonly id: string;
  readonly userId: string | null;
  readonly timestamp: string;
}

/** A join brings a row of an anonymous user to the partition of its owner. */
function join(id: string, to: number): void {
  const [from, ordinal] = id.split('-').map(Number) as [number, number];
  const row = rows[from]![ordinal];
  if (!row) throw new Error(`${id} is not there`);
  rows[from]![ordinal] = null;
  rows[to]!.push({...row, userId: 'ada', joined: true});
  moved.set(id, to);
}

/** The log of partition 0 lost its end: what follows is of another generation. */
function loseFrom(ordinal: number): void {
  if (newestOf(generations) === 2) return;
  rows[0]!.length = ordinal;
  generations = withGeneration(generations, {generation: 2, ordinal, users: 0});
}

/** As the owner of a partition answers (src/partition/reads). */
function answerOf(partition: number, question: PartitionQuestion) {
  if (isAway) return {kind: 'unavailable', message: 'away'};
  if (question.ask === 'tail' && question.limit > 0) beforeRead(partition);
  const own = rows[partition]!;
  const textOf = (ordinal: number) => (own[ordinal] ? JSON.stringify(own[ordinal]) : null);
  switch (question.ask) {
    case 'tail': {
      const ordinals = own
        .map((_, ordinal) => ordinal)
        .filter((ordinal) => ordinal >= question.from && own[ordinal] !== null)
        .slice(0, question.limit);
      const end = own.length;
      const users = ordinals.map(() => userOfAll);
      const log = partition === 0 ? generations : [{generation: 1, ordinal: 0, users: 0}];
      const head = {kind: 'tail', generation: newestOf(log), generations: log, end};
      if (question.from > end) return {...head, next: end, ordinals, events: [], users: []};
      const next = ordinals.length < question.limit ? end : (ordinals.at(-1) ?? question.from - 1) + 1;
      const gone = own.flatMap((row, at) => (row === null && at >= question.from && at < next ? [at] : []));
      const missing = gone.length > 0 && [gone[0], gone.at(-1)! + 1];
      const events = ordinals.map(textOf);
      return {...head, next, ordinals, events, users, ...(missing && {missing})};
    }
    case 'bodies': {
      const {ordinals, was} = question;
      const lost =
        was === undefined || partition > 0 ? Number.POSITIVE_INFINITY : lostFrom(generations, was.generation);
      const absenceOf = (ordinal: number) => {
        if (ordinal >= lost) return {why: 'lost'};
        const to = moved.get(`${partition}-${ordinal}`);
        return to === undefined ? {why: 'erased'} : {why: 'moved', partition: to, userId: 'ada'};
      };
      if (was !== undefined) expect(was.users).toEqual(ordinals.map(() => userOfAll));
      const absences = was && ordinals.map((ordinal) => (own[ordinal] && ordinal < lost ? null : absenceOf(ordinal)));
      const events = ordinals.map((ordinal) => (ordinal < lost ? textOf(ordinal) : null));
      return {kind: 'bodies', events, users: events.map((text) => text && userOfAll), ...(absences && {absences})};
    }
    case 'history': {
      const {fromMs = 0, toMs = Number.POSITIVE_INFINITY, user} = question;
      const found = own
        .map((row, ordinal) => ({...(row as StoredRow), ordinal}))
        .filter(
          ({userId, timestamp}) => userId === user?.id && fromMs <= timeOf(timestamp) && timeOf(timestamp) <= toMs,
        );
      const timesMs = found.map(({timestamp}) => timeOf(timestamp));
      return {
        kind: 'history',
        timesMs,
        ordinals: found.map(({ordinal}) => ordinal),
        more: false,
        ordinalEnd: own.length,
      };
    }
    case 'effect': {
      const said = effects.get(String(question.of.key));
      return said ? {kind: 'effect', dataJson: JSON.stringify(said)} : {kind: 'effect_gone'};
    }
    default:
      throw new Error(question.ask);
  }
}

function store(partition: number, event: string, properties: object = {}, more: object = {}): void {
  const own = rows[partition]!;
  own.push({
    id: `${partition}-${own.length}`,
    event,
    userId: 'ada',
    anonymousId: null,
    properties,
    timestamp: new Date().toISOString(),
    received_at: new Date().toISOString(),
    ...more,
  });
}

async function create(content: Partial<Endpoint> = {}): Promise<Endpoint> {
  const endpoint = await hooks.endpoints.create({
    kind: 'webhook',
    url: 'https://hooks.example.com/',
    types: [{type: 'event.tracked'}, {type: 'user.identified'}],
    state: 'active',
    reason: null,
    secrets: [{value: 'whsec_AAAA'}],
    batch: {events: 1, ms: 0},
    ordered: false,
    ...content,
  });
  for (let partition = 0; partition < partitionCount; partition++)
    await new CursorRecord(bucket(), endpoint.id, partition).write({
      v: 1,
      generation: 1,
      ordinal: rows[partition]!.length,
    });
  return endpoint;
}

/** The health of the first endpoint, as the processes stored it. */
const health = () => readHealth(bucket(), hooks.endpoints.list()[0]!.id);
const stood = (is: (one: EndpointHealth) => boolean) => until('the health says so', async () => is(await health()));

const cursorOf = async (partition: number) =>
  (await new CursorRecord(bucket(), hooks.endpoints.list()[0]!.id, partition).read())?.cursor;

const passedBy = (partition: number, ordinal: number) =>
  until('the tail has passed it', async () => ((await cursorOf(partition))?.ordinal ?? 0) >= ordinal);

const trigger = (name: string, more: object = {}): Trigger => ({
  v: 1,
  id: messageId(secret, name),
  type: 'user.identified',
  timestampMs: 1_000,
  of: {partition: 0, key: name},
  ...more,
});

const tell = (endpoint: Endpoint, told: Trigger) => publishTrigger(jetstream(nc), endpoint.id, told);
const failed: Outcome = {kind: 'failed', status: 500};

describe('stored events', () => {
  test('come once each, from all partitions, signed, under an id of their place', async () => {
    store(0, 'before');
    await create();
    const process = start();
    store(0, 'seen', {n: 1});
    store(1, 'seen', {n: 2});
    await until('both are there', () => process.received.length === 2);
    const [one] = process.received.filter(({data}) => data.event.properties.n === 1);
    expect(one).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: 'event.tracked',
      data: {
        event: expect.objectContaining({id: '0-1', event: 'seen'}),
        user_ref: expect.stringMatching(/^[\w-]{43}$/),
      },
      signature: expect.stringMatching(/^v1,/),
    });
    expect(new Set(process.received.map(({data}) => data.user_ref)).size).toBe(1);
  });

  test('that fail are tried again on their own, under their id, and hold up nobody', async () => {
    await create();
    const process = start();
    let fails = 3;
    process.answer = ({data}) =>
      data.event.properties.n === 0 && fails-- > 0 ? failed : {kind: 'delivered', status: 200};
    store(0, 'seen', {n: 0});
    store(0, 'seen', {n: 1});
    const ofFirst = () => process.received.filter(({data}) => data.event.properties.n === 0);
    await until('the fourth attempt succeeded', () => ofFirst().length === 4);
    expect(new Set(ofFirst().map(({id}) => id)).size).toBe(1);
    expect(process.received.filter(({data}) => data.event.properties.n === 1).length).toBe(1);
  });

  test('end in the dead letters after ten attempts, as a reference', async () => {
    const endpoint = await create();
    const process = start();
    process.answer = ({data}) => (data.event.event === 'bad' ? failed : {kind: 'delivered', status: 200});
    store(0, 'bad', {secret: 'of a client'});
    // A success in between: the endpoint is not probed.
    const dead = await until('it is buried', async () => {
      store(1, 'good');
      const found = await deliveryQueue.dead(endpoint.id, 1, 10);
      return found.length > 0 && found;
    });
    expect(process.received.filter(({data}) => data.event.event === 'bad').length).toBe(attemptsMax);
    expect(dead).toEqual([
      {
        sequence: expect.any(Number),
        content: {
          v: 1,
          id: process.received.find(({data}) => data.event.event === 'bad')!.id,
          type: 'event.tracked',
          timestampMs: expect.any(Number),
          of: {
            partition: 0,
            generation: 1,
            ordinals: [0],
            users: [userOfAll],
            timesMs: [expect.any(Number)],
            isBatch: false,
          },
          attempts: attemptsMax,
          dueMs: expect.any(Number),
          waitMs: 5,
          why: 'the receiver answered 500',
          endedMs: expect.any(Number),
        },
      },
    ]);
    await stood(({dead}) => dead === 1);
  });

  test('of an erased user are not sent again', async () => {
    const endpoint = await create();
    const process = start();
    process.answer = () => {
      rows[0]![0] = null;
      return failed;
    };
    store(0, 'seen');
    await until('nothing waits any more', async () => {
      return process.received.length > 0 && (await deliveryQueue.waiting(endpoint.id, 1, 1)).length === 0;
    });
    await stood(({failed: count}) => count === 1);
    expect(process.received.length).toBe(1);
    expect(await deliveryQueue.dead(endpoint.id, 1, 1)).toEqual([]);
  });

  test('that a join took elsewhere behind a failed attempt are sent from there, under their id', async () => {
    const endpoint = await create();
    const process = start();
    const anonymous = {userId: null, anonymousId: 'phone'};
    const told = () => process.received.filter(({data}) => data.event.event === 'moved');
    process.answer = ({data}) => {
      if (data.event.event !== 'moved' || data.event.userId !== null) return {kind: 'delivered', status: 200};
      return failed;
    };
    retryMs = 300;
    store(0, 'moved', {n: 1}, anonymous);
    await passedBy(0, 1); // The partition that it moves to takes it for told from now on.
    join('0-0', 1);
    await until('it is taken', () => told().some(({data}) => data.event.userId !== null));
    store(1, 'last');
    await until('the last is told', () => process.received.some(({data}) => data.event.event === 'last'));
    const [first, second] = [told()[0]!, told().at(-1)!];
    expect(new Set(told().map(({id}) => id)).size).toBe(1);
    expect(second.data.event).toMatchObject({id: '0-0', userId: 'ada', properties: {n: 1}});
    expect(second.data.user_ref).not.toBe(first.data.user_ref);
    await until('nothing waits', async () => (await deliveryQueue.waiting(endpoint.id, 1, 9)).length === 0);
  });

  test('that a join took elsewhere before the tail came to them are told there, however late', async () => {
    await create();
    store(0, 'moved', {}, {userId: null, anonymousId: 'phone'});
    store(0, 'later');
    join('0-0', 1);
    let isSlow = true;
    beforeRead = (partition) => {
      if (partition === 1 && isSlow) throw new Error('the owner of partition 1 is slow');
    };
    const process = start();
    await until('the tail passed where it was', () => process.received.length === 1);
    const missed = await until('what it missed is known', async () => (await cursorOf(0))?.missed);
    expect(missed).toEqual([[0, 1]]);
    isSlow = false;
    await until('it is told', () => process.received.length === 2);
    expect(process.received[1]!.data.event.id).toBe('0-0');
    expect(process.received[1]!.id).toBe(messageId(secret, hooks.endpoints.list()[0]!.id, 0, 1, 0));
    await until('all have passed it', async () => {
      store(0, 'more');
      return (await cursorOf(0))?.missed === undefined;
    });
    expect(process.received.filter(({data}) => data.event.id === '0-0').length).toBe(1);
  });

  test('that a join brought are told once: here, if where they came from nobody told them', async () => {
    await create();
    store(0, 'first'); // Told by partition 0.
    const process = start();
    await until('it is told', () => process.received.length === 1);
    store(1, 'moved', {}, {id: '0-0', joined: true});
    store(1, 'moved', {}, {id: '0-9', joined: true});
    store(1, 'last');
    await until('the last is told', () => process.received.some(({data}) => data.event.event === 'last'));
    expect(process.received.map(({data}) => data.event.id).sort()).toEqual(['0-0', '0-9', '1-2']);
    expect(process.received.find(({data}) => data.event.id === '0-9')!.id).toBe(
      messageId(secret, hooks.endpoints.list()[0]!.id, 0, 1, 9),
    );
  });

  test('that follow a lost end of the log come, under ids of their own, though the cursor was further', async () => {
    await create();
    const process = start();
    for (let n = 0; n < 10; n++) store(0, 'before', {n});
    await until('they are told', () => process.received.length === 10);
    loseFrom(5);
    for (let n = 0; n < 10; n++) store(0, 'after', {n});
    const told = (event: string) => process.received.filter(({data}) => data.event.event === event);
    await until('the last is told', () => told('after').some(({data}) => data.event.properties.n === 9));
    await until('all are told', () => told('after').length === 10);
    const ids = new Set(process.received.map(({id}) => id));
    expect([ids.size, process.received.length]).toEqual([20, 20]);
  });

  test('that the log lost are listed, and no other event is sent in their place', async () => {
    const endpoint = await create();
    const process = start();
    process.answer = ({data}) => {
      if (data.event.event !== 'lost') return {kind: 'delivered', status: 200};
      loseFrom(5);
      for (let n = 0; n < 5; n++) store(0, 'after', {n});
      return failed;
    };
    for (let n = 0; n < 5; n++) store(0, 'before', {n});
    store(0, 'lost');
    const dead = await until('it is listed', async () => {
      const found = await deliveryQueue.dead(endpoint.id, 1, 9);
      return found.length > 0 && found;
    });
    const id = process.received.find(({data}) => data.event.event === 'lost')!.id;
    expect(dead.map(({content}) => content)).toMatchObject([
      {id, why: 'the log lost these events', of: {generation: 1, ordinals: [5]}},
    ]);
    expect(process.received.filter((one) => one.id === id).length).toBe(1);
  });

  test('that wait for more than a day are passed over, and a line says so', async () => {
    const endpoint = await create();
    const day = 86_400_000;
    const old = {received_at: new Date(Date.now() - 2 * day).toISOString()};
    for (let n = 0; n < 20; n++) store(0, 'old', {}, old);
    store(0, 'new');
    const process = start();
    await until('the new one is told', () => process.received.length > 0);
    expect(process.received.map(({data}) => data.event.event)).toEqual(['new']);
    const [skipped] = await deliveryQueue.dead(endpoint.id, 1, 10);
    expect(skipped?.content).toMatchObject({type: 'skipped', of: {partition: 0, from: 0, to: 20}});
    await stood(({skippedEvents}) => skippedEvents === 20);
  });
});

describe('triggers', () => {
  test('say what their owner says at each attempt; of an erased user nothing', async () => {
    const endpoint = await create();
    effects.set('ada', {userId: 'ada', traits: {plan: 'free'}});
    effects.set('gone', null);
    const process = start();
    process.answer = () => {
      effects.set('ada', {userId: 'ada', traits: {plan: 'pro'}});
      return process.received.length < 3 ? failed : {kind: 'delivered', status: 200};
    };
    await tell(endpoint, trigger('gone'));
    await tell(endpoint, trigger('ada'));
    await until('it is taken', () => process.received.length === 3);
    expect(process.received.map(({id, data}) => [id, data.traits.plan])).toEqual([
      [trigger('ada').id, 'free'],
      [trigger('ada').id, 'pro'],
      [trigger('ada').id, 'pro'],
    ]);
    await until('nothing waits', async () => (await deliveryQueue.waiting(endpoint.id, 1, 1)).length === 0);
    expect(await deliveryQueue.dead(endpoint.id, 1, 1)).toEqual([]);
  });

  test('of an owner that is away wait, and that is no attempt', async () => {
    const endpoint = await create({types: [{type: 'user.identified'}]});
    effects.set('ada', {userId: 'ada'});
    isAway = true;
    const process = start();
    await tell(endpoint, trigger('ada'));
    await until('it was asked for', async () => (await deliveryQueue.waiting(endpoint.id, 1, 1)).length === 1);
    isAway = false;
    await until('it is told', () => process.received.length === 1);
    await stood(({delivered}) => delivered === 1);
    expect(await health()).toMatchObject({failed: 0});
  });

  test('of a paused endpoint wait; a 410 disables it, and what comes then is buried', async () => {
    const endpoint = await create({state: 'paused', types: [{type: 'user.identified'}]});
    for (const name of ['a', 'b', 'c']) effects.set(name, {userId: name});
    const process = start();
    await tell(endpoint, trigger('a'));
    await until('it waits', async () => (await deliveryQueue.waiting(endpoint.id, 1, 9)).length === 1);
    expect(process.received).toEqual([]);
    await hooks.endpoints.change(endpoint.id, (one) => ({...one, state: 'active'}));
    await until('it is told', () => process.received.length === 1);
    process.answer = () => ({kind: 'gone', status: 410});
    await tell(endpoint, trigger('b'));
    await until('it is disabled', () => hooks.endpoints.get(endpoint.id)?.state === 'disabled');
    expect(hooks.endpoints.get(endpoint.id)?.reason).toBe('the receiver answered 410');
    await tell(endpoint, trigger('c'));
    const dead = await until('both are buried', async () => {
      const found = await deliveryQueue.dead(endpoint.id, 1, 9);
      return found.length === 2 && found;
    });
    expect(dead.map(({content}) => content.why)).toEqual(['the receiver answered 410', 'the webhook is disabled']);
    expect(process.received.length).toBe(2);
  });
});

test('what is queued behind the deletion of its endpoint is swept out, and nothing of another one', async () => {
  const [gone, kept] = [await create({types: [{type: 'user.identified'}]}), await create({state: 'paused'})];
  await hooks.endpoints.remove(gone.id);
  await deliveryQueue.forget(gone.id);
  for (const endpoint of [gone, kept]) await tell(endpoint, trigger('ada'));
  start();
  await until('it is swept out', async () => (await deliveryQueue.waiting(gone.id, 1, 1)).length === 0);
  expect((await deliveryQueue.waiting(kept.id, 1, 9)).length).toBe(1);
});

test('a consumer that a process creates again after the deletion of its endpoint is swept out', async () => {
  const [gone, kept] = [await create(), await create()];
  await hooks.endpoints.remove(gone.id);
  await deliveryQueue.forget(gone.id);
  const manager = await jetstreamManager(nc);
  const consumers = async () => {
    const names: string[] = [];
    for await (const {name} of manager.consumers.list(triggersStream)) names.push(name);
    return names;
  };
  const pulling = deliveryQueue.source(gone.id).next(); // By a process that has not heard of it.
  pulling.catch(() => undefined); // Its consumer is deleted.
  await until('it is there again', async () => (await consumers()).includes(`d-${gone.id}`));
  start();
  await until('it is swept out', async () => !(await consumers()).includes(`d-${gone.id}`));
  await until('the other endpoint is served', async () => (await consumers()).includes(`d-${kept.id}`));
});

test('records of endpoints that were deleted are swept out, and of no other one', async () => {
  const kept = await create({state: 'paused'});
  const names = ['c.wh_gone.0', 'c.wh_gone.1', 'w.wh_gone', 'c.wh_emptied.0'];
  for (const name of names) await bucket().write(name, name.includes('emptied') ? '' : '{}', 0);
  start();
  await until('they are swept out', async () => {
    const found = await Promise.all(names.map((name) => bucket().read(name)));
    return found.every((entry) => entry === undefined);
  });
  const left = await bucket().names('c.*.*');
  expect(left.filter((name) => name.includes(kept.id)).length).toBe(partitionCount);
});

test('an endpoint that was deleted before it was served leaves no cursor', async () => {
  isStandingAway = true;
  const {id} = await create();
  start();
  await until('it is to be served', () => standingAsks > 0);
  let isHeardOf = false;
  hooks.onChange(() => {
    isHeardOf ||= hooks.endpoints.get(id) === undefined;
  });
  await hooks.endpoints.remove(id);
  await until('the process has heard of its end', () => isHeardOf);
  const name = cursorName(id, 0);
  await forgetRecord(bucket(), name);
  isStandingAway = false;
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // It tries once a second.
  expect(await bucket().read(name)).toBeUndefined();
});
