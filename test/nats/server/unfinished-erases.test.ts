// Erases that a killed nats-server had begun are finished before the next one starts: on blocks of a real server.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import {connect} from 'nats';
import {afterEach, expect, test} from 'vitest';
import {lockDataDir} from '../../../src/data-lock.js';
import {connectNats} from '../../../src/nats/client/connection.js';
import {startEmbeddedNats} from '../../../src/nats/server/embedded.js';
import {finishErases} from '../../../src/nats/server/unfinished-erases.js';
import {highwayHash64} from '../../../src/nats/store/highway-hash.js';
import {createLogger} from '../../../src/observe.js';
import {freePort} from '../../../tools/chaos/free-port.js';
import {temporaryFolder} from '../../support/service.js';
import {until} from '../../support/until.js';

const serverBin = process.env.NATS_SERVER_BIN!;
const stream = 'KV_parts-0';
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(dataDir: string) {
  const lock = await lockDataDir(dataDir, () => {});
  const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
  const nc = await connectNats(nats.address, 'test');
  const stop = async () => {
    await nc.close();
    await nats.stop();
    lock.release();
  };
  cleanUps.push(stop);
  return {nc, jsm: await jetstreamManager(nc), stop};
}

const blocksFolder = (dataDir: string): string => join(dataDir, 'nats', 'jetstream', '$G', 'streams', stream, 'msgs');
const blocksOf = (dataDir: string): Map<string, Buffer> => {
  const paths = readdirSync(blocksFolder(dataDir)).filter((name) => name.endsWith('.blk'));
  return new Map(paths.map((name) => join(blocksFolder(dataDir), name)).map((path) => [path, readFileSync(path)]));
};
const secret = (n: number): string => `secret-${n}-${'x'.repeat(n * 1_000)}`;
const mark = (n: number): string => `secret-${n}-x`;
const holds = (dataDir: string, n: number): boolean =>
  [...blocksOf(dataDir).values()].some((bytes) => bytes.includes(mark(n)));

/** Ten values, of which 3 and 7 are deleted with erase, and have their bytes all the same, as after a kill in between. */
async function interrupted(): Promise<string> {
  const dataDir = temporaryFolder();
  const {nc, jsm, stop} = await start(dataDir);
  await jsm.streams.add({name: stream, subjects: ['$KV.parts.>'], max_msgs_per_subject: 1});
  for (let n = 1; n <= 10; n++) {
    await jetstream(nc).publish(`$KV.parts.${n}`, secret(n), n % 2 === 1 ? {msgID: `id-${n}`} : {});
  }
  const before = blocksOf(dataDir);
  for (const seq of [3, 7]) await jsm.streams.deleteMessage(stream, seq, true);
  await stop();
  cleanUps.pop();
  for (const [path, bytes] of blocksOf(dataDir)) {
    const old = before.get(path)!;
    for (const n of [3, 7]) {
      // An erased record keeps its length: what stood there is put back with its head.
      const at = old.indexOf(`$KV.parts.${n}`) - 22;
      old.copy(bytes, at, at, at + (old.readUInt32LE(at) % 2 ** 31));
    }
    writeFileSync(path, bytes);
  }
  return dataDir;
}

/** What a server says of the ten: the length of each value, or null. */
async function valuesOf(dataDir: string): Promise<(number | null)[]> {
  const {jsm, stop} = await start(dataDir);
  const values: (number | null)[] = [];
  for (let seq = 1; seq <= 10; seq++) {
    const message = await jsm.streams.getMessage(stream, {seq}).catch(() => null);
    values.push(message === null ? null : message.data.length);
  }
  await stop();
  cleanUps.pop();
  return values;
}

test('they leave no bytes, and all other values as they were, also where a server reads all blocks anew', async () => {
  const dataDir = await interrupted();
  expect([3, 7].map((n) => holds(dataDir, n))).toEqual([true, true]);
  const expected = Array.from({length: 10}, (_, i) => ([3, 7].includes(i + 1) ? null : secret(i + 1).length));
  expect(await valuesOf(dataDir)).toEqual(expected);
  for (let n = 1; n <= 10; n++) expect(holds(dataDir, n), `${n}`).toBe(![3, 7].includes(n));
  rmSync(join(blocksFolder(dataDir), 'index.db'), {force: true});
  expect(await valuesOf(dataDir)).toEqual(expected);
  expect(finishErases(blocksFolder(dataDir), stream)).toEqual({erased: 0, left: 0});
});

/** A nats-server of its own, without the guard that starts it again; resolves once it answers. */
async function startAlone(folder: string) {
  const port = await freePort();
  const config = join(folder, 'server.conf');
  writeFileSync(
    config,
    `listen: "127.0.0.1:${port}"\njetstream {store_dir: "${folder}/store", sync_interval: always}\n`,
  );
  const server = spawn(serverBin, ['-c', config], {stdio: 'ignore'});
  cleanUps.push(() => server.kill('SIGKILL'));
  const nc = await until('the server answers', () =>
    connect({servers: `127.0.0.1:${port}`, reconnect: false}).catch(() => undefined),
  );
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    await once(server, 'exit');
    await nc.close();
  };
  return {jsm: await jetstreamManager(nc), js: jetstream(nc), end};
}

/** Erases the values of a store one after the other until a kill ends that. @returns the number of the one that was under way. */
async function killedAmongErases(folder: string): Promise<number> {
  const {jsm, js, end} = await startAlone(folder);
  await jsm.streams.add({name: stream, subjects: ['$KV.parts.>'], max_msgs_per_subject: 1});
  for (let n = 1; n <= 40; n++) await js.publish(`$KV.parts.${n}`, secret(n));
  let underWay = 1;
  const killedFrom = 1 + Math.floor(Math.random() * 20);
  const erasing = (async () => {
    for (; underWay <= 40; underWay++) await jsm.streams.deleteMessage(stream, underWay, true);
  })().catch(() => undefined);
  await until('the server erases', () => underWay >= killedFrom); // However busy the machine is.
  await pause(Math.random() * 20);
  await end('SIGKILL');
  await erasing;
  return underWay;
}

// Two of three kills do. Once no server does any more, what finishes its erases can go.
test('a server that is killed while it erases leaves bytes of a message that it says is gone, and nothing does after it', async () => {
  for (let kills = 1; ; kills++) {
    expect(kills).toBeLessThan(30);
    const folder = temporaryFolder();
    const n = await killedAmongErases(folder);
    const {jsm, end} = await startAlone(folder);
    const isGone = (await jsm.streams.getMessage(stream, {seq: n}).catch(() => null)) === null;
    await end('SIGTERM');
    const blocks = join(folder, 'store', 'jetstream', '$G', 'streams', stream, 'msgs');
    const isThere = () => readdirSync(blocks).some((name) => readFileSync(join(blocks, name)).includes(mark(n)));
    if (!isGone || !isThere()) continue;
    expect(finishErases(blocks, stream)).toEqual({erased: 1, left: 0});
    expect(isThere()).toBe(false);
    return;
  }
});

test('a record that is not whole is left alone, and told of', async () => {
  const dataDir = await interrupted();
  const [[path, bytes]] = [...blocksOf(dataDir)] as [[string, Buffer]];
  bytes[bytes.indexOf(mark(7)) + 100] = 0;
  writeFileSync(path, bytes);
  expect(finishErases(blocksFolder(dataDir), stream)).toEqual({erased: 1, left: 1});
  expect([holds(dataDir, 3), holds(dataDir, 7)]).toEqual([false, true]);
});

test('a stream that does not exist has none', () => {
  expect(finishErases(join(temporaryFolder(), 'msgs'), stream)).toEqual({erased: 0, left: 0});
});

test('checksums are those of HighwayHash', () => {
  const key = Uint8Array.from({length: 32}, (_, i) => i);
  // The first vectors of the reference implementation; records of a server have all lengths.
  const expected = [0x907a56de22c26e53n, 0x7eab43aac7cddd78n, 0xb8d0569ab0b53d62n];
  for (const [length, sum] of expected.entries()) {
    expect(
      highwayHash64(
        key,
        Uint8Array.from({length}, (_, i) => i),
      ),
    ).toBe(sum);
  }
});
