// Clients that disappear: in their headers, in their body, before the log has answered, while a page is put together or a
// report computed, and in the middle of an answer. Nothing of them stays, and what was sent whole is stored once at most.
import {connect} from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {Client, expectJson, type HistoryAnswer} from '../support/http.js';
import {hasOwnNats, natsServerPid, type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

let service: Service;
let read: Client;

beforeAll(async () => {
  service = await startService();
  read = new Client(service.baseUrl, service.secretKey);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** Sends the bytes, and leaves as soon as the kernel has them. (A reset could take back what the service has not read.) */
async function sendAndLeave(bytes: string): Promise<void> {
  const {hostname, port} = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  socket.destroy();
}

const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.secretKey}\r\n\r\n`;

function post(path: string, body: string, announcedBytes = body.length): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${service.writeKey}`];
  return [...head, 'Content-Type: application/json', `Content-Length: ${announcedBytes}`, '', body].join('\r\n');
}

const event = (userId: string, n: number): string => JSON.stringify({event: 'left', userId, messageId: `m${n}`});

/** Everything that waits for somebody is gone, and requests are answered. */
async function expectNothingLeft(): Promise<void> {
  await until('nothing is in flight', async () => {
    const {text} = await read.get('/metrics');
    return [...text.matchAll(/^millrace_bytes_in_flight\{[^}]*\} (\S+)$/gm)].every(([, bytes]) => bytes === '0');
  });
  expectJson(
    await new Client(service.baseUrl, service.writeKey).post('/v1/events', {event: 'after', userId: 'x'}),
    200,
  );
}

const clients = 50;
async function many(leave: (n: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({length: clients}, (_, n) => leave(n)));
}

describe('a client that leaves', () => {
  test('in its headers', async () => {
    await many(() => sendAndLeave(get('/v1/events?limit=1').slice(0, -3)));
    await expectNothingLeft();
  });

  test('in its body: nothing of it is stored', async () => {
    await many((n) => sendAndLeave(post('/v1/events', event('in-body', n).slice(0, -1), 1_000)));
    const half = `{"events":[${Array.from({length: 1_000}, (_, n) => event('in-body', n)).join(',')}`;
    await many(() => sendAndLeave(post('/v1/events/batch', half, 5_000_000)));
    await expectNothingLeft();
    expect((await read.get('/v1/users/in-body')).status).toBe(404);
  });

  test('while a page is put together, or a report computed', async () => {
    await many(() => sendAndLeave(get('/v1/events?limit=1000')));
    await many((n) => sendAndLeave(get(`/v1/reports/funnel?steps[]=left&steps[]=s${n}&from=2020-01-01&to=2026-12-31`)));
    await many(() => sendAndLeave(get('/readyz')));
    await expectNothingLeft();
  });

  test('while its export begins, or before it has read it: others may export', async () => {
    await many(() => sendAndLeave(get('/v1/export')));
    await many(() => sendAndLeave(get('/v1/user/export?userId=x')));
    await expectNothingLeft();
    await until('there is room for an export', async () => (await read.get('/v1/export')).status === 200);
  });

  test('before a deletion is done: it happens all the same', async () => {
    const client = new Client(service.baseUrl, service.writeKey);
    expectJson(await client.post('/v1/events', {event: 'left', userId: 'leaving'}), 200);
    await sendAndLeave(get('/v1/users/leaving').replace('GET', 'DELETE'));
    await until('the user is gone', async () => (await read.get('/v1/users/leaving')).status === 404);
    await expectNothingLeft();
  });

  test.skipIf(!hasOwnNats)('while it waits for the log: what it sent whole is stored once at most', async () => {
    const pid = natsServerPid(service)!;
    process.kill(pid, 'SIGSTOP');
    try {
      await many((n) => sendAndLeave(post('/v1/events', event('waiting', n))));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the log takes events', async () => {
      const client = new Client(service.baseUrl, service.writeKey);
      return (await client.post('/v1/events', {event: 'waits', userId: 'waits'})).status === 200;
    });
    await expectNothingLeft();
    const stored = await read.get('/v1/events?userId=waiting&limit=1000');
    expectJson(stored, 200);
    const ids = stored.json<HistoryAnswer>().data.map(({messageId}) => messageId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(clients);
  });
});
