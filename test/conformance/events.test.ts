// POST /v1/events, one event at a time; the rules for its fields hold for the items of a batch and for identify too.

import {describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson} from '../support/http.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

const astral = '😀';
/** Properties of the given depth: the object itself counts. */
const nested = (depth: number): Record<string, unknown> => (depth === 1 ? {} : {a: nested(depth - 1)});
const keys = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({length: count}, (_, at) => [`k${at}`, at]));

async function expectStored(body: Record<string, unknown>): Promise<void> {
  expectJson(await under.write.post('/v1/events', body), 200);
}

async function expectRefused(body: Record<string, unknown>, field?: string): Promise<void> {
  expectError(await under.write.post('/v1/events', body), 400, 'invalid_event', field);
}

/** Sends JSON text as it is: what JSON.stringify would never write. */
const postText = (text: string): Promise<Answer> =>
  under.write.send('POST', '/v1/events', {body: text, headers: {'content-type': 'application/json'}});

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

test('a clock that is days ahead loses no event; the time as sent stays in the context', async () => {
  const userId = freshId();
  const ahead = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const body = {event: 'seen', userId, timestamp: ahead, context: {page: 1}};
  await expectRefused(body, 'timestamp');
  await under.track({...body, sentAt: ahead});
  const [event] = await under.eventsOf(userId);
  expect(event!.context).toEqual({page: 1, original_timestamp: ahead});
  expect(Math.abs(Date.parse(event!.timestamp) - Date.now())).toBeLessThan(60_000);
  await expectRefused({...body, sentAt: 'now'}, 'sentAt');
});

test('null counts as absent for every optional field', async () => {
  const anonymousId = freshId('anon');
  await expectStored({event: 'seen', userId: null, anonymousId, properties: null, timestamp: null, messageId: null});
  const {data} = await under.history({anonymousId});
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({userId: null, anonymousId, properties: {}});
  expect(data[0]).not.toHaveProperty('messageId');
});

// The bounds one by one: test/ingest/validate.test.ts.
test.each<[field: string | undefined, fault: Record<string, unknown>]>([
  [undefined, {userId: null}],
  ['userId', {userId: 'a/../victim'}],
  ['anonymousId', {anonymousId: 'x'.repeat(257)}],
  ['event', {event: ''}],
  ['messageId', {messageId: astral.repeat(129)}],
  ['timestamp', {timestamp: '2024-02-30'}],
  ['properties', {properties: []}],
  ['properties', {properties: keys(257)}],
  ['properties', {properties: nested(11)}],
])('%s out of bounds is refused, and in bounds it is taken', async (field, fault) => {
  const good = {event: '..', userId: astral.repeat(256), messageId: astral.repeat(128), properties: {a: [keys(256)]}};
  await expectStored({...good, userId: freshId()});
  await expectStored({...good, properties: nested(10)});
  await expectRefused({...good, ...fault}, field);
});

describe('who did it', () => {
  test('ids are stored verbatim and compared case by case', async () => {
    const id = freshId('Ünï Cafe\u0301 +/%2F?#');
    await under.track({event: 'seen', userId: id});
    expect(await under.eventsOf(id)).toMatchObject([{userId: id}]);
    expect(await under.eventsOf(id.toLowerCase())).toEqual([]);
    expect(await under.eventsOf(id.normalize('NFC'))).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a plain id and a plain name',
    async (word) => {
      await under.track({event: word, userId: word, properties: {word}});
      expect(await under.eventsOf(word)).toMatchObject([{event: word, userId: word, properties: {word}}]);
    },
  );
});

describe('properties', () => {
  test('a nest of thirty thousand arrays is refused like any other', async () => {
    const bomb = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const answer = await postText(`{"event":"seen","userId":"bomb","properties":{"a":${bomb}}}`);
    expectError(answer, 400, 'invalid_event', 'properties');
    expect(await under.eventsOf('bomb')).toEqual([]);
  });

  test('a __proto__ key is refused anywhere, other inherited names are plain data', async () => {
    const userId = freshId();
    for (const properties of [
      '{"__proto__":{"x":1}}',
      '{"a":[{"__proto__":1}]}',
      '{"\\u005f_proto__":1}',
      '{"a":{"__proto__":null}}',
    ]) {
      expectError(
        await postText(`{"event":"seen","userId":"${userId}","properties":${properties}}`),
        400,
        'invalid_event',
        'properties',
      );
    }
    const properties = {constructor: {prototype: {x: 1}}, prototype: 1, toString: 'text', hasOwnProperty: null};
    await expectStored({event: 'seen', userId, properties});
    await expectStored({event: 'seen', userId, properties: {text: '__proto__'}});
    expect((await under.eventsOf(userId)).map((event) => event.properties)).toEqual([{text: '__proto__'}, properties]);
  });

  test('a number that overflows a double is refused, every other one is a double', async () => {
    const userId = freshId();
    for (const number of ['1e999', '-1e999', '1e309']) {
      for (const properties of [`{"n":${number}}`, `{"n":[{"m":${number}}]}`]) {
        const answer = await postText(`{"event":"seen","userId":"${userId}","properties":${properties}}`);
        expectError(answer, 400, 'invalid_event', 'properties');
      }
    }
    const numbers =
      '[-0,0.1,1e308,-1.7976931348623157e308,5e-324,1e-999,9007199254740991,9223372036854776000,0.12345678901234567890,1E2]';
    expectJson(await postText(`{"event":"seen","userId":"${userId}","properties":{"n":${numbers}}}`), 200);
    const [event] = await under.eventsOf(userId);
    expect(JSON.stringify(event!.properties)).toBe(JSON.stringify({n: JSON.parse(numbers)}));
  });

  test('an integer that a double would change is refused by its digits, as text it is taken', async () => {
    const body = (field: string, value: string) => `{"event":"seen","userId":"big","${field}":{"a":[{"id":${value}}]}}`;
    for (const digits of ['1234567890123456789', '-9007199254740993', '123456789012345678901234']) {
      for (const field of ['properties', 'context']) {
        const answer = await postText(body(field, digits));
        expectError(answer, 400, 'invalid_event', field);
        expect(answer.json<{error: {message: string}}>().error.message).toContain(`${field}.a[0].id is ${digits}`);
        expectJson(await postText(body(field, `"${digits}"`)), 200);
      }
      expectJson(await postText(`{"event":"seen","userId":"big","unknown":${digits}}`), 200);
    }
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

  test('of a key that stands twice the last one counts, as JSON.parse reads it', async () => {
    const userId = freshId();
    expectJson(
      await postText(`{"event":"no","event":"seen","userId":"${userId}","properties":{"a":1,"a":{"b":2,"b":3}}}`),
      200,
    );
    expect(await under.eventsOf(userId)).toMatchObject([{event: 'seen', properties: {a: {b: 3}}}]);
  });
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

describe('bodies that are no event', () => {
  test.each(['', ' ', '{', '{"event":}', '{"a":1,}', "{'a':1}", '{"a":NaN}', '{"a":1}x', '\u0000{}'])(
    '%j is invalid_json',
    async (text) => expectError(await postText(text), 400, 'invalid_json'),
  );

  test.each(['[]', '[{"event":"x","userId":"y"}]', '"text"', '1', 'true', 'null'])(
    '%s is JSON, but no object: invalid_request',
    async (text) => expectError(await postText(text), 400, 'invalid_request'),
  );

  test('invalid UTF-8 is invalid_json', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"event":"seen","userId":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    const overlong = Buffer.concat([
      Buffer.from('{"event":"seen","userId":"'),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ]);
    const surrogate = Buffer.concat([
      Buffer.from('{"event":"a","userId":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    for (const body of [bytes, overlong, surrogate]) {
      const answer = await under.write.send('POST', '/v1/events', {
        body,
        headers: {'content-type': 'application/json'},
      });
      expectError(answer, 400, 'invalid_json');
    }
  });

  test('white space around and inside is fine', async () => {
    const userId = freshId();
    expectJson(await postText(`\r\n\t {"event" :\t"seen",\n "userId": "${userId}"} \n`), 200);
    expect(await under.eventsOf(userId)).toHaveLength(1);
  });

  test('a refused event stores nothing and harms nothing else', async () => {
    const userId = freshId();
    await expectRefused({event: 'bad', userId, timestamp: 'never'}, 'timestamp');
    expectError(await under.read.get(`/v1/users/${userId}`), 404, 'user_not_found');
    await expectStored({event: 'good', userId});
    expect((await under.eventsOf(userId)).map((event) => event.event)).toEqual(['good']);
  });
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

test('up to 24 hours in the future, to both sides of the bound', async () => {
  const userId = freshId();
  const ahead = (ms: number): string => new Date(Date.now() + 24 * 3_600_000 + ms).toISOString();
  await under.track({event: 'seen', userId, timestamp: ahead(-1_000)});
  const late = await under.write.post('/v1/events', {event: 'seen', userId, timestamp: ahead(60_000)});
  expectError(late, 400, 'invalid_event', 'timestamp');
  expect(await under.eventsOf(userId)).toHaveLength(1);
});

test('without a timestamp, or with null, the time of receipt is the time', async () => {
  const userId = freshId();
  const before = Date.now();
  await under.track({event: 'seen', userId});
  await under.track({event: 'seen', userId, timestamp: null});
  const after = Date.now();
  for (const event of await under.eventsOf(userId)) {
    for (const time of [event.timestamp, event.received_at]) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(time)).toBeLessThanOrEqual(after);
    }
  }
});
