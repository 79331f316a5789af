// What an acknowledgement survives beside servers of others, while the connection to them comes and goes.
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import {createServer} from 'node:net';
import type {NatsConnection} from 'nats';
import {expect, test} from 'vitest';
import {payloadFault} from '../../../src/nats/payload.js';
import {ExternalDurability} from '../../../src/nats/server/durability.js';
import {createLogger} from '../../../src/observe.js';

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
