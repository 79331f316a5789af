// SIGTERM under load: whatever was answered 200 is there after the next start, and nothing hangs. With a NATS that is silent:
// test/long-waits.test.ts.
import {once} from 'node:events';
import {connect} from 'node:net';
import {text} from 'node:stream/consumers';
import {describe, expect, test} from 'vitest';
import {isRunning} from '../../src/process-life.js';
import {RawConnection} from '../http11/raw-connection.js';
import {Client, expectJson, query} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

/** Sends events one after the other until the service is gone. @returns the numbers of those that were answered 200. */
async function sendUntilGone(service: Service, sender: number, counts: {sent: number}): Promise<string[]> {
  const client = new Client(service.baseUrl, service.writeKey);
  const stored: string[] = [];
  for (let i = 0; ; i++) {
    const event = `${sender}-${i}`;
    try {
      const answer = await client.post('/v1/events', {event, userId: 'drained'});
      if (answer.status === 200) stored.push(event);
      counts.sent += 1;
    } catch {
      return stored; // Refused or closed: the service is going.
    }
  }
}

test('a stop answers what came in, and loses nothing that was answered', async () => {
  const service = await startService();
  const counts = {sent: 0};
  const senders = Array.from({length: 8}, (_, sender) => sendUntilGone(service, sender, counts));
  await until('the senders are at work', () => counts.sent > 200);
  expect(await service.stop()).toBe(0);
  const stored = (await Promise.all(senders)).flat();

  const again = await startService({dataDir: service.dataDir});
  const reader = new Client(again.baseUrl, again.secretKey);
  const found = new Set<string>();
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const answer = await reader.get(`/v1/events?${query({userId: 'drained', limit: 1_000, cursor})}`);
    const page = answer.json<{data: {event: string}[]; next_cursor: string | null}>();
    for (const {event} of page.data) found.add(event);
    cursor = page.next_cursor;
  }
  expect(stored.filter((event) => !found.has(event))).toEqual([]);
  expect(await again.stop()).toBe(0);
});

/** A request of which all but the last byte of the body is sent. */
async function beginSlowRequest(service: Service, event: string): Promise<{connection: RawConnection; rest: string}> {
  const body = JSON.stringify({event, userId: 'slow'});
  const connection = await RawConnection.open(service.baseUrl);
  await connection.write(
    `POST /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.writeKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  // Its headers were read, and it waits for the rest: that the service knows it is seen in its metrics.
  const client = new Client(service.baseUrl);
  await until('the request is open', async () =>
    /millrace_http_requests_open 2$/m.test((await client.get('/metrics')).text),
  );
  return {connection, rest: body.slice(-1)};
}

const isDraining = (service: Service) => until('it drains', () => service.logs().includes('"draining"'));

// docs/operating.md: a drain has 25 s. The rest is a busy machine.
const drainMsMax = 25_000 + 30_000;

describe.concurrent('a stop while a body is on its way', () => {
  const startTalking = () => startService({env: {LOG_LEVEL: 'info'}});

  test('takes the rest of it, answers, and closes', async ({expect}) => {
    const service = await startTalking();
    const {connection, rest} = await beginSlowRequest(service, 'late');
    const balancer = await RawConnection.open(service.baseUrl);
    const ask = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
    let asked = 0;
    const readinessNow = async () => {
      await balancer.write(ask);
      asked += 1;
      return (await balancer.untilAnswers(asked))[asked - 1];
    };
    await until('it is ready', async () => (await readinessNow())?.status === 200);
    const stopped = service.stop();
    await isDraining(service);
    // Who asks on an open connection hears why; nobody new is let in.
    const readiness = await readinessNow();
    expect(readiness?.status).toBe(503);
    expect(JSON.parse(readiness!.body)).toMatchObject({status: 'not_ready', reasons: ['the service is stopping']});
    await expect(RawConnection.open(service.baseUrl)).rejects.toThrow('ECONNREFUSED');
    await connection.write(rest);
    const [answer] = await connection.untilAnswers(1);
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('connection')).toBe('close');
    expect(await stopped).toBe(0);

    const again = await startService({dataDir: service.dataDir});
    const found = await new Client(again.baseUrl, again.secretKey).get('/v1/events?userId=slow');
    expect(found.json<{data: {event: string}[]}>().data.map(({event}) => event)).toEqual(['late']);
    expect(await again.stop()).toBe(0);
  });

  test('does not wait for it for ever: it ends in good order', async ({expect}) => {
    const service = await startTalking();
    const {connection} = await beginSlowRequest(service, 'never');
    const startedMs = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(drainMsMax);
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.answers()).toEqual([]);
  });

  test('hands over a large answer to its end, however late it is read', async ({expect}) => {
    const service = await startTalking();
    const writer = new Client(service.baseUrl, service.writeKey);
    const big = Array.from({length: 800}, () => ({
      event: 'big',
      userId: 'big',
      properties: {text: 'x'.repeat(12_000)},
    }));
    expectJson(await writer.post('/v1/events/batch', {events: big}), 200);
    const history = new Client(service.baseUrl, service.secretKey);
    await until('all of it is folded', async () => (await history.get('/v1/events?userId=big&limit=1')).status === 200);
    const {hostname, port} = new URL(service.baseUrl);
    const reader = connect(Number(port), hostname);
    reader.write(
      `GET /v1/events?userId=big&limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.secretKey}\r\n\r\n`,
    );
    await once(reader, 'readable'); // It has begun; more than the kernel takes is left.
    const stopped = service.stop();
    await isDraining(service);
    const [head, body] = (await text(reader)).split('\r\n\r\n', 2);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(JSON.parse(body!).data).toHaveLength(800);
    expect(await stopped).toBe(0);
  });

  test('ends at once with a second signal that comes later', async ({expect}) => {
    const service = await startTalking();
    const {connection} = await beginSlowRequest(service, 'never');
    process.kill(service.pid, 'SIGTERM');
    await isDraining(service);
    await until('it is asked again, later', () => {
      if (isRunning(service.pid)) process.kill(service.pid, 'SIGTERM');
      return !isRunning(service.pid);
    });
    // The drain would have given the body ten seconds, and ended with 0.
    expect(await service.stop()).toBe(1);
    expect(service.logs()).toContain('SIGTERM again: ended without finishing');
    expect(await connection.untilClosed()).toBe(true);
  });
});
