// SIGTERM while requests are under way: they are answered, and nothing hangs. Under load, where nothing that was answered 200 is lost:
// test/restart.test.ts. With a NATS that is silent: test/long-waits.test.ts.
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {describe, test} from 'vitest';
import {isRunning} from '../../src/process-life.js';
import {RawConnection} from '../http11/raw-connection.js';
import {Client, expectJson} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

/** A request of which all but the last byte of the body is sent; `openBefore` others are under way. */
async function beginSlowRequest(
  service: Service,
  event: string,
  openBefore = 0,
): Promise<{connection: RawConnection; rest: string}> {
  const body = JSON.stringify({event, userId: 'slow'});
  const connection = await RawConnection.open(service.baseUrl);
  await connection.write(
    `POST /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.writeKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  // Its headers were read, and it waits for the rest: that the service knows it is seen in its metrics.
  const client = new Client(service.baseUrl);
  const told = new RegExp(`^millrace_http_requests_open ${openBefore + 2}$`, 'm');
  await until('the request is open', async () => told.test((await client.get('/metrics')).text));
  return {connection, rest: body.slice(-1)};
}

const isDraining = (service: Service) => until('it drains', () => service.logs().includes('"draining"'));

// docs/operating.md: a drain has 25 s. The rest is a busy machine.
const drainMsMax = 25_000 + 30_000;

async function storeLargeHistory(service: Service): Promise<void> {
  const writer = new Client(service.baseUrl, service.writeKey);
  const properties = {text: 'x'.repeat(12_000)};
  const events = Array.from({length: 800}, () => ({event: 'big', userId: 'big', properties}));
  expectJson(await writer.post('/v1/events/batch', {events}), 200);
  const history = new Client(service.baseUrl, service.secretKey);
  await until('all of it is folded', async () => (await history.get('/v1/events?userId=big&limit=1')).status === 200);
}

/** Resolves once the answer has begun, of which more than the kernel takes is left. */
async function askForLargeHistory(service: Service): Promise<Socket> {
  const {hostname, port} = new URL(service.baseUrl);
  const reader = connect(Number(port), hostname);
  reader.write(
    `GET /v1/events?userId=big&limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.secretKey}\r\n\r\n`,
  );
  await once(reader, 'readable');
  return reader;
}

describe.concurrent('a stop', () => {
  const startTalking = () => startService({env: {LOG_LEVEL: 'info'}});

  test('takes the rest of a body, hands over a large answer, and waits for nobody for ever', async ({expect}) => {
    const service = await startTalking();
    await storeLargeHistory(service);
    const late = await beginSlowRequest(service, 'late');
    const never = await beginSlowRequest(service, 'never', 1);
    const reader = await askForLargeHistory(service);
    const balancer = await RawConnection.open(service.baseUrl);
    const ask = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
    let asked = 0;
    const readinessNow = async () => {
      await balancer.write(ask);
      asked += 1;
      return (await balancer.untilAnswers(asked))[asked - 1];
    };
    await until('it is ready', async () => (await readinessNow())?.status === 200);
    const startedMs = performance.now();
    const stopped = service.stop();
    await isDraining(service);
    // Who asks on an open connection hears why; nobody new is let in.
    const readiness = await readinessNow();
    expect(readiness?.status).toBe(503);
    expect(JSON.parse(readiness!.body)).toMatchObject({status: 'not_ready', reasons: ['the service is stopping']});
    await expect(RawConnection.open(service.baseUrl)).rejects.toThrow('ECONNREFUSED');

    await late.connection.write(late.rest);
    const [answer] = await late.connection.untilAnswers(1);
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('connection')).toBe('close');

    const [head, body] = (await text(reader)).split('\r\n\r\n', 2);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(JSON.parse(body!).data).toHaveLength(800);

    expect(await stopped).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(drainMsMax);
    expect(await never.connection.untilClosed()).toBe(true);
    expect(never.connection.answers()).toEqual([]);

    const again = await startService({dataDir: service.dataDir});
    const found = await new Client(again.baseUrl, again.secretKey).get('/v1/events?userId=slow');
    expect(found.json<{data: {event: string}[]}>().data.map(({event}) => event)).toEqual(['late']);
    expect(await again.stop()).toBe(0);
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
