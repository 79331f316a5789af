// POST /v1/users/identify and GET /v1/users/:id.

import {describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson, type ProfileBody, userPath} from '../support/http.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

async function profile(id: string, kind = ''): Promise<ProfileBody> {
  const answer = await under.read.get(`${userPath(id)}${kind}`);
  expectJson(answer, 200);
  return answer.json<ProfileBody>();
}

const identify = (body: unknown): Promise<Answer> => under.write.post('/v1/users/identify', body);

describe('identify', () => {
  test('answers with the userId, and never with traits', async () => {
    const userId = freshId('é ');
    const answer = await identify({userId, traits: {email: 'ada@example.org'}});
    expectJson(answer, 200);
    expect(answer.json()).toEqual({status: 'ok', userId});
    expect(answer.headers['log-position']).toMatch(/^\d+:\d+\.\d+$/);
    expect((await identify({userId})).text).not.toContain('example.org');
  });

  test('traits are set and updated key by key, objects are replaced whole, null is a value', async () => {
    const userId = freshId();
    await under.identify(userId, {name: 'Ada', team: {id: 1, name: 'core'}, plan: 'free', tags: [1, 2]});
    await under.identify(userId, {team: {id: 2}, plan: null, tags: [3]});
    await under.identify(userId, {});
    expect((await profile(userId)).traits).toEqual({name: 'Ada', team: {id: 2}, plan: null, tags: [3]});
  });

  test('an identify that comes late sets only what no later one has set, and is when the user was there first', async () => {
    const userId = freshId();
    const send = async (traits: object, timestamp: string | null) =>
      expectJson(await identify({userId, traits, timestamp}), 200);
    await send({plan: 'pro'}, '2024-03-05T12:00:00Z');
    await send({plan: 'free', city: 'Ulm'}, '2024-03-01');
    expect(await profile(userId)).toMatchObject({
      traits: {plan: 'pro', city: 'Ulm'},
      created_at: '2024-03-01T00:00:00.000Z',
      last_seen: '2024-03-05T12:00:00.000Z',
    });
    const nextHours = new Date(Date.now() + 20 * 3_600_000).toISOString();
    await send({plan: 'ahead'}, nextHours);
    expect((await profile(userId)).last_seen < nextHours).toBe(true);
    await send({plan: 'now'}, null);
    expect((await profile(userId)).traits.plan).toBe('now');
  });

  test('traitsOnce yields to traits and to an earlier traitsOnce, in any order; a retry after a deletion brings nothing back', async () => {
    const userId = freshId();
    const send = async (body: object) => expectJson(await identify({userId, ...body}), 200);
    await send({traitsOnce: {source: 'late', plan: 'free'}, timestamp: '2024-03-05'});
    await send({
      traitsOnce: {source: 'early', plan: 'trial'},
      traits: {plan: 'pro', seats: 2},
      timestamp: '2024-03-01',
    });
    await send({traitsOnce: {source: 'now', seats: 1, city: 'Ulm'}, messageId: 'once'});
    await send({traitsOnce: {}, traits: {}});
    expect(await profile(userId)).toMatchObject({
      traits: {source: 'early', plan: 'pro', seats: 2, city: 'Ulm'},
      created_at: '2024-03-01T00:00:00.000Z',
    });
    const both = {traits: {a: 1}, traitsOnce: {b: 1}, messageId: 'both'};
    await send(both);
    expect((await profile(userId)).traits).toMatchObject({a: 1, b: 1});
    expect([200, 202]).toContain((await under.read.delete(userPath(userId))).status);
    await send(both);
    expectError(await under.read.get(userPath(userId)), 404, 'user_not_found');
  });

  test('a messageId counts once, and is no copy of an event with the same one', async () => {
    const userId = freshId();
    const first = {userId, traits: {plan: 'free'}, messageId: 'm'};
    expectJson(await identify(first), 200);
    await under.identify(userId, {plan: 'pro'});
    const retry = await identify(first);
    expectJson(retry, 200);
    expect(retry.json()).toEqual({status: 'ok', userId});
    await under.track({event: 'seen', userId, messageId: 'm'});
    expect(await profile(userId)).toMatchObject({traits: {plan: 'pro'}, events: [{event: 'seen'}]});
  });

  test('traits may be absent or null', async () => {
    const userId = freshId();
    expectJson(await identify({userId}), 200);
    const answer = await identify({userId, traits: null, anything: 'else', anonymousId: null});
    expectJson(answer, 200);
    expect(answer.headers['ignored-fields']).toBe('anything');
    expect((await profile(userId)).traits).toEqual({});
  });

  test('the errors of a field are invalid_request', async () => {
    const tooMany = Object.fromEntries(Array.from({length: 257}, (_, at) => [`k${at}`, at]));
    const userId = freshId();
    // The bounds one by one: test/ingest/validate.test.ts.
    const bad: readonly (readonly [Record<string, unknown>, string])[] = [
      [{}, 'userId'],
      [{userId: 'a/../victim'}, 'userId'],
      [{userId, anonymousId: 7}, 'anonymousId'],
      [{userId, messageId: ''}, 'messageId'],
      [{userId, timestamp: 'yesterday'}, 'timestamp'],
      [{userId, traits: tooMany}, 'traits'],
      [{userId, traitsOnce: {a: tooMany}}, 'traitsOnce'],
    ];
    for (const [body, field] of bad) expectError(await identify(body), 400, 'invalid_request', field);
    for (const traits of ['{"__proto__":1}', '{"id":1234567890123456789}', '{"a":{"__proto__":1}}', '{"n":1e999}']) {
      const body = `{"userId":"${userId}","traits":${traits}}`;
      const answer = await under.write.send('POST', '/v1/users/identify', {
        body,
        headers: {'content-type': 'application/json'},
      });
      expectError(answer, 400, 'invalid_request', 'traits');
    }
    expectError(await under.read.get(userPath(userId)), 404, 'user_not_found');
  });

  test('bodies that are no object', async () => {
    const post = (body: string): Promise<Answer> =>
      under.write.send('POST', '/v1/users/identify', {body, headers: {'content-type': 'application/json'}});
    expectError(await post('{'), 400, 'invalid_json');
    for (const body of ['[]', 'null', '"x"', '1']) expectError(await post(body), 400, 'invalid_request');
  });

  test('256 traits fit, also over several requests; further keys are left out, counted and shown', async () => {
    const userId = freshId();
    const traits = (from: number, count: number): Record<string, number> =>
      Object.fromEntries(Array.from({length: count}, (_, at) => [`t${from + at}`, from + at]));
    await under.identify(userId, traits(0, 256));
    expect((await profile(userId)).traits_over_limit ?? 0).toBe(0);
    await under.identify(userId, {...traits(256, 3), t0: 'updated'});
    const full = await profile(userId);
    expect(full.traits).toEqual({...traits(0, 256), t0: 'updated'});
    expect(full.traits_over_limit).toBe(3);
  });

  test('junk of a write key makes room for the traits of a secret key, and is counted', async () => {
    const userId = freshId();
    const junk = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({length: count}, (_, at) => [`junk ${at}`, at]));
    await under.identify(userId, junk(256));
    expectJson(await under.read.post('/v1/users/identify', {userId, traits: {email: 'a@b.example', plan: 'pro'}}), 200);
    await under.identify(userId, {more: 1});
    const full = await profile(userId);
    expect(full.traits).toEqual({...junk(254), email: 'a@b.example', plan: 'pro'});
    expect(full.traits_over_limit).toBe(3);
  });

  test('64 KiB of traits fit, further keys are left out, counted and shown', async () => {
    const userId = freshId();
    for (const key of ['a', 'b', 'c', 'd']) await under.identify(userId, {[key]: key.repeat(20_000)});
    const full = await profile(userId);
    expect(Object.keys(full.traits).sort()).toEqual(['a', 'b', 'c']);
    expect(full.traits_over_limit).toBe(1);
    await under.identify(userId, {small: 1});
    expect((await profile(userId)).traits.small).toBe(1);
  });
});

describe('profile', () => {
  test('the whole answer, read at once after each write', async () => {
    const userId = freshId();
    const before = Date.now();
    await under.identify(userId, {plan: 'pro'});
    const identified = await profile(userId);
    expect(Object.keys(identified).sort()).toEqual(
      expect.arrayContaining(['created_at', 'events', 'events_has_more', 'id', 'last_seen', 'traits']),
    );
    expect(identified).toMatchObject({id: userId, traits: {plan: 'pro'}, events: [], events_has_more: false});
    expect(identified.created_at).toBe(identified.last_seen);
    expect(Date.parse(identified.created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(identified.created_at)).toBeLessThanOrEqual(Date.now());
    await under.track({event: 'seen', userId, timestamp: '2024-05-01T10:00:00+02:00', properties: {a: 1}});
    const seen = await profile(userId);
    expect(seen).toMatchObject({created_at: '2024-05-01T08:00:00.000Z', last_seen: '2024-05-01T08:00:00.000Z'});
    expect(seen.events).toEqual(await under.eventsOf(userId));
  });

  test('only identified: last_seen is the latest identify, created_at the first', async () => {
    const userId = freshId();
    await under.identify(userId, {});
    const first = await profile(userId);
    await under.identify(userId, {});
    const second = await profile(userId);
    expect(second.created_at).toBe(first.created_at);
    expect(second.last_seen >= first.last_seen).toBe(true);
  });

  test('created_at and last_seen do not depend on the order of arrival', async () => {
    const times = ['2024-03-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z', '2024-02-01T00:00:00.000Z'];
    for (const order of [times, times.toReversed()]) {
      const userId = freshId();
      for (const timestamp of order) await under.track({event: 'seen', userId, timestamp});
      expect(await profile(userId)).toMatchObject({created_at: times[1], last_seen: times[0]});
    }
  });

  test('the newest 100 events, and whether there are more', async () => {
    const userId = freshId();
    const events = Array.from({length: 101}, (_, at) => ({
      event: `e${at}`,
      userId,
      timestamp: new Date(at).toISOString(),
    }));
    await under.trackAll(events.slice(0, 100));
    expect((await profile(userId)).events_has_more).toBe(false);
    await under.trackAll(events.slice(100));
    const full = await profile(userId);
    expect(full.events_has_more).toBe(true);
    expect(full.events.map((event) => event.event)).toEqual(Array.from({length: 100}, (_, at) => `e${100 - at}`));
  });

  test('the path names the user percent-decoded, a plus is literal', async () => {
    const ids = ['a/b', 'a+b', 'a b', 'ü☂😀', '%41', 'a?b#c', '...', 'a%2Fb', '"q"', "it's", 'a;b=c,d', 'users/.../x'];
    const prefix = freshId('');
    for (const id of ids.map((one) => prefix + one)) {
      await under.track({event: 'seen', userId: id});
      expect((await profile(id)).id).toBe(id);
    }
    const raw = (path: string): Promise<Answer> => under.read.get(`/v1/users/${path}`);
    expect((await raw(`${prefix}a+b`)).json()).toMatchObject({id: `${prefix}a+b`});
    expect((await raw(`${prefix}a%2bb`)).json()).toMatchObject({id: `${prefix}a+b`});
    expect((await raw(`${prefix}a%2fb`)).json()).toMatchObject({id: `${prefix}a/b`});
    expect((await raw(`${prefix}%2541`)).json()).toMatchObject({id: `${prefix}%41`});
    expectError(await raw(`${prefix}a/b`), 404, 'not_found');
  });

  test('the longest id is reachable', async () => {
    const id = '😀'.repeat(256);
    await under.track({event: 'seen', userId: id});
    expect((await profile(id)).id).toBe(id);
  });

  test('an unknown user is user_not_found', async () => {
    for (const id of [freshId(), 'x'.repeat(300), 'a\u0000']) {
      expectError(await under.read.get(userPath(id)), 404, 'user_not_found');
      expectError(await under.read.delete(userPath(id)), 404, 'user_not_found');
    }
  });

  test('. and .. name nobody, however they are written', async () => {
    await under.track({event: 'seen', userId: 'dots'});
    for (const path of [
      '/v1/users/.',
      '/v1/users/..',
      '/v1/users/%2E',
      '/v1/users/%2e%2E',
      '/v1/users/./',
      '/v1/users/../users/dots',
    ]) {
      const answer = await under.read.get(path);
      expect([400, 404], `${path}: ${answer.status} ${answer.text}`).toContain(answer.status);
    }
  });

  test('the two name spaces are two users', async () => {
    const id = freshId();
    await under.track({event: 'anonymous', anonymousId: id, timestamp: '2024-01-01'});
    expectError(await under.read.get(userPath(id)), 404, 'user_not_found');
    const anonymous = await profile(id, '?kind=anonymous');
    expect(anonymous).toMatchObject({
      id,
      traits: {},
      created_at: '2024-01-01T00:00:00.000Z',
      events: [{event: 'anonymous'}],
    });
    await under.track({event: 'known', userId: id});
    expect((await profile(id)).events).toMatchObject([{event: 'known'}]);
    expect((await profile(id, '?kind=anonymous')).events).toMatchObject([{event: 'anonymous'}]);
  });

  test('the user `identify` is a user like any other', async () => {
    await under.track({event: 'seen', userId: 'identify'});
    expect((await profile('identify')).id).toBe('identify');
    expect([200, 202]).toContain((await under.read.delete('/v1/users/identify')).status); // 202: the disk is slow.
    expectError(await under.read.get('/v1/users/identify'), 404, 'user_not_found');
  });

  test('a restart changes nothing', async () => {
    const userId = freshId();
    await under.identify(userId, {plan: 'pro', n: -1.5e-7});
    await under.track({event: 'seen', userId, messageId: 'm', properties: {a: [1, null]}});
    const before = await profile(userId);
    await under.restart('kill');
    expect(await profile(userId)).toEqual(before);
  });
});
