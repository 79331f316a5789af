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
