// Writes are refused before the disk is full, and taken again when there is room: the switch alone, and the whole service
// on a small disk.

import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, statfsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {DiskSpace, isNearlyFullNow, watermarksOf} from '../src/disk-space.js';
import {createLogger} from '../src/observe.js';
import {Client, expectError, expectJson, userPath} from './support/http.js';
import {hasOwnNats, type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const mib = 1_048_576;

describe('the switch', () => {
  const marks = {refuseBytes: 100, acceptBytes: 125};

  test('it goes off below the lower mark and on again at the upper one, not between them', () => {
    let isNearlyFull = false;
    const states = [500, 100, 99, 100, 124, 99, 125, 124, 100, 99].map((freeBytes) => {
      isNearlyFull = isNearlyFullNow(isNearlyFull, freeBytes, marks);
      return isNearlyFull;
    });
    expect(states).toEqual([false, false, true, true, true, true, false, false, false, true]);
  });

  test('the reserve grows with the partitions, and is never more than a quarter of the disk', () => {
    expect(watermarksOf(4, 100_000 * mib)).toEqual({refuseBytes: 64 * mib, acceptBytes: 80 * mib});
    expect(watermarksOf(32, 100_000 * mib).refuseBytes).toBe(400 * mib);
    expect(watermarksOf(32, 160 * mib)).toEqual({refuseBytes: 40 * mib, acceptBytes: 50 * mib});
  });
});

test('a folder that is removed is noticed once', async () => {
  const folder = join(temporaryFolder(), 'store');
  mkdirSync(folder);
  let timesGone = 0;
  const logger = createLogger('silent', 'test');
  const space = await DiskSpace.watch({folder, partitionCount: 1, logger, onGone: () => void (timesGone += 1)});
  rmSync(folder, {recursive: true});
  await until('it is noticed', () => timesGone > 0);
  await space.stop();
  expect(timesGone).toBe(1);
});

/** A small disk of memory; undefined where mounting is not permitted. */
function smallDisk(): string | undefined {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], {stdio: 'pipe'});
    return folder;
  } catch (error) {
    process.stderr.write(`SKIPPED: a service on a full disk: mounting is not permitted: ${(error as Error).message}\n`);
    return undefined;
  }
}

const disk = hasOwnNats && process.platform === 'linux' ? smallDisk() : undefined;
let service: Service | undefined;

afterAll(async () => {
  await service?.kill();
  if (disk !== undefined) await until('the disk can be unmounted', () => unmounts(disk));
});

function unmounts(folder: string): boolean {
  try {
    execFileSync('umount', [folder], {stdio: 'pipe'});
    return true;
  } catch {
    return false; // nats-server still closes its files.
  }
}

test.skipIf(disk === undefined)(
  'a disk that fills up: 503 at once, reads go on, and all is well when there is room',
  async () => {
    service = await startService({dataDir: disk!, env: {REPORT_REFRESH_SECONDS: '1'}});
    const {baseUrl, writeKey, secretKey} = service;
    const [write, read, nobody] = [new Client(baseUrl, writeKey), new Client(baseUrl, secretKey), new Client(baseUrl)];
    const event = {event: 'seen', userId: 'ada', messageId: 'm1'};
    expectJson(await write.post('/v1/events', event), 200);

    const {bavail, bsize} = statfsSync(disk!);
    const ballast = join(disk!, 'ballast');
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 36 * mib));
    await until('writes are refused', async () => (await write.post('/v1/events', event)).status === 503);

    const refused = await Promise.all([
      write.post('/v1/events', {...event, messageId: 'm2'}),
      write.post('/v1/events/batch', {events: [event]}),
      write.post('/v1/users/identify', {userId: 'ada', traits: {}}),
      read.delete(userPath('ada')),
    ]);
    // Not tried at all: a log that cannot write would not answer, or say so in other words.
    for (const answer of refused) {
      expectError(answer, 503, 'unavailable');
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.text).toContain('the disk is nearly full');
    }
    expectJson(await read.get(userPath('ada')), 200);
    expectError(await read.delete(userPath('nobody')), 404, 'user_not_found');
    const notReady = await nobody.get('/readyz');
    expect(notReady.status).toBe(503);
    expect(notReady.json<{reasons: string[]}>().reasons.join()).toMatch(/the disk is nearly full: \d+ MiB are free/);

    rmSync(ballast);
    await until('writes are taken again', async () => (await write.post('/v1/events', event)).status === 200);
    await until('it is ready again', async () => (await nobody.get('/readyz')).status === 200);
    const profile = (await read.get(userPath('ada'))).json<{events: unknown[]}>();
    expect(profile.events).toHaveLength(1);
    const {logs} = service;
    const alarms = await until('both lines are here', () => {
      const lines = logs()
        .split('\n')
        .filter((line) => line.includes('the disk '));
      return lines.length >= 2 && lines;
    });
    expect(alarms).toHaveLength(2);
    expect(alarms[0]).toContain('writes are refused until there is space');
    expect(alarms[1]).toContain('writes are accepted');
  },
);
