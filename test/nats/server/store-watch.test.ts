// What makes the watch call for a new start of nats-server, and what does not. A full disk itself: `npm run chaos -- enospc`.

import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {expect, test} from 'vitest';
import {RestartBudget, watchStore} from '../../../src/nats/server/store-watch.js';
import {until} from '../../support/until.js';

interface Health {
  readonly status: number;
  readonly body: object;
}

const well: Health = {status: 200, body: {status: 'ok'}};
const restoring: Health = {status: 503, body: {status: 'unavailable', error: 'JetStream has not established contact'}};
const stuck: Health = {
  status: 503,
  body: {status: 'unavailable', error: "JetStream stream '$G > LOG-0' write error: no space left on device"},
};

/** Answers one after the other; the last one stays. Resolves with the reasons heard once all were asked for twice over. */
async function reasonsAfter(...answers: readonly Health[]): Promise<string[]> {
  let asked = 0;
  const server = createServer((_request, response) => {
    const {status, body} = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    response.writeHead(status).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reasons: string[] = [];
  const ending = new AbortController();
  const watching = watchStore(
    {
      folder: tmpdir(),
      monitorUrl: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      onLook: () => {},
      onStuck: async (reason) => void reasons.push(reason),
      onGivenUp: (reason) => void reasons.push(`given up: ${reason}`),
    },
    ending.signal,
  );
  await until('every answer was given', () => asked > answers.length);
  ending.abort();
  await watching;
  server.close();
  return reasons;
}

test('a server that is well, or restores a stream, is left alone', async () => {
  expect(await reasonsAfter(well, restoring)).toEqual([]);
});

test('a server that cannot write any more is reported, with its own words', async () => {
  const reasons = await reasonsAfter(well, stuck);
  expect(reasons[0]).toContain('no space left on device');
});

test('a server that does not answer is left to those who watch its process', async () => {
  const ending = new AbortController();
  let asked = 0;
  const watching = watchStore(
    {
      folder: tmpdir(),
      monitorUrl: () => {
        asked += 1;
        return 'http://127.0.0.1:1';
      },
      onLook: () => {},
      onStuck: () => Promise.reject(new Error('nobody said that it is stuck')),
      onGivenUp: () => {},
    },
    ending.signal,
  );
  await until('it looked twice', () => asked >= 2);
  ending.abort();
  await watching;
});

test('a full disk is worth any number of restarts, another fault three in an hour', () => {
  const budget = new RestartBudget();
  const allowed = (fault: string, ...timesMs: number[]): boolean[] => timesMs.map((ms) => budget.allows(fault, ms));
  expect(allowed('write error: no space left on device', 1, 2, 3, 4, 5)).toEqual([true, true, true, true, true]);
  const damaged = 'write error: corrupt message in 1.blk: invalid checksum';
  expect(allowed(damaged, 10, 20, 30, 40, 3_600_040)).toEqual([true, true, true, false, false]);
  expect(allowed('write error: input/output error', 50)).toEqual([true]);
  expect(allowed(damaged, 7_200_041)).toEqual([true]); // An hour without it.
});

test('a damaged file: three restarts, then one report of its own', async () => {
  const damaged: Health = {
    status: 503,
    body: {status: 'unavailable', error: "JetStream stream '$G > KV_hooks' write error: invalid checksum"},
  };
  const reasons = await reasonsAfter(...new Array<Health>(6).fill(damaged));
  expect(reasons.map((reason) => reason.startsWith('given up: '))).toEqual([false, false, false, true]);
});
