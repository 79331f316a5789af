// Bytes on a socket: what client libraries never send, and what proxies may make of it.
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Client, expectJson} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

function open(): Socket {
  const {hostname, port} = new URL(service.baseUrl);
  return connect(Number(port), hostname);
}

/** Everything that comes back until the server closes, or until it has answered `answers` times. */
async function exchange(bytes: string | Buffer, answers: number): Promise<string> {
  const socket = open();
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
    if (statuses(text).length >= answers && text.endsWith('}')) socket.end();
  });
  socket.on('error', () => {}); // A server that closes while we still send shows as a reset: the text tells.
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

const statuses = (text: string): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));

const event = '{"event":"seen","userId":"raw"}';

function request(headers: readonly string[], body: string): string {
  const all = ['POST /v1/events HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.writeKey}`, ...headers];
  return `${all.join('\r\n')}\r\n\r\n${body}`;
}

const json = 'Content-Type: application/json';
const chunked = (text: string, size: number): string => {
  const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
};

async function expectAlive(): Promise<void> {
  expectJson(
    await new Client(service.baseUrl, service.writeKey).post('/v1/events', {event: 'alive', userId: 'raw'}),
    200,
  );
}

describe('framing', () => {
  test('chunked bodies are read, however they are cut', async () => {
    for (const size of [1, 7, 1_000]) {
      const text = await exchange(request([json, 'Transfer-Encoding: chunked'], chunked(event, size)), 1);
      expect(statuses(text)).toEqual([200]);
    }
  });

  test.each([
    ['two lengths', ['Content-Length: 31', 'Content-Length: 31']],
    ['two lengths that differ', ['Content-Length: 31', 'Content-Length: 5']],
    ['a length and chunks', ['Content-Length: 31', 'Transfer-Encoding: chunked']],
    ['an odd transfer encoding', ['Transfer-Encoding: gzip, chunked']],
    ['another transfer encoding', ['Transfer-Encoding: identity']],
    ['a length that is no number', ['Content-Length: 3x1']],
    ['a negative length', ['Content-Length: -1']],
  ])('%s: no event is taken, and what follows is not read as a request', async (_, headers) => {
    const next = request([json, 'Content-Length: 31'], event);
    const answered = statuses(await exchange(request([json, ...headers], event) + next, 2));
    expect([[], [400]]).toContainEqual(answered); // Closed by us, or refused by the parser.
    await expectAlive();
  });

  test('one connection carries request after request, refused ones too', async () => {
    const socket = open();
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    const good = request([json, `Content-Length: ${event.length}`], event);
    const bodies = [good, request([json, 'Content-Length: 2'], '{}'), request(['Content-Length: 2'], '{}'), good];
    for (const [at, bytes] of bodies.entries()) {
      socket.write(bytes);
      await until('the answer is there', () => statuses(text).length > at && text.endsWith('}'));
    }
    socket.destroy();
    expect(statuses(text)).toEqual([200, 400, 415, 200]);
  });

  test('a chunked body past the bound is refused before its end', async () => {
    const endless = request([json, 'Transfer-Encoding: chunked'], chunked('x'.repeat(1_000_000), 50_000).slice(0, -5));
    expect(statuses(await exchange(endless, 1))).toEqual([413]);
    await expectAlive();
  });

  test('headers past the bound of the server are refused, long ones within it are read', async () => {
    const long = request([json, `Content-Length: ${event.length}`, `X-Long: ${'x'.repeat(20_000)}`], event);
    expect(statuses(await exchange(long, 1))).toEqual([200]);
    const tooLong = request([json, `Content-Length: ${event.length}`, `X-Long: ${'x'.repeat(40_000)}`], event);
    expect(statuses(await exchange(tooLong, 1))).not.toContain(200);
    await expectAlive();
  });
});

test('a client that leaves at any byte of its request harms nobody', async () => {
  const whole = request([json, `Content-Length: ${event.length}`], event);
  const chunkedWhole = request([json, 'Transfer-Encoding: chunked'], chunked(event, 5));
  for (const text of [whole, chunkedWhole]) {
    for (let end = 1; end <= text.length; end += 3) {
      const socket = open();
      socket.on('error', () => {});
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.write(text.slice(0, end), () => resolve()));
      socket.destroy();
    }
  }
  await expectAlive();
});
