// Sizes, types and encodings of request bodies, on both sides of every bound.

import {isDeepStrictEqual} from 'node:util';
import {brotliCompressSync, constants, deflateSync, gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson} from '../support/http.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

const eventBytesMax = 64 * 1024;
const bodyBytesMax = 10 * 1024 * 1024;

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  under.write.send('POST', path, {body, headers: {'content-type': 'application/json', ...headers}});

/** Compact JSON of exactly so many UTF-8 bytes. */
function eventOf(userId: string, bytes: number, filler = 'x'): string {
  const empty = JSON.stringify({event: 'seen', userId, properties: {text: ''}});
  const count = Math.floor((bytes - Buffer.byteLength(empty)) / Buffer.byteLength(filler));
  const text = JSON.stringify({event: 'seen', userId, properties: {text: filler.repeat(count)}});
  return text.replace('"}}', `${'y'.repeat(bytes - Buffer.byteLength(text))}"}}`);
}

/** A batch whose body has exactly so many bytes, all of them in valid events. */
function batchOf(userId: string, bytes: number): string {
  const [head, tail] = ['{"events":[', ']}'];
  const items: string[] = [];
  let left = bytes - head.length - tail.length;
  while (left > 0) {
    // The last item takes what is left; no item is smaller than an event can be.
    const size = left > 2 * 60_000 ? 60_000 : left > 60_001 ? Math.floor(left / 2) : left;
    items.push(eventOf(userId, size));
    left -= size + 1;
  }
  expect(left).toBe(-1);
  const body = `${head}${items.join(',')}${tail}`;
  expect(Buffer.byteLength(body)).toBe(bytes);
  return body;
}

describe('sizes', () => {
  test('identify: 64 KiB are taken, a byte more is payload_too_large', async () => {
    const bodyOf = (userId: string, bytes: number): string => {
      const empty = JSON.stringify({userId, traits: {text: ''}});
      return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
    };
    const [fits, tooLarge] = [freshId(), freshId()];
    expectJson(await post('/v1/users/identify', bodyOf(fits, eventBytesMax)), 200);
    expectError(await post('/v1/users/identify', bodyOf(tooLarge, eventBytesMax + 1)), 413, 'payload_too_large');
    expectError(await under.read.get(`/v1/users/${tooLarge}`), 404, 'user_not_found');
  });

  test('a batch: 10 MiB are taken, a byte more is payload_too_large and stores nothing', async () => {
    const [fits, tooLarge] = [freshId(), freshId()];
    const body = batchOf(fits, bodyBytesMax);
    expectJson(await post('/v1/events/batch', body), 200);
    const texts = (events: readonly {properties?: unknown}[]): unknown[] => events.map((event) => event.properties);
    const stored = (await under.eventsOf(fits)).reverse();
    expect(isDeepStrictEqual(texts(stored), texts((JSON.parse(body) as {events: object[]}).events))).toBe(true);
    expectError(await post('/v1/events/batch', batchOf(tooLarge, bodyBytesMax + 1)), 413, 'payload_too_large');
    expectError(await under.read.get(`/v1/users/${tooLarge}`), 404, 'user_not_found');
  });
});

describe('encodings', () => {
  const encoders = {
    gzip: (text: string | Buffer) => gzipSync(text),
    deflate: (text: string | Buffer) => deflateSync(text),
    br: (text: string | Buffer) => brotliCompressSync(text, {params: {[constants.BROTLI_PARAM_QUALITY]: 1}}),
  };
  const names = Object.keys(encoders) as (keyof typeof encoders)[];

  test.each(names)('%s is read on every write route', async (encoding) => {
    const userId = freshId();
    const headers = {'content-encoding': encoding};
    const encode = encoders[encoding];
    expectJson(await post('/v1/events', encode(JSON.stringify({event: 'one', userId})), headers), 200);
    expectJson(
      await post('/v1/events/batch', encode(JSON.stringify({events: [{event: 'two', userId}]})), headers),
      200,
    );
    expectJson(await post('/v1/users/identify', encode(JSON.stringify({userId, traits: {plan: 'é☂'}})), headers), 200);
    expect((await under.read.get(`/v1/users/${userId}`)).json()).toMatchObject({
      traits: {plan: 'é☂'},
      events: [{event: 'two'}, {event: 'one'}],
    });
  });

  test.each(['/v1/events', '/v1/users/identify', '/v1/events/batch'])(
    'gzip without its label is told by its first bytes: %s',
    async (path) => {
      const [userId, inPieces] = [freshId(), freshId()];
      const bodyFor = (id: string, length: number): string =>
        path.endsWith('batch') ? `{"events":[${eventOf(id, length)}]}` : eventOf(id, length);
      expectJson(await post(path, gzipSync(bodyFor(userId, 100))), 200);
      expectJson(await post(path, gzipSync(bodyFor(userId, 100)), {'content-encoding': 'identity'}), 200);
      expectJson(await post(path, gzipSync(bodyFor(inPieces, 60_000), {level: 0})), 200);
      expect((await under.read.get(`/v1/user?userId=${inPieces}`)).status).toBe(200);
      const whole = gzipSync(bodyFor(userId, 100));
      expectError(await post(path, whole.subarray(0, -5)), 400, 'invalid_request');
      expectError(await post(path, Buffer.concat([whole, Buffer.from('{}')])), 400, 'invalid_request');
      expectError(await post(path, whole, {'content-encoding': 'br'}), 400, 'invalid_request');
    },
  );

  test.each(['zstd', 'compress', 'x', 'gzip;q=1'])('content-encoding %s is unsupported', async (encoding) => {
    const answer = await post('/v1/events', '{}', {'content-encoding': encoding});
    expectError(answer, 415, 'unsupported_media_type');
  });
});

describe('content types', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; profile=x; charset=us-ascii',
    'application/json;',
    'Application/JSON',
  ])('%s is read', async (type) =>
    expectJson(await post('/v1/events', eventOf(freshId(), 200), {'content-type': type}), 200),
  );

  test.each(['text/plain', 'text/plain;charset=UTF-8'])('%s is parsed as JSON, for beacons', async (type) => {
    const userId = freshId();
    const headers = {'content-type': type};
    expectJson(await post('/v1/events', JSON.stringify({event: 'one', userId}), headers), 200);
    expectJson(await post('/v1/events/batch', JSON.stringify({events: [{event: 'two', userId}]}), headers), 200);
    expectJson(await post('/v1/users/identify', JSON.stringify({userId, traits: {a: 1}}), headers), 200);
    expectError(await post('/v1/events', 'plain words', headers), 400, 'invalid_json');
    expect(await under.eventsOf(userId)).toHaveLength(2);
  });

  test.each([
    'application/x-www-form-urlencoded',
    'text/html',
    'application/jsonp',
    'multipart/form-data; boundary=x',
    'json',
    '',
    'application/json, text/html',
    'application/json; charset=utf-16',
    'application/json; charset="UTF-16LE"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-8, text/html',
    'text/plain;charset=ISO-8859-1',
    'text/plain; charset=',
  ])('%j is unsupported', async (type) => {
    for (const path of ['/v1/events', '/v1/events/batch', '/v1/users/identify']) {
      expectError(await post(path, '{}', {'content-type': type}), 415, 'unsupported_media_type');
    }
  });
});
