// A receiver that fails in all ways: raw sockets, so that each byte and each end is the test's.
import {once} from 'node:events';
import {createServer, type Server, type Socket} from 'node:net';
import {setTimeout as pause} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {Addresses} from '../../src/webhooks/addresses.js';
import {Poster, socketsMax} from '../../src/webhooks/post.js';

const nowMs = Date.parse('2026-11-27T12:00:00Z');
/** For receivers that answer, and for those that do not. */
const [patientMs, shortMs] = [60_000, 300];

const servers: Server[] = [];
const posters: Poster[] = [];

afterEach(() => {
  for (const poster of posters.splice(0)) poster.close();
  for (const server of servers.splice(0)) server.close();
});

/** Answers each request, once all of it is there. */
async function receiver(answer: (socket: Socket, request: string) => void, host = '127.0.0.1'): Promise<number> {
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      text += bytes.toString();
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      const request = text;
      text = '';
      answer(socket, request);
    });
  });
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as {port: number}).port;
}

const loopback = new Addresses({allowed: ['127.0.0.1', '::1'], allowsHttp: true});

function poster(addresses = loopback, msMax = patientMs): Poster {
  const made = new Poster({addresses, wallMs: () => nowMs, msMax});
  posters.push(made);
  return made;
}

const content = {headers: {'webhook-id': 'msg_1'}, body: '{"a":"é"}'};

const send = (port: number, by = poster(), host = '127.0.0.1') =>
  by.post(`http://${host}:${port}/hook?a=b`, async () => content);

const statusLine = (status: string, more = '') => `HTTP/1.1 ${status}\r\n${more}Content-Length: 0\r\n\r\n`;

test('a request that takes a connection which the receiver closes is made again over another one, once', async () => {
  const asked: Socket[] = [];
  const port = await receiver((socket) => {
    asked.push(socket);
    if (asked.length === 2) socket.resetAndDestroy();
    else socket.write(statusLine('204 No Content'));
  });
  const by = poster();
  expect(await send(port, by)).toEqual({kind: 'delivered', status: 204});
  expect(await send(port, by)).toEqual({kind: 'delivered', status: 204});
  expect([asked.length, new Set(asked).size]).toEqual([3, 2]);
  expect(asked[1]).toBe(asked[0]);
});

test('a receiver that resets new connections fails', async () => {
  const port = await receiver((socket) => socket.resetAndDestroy());
  expect(await send(port)).toEqual({kind: 'failed', why: 'the connection failed (ECONNRESET)'});
});

describe('what an answer means', () => {
  test.each([
    ['200 OK', {kind: 'delivered', status: 200}],
    ['204 No Content', {kind: 'delivered', status: 204}],
    ['301 Moved\r\nLocation: http://169.254.169.254/', {kind: 'failed', status: 301}],
    ['307 Moved\r\nLocation: http://169.254.169.254/', {kind: 'failed', status: 307}],
    ['400 Bad Request', {kind: 'failed', status: 400}],
    ['410 Gone', {kind: 'gone', status: 410}],
    ['429 Slow\r\nRetry-After: 7', {kind: 'failed', status: 429, waitMs: 7_000}],
    ['429 Slow\r\nRetry-After: Fri, 27 Nov 2026 12:01:00 GMT', {kind: 'failed', status: 429, waitMs: 60_000}],
    ['429 Slow\r\nRetry-After: 1000000000', {kind: 'failed', status: 429, waitMs: 86_400_000}],
    ['429 Slow\r\nRetry-After: -1', {kind: 'failed', status: 429}],
    ['429 Slow', {kind: 'failed', status: 429}],
    ['500 Oops\r\nRetry-After: 7', {kind: 'failed', status: 500}],
    ['503 Busy\r\nRetry-After: 2', {kind: 'failed', status: 503, waitMs: 2_000}],
  ])('%s', async (status, outcome) => {
    let asked = 0;
    const port = await receiver((socket) => {
      asked += 1;
      socket.write(statusLine(status));
    });
    expect(await send(port)).toEqual(outcome);
    expect(asked).toBe(1);
  });
});

test('the request has its headers and its body, and the connection is used again', async () => {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const port = await receiver((socket, request) => {
    sockets.add(socket);
    requests.push(request);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine');
  });
  const by = poster();
  for (let i = 0; i < 3; i++) {
    expect(await send(port, by)).toEqual({kind: 'delivered', status: 200});
    await pause(5); // The end of the answer comes after its status.
  }
  expect(sockets.size).toBe(1);
  expect(requests[2]).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\n/);
  expect(requests[2]).toContain('webhook-id: msg_1\r\n');
  expect(requests[2]).toContain('content-length: 10\r\n');
  expect(requests[2]).toMatch(/\{"a":"é"\}$/);
});

const silent = {kind: 'failed', why: 'no answer within 0.3 s'};
const reset = {kind: 'failed', why: 'the connection failed (ECONNRESET)'};

describe('a receiver that', () => {
  test.each<[string, (socket: Socket) => void, object]>([
    ['says nothing', () => undefined, silent],
    [
      'sends its head a byte at a time',
      (socket) => {
        const bytes = [...statusLine('200 OK')];
        const timer = setInterval(() => socket.write(bytes.shift() ?? ''), 50);
        socket.on('close', () => clearInterval(timer));
      },
      silent,
    ],
    ['resets', (socket) => void socket.resetAndDestroy(), reset],
    ['ends without an answer', (socket) => void socket.end(), reset],
    ['ends within its head', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-'), reset],
    [
      'speaks no HTTP',
      (socket) => void socket.end('SSH-2.0-x\r\n'),
      {kind: 'failed', why: expect.stringMatching(/HPE/)},
    ],
    ['speaks HTTP/1.0', (socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\nfine'), {kind: 'delivered', status: 200}],
    [
      'takes it, and breaks off within its answer',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', () => socket.resetAndDestroy()),
      {kind: 'delivered', status: 200},
    ],
    [
      'takes it, and never ends its answer',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'),
      {kind: 'delivered', status: 200},
    ],
  ])('%s', async (_, answer, outcome) => {
    // Only who waits for nothing must wait shortly: on a busy machine the others take longer than that.
    const msMax = outcome === silent ? shortMs : patientMs;
    expect(await send(await receiver(answer), poster(loopback, msMax))).toEqual(outcome);
  });

  test('answers without an end is read for 64 KiB, and no further', async () => {
    let written = 0;
    let closed: Promise<unknown> | undefined;
    const port = await receiver((socket) => {
      closed = new Promise((resolve) => void socket.on('close', resolve));
      const block = Buffer.alloc(16 * 1024);
      const more = (): void => {
        while (!socket.destroyed && socket.write(block)) written += block.length;
        if (!socket.destroyed) socket.once('drain', more);
      };
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`);
      more();
    });
    expect(await send(port)).toEqual({kind: 'delivered', status: 200});
    await closed;
    expect(written).toBeLessThan(32 * 2 ** 20); // Buffers of the kernel.
  });

  test('is not there', async () => {
    const port = await receiver(() => undefined);
    servers[0]!.close();
    expect(await send(port)).toEqual({kind: 'failed', why: 'the connection failed (ECONNREFUSED)'});
  });

  test('is not to be connected to', async () => {
    let asked = 0;
    const port = await receiver(() => asked++);
    const strict = poster(new Addresses({allowed: [], allowsHttp: true}));
    expect(await send(port, strict)).toEqual({kind: 'failed', why: 'its address is private or reserved'});
    expect(asked).toBe(0);
  });

  test('has a name that is public when it is looked at, and private when it is connected to', async () => {
    let asked = 0;
    const port = await receiver(() => asked++);
    const addresses = new Addresses({allowed: [], allowsHttp: true});
    // As the URL is judged before; the look-up of the connection finds 127.0.0.1.
    addresses.faultOf = () => undefined;
    const why = 'the name does not resolve to a public address';
    expect(await send(port, poster(addresses), 'localhost')).toEqual({kind: 'failed', why});
    expect(asked).toBe(0);
  });

  test('has an IPv6 address alone', async () => {
    const port = await receiver((socket) => void socket.write(statusLine('200 OK')), '::1');
    expect(await send(port, poster(), '[::1]')).toEqual({kind: 'delivered', status: 200});
  });
});

describe('what is sent', () => {
  const ok = (socket: Socket): void => void socket.write(statusLine('200 OK'));

  test('is asked for when the receiver is connected, and may be nothing by then', async () => {
    let asked = 0;
    const port = await receiver(() => asked++);
    let connect = (): void => undefined;
    const addresses = new Addresses({allowed: ['127.0.0.1'], allowsHttp: true}, (_, __, callback) => {
      connect = () => callback(null, [{address: '127.0.0.1', family: 4}]);
    });
    let isAsked = false;
    const outcome = poster(addresses).post(`http://receiver.example:${port}/`, async () => {
      isAsked = true;
      return undefined;
    });
    await pause(0);
    expect(isAsked).toBe(false);
    connect();
    expect(await outcome).toEqual({kind: 'erased'});
    expect([isAsked, asked]).toEqual([true, 0]);
  });

  test('is not sent where nobody can say what it is', async () => {
    let asked = 0;
    const port = await receiver(() => asked++);
    const fault = new Error('the owner is away');
    await expect(poster().post(`http://127.0.0.1:${port}/`, () => Promise.reject(fault))).rejects.toBe(fault);
    expect(asked).toBe(0);
  });

  test('waits for no other request to the same receiver', async () => {
    const held: Socket[] = [];
    const count = 3 * socketsMax;
    const port = await receiver((socket) => {
      held.push(socket);
      if (held.length === count) for (const one of held) ok(one);
    });
    const by = poster();
    const outcomes = await Promise.all(Array.from({length: count}, () => send(port, by)));
    expect(new Set(outcomes.map(({kind}) => kind))).toEqual(new Set(['delivered']));
  });

  test('goes to an address that is allowed at each connection, though the name had one before', async () => {
    const ports: number[] = [];
    const port = await receiver((socket) => {
      ports.push(socket.remotePort!);
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }, '127.0.0.2');
    const answers = [['127.0.0.2'], ['10.0.0.1', '127.0.0.2'], ['10.0.0.1'], ['127.0.0.2']];
    const addresses = new Addresses({allowed: ['127.0.0.2'], allowsHttp: true}, (_, __, callback) =>
      callback(
        null,
        answers.shift()!.map((address) => ({address, family: 4})),
      ),
    );
    const by = poster(addresses);
    const why = 'the name does not resolve to a public address';
    const outcomes = [];
    for (let i = 0; i < 4; i++) outcomes.push(await send(port, by, 'receiver.example'));
    const delivered = {kind: 'delivered', status: 200};
    expect(outcomes).toEqual([delivered, delivered, {kind: 'failed', why}, delivered]);
    expect(new Set(ports).size).toBe(3);
  });
});
