// The bucket of keys on a real nats-server: two processes, and a server that is killed between them.
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {BucketFault} from '../../src/keys/key-bucket.js';
import {KeyStore} from '../../src/keys/store.js';
import {VisitorSalts} from '../../src/keys/visitor-salts.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsKeyBucket} from '../../src/nats/key-bucket.js';
import {bucketStream} from '../../src/nats/topology.js';
import {searchDisk} from '../../tools/disk-search.js';
import {ForgetfulNats} from '../support/forgetful-nats.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {until} from '../support/until.js';

let server: TestNats;
const connections: NatsConnection[] = [];

beforeAll(async () => {
  server = await startTestNats(1);
});

afterAll(async () => {
  for (const connection of connections) await connection.close();
  await server.stop();
});

async function openStore(): Promise<KeyStore> {
  const connection = await connectNats(server.nats.address, 'test-keys');
  connections.push(connection);
  return KeyStore.open(new NatsKeyBucket(connection), () => 1_000);
}

// A second is what is promised, the rest is a busy machine. A watch that hears nothing misses its heartbeats after 10 s.
const effectiveMsMax = 8_000;

test('an empty bucket opens; created and revoked keys are known everywhere soon', async () => {
  const [here, there] = [await openStore(), await openStore()];
  const {key, record} = await here.create('write', 'web');
  await until('the other process knows the key', () => there.ring.byKey(key));
  await there.revoke(record.id);
  await until('the revocation is known', () => here.ring.byKey(key) === undefined);
});

test('the name of a removed record is there, heard by a watch or read at its beginning', async () => {
  const writer = new NatsKeyBucket(connections[0]!, 'hooks');
  const watch = async (): Promise<NatsKeyBucket> => {
    const bucket = new NatsKeyBucket(connections[0]!, 'hooks');
    await bucket.watch({returned: () => {}, all: () => {}, changed: () => {}});
    return bucket;
  };
  const revision = (await writer.write('al_1', '{}', 0))!;
  const here = await watch();
  await writer.write('al_2', '{}', 0);
  await writer.write('al_1', '', revision);
  await until('the removal is heard', () => here.stillStored.length === 1 && here.stillStored[0] === 'al_2');
  const later = await watch();
  for (const bucket of [here, later]) {
    expect([bucket.stillStored, bucket.everStored]).toEqual([['al_2'], ['al_1', 'al_2']]);
    bucket.stop();
  }
});

test('a salt that is over is in no file, and the records around it are as they were', async () => {
  const connection = await connectNats(server.nats.address, 'test-keys');
  connections.push(connection);
  const bucket = new NatsKeyBucket(connection);
  const clock = {ms: Date.UTC(2026, 10, 29, 12)};
  const [here, there] = [new VisitorSalts(bucket, () => clock.ms), new VisitorSalts(bucket, () => clock.ms)];
  await bucket.write('test.before', 'text', 0);
  await Promise.all([here.keep(), there.keep()]);
  await bucket.write('test.after', 'text', 0);
  const salt = here.of(clock.ms)!;
  expect(there.of(clock.ms)).toEqual(salt);
  const inFiles = () => searchDisk(server.dataDir, [salt.toString('base64url')]).map(({file}) => file);
  expect(inFiles()).not.toEqual([]);
  clock.ms += 2 * 86_400_000;
  await Promise.all([here.keep(), there.keep()]); // Both erase.
  expect(inFiles()).toEqual([]);
  expect(await bucket.names('salt.*')).toEqual(['salt.2026-12-01']);
  for (const name of ['test.before', 'test.after']) expect(await bucket.read(name)).toMatchObject({text: 'text'});
  await bucket.erase('salt.2026-11-29'); // There is none.
  // Whoever watches keys hears nothing of salts.
  const store = await openStore();
  expect(store.ring.list().map(({id}) => id)).not.toContain('salt.2026-12-01');
});

test('a write that expects an older revision is refused', async () => {
  const [here, there] = [await openStore(), await openStore()];
  const {key, record} = await here.create('write', 'web');
  const bucket = new NatsKeyBucket(connections[0]!);
  const {revision} = (await bucket.read(record.id))!;
  await until('the other process knows the key', () => there.ring.byKey(key));
  await there.revoke(record.id);
  expect(await bucket.write(record.id, '{}', revision)).toBeUndefined();
});

test('the watch goes on after the server was killed and came back', async () => {
  const [here, there] = [await openStore(), await openStore()];
  const {key, record} = await here.create('write', 'web');
  await until('the other process knows the key', () => there.ring.byKey(key));
  process.kill(server.nats.pid()!, 'SIGKILL');
  const revoked = await until('the server takes writes again', () => here.revoke(record.id).catch(() => undefined));
  expect(revoked.revokedMs).not.toBeNull();
  await until('the revocation is known', () => there.ring.byKey(key) === undefined);
});

test('what was lost on its way over a connection that broke is known soon after it is back', async () => {
  const here = await openStore();
  const {key, record} = await here.create('write', 'web');
  const there = await openStore();
  const connection = connections.at(-1)!;
  const manager = await jetstreamManager(connection);
  // Without its consumer the watch hears of nothing any more, and does not know.
  for await (const {name} of manager.consumers.list(bucketStream('keys'))) {
    await manager.consumers.delete(bucketStream('keys'), name);
  }
  await here.revoke(record.id);
  expect(there.ring.byKey(key)).toBeDefined();
  await connection.reconnect();
  await until('the revocation is known', () => there.ring.byKey(key) === undefined, effectiveMsMax);
});

test('a server that came back without its last changes: a key is revoked there, and everywhere', async () => {
  const forgetful = await ForgetfulNats.start();
  try {
    const openThere = async (): Promise<KeyStore> => {
      const connection = await connectNats(forgetful.address, 'test-keys');
      connections.push(connection);
      return KeyStore.open(new NatsKeyBucket(connection), () => 1_000);
    };
    const first = await openThere();
    const {key, record} = await first.create('write', 'web');
    await forgetful.remember('one key');
    const [here, there] = [await openThere(), await openThere()];
    for (const lastUsedMs of [2_000, 3_000]) {
      here.ring.byKey(key)!.lastUsedMs = lastUsedMs;
      await here.saveLastUsed();
    }
    await until('the other process knows it', () => there.ring.get(record.id)?.lastUsedMs === 3_000);
    await forgetful.goBackTo('one key');
    const revoked = await until('the server takes writes', () => here.revoke(record.id).catch(() => undefined));
    expect(revoked.revokedMs).not.toBeNull();
    for (const store of [first, here, there]) {
      await until('the revocation is known', () => store.ring.byKey(key) === undefined);
    }
  } finally {
    await forgetful.close();
  }
});

test('without a connection a change is a fault that says so', async () => {
  const connection = await connectNats(server.nats.address, 'test-keys');
  const store = await KeyStore.open(new NatsKeyBucket(connection), () => 1_000);
  await connection.close();
  await expect(store.create('write', 'web')).rejects.toThrow(BucketFault);
});
