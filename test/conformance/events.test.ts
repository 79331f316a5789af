// POST /v1/events, one event at a time; the rules for its fields hold for the items of a batch and for identify too.

import {describe, expect, test} from 'vitest';
import {expectError, expectJson} from '../support/http.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

async function expectStored(body: Record<string, unknown>): Promise<void> {
  expectJson(await under.write.post('/v1/events', body), 200);
}

async function expectRefused(body: Record<string, unknown>, field?: string): Promise<void> {
  expectError(await under.write.post('/v1/events', body), 400, 'invalid_event', field);
}

test('the answer is the shown one, with the position in the log', async () => {
  const answer = await under.write.post('/v1/events', {event: 'seen', userId: freshId()});
  expectJson(answer, 200);
  expect(answer.text).toBe('{"status":"ok","received":1}');
  expect(answer.headers['log-position']).toMatch(/^\d+:\d+\.\d+$/);
});

test('an event comes back as it was sent, at once', async () => {
  const userId = freshId();
  const properties = {plan: 'pro', price: 9.5, tags: ['a', {b: null}], on: false, nested: {'a.b': 1}};
  const sent = {event: 'Signed Up', userId, anonymousId: 'anon', properties, messageId: 'id-1', extra: 'ignored'};
  await under.track({...sent, timestamp: '2024-05-06T07:08:09.123+02:00'});
  const [event, ...others] = await under.eventsOf(userId);
  expect(others).toEqual([]);
  expect(event).toEqual({
    id: expect.stringMatching(/^\d+-\d+$/),
    event: 'Signed Up',
    userId,
    anonymousId: 'anon',
    properties,
    timestamp: '2024-05-06T05:08:09.123Z',
    received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    messageId: 'id-1',
  });
});

test('a context comes back with its event, and fields that nobody reads are named', async () => {
  const userId = freshId();
  const context = {page: {path: '/a', title: 'ü'}, library: {name: 'x', version: '1'}, original_timestamp: 'mine'};
  const answer = await under.track({event: 'seen', userId, context, time: 1, 'my field, ü': {a: 1}});
  expect(answer.headers['ignored-fields']).toBe('time,my%20field%2C%20%C3%BC');
  expect(answer.headers['access-control-expose-headers']).toBe('Ignored-Fields');
  const [event] = await under.eventsOf(userId);
  expect(event).toMatchObject({context, properties: {}});
  const plain = await under.track({event: 'seen', userId, properties: {a: 1}, context: null, sentAt: null});
  expect(plain.headers['ignored-fields']).toBeUndefined();
  expect((await under.eventsOf(userId)).filter((one) => 'context' in one)).toHaveLength(1);
});

describe('who did it', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a plain id and a plain name',
    async (word) => {
      await under.track({event: word, userId: word, properties: {word}});
      expect(await under.eventsOf(word)).toMatchObject([{event: word, userId: word, properties: {word}}]);
    },
  );
});

test('text comes back as sent: lone surrogates, escapes, null characters, long unicode', async () => {
  const userId = freshId();
  const properties = {
    lone: '\ud800',
    low: 'a\udc00',
    pair: '😀',
    zero: 'a\u0000b',
    controls: '\u0001\u001f\u007f\b\f\n\r\t"\\/',
    separators: '\u2028\u2029\ufeff',
    'k\ud800': 'a lone surrogate in a key',
    long: 'é☂😀'.repeat(1_000),
  };
  await under.track({event: 'seen', userId, properties});
  expect((await under.eventsOf(userId))[0]!.properties).toEqual(properties);
  await under.identify(userId, properties);
  expect((await under.read.get(`/v1/users/${userId}`)).json()).toMatchObject({traits: properties});
});

describe('messageId', () => {
  test('that a write key used suppresses no event of a secret key, alone or in a batch', async () => {
    const userId = freshId();
    const order = {event: 'purchase', userId, messageId: 'order-1001'};
    await under.track({...order, properties: {amount: 0}});
    for (const again of [false, true]) {
      expectJson(await under.read.post('/v1/events', {...order, properties: {amount: 90}}), 200);
      const batch = await under.read.post('/v1/events/batch', {events: [{...order, properties: {amount: 90}}]});
      expectJson(batch, 200);
      if (again) await under.track({...order, properties: {amount: 0}});
    }
    expect((await under.eventsOf(userId)).map(({properties}) => properties.amount)).toEqual([90, 0]);
    const {data} = (await under.read.get('/v1/rejected?code=conflict')).json<{data: {event: string}[]}>();
    expect(data.filter(({event}) => event === 'purchase')).toEqual([]);
  });

  test('a second copy is acknowledged and not counted, in the scope of its user; the first copy wins', async () => {
    const [userId, other] = [freshId(), freshId()];
    await under.track({event: 'first', userId, messageId: 'm', timestamp: '2024-01-02'});
    const again = await under.track({event: 'second', userId, messageId: 'm', timestamp: '2024-01-01'});
    expect(again.json()).toEqual({status: 'ok', received: 1});
    await under.track({event: 'other user', userId: other, messageId: 'm'});
    await under.track({event: 'other name space', anonymousId: userId, messageId: 'm'});
    await under.track({event: 'no id', userId, timestamp: '2024-01-03'});
    expect((await under.eventsOf(userId)).map((event) => event.event)).toEqual(['no id', 'first']);
    expect(await under.eventsOf(other)).toHaveLength(1);
    expect((await under.history({anonymousId: userId})).data).toHaveLength(1);
  });

  test('a duplicate is refused after a restart too', async () => {
    const userId = freshId();
    await under.track({event: 'first', userId, messageId: 'm'});
    await under.restart('stop');
    await under.track({event: 'again', userId, messageId: 'm'});
    expect((await under.eventsOf(userId)).map((event) => event.event)).toEqual(['first']);
  });
});

test('a refused event stores nothing and harms nothing else', async () => {
  const userId = freshId();
  await expectRefused({event: 'bad', userId, timestamp: 'never'}, 'timestamp');
  expectError(await under.read.get(`/v1/users/${userId}`), 404, 'user_not_found');
  await expectStored({event: 'good', userId});
  expect((await under.eventsOf(userId)).map((event) => event.event)).toEqual(['good']);
});

test('an event that is more than 5 minutes ahead is stored, and its answer says by how much', async () => {
  const userId = freshId();
  const at = (aheadMs: number) => ({event: 'seen', userId, timestamp: new Date(Date.now() + aheadMs).toISOString()});
  const hour = 3_600_000;
  // A busy machine receives it later than it was sent.
  const near = (seconds: number) => (text: unknown) => Number(text) <= seconds && Number(text) > seconds - 60;
  const plain = await under.track(at(20 * hour));
  expect(plain.headers['event-time-ahead']).toSatisfy(near(72_000));
  expect(plain.headers['access-control-expose-headers']).toBe('Event-Time-Ahead');
  const parsed = await under.track({...at(hour), unknown: 1});
  expect(parsed.headers['event-time-ahead']).toSatisfy(near(3_600));
  expect(parsed.headers['access-control-expose-headers']).toBe('Ignored-Fields, Event-Time-Ahead');
  for (const odd of [{}, {unknown: 1}]) {
    const batch = await under.trackAll([at(0), {...at(2 * hour), ...odd}, at(hour), at(-hour)]);
    expect(batch.headers['event-time-ahead']).toSatisfy(near(7_200));
  }
  for (const body of [at(60_000), {event: 'seen', userId}, {...at(hour), sentAt: at(hour).timestamp}]) {
    const {headers} = await under.track(body);
    expect([headers['event-time-ahead'], headers['access-control-expose-headers']]).toEqual([undefined, undefined]);
  }
});
