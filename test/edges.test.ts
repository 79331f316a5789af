// Two edges beside one NATS, as processes: they behave like one.
import {setTimeout as pause} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {appliedSubject, edgesSubject} from '../src/asks/subjects.js';
import {monotonicMs} from '../src/clock.js';
import {appliedIn} from '../src/cluster/applied-report.js';
import {burstSeconds} from '../src/edge/http/rate-limit.js';
import {connectNats} from '../src/nats/client/connection.js';
import {ExternalNats} from './support/external-nats.js';
import {Client} from './support/http.js';
import {type Service, startService} from './support/service.js';
import {until} from './support/until.js';

const perSecond = 50;
let nats: ExternalNats;
let edges: Service[];
let nc: NatsConnection;

beforeAll(async () => {
  nats = await ExternalNats.start();
  const env = {NATS_URL: nats.url, PARTITIONS: '1', RATE_LIMIT_EVENTS_PER_SECOND: String(perSecond)};
  const whole = await startService({env});
  edges = [whole, await startService({env: {...env, ROLES: 'edge'}})];
  nc = await connectNats(nats.address, 'test');
});

afterAll(async () => {
  await nc?.close();
  for (const edge of edges ?? []) await edge.kill();
  await nats?.stop();
});

/** A key of its own, as each edge takes it. */
async function newKey(): Promise<Client[]> {
  const admin = new Client(edges[0]!.baseUrl, edges[0]!.adminToken);
  const {key} = (await admin.post('/admin/v1/keys', {kind: 'write', name: 'limited'})).json<{key: string}>();
  const clients = edges.map(({baseUrl}) => new Client(baseUrl, key));
  await until('both edges know the key', async () => (await send(clients[1]!, 1)) !== 401);
  return clients;
}

async function send(client: Client, count: number): Promise<number> {
  const events = Array.from({length: count}, () => ({event: 'seen', userId: 'limited'}));
  return (await client.post('/v1/events/batch', {events})).status;
}

test('what a key used at one edge it has not at the other, and the other way round', async () => {
  for (const [from, to] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const clients = await newKey();
    await until('they know each other', async () => {
      expect(await send(clients[from]!, 5 * perSecond)).toBeOneOf([200, 429]);
      await pause(300);
      return (await send(clients[to]!, 1)) === 429;
    });
  }
});

test('a key that sends to both gets what it may at one, and what it sends in a moment', async () => {
  const clients = await newKey();
  const [offeredPerSecond, seconds] = [100, 4];
  const startMs = monotonicMs();
  const admitted = async (client: Client): Promise<number> => {
    let count = 0;
    const sending: Promise<void>[] = [];
    for (let n = 0; n < seconds * offeredPerSecond; n++) {
      await pause(startMs + (n * 1_000) / offeredPerSecond - monotonicMs());
      sending.push(send(client, 1).then((status) => void (count += Number(status === 200))));
    }
    await Promise.all(sending);
    return count;
  };
  const counts = await Promise.all(clients.map(admitted));
  const permitted = perSecond * (burstSeconds + (monotonicMs() - startMs) / 1_000);
  const sum = counts[0]! + counts[1]!;
  process.stderr.write(`${sum} events at two edges, where ${Math.round(permitted)} are permitted at one\n`);
  expect(sum).toBeGreaterThan(0.8 * perSecond * (burstSeconds + seconds));
  // Of 250 ms, and as much again for the way of a message on a busy machine.
  expect(sum).toBeLessThanOrEqual(permitted + 0.5 * offeredPerSecond);
});

test('a process that folds tells how far it is, again as it goes on', async () => {
  const [whole] = edges as [Service, Service];
  const told: number[] = [];
  const listening = nc.subscribe(appliedSubject, {
    callback: (_, message) => {
      const report = appliedIn(message.string(), 1);
      for (const [, sequence] of report?.threads.flat() ?? []) told.push(sequence);
    },
  });
  await nc.flush();
  const writer = new Client(whole.baseUrl, whole.writeKey);
  for (let n = 0; n < 2; n++) {
    const before = Math.max(0, ...told);
    const {headers} = await writer.post('/v1/events', {event: 'seen', userId: 'ada'});
    const sequence = Number(String(headers['log-position']).split('.').at(-1));
    expect(sequence).toBeGreaterThan(before);
    await until('it has told of the event', () => told.some((one) => one >= sequence));
  }
  listening.unsubscribe();
});

test('garbage among the messages of edges harms nobody', async () => {
  const clients = await newKey();
  const bytes = [new Uint8Array(), new Uint8Array(50_000).fill(0xff), Buffer.from('{"edge":"x","used":[[]]}')];
  for (const message of bytes) for (const subject of [edgesSubject, appliedSubject]) nc.publish(subject, message);
  await nc.flush();
  for (const client of clients) expect(await send(client, 1)).toBe(200);
});
