// A question whose connection breaks fails with it, not at its deadline; the next connection carries questions again.

import {afterEach, expect, test} from 'vitest';
import type {AskedBy} from '../../src/asks/asker.js';
import {lockDataDir} from '../../src/data-lock.js';
import {AskLink} from '../../src/nats/ask-link.js';
import {leftSubject, type NumberedAsk, readAskedHeaders} from '../../src/nats/asked-headers.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {Pulse} from '../../src/nats/client/pulse.js';
import {pack} from '../../src/nats/packed.js';
import {type EmbeddedNats, startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {createLogger} from '../../src/observe.js';
import {newStop, Stopped} from '../../src/pacing/stop.js';
import type {AnsweringThread} from '../../src/worker-messages.js';
import {temporaryFolder} from '../support/service.js';
import {until} from '../support/until.js';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function startServer(): Promise<EmbeddedNats> {
  const dataDir = temporaryFolder();
  const lock = await lockDataDir(dataDir, () => {});
  ended.push(() => lock.release());
  const serverBin = process.env.NATS_SERVER_BIN as string;
  const server = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
  ended.push(() => server.stop());
  return server;
}

async function connectTo(server: EmbeddedNats) {
  const nc = await connectNats(server.address, 'test');
  ended.push(() => nc.close());
  return nc;
}

test('a question that goes down with the server fails at once', async () => {
  const server = await startServer();
  const listener = await connectTo(server);
  listener.subscribe('echo', {callback: (_, message) => void message.respond(message.data)});
  listener.subscribe('silence', {callback: () => {}});
  await listener.flush();
  const asking = await connectTo(server);
  const link = new AskLink(asking, new Pulse(asking));
  const hour = {timeout: 3_600_000};
  expect(await link.request('echo', {ask: 'one'}, hour)).toEqual({ask: 'one'});
  const unanswered = link.request('silence', 'two', hour);
  process.kill(server.pid()!, 'SIGKILL');
  await expect(unanswered).rejects.toThrow('no connection');
  await expect(link.request('echo', 'three', hour)).rejects.toThrow('no connection');
  await until('questions are answered again', async () => {
    const answer = await link.request('echo', 'four', {timeout: 1_000}).catch(() => undefined);
    return answer === 'four';
  });
});

test('over NATS a question says who asks and for how long, and every process hears that its asker has left', async () => {
  const server = await startServer();
  const listener = await connectTo(server);
  const heard: (string | NumberedAsk | undefined)[] = [];
  listener.subscribe('ask.report', {callback: (_, message) => void heard.push(readAskedHeaders(message.headers))});
  listener.subscribe(leftSubject('ask.report'), {callback: (_, message) => void heard.push(message.string())});
  await listener.flush();
  const asking = await connectTo(server);
  const link = new AskLink(asking, new Pulse(asking));
  const stop = newStop();
  const asked = link.request('ask.report', 'one', {timeout: 3_600_000, asker: {caller: 'key 1', gone: stop.signal}});
  await until('the question is heard', () => heard.length === 1);
  const {number} = heard[0] as NumberedAsk;
  expect(heard).toEqual([{number, caller: 'key 1', msMax: 3_600_000}]);
  stop.abort();
  await expect(asked).rejects.toBeInstanceOf(Stopped);
  await until('the notice is heard', () => heard.length === 2);
  expect(heard[1]).toBe(number);
});

test('a thread of the process is asked without the connection once it listens, and fails with it', async () => {
  const server = await startServer();
  const nc = await connectTo(server);
  nc.subscribe('ask.report', {callback: (_, message) => void message.respond(pack('over NATS'))});
  await nc.flush();
  const asked: string[] = [];
  let left = 0;
  const thread = {
    isListening: false as boolean,
    ask(subject: string, question: unknown, answered: (answer: unknown) => void, by?: AskedBy) {
      asked.push(`${subject} ${question}${by === undefined ? '' : ` by ${by.caller} for ${by.msMax} ms`}`);
      if (question !== 'silence') setImmediate(() => answered({here: question}));
      return () => {
        left += 1;
      };
    },
  } satisfies AnsweringThread;
  const link = new AskLink(nc, new Pulse(nc), new Map([['ask.report', thread]]));
  const hour = {timeout: 3_600_000};
  expect(await link.request('ask.report', 'early', hour)).toBe('over NATS');
  thread.isListening = true;
  expect(await link.request('ask.report', 'now', hour)).toEqual({here: 'now'});
  expect(asked).toEqual(['ask.report now']);
  await expect(link.request('ask.report', 'silence', {timeout: 20})).rejects.toThrow('no answer within 20 ms');
  expect(left).toBe(1);
  const stop = newStop();
  const given = link.request('ask.report', 'silence', {...hour, asker: {caller: 'key 1', gone: stop.signal}});
  expect(asked.at(-1)).toBe('ask.report silence by key 1 for 3600000 ms');
  stop.abort();
  await expect(given).rejects.toBeInstanceOf(Stopped);
  expect(left).toBe(2);
  await expect(
    link.request('ask.report', 'late', {...hour, asker: {caller: 'key 1', gone: stop.signal}}),
  ).rejects.toBeInstanceOf(Stopped);
  expect(asked.at(-1)).toContain('silence');
  const unanswered = link.request('ask.report', 'silence', hour);
  process.kill(server.pid()!, 'SIGKILL');
  await expect(unanswered).rejects.toThrow('no connection');
  await expect(link.request('ask.report', 'now', hour)).rejects.toThrow('no connection');
});
