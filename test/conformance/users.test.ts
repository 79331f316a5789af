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

test('an identify call is answered with the userId, and never with traits', async () => {
  const userId = freshId('é ');
  const answer = await identify({userId, traits: {email: 'ada@example.org'}});
  expectJson(answer, 200);
  expect(answer.json()).toEqual({status: 'ok', userId});
  expect(answer.headers['log-position']).toMatch(/^\d+:\d+\.\d+$/);
  expect((await identify({userId})).text).not.toContain('example.org');
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
});
