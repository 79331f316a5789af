// Shares between report processes over NATS: whole or refused, and silence is noticed.
import {randomBytes} from 'node:crypto';
import type {NatsConnection} from 'nats';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {replyBytesMax} from '../../src/asks/subjects.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {ShareLink} from '../../src/nats/share-link.js';
import {neverStops, newStop} from '../../src/pacing/stop.js';
import type {AskedShare} from '../../src/report/rounds.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {until} from '../support/until.js';

const asker = {caller: 'k', gone: neverStops};
const share: AskedShare = {
  query: {report: 'names', limit: 1, fromMs: 0, toMs: 1},
  step: 'null',
  at: '0:1.1',
  indexes: ['p0.1.1'],
  partitions: [0],
};

let nats: TestNats;
let asking: NatsConnection;
let answering: NatsConnection;

beforeEach(async () => {
  nats = await startTestNats(1);
  const {address} = nats.nats;
  [asking, answering] = await Promise.all([connectNats(address, 'asking'), connectNats(address, 'answering')]);
});
afterEach(async () => {
  await Promise.all([asking.close(), answering.close()]);
  await nats.stop();
});

/** Answers shares under the id `b`. */
async function serve(answer: Parameters<ShareLink['serve']>[1]): Promise<() => void> {
  const unserve = new ShareLink(answering).serve('b', answer);
  await answering.flush();
  return unserve;
}

test('an answer of several messages comes whole; nobody answers after the end', async () => {
  const bytes = randomBytes(2 * replyBytesMax + 5);
  const asked: AskedShare[] = [];
  const unserve = await serve(async (one) => {
    asked.push(one);
    return bytes;
  });
  const link = new ShareLink(asking);
  expect(Buffer.compare((await link.ask('b', share, asker)) as Uint8Array, bytes)).toBe(0);
  expect(asked).toEqual([expect.objectContaining(share)]);
  unserve();
  await answering.flush();
  expect(await link.ask('b', share, asker)).toBe('silent');
});

test('what NATS does not carry, or what a process does not answer, is refused', async () => {
  let asked = 0;
  await serve(async () => {
    asked += 1;
    return undefined;
  });
  const link = new ShareLink(asking);
  const long = JSON.stringify({top: Array(1_000).fill('x'.repeat(2_000))});
  expect(await link.ask('b', {...share, step: long}, asker)).toBe('refused');
  expect(asked).toBe(0);
  expect(await link.ask('b', share, asker)).toBe('refused');
  expect(asked).toBe(1);
  await asking.drain();
  expect(await link.ask('b', share, asker)).toBe('refused');
});

test('an asker that leaves is heard of', async () => {
  let isLeft = false;
  let isAsked = false;
  await serve(async (_, {gone}) => {
    isAsked = true;
    await new Promise((resolve) => gone.addEventListener('abort', resolve));
    isLeft = true;
    return undefined;
  });
  const stop = newStop();
  const answer = new ShareLink(asking).ask('b', share, {caller: 'k', gone: stop.signal});
  await until('it is asked', () => isAsked);
  stop.abort();
  expect(await answer).toBe('refused');
  await until('it hears that the asker left', () => isLeft);
});
