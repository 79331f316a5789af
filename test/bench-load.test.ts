// The generator against a server of the test: what it plans, what it counts, and what a stall costs.

import {createServer, type RequestListener, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import type {LoadProcess} from '../bench/load/load-process.js';
import {canonical} from '../bench/workload/events.js';

const eventCount = 50;
let load: LoadProcess;
let server: Server;

beforeAll(async () => {
  // The process that it forks is the compiled one.
  const path = new URL('../dist/bench/load/load-process.js', import.meta.url).href;
  const compiled = (await import(/* @vite-ignore */ path)) as typeof import('../bench/load/load-process.js');
  load = new compiled.LoadProcess();
  await load.prepare('single', {...canonical, eventCount}, 1, 'key');
});
afterAll(() => load.stop());
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listening(listener: RequestListener): Promise<{host: string; port: number}> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {host: '127.0.0.1', port: (server.address() as AddressInfo).port};
}

/** The generator wants a length: Node answers in chunks unless told. */
const ok: RequestListener = (request, response) => {
  const end = (): void => void response.setHeader('Content-Length', 2).end('ok');
  if (request.readableEnded) end();
  else request.resume().on('end', end);
};

/** Nobody is served meanwhile. */
const block = (ms: number): void => {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
};

test('open loop: sends what was planned, at the rate that was planned', async () => {
  const address = await listening(ok);
  const plan = {...address, connections: 8, seconds: 1, requestsPerSecond: 300, keepsSamples: true};
  const result = await load.offer('single', plan);
  expect(result).toMatchObject({requests: 300, failures: 0});
  expect(Object.keys(result.statuses)).toEqual(['200']);
  // On a machine without a free core the last ones may come too late to leave.
  expect(result.events + result.unsent).toBe(300);
  const planned = [...result.samples.plannedMs].sort((a, b) => a - b);
  expect(planned).toHaveLength(result.events);
  // A fixed period, however late the answers came.
  expect(planned.at(-1)! - planned[0]!).toBeCloseTo(((result.events - 1) * 1_000) / 300, 3);
  expect(result.elapsedMs).toBeGreaterThan(950);
});

test('open loop: a rate above one request a millisecond leaves in slots and loses none', async () => {
  const address = await listening(ok);
  const plan = {...address, connections: 64, seconds: 0.5, requestsPerSecond: 2_345, keepsSamples: false};
  const {requests, statuses, unsent} = await load.offer('single', plan);
  expect(requests).toBe(1_172);
  expect(statuses['200']! + unsent).toBe(1_172);
});

test('open loop: requests that a stall holds back count from the moment at which they were to leave', async () => {
  let served = 0;
  const address = await listening((request, response) => {
    if (++served === 20) block(600);
    ok(request, response);
  });
  // 2 connections: a closed loop would see two slow answers of hundreds, and a 90th percentile as if nothing had been.
  const plan = {...address, connections: 2, seconds: 1.5, requestsPerSecond: 200, keepsSamples: false};
  const {latencyMs} = await load.offer('single', plan);
  // 120 of 300 requests were to leave during the stall.
  expect(latencyMs.max).toBeGreaterThan(550);
  expect(latencyMs.p90).toBeGreaterThan(300);
});

test('open loop: refusals are counted by status, and those that do not say when to come back', async () => {
  let served = 0;
  const address = await listening((request, response) => {
    const turn = served++ % 4;
    const refusal = {'Content-Length': 2};
    if (turn === 0) response.writeHead(503, {...refusal, 'Retry-After': 1});
    if (turn === 1) response.writeHead(429, refusal);
    request.resume().on('end', () => (turn < 2 ? response.end('no') : ok(request, response)));
  });
  const plan = {...address, connections: 4, seconds: 1, requestsPerSecond: 100, keepsSamples: false};
  const {statuses, events, refusalsWithoutRetryAfter, firstRefusal} = await load.offer('single', plan);
  // Two of each four, however many a busy machine let leave in that second.
  const answered = events + statuses['503']! + statuses['429']!;
  expect(answered).toBeGreaterThan(3);
  expect([statuses['503'], statuses['429']]).toEqual([Math.ceil(answered / 4), Math.ceil((answered - 1) / 4)]);
  expect([events, refusalsWithoutRetryAfter]).toEqual([statuses['200'], statuses['429']]);
  expect(firstRefusal).toMatch(/^HTTP\/1.1 503 /);
});

test('open loop: a connection that breaks is counted and opened again', async () => {
  let served = 0;
  const address = await listening((request, response) => {
    if (++served === 10) request.socket.destroy();
    else ok(request, response);
  });
  const plan = {...address, connections: 1, seconds: 1, requestsPerSecond: 50, keepsSamples: false};
  const {statuses, failures, unsent} = await load.offer('single', plan);
  expect([failures, statuses['200']! + unsent]).toEqual([1, 49]);
  expect(statuses['200']).toBeGreaterThan(9); // Nine came before the break.
});

test('open loop: what never left counts with the time that it had waited', async () => {
  const address = await listening((request, response) => {
    setTimeout(() => ok(request, response), 200);
  });
  const plan = {...address, connections: 1, seconds: 1, requestsPerSecond: 100, keepsSamples: false};
  const {statuses, unsent, latencyMs} = await load.offer('single', plan);
  expect(statuses['200']! + unsent).toBe(100);
  expect(unsent).toBeGreaterThan(80);
  // The requests of the middle of the run had waited for half of it.
  expect(latencyMs.p50).toBeGreaterThan(350);
});

test('closed loop: what is answered before it counts is in no figure', async () => {
  let answered = 0;
  const address = await listening((request, response) => {
    answered += 1;
    ok(request, response);
  });
  const plan = {...address, connections: 4, seconds: 1, uncountedSeconds: 0.6};
  const startMs = performance.now();
  const {requests, events, elapsedMs, refusals} = await load.run('single', plan);
  const wholeMs = performance.now() - startMs;
  expect(requests).toBeGreaterThan(0);
  expect(events).toBe(requests);
  expect(requests).toBeLessThan(answered);
  expect(refusals).toBe(0);
  expect(elapsedMs).toBeGreaterThan(0);
  expect(elapsedMs).toBeLessThan(wholeMs - 600);
});
