// Bytes of parts change on the disk under a store that was closed in good order: whatever needs them is a 503 and one alarm
// a part, never a number without them; everything else goes on, and so does the service.

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {jetstreamManager} from '@nats-io/jetstream';
import {afterAll, expect, test} from 'vitest';
import type {PartRef, SnapshotIndex} from '../actors/manifest.js';
import {lockDataDir} from '../src/data-lock.js';
import {connectNats} from '../src/nats/client/connection.js';
import {partValues} from '../src/nats/part-values.js';
import {startEmbeddedNats} from '../src/nats/server/embedded.js';
import {bucketStream, bucketSubject} from '../src/nats/topology.js';
import {createLogger} from '../src/observe.js';
import {PartsCache} from '../src/parts/parts-cache.js';
import {IndexReader} from '../src/parts/stored-index.js';
import {readManifest} from '../src/parts/stored-state.js';
import {Client, expectError, expectJson, userPath} from './support/http.js';
import {hasOwnNats, type Service, startService} from './support/service.js';
import {until} from './support/until.js';

/** Enough to close two chunks of rows. */
const batches = 33;
const env = {
  PARTITIONS: '1',
  REPORT_REFRESH_SECONDS: '1',
  RATE_LIMIT_EVENTS_PER_SECOND: '0',
  RATE_LIMIT_READS_PER_MINUTE: '0',
};
let service: Service | undefined;

afterAll(async () => {
  await service?.kill();
});

async function startFilled(): Promise<Service> {
  const env = {
    PARTITIONS: '1',
    REPORT_REFRESH_SECONDS: '1',
    RATE_LIMIT_EVENTS_PER_SECOND: '0',
    RATE_LIMIT_READS_PER_MINUTE: '0',
  };
  const filled = await startService({env});
  const write = new Client(filled.baseUrl, filled.writeKey);
  expectJson(await write.post('/v1/users/identify', {userId: 'user-0', traits: {plan: 'pro'}}), 200);
  for (let batch = 0; batch < batches; batch++) {
    const events = Array.from({length: 1_000}, (_, i) => ({
      event: 'seen',
      userId: `user-${i % 50}`,
      timestamp: new Date(Date.UTC(2026, 0, 1) + (batch * 1_000 + i) * 1_000).toISOString(),
      properties: {page: `/${i % 7}`},
    }));
    expectJson(await write.post('/v1/events/batch', {events}), 200);
  }
  return filled;
}

/** What the newest manifest of a closed store names. */
async function indexOf(dataDir: string): Promise<SnapshotIndex> {
  const lock = await lockDataDir(dataDir, () => {});
  const serverBin = process.env.NATS_SERVER_BIN!;
  const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
  const nc = await connectNats(nats.address, 'test');
  try {
    const jsm = await jetstreamManager(nc);
    const subject = bucketSubject('manifests', 'p0');
    const message = await jsm.streams.getMessage(bucketStream('manifests'), {last_by_subj: subject});
    const cache = new PartsCache(partValues(jsm), 0);
    return await new IndexReader().read(readManifest(message!.data, 0).index, (ref) => cache.load(ref));
  } finally {
    await nc.close();
    await nats.stop();
    lock.release();
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.blk'))
    .map((name) => join(folder, name));
}

/** Turns bytes of the part's first value over, wherever the server keeps it. */
function damage(dataDir: string, part: PartRef): void {
  const subject = `${bucketSubject('parts-0', part.key)}.0`;
  let found = 0;
  for (const file of filesBelow(join(dataDir, 'nats', 'jetstream'))) {
    const bytes = readFileSync(file);
    for (let at = bytes.indexOf(subject); at >= 0; at = bytes.indexOf(subject, at + 1)) {
      const value = at + subject.length + Math.min(200, Math.floor(part.bytes / 2));
      for (let i = 0; i < 8; i++) bytes[value + i]! ^= 0xff;
      found += 1;
    }
    writeFileSync(file, bytes);
  }
  expect(found).toBe(1);
}

const january = 'from=2026-01-01&to=2026-01-02';
const counts = `/v1/reports/events?event=seen&${january}`;

test.skipIf(!hasOwnNats)('damaged parts: 503 and one alarm each, everything else goes on', async () => {
  const filled = await startFilled();
  expect(await filled.stop()).toBe(0);
  const index = await indexOf(filled.dataDir);
  const [older, newer] = index.chunks.filter((chunk) => chunk.chunk !== index.nextChunk);
  const runs = [index.windowRuns[0]!, index.userRuns[0]!];
  for (const part of [older!.rows, newer!.bodies, ...runs.map((run) => run.blocks[0]!.part)])
    damage(filled.dataDir, part);

  service = await startService({dataDir: filled.dataDir, env});
  const {baseUrl, writeKey, secretKey} = service;
  const [write, read] = [new Client(baseUrl, writeKey), new Client(baseUrl, secretKey)];
  const alarms = (): string[] =>
    service!
      .logs()
      .split('\n')
      .filter((line) => line.includes('a part cannot be read'));
  expect(alarms()).toEqual([]);

  const broken = [
    userPath('user-1'),
    '/v1/events?userId=user-1',
    '/v1/events?event=seen&limit=1000',
    '/v1/events?event=seen&to=2026-01-01T01:00:00Z',
    counts,
    `${counts}&filter=page%3D%2F1`,
    `/v1/reports/users?${january}`,
    `/v1/reports/funnel?steps[]=seen&${january}`,
  ];
  for (let times = 0; times < 3; times++) {
    for (const path of broken) {
      const answer = await read.get(path);
      expectError(answer, 503, 'unavailable');
      expect(answer.headers['retry-after']).toBe('1');
    }
  }
  // Live reads met the user run, the rows and the bodies, reports the window run and the rows.
  await until('their lines are here', () => alarms().length >= 5);
  expect(
    alarms()
      .map((line) => (JSON.parse(line) as {role: string}).role)
      .sort(),
  ).toEqual(['partition', 'partition', 'partition', 'report', 'report']);

  // What comes now is taken, answered and published, also where it would be merged with a damaged run.
  const events = Array.from({length: 1_000}, (_, i) => ({
    event: 'after',
    userId: `late-${i}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString(),
  }));
  expectJson(await write.post('/v1/events/batch', {events}), 200);
  expectJson(await read.get(userPath('late-1')), 200);
  const now = Date.now(); // A snapshot of a later tick holds them.
  await until('a later snapshot is published', async () => {
    const asOf = (await read.get(`/v1/reports/events?event=other&from=2026-02-01&to=2026-02-02`)).headers[
      'report-as-of'
    ];
    return asOf !== undefined && Date.parse(String(asOf)) > now;
  });
  expectError(await read.get(counts), 503, 'unavailable');
  // Not while a report is late on a busy machine.
  const ready = await until('it is ready', async () => {
    const answer = await read.get('/readyz');
    return answer.status === 200 && answer;
  });
  const body = ready.json<{reasons: string[]; warnings: string[]}>();
  expect(body.reasons).toEqual([]);
  expect(body.warnings).toEqual([
    // The window run, too: a snapshot wanted to merge it.
    expect.stringMatching(/^partition 0: 4 parts cannot be read/),
    expect.stringMatching(/^reports of partition 0: 2 parts cannot be read/),
  ]);
  const metrics = (await read.get('/metrics', {authorization: `Bearer ${service.adminToken}`})).text;
  expect(metrics).toContain('millrace_damaged_parts_total{role="partition",partition="0"} 4');
  expect(metrics).toContain('millrace_damaged_parts_total{role="report",partition="0"} 2');
  expect(await service.stop()).toBe(0);
  service = undefined;
});
