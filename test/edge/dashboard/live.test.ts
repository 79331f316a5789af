// The ring and the streams of a service that runs.
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import type {LoadRows, LoadState} from '../../../src/edge/dashboard/answers/load.js';
import {BrowserClient} from '../../support/browser-client.js';
import {openStream, type StreamReader} from '../../support/event-stream.js';
import {Client, expectError, expectJson} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

interface Vitals {
  readonly at: number;
  readonly row: readonly (number | null)[];
  readonly state: LoadState;
}

let service: Service;
let admin: BrowserClient;
let writer: Client;
const opened: StreamReader[] = [];

async function open(client: BrowserClient, parameters?: string): Promise<StreamReader> {
  const stream = await openStream(client, parameters);
  opened.push(stream);
  return stream;
}

const api = '/dashboard/api';

async function signedIn({baseUrl}: Service, token: string): Promise<BrowserClient> {
  const client = new BrowserClient(baseUrl);
  expect((await client.signIn({token})).status).toBe(200);
  return client;
}

async function personAs(role: string): Promise<BrowserClient> {
  const {token} = (await admin.post(`${api}/people`, {name: role, role})).json<{token: string}>();
  return signedIn(service, token);
}

beforeAll(async () => {
  service = await startService();
  admin = await signedIn(service, service.adminToken);
  writer = new Client(service.baseUrl, service.writeKey);
});

// Those of a test must not take the room of the next one's.
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

test('what is sent is in the ring and in the stream, by route, with what became of it', async () => {
  const stream = await open(admin, '?topics=vitals,published,arrivals,refusals');
  const schema = await stream.first<string[]>('schema');
  await stream.first('vitals'); // What the first row stands for is known with the second.
  const events = Array.from({length: 30}, (_, at) => ({event: 'viewed', userId: `u${at}`}));
  expectJson(await writer.post('/v1/events/batch', {events}), 200);
  expectJson(await writer.post('/v1/events', {event: 'signup', userId: 'ada', properties: {plan: 'pro'}}), 200);
  expectJson(await writer.post('/v1/users/identify', {userId: 'ada', traits: {a: 1}}), 200);
  expectError(await writer.post('/v1/events', {event: '', userId: 'ada'}), 400, 'invalid_event', 'event');
  expectError(await new Client(service.baseUrl, 'sk_write_wrong').post('/v1/events', {}), 401, 'invalid_key');
  /** Rates by the time that each stands for. */
  const sums = (): Record<string, number> => {
    const rows = stream.of<Vitals>('vitals');
    const counts = rows
      .slice(1)
      .map(({at, row}, before) => row.map((rate) => ((rate ?? 0) * (at - rows[before].at)) / 1_000));
    return Object.fromEntries(
      schema.map((name, at) => [name, Math.round(counts.reduce((sum, row) => sum + row[at], 0))]),
    );
  };
  const refusals = () => stream.of<{refusals: {code: string}[]}>('refusals').flatMap((frame) => frame.refusals);
  const arrivals = () => stream.of<{count: number}>('arrivals').reduce((sum, {count}) => sum + count, 0);
  /** Since the start of the service, as the newest second has it. */
  const folded = (): number =>
    (stream.of<Vitals>('vitals').at(-1)?.state.partitions ?? []).reduce((sum, one) => sum + (one.folded ?? 0), 0);
  await until('all is counted', () => sums()['refused.invalid_key'] >= 1 && folded() >= 32);
  await until('all is told', () => refusals().length >= 2 && arrivals() >= 31); // Topics of a second may come in pieces.
  expect(sums()).toMatchObject({batch: 30, single: 1, identify: 1, 'refused.invalid_event': 1});
  expect(folded()).toBe(32);
  // A second in which a busy machine did not ask all roles has no rate, and its events are in none.
  const rates = stream.of<Vitals>('vitals').slice(1);
  const isKnown = rates.every(({row}) => row[schema.indexOf('folded')] !== null);
  expect(sums().folded).toBeLessThanOrEqual(32);
  if (isKnown) expect(sums().folded).toBe(32);
  expect(refusals()).toMatchObject([
    {code: 'invalid_event', route: '/v1/events', field: 'event', count: 1},
    {code: 'invalid_key', route: '/v1/events', field: null, key_id: null, count: 1},
  ]);
  expect(arrivals()).toBe(31);
  const {state} = stream.of<Vitals>('vitals').at(-1)!;
  expect(state).toMatchObject({durability: expect.any(String), is_whole: true, version: expect.any(String)});
  expect(state.partitions).toHaveLength(2);
  expect(state.members).toBeNull(); // Its nats-server is its own.
  await stream.first<{as_of: string | null}>('published', ({as_of}) => as_of !== null);
  stream.close();

  const load = (await admin.get(`${api}/load?minutes=1`)).json<LoadRows & {state: LoadState}>();
  expect(load.at.length).toBeGreaterThan(0);
  expect(Object.values(load.columns).every((column) => column.length === load.at.length)).toBe(true);
  expect(load.columns.batch!.some((rate) => rate! > 0)).toBe(true);
  expect(load.state.partitions.map(({folded}) => folded).every((folded) => folded !== null)).toBe(true);
});

test('a role has the topics that it may see, and a stream ends as the person is revoked', async () => {
  const reader = await personAs('reader');
  const analyst = await personAs('analyst');
  for (const [session, topics, status] of [
    [reader, 'vitals,published', 200],
    [reader, 'arrivals', 403],
    [reader, 'refusals', 403],
    [analyst, 'arrivals,refusals', 200],
    [analyst, 'keys', 403],
    [admin, 'keys', 200],
    [admin, 'all', 400],
  ] as const) {
    const stream = await open(session, `?topics=${topics}`);
    expect(`${topics} ${stream.status}`).toBe(`${topics} ${status}`);
    stream.close();
  }
  expect((await reader.get(`${api}/load`)).status).toBe(200);
  const stream = await open(analyst, '?topics=arrivals');
  const {people} = (await admin.get(`${api}/people`)).json<{people: {id: string; name: string}[]}>();
  const {id} = people.find(({name}) => name === 'analyst')!;
  await admin.delete(`${api}/person?id=${id}`);
  expect(await stream.first('bye')).toEqual({why: 'signed_out'});
  await until('the stream is over', () => stream.isOver);
});

test('a stop ends the streams at once, and is not held up by one that nobody reads', async () => {
  const [read, unread] = [await open(admin), await open(admin)];
  unread.pause();
  await read.first('vitals');
  const startedMs = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(10_000); // A request that is not answered would take all of it.
  expect(read.of('bye')).toEqual([{why: 'draining'}]);
  await until('the stream is over', () => read.isOver);
});
