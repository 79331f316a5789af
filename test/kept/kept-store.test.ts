// Definitions on a real nats-server, seen by two processes; triggers in their stream.
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {KeptStore} from '../../src/kept/kept-store.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsKeyBucket} from '../../src/nats/key-bucket.js';
import {triggersStream} from '../../src/nats/topology.js';
import {keptRefs, userRefs} from '../../src/user-ref.js';
import type {Endpoint} from '../../src/webhooks/endpoint.js';
import {publishTrigger} from '../../src/webhooks/outbox.js';
import {messageId, type Trigger} from '../../src/webhooks/trigger.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {until} from '../support/until.js';

let server: TestNats;
const connections: NatsConnection[] = [];

beforeAll(async () => {
  server = await startTestNats(1);
});

afterAll(async () => {
  for (const connection of connections) await connection.close();
  await server.stop();
});

async function connect(): Promise<NatsConnection> {
  const connection = await connectNats(server.nats.address, 'test-hooks');
  connections.push(connection);
  return connection;
}

const openStore = async (): Promise<KeptStore> =>
  KeptStore.open(new NatsKeyBucket(await connect(), 'hooks'), () => 1_000);

const content: Omit<Endpoint, 'v' | 'id' | 'createdMs'> = {
  kind: 'webhook',
  url: 'https://hooks.example.com/',
  types: [{type: 'event.tracked', names: ['order_paid']}, {type: 'user.deleted'}],
  state: 'active',
  reason: null,
  secrets: [{value: 'whsec_AAAA'}],
  batch: {events: 1, ms: 0},
  ordered: false,
};

test('two processes see what either makes, changes and removes; cursors disturb nobody, and nothing comes back', async () => {
  const [here, there] = [await openStore(), await openStore()];
  let heard = 0;
  there.onChange(() => heard++);
  const made = await here.endpoints.create(content);
  expect(made.id).toMatch(/^wh_[0-9a-f]{16}$/);
  await until('the other process knows it', () => there.endpoints.get(made.id));
  expect(there.endpoints.list()).toEqual([made]);
  expect(heard).toBe(1);
  expect(there.wants('event.tracked', 'order_paid')).toEqual([made]);
  expect(there.wants('event.tracked', 'seen')).toEqual([]);
  expect(there.wants('user.deleted')).toEqual([made]);
  expect(there.wants('user.identified')).toEqual([]);

  const paused = await there.endpoints.change(made.id, (endpoint) => ({...endpoint, state: 'paused'}));
  expect(paused).toEqual({...made, state: 'paused'});
  expect(await here.bucket.write(`c.${made.id}.0`, '{}', 0)).toBeGreaterThan(0);
  // Behind the times: finds the other's change, and changes that.
  const both = await here.endpoints.change(made.id, (endpoint) => ({...endpoint, reason: 'for a test'}));
  expect(both).toEqual({...made, state: 'paused', reason: 'for a test'});

  const funnels = here.definitions('fn');
  const funnel = await funnels.create({});
  expect(here.endpoints.get(funnel.id)).toBeUndefined();
  expect(await here.endpoints.remove(funnel.id)).toBeUndefined();

  // Another one is meant than the newest, which this process may not know yet.
  expect(await there.endpoints.remove(made.id, ({reason}) => reason === null)).toEqual(both);
  expect(there.endpoints.get(made.id)).toEqual(both);
  expect(await there.endpoints.remove(made.id)).toEqual(both);
  await until('the first knows that it is gone', () => here.endpoints.get(made.id) === undefined);
  expect(await here.endpoints.change(made.id, (endpoint) => endpoint)).toBeUndefined();
  const later = await openStore();
  expect(later.endpoints.list()).toEqual([]);
  expect(later.definitions('fn').list()).toEqual([funnel]);
});

test('a store opens though the bucket has only cursors', async () => {
  const alone = await startTestNats(1);
  try {
    const nc = await connectNats(alone.nats.address, 'test-hooks');
    const bucket = new NatsKeyBucket(nc, 'hooks');
    await bucket.write('c.wh_0000000000000000.0', '{}', 0);
    expect((await KeptStore.open(bucket, () => 1_000)).endpoints.list()).toEqual([]);
    await nc.close();
  } finally {
    await alone.stop();
  }
});

test('a trigger waits once for each endpoint, however often it is published', async () => {
  const nc = await connect();
  const trigger: Trigger = {
    v: 1,
    id: messageId('secret', 0, 1, 7, 0, 'wh_a'),
    type: 'user.identified',
    timestampMs: 5,
    of: {partition: 0, user: 3},
  };
  for (const endpoint of ['wh_a', 'wh_a', 'wh_b']) await publishTrigger(jetstream(nc), endpoint, trigger);
  const jsm = await jetstreamManager(nc);
  const {state} = await jsm.streams.info(triggersStream, {subjects_filter: '>'});
  expect(state.subjects).toEqual({'out.wh_a': 1, 'out.wh_b': 1});
});

test('references that are kept are those that are made, each once while it is among the newest', () => {
  const made: string[] = [];
  const kept = keptRefs((hash) => {
    made.push(hash);
    return `of ${hash}`;
  });
  expect(['a', 'b', 'a', 'a'].map(kept)).toEqual(['of a', 'of b', 'of a', 'of a']);
  expect(made).toEqual(['a', 'b']);
  for (let i = 0; i < 20_000; i++) kept(`${i}`);
  expect(kept('a')).toBe('of a');
  expect(made.filter((hash) => hash === 'a')).toHaveLength(2);
});

test('ids and references are functions of what they are for, and of the secret', () => {
  const id = messageId('secret', 0, 1, 7, 0, 'wh_a');
  expect(id).toMatch(/^msg_[0-9A-Za-z]{27}$/);
  expect(messageId('secret', 0, 1, 7, 0, 'wh_a')).toBe(id);
  const others = [messageId('other', 0, 1, 7, 0, 'wh_a'), messageId('secret', 0, 17, 0, 'wh_a')];
  expect(new Set([id, ...others]).size).toBe(3);
  const [refs, again, foreign] = [userRefs('secret'), userRefs('secret'), userRefs('other')];
  expect(refs('0a1b')).toMatch(/^[\w-]{43}$/);
  expect(again('0a1b')).toBe(refs('0a1b'));
  expect(new Set([refs('0a1b'), refs('0a1c'), foreign('0a1b')]).size).toBe(3);
});
