// What an acknowledgement survives beside servers of others, while the connection to them comes and goes.
import {once} from 'node:events';
import {createServer as createHttpServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createServer} from 'node:net';
import type {NatsConnection} from 'nats';
import {expect, test, vi} from 'vitest';
import {payloadFault} from '../../../src/nats/payload.js';
import {ExternalDurability, readDurability} from '../../../src/nats/server/durability.js';
import {createLogger} from '../../../src/observe.js';
import {until} from '../../support/until.js';

interface FakeConnection {
  info: {readonly server_id: string} | undefined;
  readonly getServer: () => string;
  readonly isClosed: () => boolean;
  status(): AsyncGenerator<{readonly type: 'reconnect'}>;
}

test('a connection that broke again has no server to ask, and ends nobody', async () => {
  // Nobody answers where its monitoring port would be.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeConnection = {
    info: {server_id: 'X'},
    getServer: () => `127.0.0.1:${(server.address() as AddressInfo).port}`,
    isClosed: () => false,
    async *status() {
      yield {type: 'reconnect'};
    },
  };
  const nc = fake as unknown as NatsConnection;
  const logger = createLogger('silent', 'test');
  const durability = await ExternalDurability.read(nc, logger);
  fake.info = undefined; // It broke again right after it had come back.
  await durability.follow(nc, logger);
  expect(durability.class).toBe('process-crash');
  expect(payloadFault(nc)).toBeUndefined();
  server.close();
});

/** The monitoring of a server that syncs before every ack, and of its routes. */
async function monitoring(id: string, syncs: boolean, others: readonly string[]) {
  const answers: Record<string, unknown> = {
    '/at/varz': {server_id: id, jetstream: {config: {sync_always: syncs}}},
    '/at/routez': {server_id: id, routes: others.map((other) => ({remote_id: other, remote_name: other}))},
  };
  const server = createHttpServer(({url}, response) => void response.end(JSON.stringify(answers[url!]))).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/at`, server};
}

test('monitoring is asked where the operator says, of all servers of a cluster, in any order', async () => {
  const [one, two, weak] = [
    await monitoring('ONE', true, ['TWO']),
    await monitoring('TWO', true, ['ONE']),
    await monitoring('TWO', false, ['ONE']),
  ];
  const info = {server_id: 'ONE', cluster: 'c', connect_urls: ['nowhere:1', 'nowhere:2']};
  const nc = {info, getServer: () => '127.0.0.1:1', isClosed: () => false} as unknown as NatsConnection;
  const logger = createLogger('silent', 'test');
  const classOf = async (...urls: string[]): Promise<string> => (await ExternalDurability.read(nc, logger, urls)).class;
  expect(await classOf(two.url, one.url)).toBe('power-cut');
  expect(await classOf(one.url, weak.url)).toBe('process-crash');
  expect(await classOf(one.url)).toBe('process-crash'); // Nobody speaks for the other server.
  expect(await classOf(two.url)).toBe('process-crash'); // Nor for the connected one.
  for (const {server} of [one, two, weak]) server.close();
});

test('a server that did not say is asked again', async () => {
  vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']});
  try {
    const one = await monitoring('ONE', true, []);
    let isBusy = true;
    one.server.prependListener('request', ({socket}) => {
      if (isBusy) socket.destroy();
    });
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const nc = {
      ...{info: {server_id: 'ONE'}, getServer: () => '127.0.0.1:1', isClosed: () => false},
      async *status() {
        await over;
        yield* [];
      },
    } as unknown as NatsConnection;
    const logger = createLogger('silent', 'test');
    const durability = await ExternalDurability.read(nc, logger, [one.url]);
    expect(durability.class).toBe('process-crash');
    const followed = durability.follow(nc, logger);
    isBusy = false;
    vi.advanceTimersByTime(15_000);
    await until('it has said', () => durability.class === 'power-cut');
    end();
    await followed;
    one.server.close();
  } finally {
    vi.useRealTimers();
  }
});

test('a server of our own is asked three times before it counts as silent', async () => {
  let asked = 0;
  let brokenMax = 2;
  const server = createHttpServer(({socket}, response) => {
    asked += 1;
    if (asked <= brokenMax) socket.destroy();
    else response.end(JSON.stringify({jetstream: {config: {sync_always: true}}}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await readDurability(url, 60_000)).toBe('power-cut');
  brokenMax = Number.POSITIVE_INFINITY;
  asked = 0;
  await expect(readDurability(url, 60_000)).rejects.toThrow('socket hang up');
  expect(asked).toBe(3);
  server.close();
});
