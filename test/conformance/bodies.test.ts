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
  test('one event: 64 KiB of compact JSON are taken, a byte more is payload_too_large', async () => {
    const userId = freshId();
    for (const filler of ['x', 'é', '😀']) {
      expectJson(await post('/v1/events', eventOf(userId, eventBytesMax, filler)), 200);
      expectError(await post('/v1/events', eventOf(userId, eventBytesMax + 1, filler)), 413, 'payload_too_large');
    }
    expect(await under.eventsOf(userId)).toHaveLength(3);
  });

  test('what counts is the compact JSON, not white space or escapes', async () => {
    const userId = freshId();
    const spaced = eventOf(userId, eventBytesMax).replaceAll(',', `,${' '.repeat(2_000)}`);
    expectJson(await post('/v1/events', spaced), 200);
    const escaped = JSON.stringify({event: 'seen', userId, properties: {text: '@'.repeat(15_000)}}).replaceAll(
      '@',
      '\\u0041',
    );
    expect(escaped.length).toBeGreaterThan(eventBytesMax);
    expectJson(await post('/v1/events', escaped), 200);
    expect(await under.eventsOf(userId)).toHaveLength(2);
  });

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

  test('inside a batch an oversized event is refused alone', async () => {
    const userId = freshId();
    const body = `{"events":[${eventOf(userId, eventBytesMax)},${eventOf(userId, eventBytesMax + 1)}]}`;
    const answer = await post('/v1/events/batch', body);
    expectJson(answer, 207);
    expect(answer.json()).toMatchObject({received: 1, rejected: 1, errors: [{index: 1, code: 'event_too_large'}]});
    expect(await under.eventsOf(userId)).toHaveLength(1);
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

  test('the bound holds after decompression too', async () => {
    const [fits, tooLarge] = [freshId(), freshId()];
    const gzip = {'content-encoding': 'gzip'};
    expectJson(await post('/v1/events/batch', gzipSync(batchOf(fits, bodyBytesMax)), gzip), 200);
    const answer = await post('/v1/events/batch', gzipSync(batchOf(tooLarge, bodyBytesMax + 1)), gzip);
    expectError(answer, 413, 'payload_too_large');
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

  // Of each encoding: test/edge/decompression.test.ts.
  test('a bomb is refused as too large, labelled or not, and quickly', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(64 * 1024);
    for (const path of ['/v1/events', '/v1/events/batch', '/v1/users/identify']) {
      expectError(await post(path, bomb, {'content-encoding': 'gzip'}), 413, 'payload_too_large');
    }
    expectError(await post('/v1/events/batch', bomb), 413, 'payload_too_large');
    expect((await under.nobody.get('/healthz')).status).toBe(200);
  });

  test('damaged bytes are refused', async () => {
    const whole = gzipSync(eventOf(freshId(), 5_000));
    for (const damaged of [whole.subarray(0, whole.length / 2), Buffer.from('not compressed'), Buffer.alloc(0)]) {
      const answer = await post('/v1/events', damaged, {'content-encoding': 'gzip'});
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json<{error: {code: string}}>().error.code).toMatch(/^invalid_(json|request)$/);
    }
  });

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

  test('a charset that is not UTF-8 stores nothing, also where its bytes would be read as other characters', async () => {
    const userId = freshId();
    const body = Buffer.from(JSON.stringify({event: 'caf\u00c3\u00a9', userId}), 'latin1');
    const answer = await post('/v1/events', body, {'content-type': 'text/plain; charset=iso-8859-1'});
    expectError(answer, 415, 'unsupported_media_type');
    expect(await under.eventsOf(userId)).toEqual([]);
  });
});
