import {type JetStreamManager, jetstream, jetstreamManager, type StreamInfo} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, beforeEach, expect, onTestFinished, test} from 'vitest';
import {type DataLock, lockDataDir} from '../../src/data-lock.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {type EmbeddedNats, startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {
  bucketStream,
  bucketSubject,
  changeDeployment,
  ensureTopology,
  readDeployment,
  readDeploymentRecord,
  TopologyFault,
} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {StartFault} from '../../src/start-fault.js';
import {clusterLines} from '../../tools/chaos/cluster-lines.js';
import {ExternalNats} from '../support/external-nats.js';
import {temporaryFolder} from '../support/service.js';

let lock: DataLock;
let nats: EmbeddedNats;
let nc: NatsConnection;
let jsm: JetStreamManager;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  lock = await lockDataDir(dataDir, () => {});
  const logger = createLogger('silent', 'test');
  nats = await startEmbeddedNats({dataDir, serverBin: process.env.NATS_SERVER_BIN!, lock, logger});
  nc = await connectNats(nats.address, 'test');
  jsm = await jetstreamManager(nc);
});

afterAll(async () => {
  await nc.close();
  await nats.stop();
  lock.release();
});

beforeEach(async () => {
  for (const {config} of await allStreams()) await jsm.streams.delete(config.name);
});

async function allStreams(): Promise<StreamInfo[]> {
  const streams: StreamInfo[] = [];
  for await (const info of jsm.streams.list()) streams.push(info);
  return streams;
}

const configs = async () => (await allStreams()).map(({config}) => config).sort((a, b) => a.name.localeCompare(b.name));

test('a new deployment gets a log per partition, buckets, queues of what goes out and a bounded record; all erasable, logs and buckets without an age', async () => {
  expect(await readDeployment(nc)).toBeUndefined();
  const beganMs = Date.now();
  const deployment = await ensureTopology(nc, {partitions: 2, replicas: 1});
  expect(deployment).toEqual({
    formatVersion: 3,
    partitions: 2,
    createdMs: expect.any(Number),
    secret: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(deployment.createdMs).toBeGreaterThanOrEqual(beganMs);
  expect(deployment.createdMs).toBeLessThanOrEqual(Date.now());
  expect(await readDeployment(nc)).toEqual(deployment);

  const streams = await configs();
  expect(
    streams.map(({name, subjects, max_msgs_per_subject, allow_direct}) => [
      name,
      subjects,
      max_msgs_per_subject,
      allow_direct,
    ]),
  ).toEqual([
    ['DEAD', ['dead.>'], -1, false],
    ['KV_hooks', ['$KV.hooks.>'], 1, false],
    ['KV_keys', ['$KV.keys.>'], 1, false],
    ['KV_manifests', ['$KV.manifests.>'], 2, false],
    ['KV_parts-0', ['$KV.parts-0.>'], 1, true],
    ['KV_parts-1', ['$KV.parts-1.>'], 1, true],
    ['KV_settings', ['$KV.settings.>'], 1, false],
    ['LOG-0', ['log.0'], -1, true],
    ['LOG-1', ['log.1'], -1, true],
    ['OUT', ['out.>'], -1, false],
    ['RECORD', ['record'], -1, false],
  ]);
  const queues = streams.filter(({name}) => name === 'OUT' || name === 'DEAD');
  expect(queues.map(({retention, max_age}) => [retention, max_age])).toEqual([
    ['limits', 30 * 86_400 * 1e9],
    ['workqueue', 0],
  ]);
  expect(streams.at(-1)).toMatchObject({name: 'RECORD', discard: 'old', max_msgs: 10_000, max_age: 0});
  for (const stream of streams.filter((each) => !queues.includes(each) && each.name !== 'RECORD')) {
    expect(stream).toMatchObject({
      storage: 'file',
      retention: 'limits',
      discard: 'new',
      max_age: 0,
      max_bytes: -1,
      max_msgs: -1,
      duplicate_window: 120_000_000_000,
      deny_delete: false,
      deny_purge: false,
    });
  }
});

test('a second start changes nothing, not even settings that somebody changed by hand', async () => {
  const deployment = await ensureTopology(nc, {partitions: 2, replicas: 1});
  await jetstream(nc).publish('log.0', 'kept');
  await jsm.streams.update('LOG-0', {max_bytes: 1_000_000});
  const before = await configs();

  expect(await ensureTopology(nc, {partitions: 2, replicas: 1})).toEqual(deployment);
  expect(await configs()).toEqual(before);
  expect((await jsm.streams.info('LOG-0')).state.messages).toBe(1);
});

test('a start that was killed half-way is completed by the next one', async () => {
  const deployment = await ensureTopology(nc, {partitions: 2, replicas: 1});
  const lost: string[] = [];
  const again = () => ensureTopology(nc, {partitions: 2, replicas: 1}, (stream) => lost.push(stream));
  const newest = ['KV_hooks', 'OUT', 'DEAD', 'RECORD'];
  // A start makes them in this order.
  for (const missing of [
    ['RECORD'],
    newest,
    ['LOG-1', ...newest],
    ['LOG-0', 'LOG-1', ...newest],
    ['KV_keys', 'LOG-0', 'LOG-1', ...newest],
  ]) {
    for (const stream of missing) await jsm.streams.delete(stream);
    expect(await again()).toEqual(deployment);
  }
  expect(await configs()).toHaveLength(11);
  expect(lost).toEqual([]);
});

test('a stream that is missing though a later one is there was lost, and that is told', async () => {
  const deployment = await ensureTopology(nc, {partitions: 2, replicas: 1});
  await jsm.streams.delete('KV_keys');
  await jsm.streams.delete('LOG-0');
  const lost: string[] = [];
  expect(await ensureTopology(nc, {partitions: 2, replicas: 1}, (stream) => lost.push(stream))).toEqual(deployment);
  expect(lost).toEqual(['KV_keys', 'LOG-0']);
  expect(await configs()).toHaveLength(11);
});

test('two machines that start together agree on one record', async () => {
  const other = await connectNats(nats.address, 'other machine');
  const [one, two] = await Promise.all([nc, other].map((each) => ensureTopology(each, {partitions: 2, replicas: 1})));
  expect(one).toEqual(two);
  await other.close();
});

test('another partition count than the data has is refused, and nothing is created', async () => {
  await ensureTopology(nc, {partitions: 2, replicas: 1});
  const before = await configs();
  const started = ensureTopology(nc, {partitions: 3, replicas: 1});
  await expect(started).rejects.toThrow(TopologyFault);
  await expect(started).rejects.toThrow(
    'PARTITIONS is 3, but the data was created with 2: set PARTITIONS=2, or change the number with',
  );
  expect(await configs()).toEqual(before);
});

test('another count of replicas than the data has is refused, and nothing is created', async () => {
  await ensureTopology(nc, {partitions: 1, replicas: 1});
  await jsm.streams.delete('LOG-0');
  const started = ensureTopology(nc, {partitions: 1, replicas: 3});
  await expect(started).rejects.toThrow(TopologyFault);
  await expect(started).rejects.toThrow(
    /^REPLICAS is 3, but the data was created with 1 \(stream KV_settings\): set REPLICAS=1$/,
  );
  expect((await configs()).map(({name}) => name)).not.toContain('LOG-0');
});

test('what the server refuses to create is a fault of one line, in its words', async () => {
  const started = ensureTopology(nc, {partitions: 1, replicas: 3});
  await expect(started).rejects.toThrow(TopologyFault);
  await expect(started).rejects.toThrow(
    /^NATS does not create the stream KV_settings with REPLICAS=3: [^\n]*non-clustered[^\n]* \(10074\)$/,
  );
  expect(await configs()).toEqual([]);
});

test('data of an unknown format is refused', async () => {
  await ensureTopology(nc, {partitions: 2, replicas: 1});
  const refusalOf = async (record: object): Promise<string> => {
    await jetstream(nc).publish(bucketSubject('settings', 'deployment'), JSON.stringify(record));
    return ensureTopology(nc, {partitions: 2, replicas: 1}).then(() => '', String);
  };
  expect(await refusalOf({formatVersion: 1, partitions: 2, secret: 'x'})).toMatch(/format version 1; .* reads 3/);
  expect(await refusalOf({formatVersion: 3, partitions: '2'})).toMatch(
    /the record of this deployment is none .*secret/s,
  );
});

test('a record that is gone while data is there is not made anew: its secret would be another one', async () => {
  await ensureTopology(nc, {partitions: 2, replicas: 1});
  await jsm.streams.purge(bucketStream('settings'));
  await jetstream(nc).publish('log.1', 'a message');
  await expect(ensureTopology(nc, {partitions: 2, replicas: 1})).rejects.toThrow(
    /^the record of this deployment is missing from KV_settings, but LOG-1 has 1 messages/,
  );
  expect(await readDeployment(nc)).toBeUndefined();
});

test('replicas on a server that cannot keep their promises are refused', async () => {
  const old = Object.create(nc, {info: {value: {...nc.info, version: '2.12.2'}}}) as NatsConnection;
  await expect(ensureTopology(old, {partitions: 2, replicas: 3})).rejects.toThrow(
    /2\.12\.3 or newer; this one is 2\.12\.2/,
  );
});

test('a server that carries less than the largest message is refused', async () => {
  // More than any log message with one event, and less than a part's value.
  const small = Object.create(nc, {info: {value: {...nc.info, max_payload: 400_000}}}) as NatsConnection;
  const started = ensureTopology(small, {partitions: 1, replicas: 1});
  await expect(started).rejects.toThrow(StartFault);
  await expect(started).rejects.toThrow(/^[^\n]*max_payload is 400000: at least 1000000 are needed[^\n]*$/);
  expect(await configs()).toEqual([]);
});

test('one of three, alone for longer than an election takes, is told from one without JetStream', async () => {
  const [lines] = await clusterLines();
  const alone = await ExternalNats.start({lines: lines!});
  onTestFinished(() => alone.stop());
  const connection = await connectNats(alone.address, 'test');
  onTestFinished(() => connection.close());
  // A start waits for 30 s.
  const started = ensureTopology(connection, {partitions: 1, replicas: 1}, undefined, 2_000);
  await expect(started).rejects.toThrow(TopologyFault);
  await expect(started).rejects.toThrow(
    /^the NATS cluster had no leader for 2 s \(.+\): more than half of its servers must run$/,
  );
});

test('nothing starts while a change of the number of partitions is under way, and one process alone changes it', async () => {
  const start = () => ensureTopology(nc, {partitions: 2, replicas: 1});
  const deployment = await start();
  const {revision} = (await readDeploymentRecord(nc))!;
  const copying = {...deployment, repartition: {to: 4, stage: 'copying'}} as const;
  const begun = await changeDeployment(nc, copying, revision);
  await expect(changeDeployment(nc, copying, revision)).rejects.toThrow(/another process changed the record/);
  await expect(start()).rejects.toThrow(
    /a change to 4 partitions has begun .*--to 4", or give it up with .*--abandon"$/,
  );
  const switching = {...deployment, repartition: {to: 4, stage: 'switching'}} as const;
  const decided = await changeDeployment(nc, switching, begun);
  await expect(start()).rejects.toThrow(/finish it with .*--to 4"$/);
  await changeDeployment(nc, deployment, decided);
  expect(await start()).toEqual(deployment);
});
