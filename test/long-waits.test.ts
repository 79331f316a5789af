// Deadlines of half a minute at their real length, all at the same time: together they take as long as the longest of them.

import {describe, test} from 'vitest';
import {isRunning} from '../src/process-life.js';
import {halt} from './support/halt.js';
import {Client, expectJson} from './support/http.js';
import {hasOwnNats, natsServerPid, startService} from './support/service.js';
import {type LargeAnswer, type SlowKind, slowKinds, slowReaders} from './support/slow-kinds.js';
import {lateCloses} from './support/slow-sockets.js';
import {type LoadReport, SteadyLoad} from './support/steady-load.js';
import {until} from './support/until.js';

// `SLOW_SOCKETS=2000 npx vitest run test/long-waits.test.ts`: the long form, on an otherwise idle machine.
const askedSockets = process.env.SLOW_SOCKETS;
const isLongForm = askedSockets !== undefined;
const sockets = Number(askedSockets ?? 200);
const readers = 4;
// On a busy machine this process sees late that a connection is closed.
const lateMs = isLongForm ? 2_000 : 15_000;
const perSecond = isLongForm ? 200 : 50;
const quietMs = isLongForm ? 15_000 : 500;
const slowMsMax = 150_000;
// The p99 beside slow clients to that without them; below 50 ms the pauses of a shared machine decide.
const p99RatioMax = 2;
const p99MsIgnored = 50;

const manyOf = (kinds: readonly SlowKind[], count: number): SlowKind[] =>
  Array.from({length: count}, (_, i) => kinds[i % kinds.length]!);

/** A page of a history that does not fit the buffers of a connection. */
async function prepareLargeAnswer(writer: Client, secretKey: string): Promise<LargeAnswer> {
  const [events, batches, padding] = [100, 4, 'x'.repeat(30_000)];
  const batch = Array.from({length: events}, () => ({event: 'large', userId: 'large', properties: {padding}}));
  for (let i = 0; i < batches; i++) expectJson(await writer.post('/v1/events/batch', {events: batch}), 200);
  return {secretKey, path: '/v1/events?userId=large&limit=1000', bytes: events * batches * padding.length};
}

// docs/operating.md: a drain has 25 s. The rest is a busy machine.
const drainMsMax = 25_000 + 30_000;

describe.concurrent('at the same time', () => {
  // Each is closed within its deadline, and ordinary requests are answered meanwhile.
  test('slow clients and readers are closed within their deadlines, and harm no other', async ({expect}) => {
    const service = await startService();
    const {baseUrl, writeKey, secretKey} = service;
    const load = (ms: number, end?: Promise<unknown>): Promise<LoadReport> =>
      new SteadyLoad({baseUrl, writeKey, perSecond}).run(ms, end);
    const large = await prepareLargeAnswer(new Client(baseUrl, writeKey), secretKey);
    const before = await load(quietMs);
    const slow = lateCloses({baseUrl, kinds: manyOf(slowKinds(writeKey), sockets), lateMs});
    const reading = lateCloses({baseUrl, kinds: manyOf(slowReaders(large), readers), lateMs});
    const meanwhile = await load(slowMsMax, slow);
    expect(await slow).toEqual([]);
    expect(await reading).toEqual([]);
    const after = await load(quietMs);
    for (const {answered, failures} of [before, meanwhile, after]) {
      expect(failures).toEqual([]);
      expect(answered).toBeGreaterThan(0);
    }
    const p99Max = Math.max(p99RatioMax * Math.max(before.p99, after.p99), p99MsIgnored);
    if (isLongForm) expect(meanwhile.p99, JSON.stringify({before, meanwhile, after})).toBeLessThanOrEqual(p99Max);
    expect(await service.stop()).toBe(0);
  });

  test.skipIf(!hasOwnNats)(
    'a stop with a NATS that is silent ends all the same, says so, and loses nothing',
    async ({expect}) => {
      const service = await startService();
      const writer = new Client(service.baseUrl, service.writeKey);
      expectJson(await writer.post('/v1/events', {event: 'before', userId: 'silent'}), 200);
      const server = natsServerPid(service)!;
      await halt(server);
      const startedMs = performance.now();
      expect(await service.stop()).toBe(1);
      expect(performance.now() - startedMs).toBeLessThan(drainMsMax);
      expect(service.logs()).toContain('not drained within 25 s');
      await until('its nats-server is gone', () => !isRunning(server));

      const again = await startService({dataDir: service.dataDir});
      const found = await new Client(again.baseUrl, again.secretKey).get('/v1/events?userId=silent');
      expect(found.json<{data: {event: string}[]}>().data.map(({event}) => event)).toEqual(['before']);
      expect(await again.stop()).toBe(0);
    },
  );
});
