// Which answers are compressed, and their tags, over each HTTP server.
import {type IncomingHttpHeaders, request} from 'node:http';
import {brotliDecompressSync, gunzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Header} from '../../src/edge/failure.js';
import {isCompressible} from '../../src/edge/http/compressed-answer.js';
import {Exchange} from '../../src/edge/http/exchange.js';
import type {HttpApp} from '../../src/edge/http/transport.js';
import {answerBytesInFlight} from '../../src/edge/http/unread-answers.js';
import {exchangeHost} from '../support/exchange-host.js';
import {transports} from '../support/transports.js';

const answerOf = (characters: number): string => JSON.stringify({text: 'é'.repeat(characters)});
const decoded = {br: brotliDecompressSync, gzip: gunzipSync, plain: (bytes: Buffer) => bytes};
const etag: Header = ['ETag', '"a-1"'];

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

describe.each(transports)('$name', (transport) => {
  let app: HttpApp;
  let port = 0;

  beforeAll(async () => {
    app = transport.newApp();
    app.any((res, req) => {
      const exchange = new Exchange(res, req, exchangeHost());
      res.onAborted(() => exchange.abort());
      exchange.isQuestion = exchange.path === '/question';
      if (exchange.ifNoneMatch === '"a-1"') exchange.answer('304 Not Modified', undefined, '', [etag]);
      else exchange.json('200 OK', answerOf(Number(exchange.query)), [etag]);
    });
    port = (await app.listen('127.0.0.1', 0))!;
  });

  afterAll(() => {
    app.close();
  });

  const ask = (characters: number, headers: Record<string, string>, method = 'GET', path = '/'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({port, path: `${path}?${characters}`, method, headers, agent: false}, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(pieces)}),
        );
      });
      sent.on('error', reject).end();
    });

  test.each([10, 2_000, 100_000])(
    'an answer of %i characters is what it is without compression',
    async (characters) => {
      const isSmall = characters < 1_024;
      for (const coding of ['br', 'gzip', 'plain'] as const) {
        const {headers, bytes} = await ask(characters, coding === 'plain' ? {} : {'accept-encoding': coding});
        const isEncoded = !isSmall && coding !== 'plain';
        expect(headers['content-encoding']).toBe(isEncoded ? coding : undefined);
        expect(headers.vary).toBe(isSmall ? undefined : 'Accept-Encoding');
        expect(headers.etag).toBe(isEncoded ? 'W/"a-1"' : '"a-1"');
        expect(headers['content-length']).toBe(String(bytes.length));
        expect(decoded[isEncoded ? coding : 'plain'](bytes).toString()).toBe(answerOf(characters));
        if (isEncoded) expect(bytes.length).toBeLessThan(characters / 10);
      }
      expect(answerBytesInFlight()).toBe(0);
    },
  );

  test('HEAD has the head of GET', async () => {
    for (const accepted of ['br', '']) {
      const [whole, head] = [
        await ask(2_000, {'accept-encoding': accepted}),
        await ask(2_000, {'accept-encoding': accepted}, 'HEAD'),
      ];
      expect(head.bytes).toHaveLength(0);
      for (const name of ['content-length', 'content-encoding', 'etag', 'vary'])
        expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    }
  });

  test('an answer to a change is never compressed: it may have a secret', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const {headers} = await ask(2_000, {'accept-encoding': 'br, gzip'}, method);
      expect([method, headers['content-encoding'], headers.vary]).toEqual([method, undefined, undefined]);
    }
    const question = await ask(2_000, {'accept-encoding': 'br, gzip'}, 'POST', '/question');
    expect(question.headers['content-encoding']).toBe('br');
  });

  test('a client that has the weak form of a tag gets it with its 304', async () => {
    for (const tag of ['W/"a-1"', '"a-1"']) {
      const {status, headers} = await ask(2_000, {'if-none-match': tag});
      expect([status, headers.etag]).toEqual([304, tag]);
    }
  });
});

test('what sets a cookie, is encoded already, or is no success, is sent as it is', () => {
  expect(isCompressible('200 OK', [etag])).toBe(true);
  expect(isCompressible('200 OK', undefined)).toBe(true);
  for (const header of [
    ['Set-Cookie', 'a=b'],
    ['Content-Encoding', 'gzip'],
    ['Vary', 'Accept'],
  ] as const)
    expect(isCompressible('200 OK', [etag, header])).toBe(false);
  expect(isCompressible('201 Created', [])).toBe(false);
});
