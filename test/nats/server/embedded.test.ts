import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import {afterEach, describe, expect, test} from 'vitest';
import {type DataLock, lockDataDir} from '../../../src/data-lock.js';
import {connectNats} from '../../../src/nats/client/connection.js';
import {type EmbeddedNats, NatsServerFault, openingMsOf, startEmbeddedNats} from '../../../src/nats/server/embedded.js';
import {isAtLeast} from '../../../src/nats/version.js';
import {createLogger} from '../../../src/observe.js';
import {isRunning} from '../../../src/process-life.js';
import type {NatsAddress} from '../../../src/worker-messages.js';
import {halt} from '../../support/halt.js';
import {temporaryFolder} from '../../support/service.js';
import {until} from '../../support/until.js';

const serverBin = process.env.NATS_SERVER_BIN!;
const logger = createLogger('silent', 'test');
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(dataDir: string): Promise<{nats: EmbeddedNats; lock: DataLock}> {
  const lock = await lockDataDir(dataDir, () => {});
  cleanUps.push(() => lock.release());
  const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger});
  cleanUps.push(() => nats.stop());
  return {nats, lock};
}

async function connect(address: NatsAddress) {
  const nc = await connectNats(address, 'test');
  cleanUps.push(() => nc.close());
  return nc;
}

describe('embedded nats-server', () => {
  test('starts on loopback with a token of its own and says what an ack survives', async () => {
    const {nats} = await start(temporaryFolder());
    expect(nats.durability).toBe(isAtLeast(nats.version, '2.10.0') ? 'power-cut' : 'process-crash');
    expect(nats.address.servers[0]).toMatch(/^127\.0\.0\.1:\d+$/);

    const nc = await connect(nats.address);
    expect(nc.info?.version).toBe(nats.version);
    expect(nc.info?.max_payload).toBe(1_048_576);
    await expect(connectNats({servers: nats.address.servers}, 'no token')).rejects.toThrow(/authorization/i);
  });

  test('after a crash it is back on the same port, and a client goes on with the same store', async () => {
    const {nats} = await start(temporaryFolder());
    const nc = await connect(nats.address);
    const jsm = await jetstreamManager(nc);
    await jsm.streams.add({name: 'S', subjects: ['s']});
    await jetstream(nc).publish('s', 'before the crash');

    const firstPid = nats.pid()!;
    process.kill(firstPid, 'SIGKILL');
    await until('another server runs', () => nats.pid() !== firstPid && !isRunning(firstPid));

    const info = await until('the client is back', () => jsm.streams.info('S').catch(() => undefined));
    expect(info.state.messages).toBe(1);
    const again = await connect(nats.address);
    expect(again.getServer()).toBe(nc.getServer());
  });

  test('what a killed server had not finished to write is gone before the next one starts', async () => {
    const dataDir = temporaryFolder();
    const {nats} = await start(dataDir);
    const jsm = await jetstreamManager(await connect(nats.address));
    await jsm.streams.add({name: 'S', subjects: ['s']});
    await jetstream(await connect(nats.address)).publish('s', 'kept');
    const blocks = readdirSync(dataDir, {recursive: true, encoding: 'utf8'}).filter((path) => path.endsWith('.blk'));
    expect(blocks).not.toEqual([]);
    const unfinished = blocks.map((path) => join(dataDir, `${path}.tmp`));
    for (const path of unfinished) writeFileSync(path, 'of a user who is deleted');

    const firstPid = nats.pid()!;
    process.kill(firstPid, 'SIGKILL');
    await until('another server runs', () => nats.pid() !== firstPid && !isRunning(firstPid));
    const info = await until('the client is back', () => jsm.streams.info('S').catch(() => undefined));
    expect(info.state.messages).toBe(1);
    expect(unfinished.filter((path) => existsSync(path))).toEqual([]);
  });

  test('stop leaves no process behind, and the store opens again', async () => {
    const dataDir = temporaryFolder();
    const {nats, lock} = await start(dataDir);
    const pid = nats.pid()!;
    await nats.stop();
    expect(isRunning(pid)).toBe(false);
    lock.release();
    const next = await start(dataDir);
    await connect(next.nats.address);
  });

  test('stop also ends a server that is just being started again', async () => {
    const {nats} = await start(temporaryFolder());
    process.kill(nats.pid()!, 'SIGKILL');
    await nats.stop();
    await expect(connectNats(nats.address, 'test')).rejects.toThrow();
  });

  test('kill -9 of its owner ends it too, and the next owner finds the store free', async () => {
    const dataDir = temporaryFolder();
    const parent = await startParent(dataDir);
    expect(isRunning(parent.serverPid)).toBe(true);

    parent.process.kill('SIGKILL');
    await once(parent.process, 'exit');
    const {nats} = await start(dataDir); // Waits for the orphan, by the lock that the orphan still holds.
    expect(isRunning(parent.serverPid)).toBe(false);
    await connect(nats.address);
  });

  test('one that is stopped (SIGSTOP) is killed in the end, by its owner or by what its owner left', async () => {
    const dataDir = temporaryFolder();
    const {nats, lock} = await start(dataDir);
    const stopped = nats.pid()!;
    await halt(stopped);
    await nats.stop(200);
    expect(isRunning(stopped)).toBe(false);
    lock.release();

    const parent = await startParent(dataDir);
    await halt(parent.serverPid);
    parent.process.kill('SIGKILL');
    await once(parent.process, 'exit');
    await start(dataDir); // Within the time that a start waits for the lock.
    expect(isRunning(parent.serverPid)).toBe(false);
  });

  test('a second process on the same folder is refused while the first one lives', async () => {
    const dataDir = temporaryFolder();
    const parent = await startParent(dataDir);
    await expect(lockDataDir(dataDir, () => {})).rejects.toThrow(
      new RegExp(`in use by another Millrace \\(pid ${parent.process.pid}`),
    );
  });
});

describe('a nats-server that does not do', () => {
  const cases = [
    ['is missing', 'exit 1', /is not a nats-server|does not run/],
    ['is too old', 'echo nats-server: v2.9.9', /version 2\.9\.9; 2\.9\.10 or newer is needed/],
    ['is newer than was tested', 'echo nats-server: v3.0.0', /version 3\.0\.0; .* older than 3\.0\.0, with which/],
    ['is something else', 'echo hello', /is not a nats-server/],
    ['ends at once', '[ "$1" = --version ] && echo nats-server: v2.15.1 || exit 3', /ended during its start/],
  ] as const;
  test.each(cases)('%s: one clear line', async (_, script, message) => {
    const dataDir = temporaryFolder();
    const fake = join(dataDir, 'nats-server');
    writeFileSync(fake, `#!/bin/sh\n${script}\n`);
    chmodSync(fake, 0o755);
    const lock = await lockDataDir(dataDir, () => {});
    cleanUps.push(() => lock.release());
    const started = startEmbeddedNats({dataDir, serverBin: fake, lock, logger});
    await expect(started).rejects.toThrow(NatsServerFault);
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toThrow(/^[^\n]+$/);
  });
});

test('a small store is open within a minute, or it is damaged; a large one may take ten', () => {
  expect([0, 80 * 1024 ** 2, 1024 ** 3, 100 * 1024 ** 3].map(openingMsOf)).toEqual([60_000, 70_240, 191_072, 600_000]);
});

test('a nats-server that is no program is named', async () => {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'nats-server');
  writeFileSync(file, 'no program');
  const lock = await lockDataDir(dataDir, () => {});
  cleanUps.push(() => lock.release());
  const started = startEmbeddedNats({dataDir, serverBin: file, lock, logger});
  await expect(started).rejects.toThrow(NatsServerFault);
  await expect(started).rejects.toThrow(file);
});

async function startParent(dataDir: string): Promise<{process: ChildProcess; serverPid: number}> {
  const program = fileURLToPath(new URL('../../support/embedded-parent.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, serverBin], {stdio: ['ignore', 'pipe', 'inherit']});
  cleanUps.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const {serverPid} = JSON.parse(line) as {serverPid: number};
  return {process: child, serverPid};
}
