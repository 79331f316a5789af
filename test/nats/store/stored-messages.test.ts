// Messages are read out of the storage blocks of a real server, while it writes, erases and compacts.
import {readdirSync, readlinkSync} from 'node:fs';
import {crc32} from 'node:zlib';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import {afterEach, expect, test} from 'vitest';
import {lockDataDir} from '../../../src/data-lock.js';
import {connectNats} from '../../../src/nats/client/connection.js';
import {startEmbeddedNats} from '../../../src/nats/server/embedded.js';
import {blocksFolder} from '../../../src/nats/store/storage-block.js';
import {StoredMessages} from '../../../src/nats/store/stored-messages.js';
import {createLogger} from '../../../src/observe.js';
import {Random} from '../../../tools/random.js';
import {temporaryFolder} from '../../support/service.js';
import {until} from '../../support/until.js';

const stream = 'KV_parts-0';
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start() {
  const dataDir = temporaryFolder();
  const lock = await lockDataDir(dataDir, () => {});
  const serverBin = process.env.NATS_SERVER_BIN!;
  const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
  const nc = await connectNats(nats.address, 'test');
  cleanUps.push(async () => {
    await nc.close();
    await nats.stop();
    lock.release();
  });
  const jsm = await jetstreamManager(nc);
  await jsm.streams.add({name: stream, subjects: ['$KV.parts.>'], max_msgs_per_subject: 1});
  const js = jetstream(nc);
  const random = new Random(7);
  const values: Uint8Array[] = [];
  /** Values of this many bytes, with headers or without. */
  const put = async (count: number, bytes: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const value = Uint8Array.from({length: bytes + i}, () => random.between(0, 255));
      const n = values.push(value);
      const {seq} = await js.publish(`$KV.parts.${n}`, value, n % 2 === 1 ? {msgID: `id-${n}`} : {});
      expect(seq).toBe(n);
    }
  };
  const erase = (sequence: number) => jsm.streams.deleteMessage(stream, sequence, true);
  return {folder: nats.address.storeFolder!, values, put, erase};
}

type Started = Awaited<ReturnType<typeof start>>;

const isValue = (value: Uint8Array) => (bytes: Uint8Array) => crc32(bytes) === crc32(value);

/** The sequences whose messages are not read. */
async function unread(messages: StoredMessages, {values}: Pick<Started, 'values'>): Promise<number[]> {
  const read = await Promise.all(values.map((value, i) => messages.read(i + 1, isValue(value))));
  return read.flatMap((bytes, i) => (bytes === undefined ? [i + 1] : []));
}

const openBlocks = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.includes('.blk') ? [path] : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return []; // The folder itself was open.
    }
  });

test('every message is read as it was written, over many blocks, and those that come later', async () => {
  const started = await start();
  await started.put(30, 400_000);
  const blocks = readdirSync(blocksFolder(started.folder, stream)).filter((name) => name.endsWith('.blk'));
  expect(blocks.length).toBeGreaterThan(2);
  const messages = new StoredMessages(started.folder, stream);
  expect(await unread(messages, started)).toEqual([]);
  for (const bytes of [1, 70_000, 500_000]) {
    await started.put(9, bytes);
    expect(await unread(messages, started)).toEqual([]);
  }
  expect(openBlocks()).toEqual([]); // SM2
});

test('an erased message is not read, and all others are, also where the server has moved them', async () => {
  const started = await start();
  await started.put(40, 200_000);
  const messages = new StoredMessages(started.folder, stream);
  expect(await unread(messages, started)).toEqual([]);
  const erased = started.values.flatMap((_, i) => (i % 4 === 0 ? [] : [i + 1]));
  for (const sequence of erased) await started.erase(sequence);
  await until('the erased ones are not read', async () => (await unread(messages, started)).length === erased.length);
  expect(await unread(messages, started)).toEqual(erased);
  await started.put(5, 300_000);
  expect(await unread(messages, started)).toEqual(erased);
  expect(await unread(new StoredMessages(started.folder, stream), started)).toEqual(erased);
});

test('what is not in the files, or cannot be read, is left to the server', async () => {
  const started = await start();
  await started.put(3, 10_000);
  const messages = new StoredMessages(started.folder, stream);
  expect(await messages.read(4, () => true)).toBeUndefined();
  expect(await messages.read(2, () => false)).toBeUndefined();
  expect(await new StoredMessages(`${started.folder}/none`, stream).read(1, () => true)).toBeUndefined();
  const other = temporaryFolder();
  expect(await new StoredMessages(other, stream).read(1, () => true)).toBeUndefined();
});
