// Rate limits of a running service: who is refused, when in the order of checks, and what stays usable.

import {connect} from 'node:net';
import {gzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Answer, Client, expectError, expectJson} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

// Slow rates: whatever a busy machine takes for a request, hardly anything comes back meanwhile.
const eventsPerSecond = 10;
const readsPerMinute = 3;
let service: Service;
let admin: Client;

beforeAll(async () => {
  service = await startService({
    env: {
      RATE_LIMIT_EVENTS_PER_SECOND: String(eventsPerSecond),
      RATE_LIMIT_READS_PER_MINUTE: String(readsPerMinute),
      RATE_LIMIT_DELETES_PER_SECOND: '1',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  admin = new Client(service.baseUrl, service.adminToken);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** A client with a key, and so with limits, of its own. */
async function newClient(kind: 'write' | 'secret'): Promise<Client & {id: string}> {
  const {id, key} = (await admin.post('/admin/v1/keys', {kind, name: 'limited'})).json<{id: string; key: string}>();
  return Object.assign(new Client(service.baseUrl, key), {id});
}

const batchOf = (count: number) => ({events: Array.from({length: count}, () => ({event: 'seen', userId: 'limited'}))});

/** Takes nearly a hundred seconds' worth of events at once. */
async function exhaust(client: Client): Promise<void> {
  expectJson(await client.post('/v1/events/batch', batchOf(1_000)), 200);
}

function expectRefused(answer: Answer, policy: string): void {
  expectError(answer, 429, 'rate_limited');
  const seconds = answer.headers['retry-after'];
  expect(Number(seconds)).toBeGreaterThanOrEqual(1);
  expect(answer.headers['ratelimit-policy']).toBe(policy);
  expect(answer.headers.ratelimit).toBe(`${policy.split(';')[0]};r=0;t=${seconds}`);
}

const eventsPolicy = `"events";q=${2 * eventsPerSecond};w=2`;

describe('a compressed body that costs more to read than it has events', () => {
  test('9 kB of gzip with 3.2 million events are refused, and charged by their bytes', async () => {
    const client = await newClient('write');
    const body = gzipSync(`{"events":[${'{},'.repeat(3_200_000)}{}]}`, {level: 9});
    expect(body.length).toBeLessThan(12_000);
    const headers = {'content-type': 'application/json', 'content-encoding': 'gzip'};
    expectError(await client.send('POST', '/v1/events/batch', {body, headers}), 413, 'batch_too_large');
    const next = await client.post('/v1/events', {event: 'seen', userId: 'limited'});
    expectRefused(next, eventsPolicy);
    expect(Number(next.headers['retry-after']), 'a second for 40 KiB').toBeGreaterThan(200);
  });

  test('so is what is no JSON, or too long, once it is decompressed', async () => {
    const headers = {'content-type': 'application/json', 'content-encoding': 'gzip'};
    for (const [text, status, code] of [
      [`{"events":[${' '.repeat(1_000_000)}`, 400, 'invalid_json'],
      [' '.repeat(11_000_000), 413, 'payload_too_large'],
    ] as const) {
      const client = await newClient('write');
      expectError(await client.send('POST', '/v1/events/batch', {body: gzipSync(text), headers}), status, code);
      expectRefused(await client.post('/v1/events', {event: 'seen', userId: 'limited'}), eventsPolicy);
    }
  });
});

describe('a key with a limit for each client address', () => {
  const policy = '"events-per-address";q=2;w=2';
  const event = {event: 'seen', userId: 'limited'};

  test('makes an address wait before it has used up the key, and no other', async () => {
    const options = {events_per_second_per_address: 1};
    const {key} = (await admin.post('/admin/v1/keys', {kind: 'write', name: 'page', options})).json<{key: string}>();
    const client = new Client(service.baseUrl, key);
    // What stands left of the address that the trusted proxy added anybody can write.
    const from = (address: string) => ({'x-forwarded-for': `203.0.113.9, ${address}`});
    expectJson(await client.post('/v1/events/batch', batchOf(12), from('192.0.2.1')), 200);
    // Together: the address gets an event a second, and may send again after eleven.
    const again = await Promise.all([
      client.post('/v1/users/identify', {userId: 'limited'}, from('192.0.2.1')),
      ...Array.from({length: 25}, () => client.post('/v1/events', event, from('192.0.2.1'))),
    ]);
    for (const answer of again) expectRefused(answer, policy);
    expectJson(await client.post('/v1/events', event, from('192.0.2.2')), 200);
    expectJson(await client.post('/v1/events/batch', batchOf(6), from('2001:db8::1')), 200);
    expectRefused(await client.post('/v1/events', event, from('2001:db8::ffff')), policy);
    // The key's own is used by what came in alone: 19 of 20.
    expectJson(await client.post('/v1/events/batch', batchOf(8), from('192.0.2.3')), 200);
  });
});

describe('events', () => {
  test('a batch is never half admitted; then its key waits, others do not', async () => {
    const [client, other] = await Promise.all([newClient('write'), newClient('write')]);
    await exhaust(client);
    const refused = await client.post('/v1/events', {event: 'seen', userId: 'limited'});
    expectRefused(refused, eventsPolicy);
    expectRefused(await client.post('/v1/users/identify', {userId: 'limited'}), eventsPolicy);
    expectJson(await other.post('/v1/events', {event: 'seen', userId: 'limited'}), 200);
  });

  test('what is refused costs one event, whatever it holds, unless it was compressed', async () => {
    const client = await newClient('write');
    const broken = {body: 'x'.repeat(100_000), headers: {'content-type': 'application/json'}};
    // One less than may be sent at once: nothing need come back meanwhile.
    for (let i = 0; i < 2 * eventsPerSecond - 1; i++)
      expectError(await client.send('POST', '/v1/events/batch', broken), 400, 'invalid_json');
    expectJson(await client.post('/v1/events/batch', batchOf(900)), 200);
  });

  test('the rate comes after key and permission, and before size and type', async () => {
    const client = await newClient('write');
    await exhaust(client);
    expectError(await client.get('/v1/reports/events'), 403, 'insufficient_permissions');
    const xml = {body: '<x/>', headers: {'content-type': 'text/xml'}};
    expectRefused(await client.send('POST', '/v1/events', xml), eventsPolicy);
    const tooLarge = {body: 'x'.repeat(600_000), headers: {'content-type': 'application/json'}};
    expectRefused(await client.send('POST', '/v1/events', tooLarge), eventsPolicy);
    expectError(await client.post('/v1/nothing', {}), 404, 'not_found');
    await admin.delete(`/admin/v1/keys/${client.id}`);
    expectError(await client.send('POST', '/v1/events', xml), 401, 'invalid_key');
  });
});

test('reads and deletions have limits of their own', async () => {
  const client = await newClient('secret');
  for (let i = 0; i < readsPerMinute - 1; i++) expectError(await client.get('/v1/users/nobody'), 404, 'user_not_found');
  expect((await client.send('HEAD', '/v1/users/nobody')).status).toBe(404);
  expectRefused(await client.get('/v1/events?limit=1'), '"reads";q=3;w=60');
  expect((await client.send('HEAD', '/v1/users/nobody')).status).toBe(429);
  const deletions = await Promise.all(Array.from({length: 20}, () => client.delete('/v1/users/nobody')));
  expect(deletions.filter(({status}) => status === 404).length).toBeGreaterThanOrEqual(2);
  expectRefused(deletions.find(({status}) => status === 429)!, '"deletions";q=2;w=2');
  expectJson(await client.post('/v1/events', {event: 'seen', userId: 'limited'}), 200);
});

test('who has no key, and who administers, is not counted', async () => {
  const nobody = new Client(service.baseUrl);
  for (let i = 0; i < 50; i++) {
    expectError(await nobody.get('/v1/users/nobody'), 401, 'missing_key');
    expectJson(await nobody.get('/healthz'), 200);
    expectJson(await admin.get('/admin/v1/keys'), 200);
  }
});

test('a refusal does not wait for the body, and the connection goes on after it', async () => {
  const client = await newClient('write');
  await exhaust(client);
  const {hostname, port} = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  const head = ['POST /v1/events/batch HTTP/1.1', 'Host: x', `Authorization: Bearer ${client.key}`];
  const bodyBytes = 10 * 1024 * 1024;
  socket.write([...head, 'Content-Type: application/json', `Content-Length: ${bodyBytes}`, '', ''].join('\r\n'));
  await until('the answer is there before the body', () => text.includes('rate_limited'));
  socket.write(Buffer.alloc(bodyBytes, 'x'));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the next answer is there', () => text.includes('"durability"'));
  socket.destroy();
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['429', '200']);
});
