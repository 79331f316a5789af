// How soon a connection comes back after a server that dies at the worst moment.

import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {expect, test} from 'vitest';
import {connectFirst, connectNats} from '../../../src/nats/client/connection.js';
import {StartFault} from '../../../src/start-fault.js';
import {shortestMs, until} from '../../support/until.js';

const greeting = 'INFO {"server_id":"X","version":"2.15.1","proto":1,"headers":true,"max_payload":1048576}\r\n';
// Writes are taken again within 5 s after the log is back: the connection must not use them up. It takes 2 s, and would take
// as long as those 5 s by the client's own measure.
const comesBackMsMax = 4_000;

function answerPings(socket: Socket): void {
  socket.write(greeting);
  socket.on('data', (bytes: Buffer) => bytes.includes('PING') && socket.write('PONG\r\n'));
}

/** From the connection that was greeted and reset to the next one. */
async function comesBackMs(): Promise<number> {
  const arrivedMs: number[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    arrivedMs.push(performance.now());
    if (arrivedMs.length !== 2) answerPings(socket);
    else socket.once('data', () => socket.resetAndDestroy()).write(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const nc = await connectNats({servers: [`127.0.0.1:${port}`]}, 'test');
  sockets[0]!.destroy();
  await until('it connects a third time', () => arrivedMs.length === 3);
  await nc.close();
  server.close();
  return arrivedMs[2]! - arrivedMs[1]!;
}

test('a server that dies between its greeting and its first answer does not keep the next one waiting for long', async () => {
  expect(await shortestMs(comesBackMsMax, comesBackMs)).toBeLessThan(comesBackMsMax);
});

/** Answers the first `slow` connections with the error, and the others as a server does. */
async function slowServer(slow: number): Promise<{port: number; arrived: () => number; close(): void}> {
  let arrived = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    arrived += 1;
    if (arrived > slow) answerPings(socket);
    else socket.once('data', () => socket.end("-ERR 'Authentication Timeout'\r\n")).write(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {port, arrived: () => arrived, close};
}

test('a start goes on where a handshake was too slow for a busy machine', async () => {
  const {port, arrived, close} = await slowServer(2);
  const nc = await connectFirst({servers: [`127.0.0.1:${port}`]}, 'test');
  // Two too slow, one that asks whether the login is taken, and the connection.
  expect(arrived()).toBe(4);
  await nc.close();
  close();
});

test('a server that never manages it is told apart from one that refuses the login', async () => {
  const {port, arrived, close} = await slowServer(Number.POSITIVE_INFINITY);
  const starting = connectFirst({servers: [`127.0.0.1:${port}`]}, 'test');
  await expect(starting).rejects.toThrow(/no NATS server answers at 127\.0\.0\.1:\d+: .*timeout/i);
  expect(arrived()).toBe(5);
  close();
});

test('an address where nothing listens is named', async () => {
  await expect(connectFirst({servers: ['127.0.0.1:1']}, 'test')).rejects.toThrow(
    /^no NATS server answers at 127\.0\.0\.1:1: [^\n]+$/,
  );
});

test('credentials that cannot be read are named', async () => {
  const credsPath = '/nowhere/missing.creds';
  const starting = connectFirst({servers: ['127.0.0.1:1'], credsPath}, 'test');
  await expect(starting).rejects.toThrow(StartFault);
  await expect(starting).rejects.toThrow(/^NATS_CREDS cannot be read: [^\n]*\/nowhere\/missing\.creds/);
});
