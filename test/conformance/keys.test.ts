// The admin routes of keys: created once in the clear, stored hashed, revoked within a second.

import {describe, expect, test} from 'vitest';
import {type Answer, Client, expectError, expectJson, query} from '../support/http.js';
import {until} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

async function create(kind: 'write' | 'read' | 'secret', name: string): Promise<CreatedKey> {
  const answer = await under.admin.post('/admin/v1/keys', {kind, name});
  expect([200, 201], answer.text).toContain(answer.status);
  const key = /sk_(write|read|live)_[0-9A-Za-z]+/.exec(answer.text)?.[0];
  const id = /"id":"([^"]+)"/.exec(answer.text)?.[1];
  expect([key, id]).toEqual([expect.any(String), expect.any(String)]);
  return {id: id!, key: key!};
}

const revoke = (id: string): Promise<Answer> => under.admin.delete(`/admin/v1/key?id=${id}`);

const clientOf = (key: string): Client => new Client(under.service.baseUrl, key);

const track = (key: string): Promise<Answer> => clientOf(key).post('/v1/events', {event: 'seen', userId: freshId()});

/** How soon is judged with two edges (test/keys/two-edges.test.ts). */
const settled = (ask: () => Promise<Answer>, status: number): Promise<Answer> =>
  until(ask, (answer) => answer.status === status, `status ${status}`);

test('a created key has its prefix and 256 bits in base62, and works as its kind', async () => {
  const write = await create('write', 'web');
  const secret = await create('secret', 'server');
  expect(write.key).toMatch(/^sk_write_[0-9A-Za-z]{43}$/);
  expect(secret.key).toMatch(/^sk_live_[0-9A-Za-z]{43}$/);
  expect(write.id).not.toBe(secret.id);
  await settled(() => track(write.key), 200);
  await settled(() => clientOf(secret.key).get('/v1/events'), 200);
  expectError(await clientOf(write.key).get('/v1/events'), 403, 'insufficient_permissions');
});

test('a read key reads, and neither writes nor deletes', async () => {
  const {key} = await create('read', 'wall');
  expect(key).toMatch(/^sk_read_[0-9A-Za-z]{43}$/);
  const client = clientOf(key);
  await settled(() => client.get('/v1/events'), 200);
  expect((await client.get('/v1')).json()).toMatchObject({
    key: {name: 'wall', kind: 'read'},
    may: {track: false, identify: false, read: true, manage: false},
    limits: {events_per_second: null, batch_events: 1_000},
    links: {docs: '/docs'},
  });
  for (const refused of [
    await track(key),
    await client.delete('/v1/user?userId=ada'),
    await client.get('/v1/rejected'),
  ])
    expectError(refused, 403, 'insufficient_permissions');
});

test('the list shows every key without its secret part', async () => {
  const {id, key} = await create('write', 'for the list');
  const listed = await settled(() => under.admin.get('/admin/v1/keys'), 200);
  expectJson(listed, 200);
  expect(listed.text).toContain(id);
  expect(listed.text).toContain('for the list');
  expect(listed.text).toContain(key.slice(-4));
  expect(listed.text).not.toContain(key);
  for (const fixed of [under.service.writeKey, under.service.secretKey]) expect(listed.text).not.toContain(fixed);
});

test('a revoked key is invalid everywhere within a second, and stays so after a restart', async () => {
  const [kept, revoked] = [await create('write', 'kept'), await create('write', 'revoked')];
  for (const {key} of [kept, revoked]) await settled(() => track(key), 200);
  expect([200, 204]).toContain((await revoke(revoked.id)).status);
  await settled(() => track(revoked.key), 401);
  expectError(await track(revoked.key), 401, 'invalid_key');
  const inUrl = await under.nobody.post(`/v1/events?write_key=${revoked.key}`, {event: 'seen', userId: 'x'});
  expectError(inUrl, 401, 'invalid_key');
  await under.restart('stop');
  expectError(await track(revoked.key), 401, 'invalid_key');
  expectJson(await track(kept.key), 200);
});

test('the last use of a key is listed at once', async () => {
  const {id, key} = await create('write', 'used');
  const lastUse = async (): Promise<string | null> => {
    const {keys} = (await under.admin.get('/admin/v1/keys')).json<{
      keys: {id: string; last_used_at: string | null}[];
    }>();
    return keys.find((one) => one.id === id)!.last_used_at;
  };
  expect(await lastUse()).toBeNull();
  expectJson(await track(key), 200);
  const used = await lastUse();
  expect(Math.abs(Date.now() - Date.parse(used!))).toBeLessThan(60_000);
  await revoke(id);
  expect(await lastUse()).toBe(used);
});

test('rotation under load: old and new key both work while they overlap, and no request fails', async () => {
  const old = await create('write', 'old');
  let current = old.key;
  let isOver = false;
  const answered = new Map<string, number>();
  const sender = async (): Promise<void> => {
    const clients = new Map<string, Client>();
    while (!isOver) {
      const key = current;
      const client = clients.get(key) ?? clientOf(key);
      clients.set(key, client);
      expectJson(await client.post('/v1/events', {event: 'seen', userId: freshId()}), 200);
      answered.set(key, (answered.get(key) ?? 0) + 1);
    }
  };
  const senders = Array.from({length: 8}, sender);
  // A sender that failed ends the wait.
  const sent = (key: string): Promise<unknown> =>
    Promise.race([
      Promise.all(senders),
      until(
        async () => answered.get(key) ?? 0,
        (count) => count >= 100,
        '100 answers',
        60_000,
      ),
    ]);
  await sent(old.key);
  const fresh = await create('write', 'new');
  expectJson(await track(old.key), 200);
  current = fresh.key;
  await sent(fresh.key);
  expectJson(await track(old.key), 200);
  await revoke(old.id);
  answered.set(fresh.key, 0);
  await sent(fresh.key);
  isOver = true;
  await Promise.all(senders);
  expectError(await track(old.key), 401, 'invalid_key');
});

describe('a write key with options', () => {
  const site = 'https://example.com';
  const origin = (of: string) => ({origin: of});
  const event = () => ({event: 'seen', userId: freshId()});

  async function limited(options: object): Promise<CreatedKey & {client: Client}> {
    const created = await under.admin.post('/admin/v1/keys', {kind: 'write', name: 'page', options});
    expectJson(created, 201);
    const {id, key} = created.json<CreatedKey>();
    return {id, key, client: clientOf(key)};
  }

  test('is open to pages of its origins, and to programs', async () => {
    const {client, key} = await limited({origins: [site, 'app://page']});
    for (const path of ['/v1/events', '/v1/events/batch', '/v1/users/identify']) {
      const body = path.endsWith('batch') ? {events: [event()]} : {...event(), traits: {}};
      for (const good of [site, 'app://page']) expectJson(await client.post(path, body, origin(good)), 200);
      expectJson(await client.post(path, body), 200);
      for (const bad of ['https://example.com.evil.example', 'http://example.com', `${site}:8443`, 'null', '']) {
        const answer = await client.post(path, body, origin(bad));
        expectError(answer, 403, 'origin_not_allowed');
        expect(answer.headers['access-control-allow-origin'], 'a page may read why').toBe('*');
      }
    }
    const beacon = await under.nobody.post(`/v1/events?write_key=${key}`, event(), origin('https://evil.example'));
    expectError(beacon, 403, 'origin_not_allowed');
    const preflight = await under.nobody.send('OPTIONS', '/v1/events', {headers: origin('https://evil.example')});
    expect(preflight.status).toBe(200);
  });

  test('may be without identify', async () => {
    const {client} = await limited({identify: false});
    expectError(await client.post('/v1/users/identify', {userId: 'x'}), 403, 'insufficient_permissions');
    expectJson(await client.post('/v1/events', event()), 200);
  });

  test('joins no ids without identify, for good: the next log-in by another key does', async () => {
    const {client} = await limited({identify: false});
    const [stranger, ada, anonymousId] = [freshId('stranger'), freshId('ada'), freshId('device')];
    await under.track({event: 'visit', anonymousId});
    const both = {event: 'log-in', userId: stranger, anonymousId};
    for (const sent of [both, {...both, properties: {nested: [1]}}])
      expectJson(await client.post('/v1/events', sent), 200);
    expectJson(await client.post('/v1/events/batch', {events: [both]}), 200);
    const shown = await under.eventsOf(stranger);
    expect(shown.map(({joins}) => joins)).toEqual([false, false, false]);
    expect((await under.history({anonymousId})).data, 'the visitor is nobody’s').toHaveLength(1);
    await under.track({event: 'log-in', userId: ada, anonymousId});
    const answer = await under.read.get(`/v1/user?${query({anonymousId})}`);
    expectJson(answer, 404);
    expect(answer.json()).toMatchObject({linked_to: ada});
  });

  test('has its options listed and changed, all at once', async () => {
    const options = {identify: false, origins: [site], events_per_second_per_address: 5, names: 'known'};
    const {id, client} = await limited(options);
    const listed = async () =>
      (await under.admin.get('/admin/v1/keys')).json<{keys: {id: string}[]}>().keys.find((one) => one.id === id);
    expect(await listed()).toMatchObject({options});
    const changed = await under.admin.post(`/admin/v1/key?id=${id}`, {origins: ['https://other.example']});
    expectJson(changed, 200);
    expect(await listed()).toEqual(changed.json());
    expect(changed.json().options).toEqual({origins: ['https://other.example']});
    expectJson(await client.post('/v1/users/identify', {userId: freshId()}), 200);
    expectError(await client.post('/v1/events', event(), origin(site)), 403, 'origin_not_allowed');
    expectJson(await under.admin.post(`/admin/v1/key?id=${id}`, {identify: true}), 200);
    expect(await listed()).not.toHaveProperty('options');
    expectJson(await client.post('/v1/events', event(), origin(site)), 200);
  });

  test('has its options changed only as they were read, if the client says so', async () => {
    const created = await under.admin.post('/admin/v1/keys', {kind: 'write', name: 'page'});
    const {id, version} = created.json<CreatedKey & {version: string}>();
    const change = (options: object, ifMatch?: string) =>
      under.admin.post(`/admin/v1/key?id=${id}`, options, ifMatch === undefined ? {} : {'if-match': ifMatch});
    expect(created.headers.etag).toBe(`"${version}"`);
    const first = await change({identify: false}, `"${version}"`);
    expectJson(first, 200);
    expect(first.headers.etag).toBe(`"${first.json<{version: string}>().version}"`);
    const late = await change({origins: [site]}, `"${version}"`);
    expect([late.status, late.headers.etag]).toEqual([412, first.headers.etag]);
    expect(late.json()).toMatchObject({error: {code: 'changed_meanwhile'}, key: first.json<object>()});
    expectJson(await change({origins: [site]}), 200); // Without the header the last change counts.
    expectError(await change({}, 'latest'), 400, 'invalid_request', 'If-Match');
    expectJson(await revoke(id), 200);
    expectError(await change({}, `"${version}"`), 400, 'invalid_request', 'id');
  });

  test.each<[field: string, options: unknown]>([
    ['options', null],
    ['options.identity', {identity: false}],
    ['options.identify', {identify: 'no'}],
    ['options.origins', {origins: []}],
    ['options.origins', {origins: Array(101).fill(site)}],
    ...['*', `${site}/`, 'https://Example.com', `${site}:443`, 'example.com', 'https://*.example.com', 'null'].map(
      (bad): [string, unknown] => ['options.origins.0', {origins: [bad]}],
    ),
    ['options.events_per_second_per_address', {events_per_second_per_address: 0}],
    ['options.events_per_second_per_address', {events_per_second_per_address: 1.5}],
    ['options.names', {names: 'any'}],
  ])('%s is refused in %j', async (field, options) => {
    const answer = await under.admin.post('/admin/v1/keys', {kind: 'write', name: 'page', options});
    expectError(answer, 400, 'invalid_request', field);
  });

  test('is a write key that opens something', async () => {
    const body = {kind: 'secret', name: 'server', options: {identify: false}};
    expectError(await under.admin.post('/admin/v1/keys', body), 400, 'invalid_request', 'options');
    const misplaced = {kind: 'write', name: 'page', identify: false};
    expectError(await under.admin.post('/admin/v1/keys', misplaced), 400, 'invalid_request', 'identify');
    const change = (id: string) => under.admin.post(`/admin/v1/key?id=${id}`, {identify: false});
    for (const kind of ['read', 'secret'] as const) {
      expectError(await change((await create(kind, 'server')).id), 400, 'invalid_request', 'options');
    }
    expectError(await change('unknown'), 404, 'not_found');
    const {id} = await create('write', 'gone');
    await revoke(id);
    expectError(await change(id), 400, 'invalid_request', 'id');
  });
});

describe('refusals', () => {
  test('admin routes take the admin token and no API key', async () => {
    const clients = [
      under.nobody,
      under.write,
      under.read,
      clientOf('wrong'),
      clientOf(`${under.service.adminToken}x`),
    ];
    for (const client of clients) {
      expect((await client.get('/admin/v1/keys')).status).toBe(401);
      expect((await client.post('/admin/v1/keys', {kind: 'write', name: 'x'})).status).toBe(401);
      expect((await client.delete('/admin/v1/keys/x')).status).toBe(401);
    }
    expectError(await under.nobody.get('/admin/v1/keys'), 401, 'missing_key');
    expectError(await under.read.get('/admin/v1/keys'), 401, 'invalid_key');
  });

  test('the kind is write, read or secret', async () => {
    for (const kind of ['Write', 'live', '', 1, null, undefined]) {
      expectError(await under.admin.post('/admin/v1/keys', {kind, name: 'x'}), 400, 'invalid_request', 'kind');
    }
    expectError(await under.admin.post('/admin/v1/keys', []), 400, 'invalid_request');
  });

  test('an unknown key cannot be revoked', async () => {
    expectError(await revoke('unknown'), 404, 'not_found');
  });

  test('other methods are refused with Allow', async () => {
    const answer = await under.admin.send('PUT', '/admin/v1/keys');
    expectError(answer, 405, 'method_not_allowed');
    expect(String(answer.headers.allow)).toMatch(/GET/);
  });
});
