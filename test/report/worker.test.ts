// The report role as a thread on a real nats-server: parts and manifests are put by hand, questions asked over NATS, and as
// the edge of the same process does.

import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {MessageChannel, Worker} from 'node:worker_threads';
import {jetstream} from '@nats-io/jetstream';
import {type NatsConnection, RequestError} from 'nats';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {encodeIndex, encodeManifest, storedIndex} from '../../actors/manifest.js';
import type {AskedBy} from '../../src/asks/asker.js';
import type {ReportAnswer, ReportQuestion} from '../../src/asks/report.js';
import {askReportSubject} from '../../src/asks/subjects.js';
import {lockDataDir} from '../../src/data-lock.js';
import {askedHeaders, leftSubject} from '../../src/nats/asked-headers.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {pack, unpack} from '../../src/nats/packed.js';
import {announceManifest} from '../../src/nats/published-manifests.js';
import {type EmbeddedNats, startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {bucketStream, bucketSubject, ensureTopology} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {steadyRefreshPlan} from '../../src/refresh.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import type {FromWorker, HandedManifest, ReportWorkerData, ToWorker} from '../../src/worker-messages.js';
import {temporaryFolder} from '../support/service.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';
import {patienceMsMax, until} from '../support/until.js';

const program = fileURLToPath(new URL('../../dist/service/report/worker.js', import.meta.url));
const hourMs = 3_600_000;
const partitionCount = 2;

function noResponders(error: unknown): undefined {
  if (!(error instanceof RequestError && error.isNoResponders())) throw error;
}

describe('report thread', () => {
  const parts = new MemoryParts();
  const partitions = Array.from({length: partitionCount}, () => new TestPartition(parts));
  let lock: Awaited<ReturnType<typeof lockDataDir>>;
  let nats: EmbeddedNats;
  let nc: NatsConnection;
  let worker: Worker;
  let isReady: Promise<void>;
  const channel = new MessageChannel();
  let revisionsPut = 0;
  const publications = new Int32Array(new SharedArrayBuffer(4 * partitionCount));

  beforeAll(async () => {
    const dataDir = temporaryFolder();
    const logger = createLogger('silent', 'test');
    lock = await lockDataDir(dataDir, () => {});
    nats = await startEmbeddedNats({dataDir, serverBin: process.env.NATS_SERVER_BIN as string, lock, logger});
    nc = await connectNats(nats.address, 'test');
    await ensureTopology(nc, {partitions: partitionCount, replicas: 1});
    const workerData: ReportWorkerData = {
      nats: nats.address,
      partitionCount,
      reportRefresh: steadyRefreshPlan(60_000),
      deploymentCreatedMs: 0,
      dashboardUrl: undefined,
      cacheBytesMax: 2 << 20,
      cpuMsMax: 20_000,
      publications,
      manifestsPorts: [channel.port2],
      logLevel: 'silent',
    };
    worker = new Worker(program, {workerData, transferList: [channel.port2]});
    isReady = new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'answer') waiting.get(message.number)!(message.answer as ReportAnswer);
        if (message.kind === 'ready') resolve();
        if (message.kind === 'fatal') reject(new Error(message.message));
      });
    });
  });

  afterAll(async () => {
    channel.port1.close();
    await worker.terminate();
    await nc.close();
    await nats.stop();
    await lock.release();
  });

  /** Puts what the partition wrote since the last time. Only we put: revisions in memory and in the bucket are equal. */
  async function putParts(partition: number, asOfMs: number): Promise<PartitionSnapshot> {
    const snapshot = partitions[partition]!.publish(asOfMs, partition);
    const js = jetstream(nc);
    for (
      let value = await parts.read(revisionsPut + 1);
      value !== undefined;
      value = await parts.read(revisionsPut + 1)
    ) {
      const ack = await js.publish(bucketSubject('parts-0', `p${partition}.1.${revisionsPut}`), value);
      revisionsPut += 1;
      expect([ack.stream, ack.seq]).toEqual([bucketStream('parts-0'), revisionsPut]);
    }
    return snapshot;
  }

  async function publish(partition: number, asOfMs: number): Promise<void> {
    const {manifest} = await putParts(partition, asOfMs);
    await jetstream(nc).publish(bucketSubject('manifests', `p${partition}`), encodeManifest(manifest));
    Atomics.add(publications, partition, 1);
    announceManifest(nc);
  }

  let questions = 0;
  const waiting = new Map<number, (answer: ReportAnswer) => void>();
  function askHere(question: ReportQuestion | null, by?: AskedBy): Promise<ReportAnswer> {
    const number = ++questions;
    return new Promise((resolve) => {
      waiting.set(number, resolve);
      worker.postMessage({kind: 'question', number, subject: askReportSubject, question, by} satisfies ToWorker);
    });
  }

  async function ask(question: ReportQuestion): Promise<ReportAnswer> {
    const message = await nc.request(askReportSubject, pack(question), {timeout: patienceMsMax});
    return unpack<ReportAnswer>(message.data);
  }

  const counts: ReportQuestion = {
    ask: 'report',
    query: {report: 'counts', events: ['A'], fromMs: 0, toMs: hourMs - 1, interval: 'hour'},
  };

  test('is ready once every partition has published', async () => {
    partitions[0]!.append({user: 'ada', event: 'A', timeMs: 5, properties: {text: 'x'.repeat(500)}});
    await publish(0, hourMs);
    const first = await until('the thread listens', () => ask(counts).catch(noResponders));
    expect(first.kind).toBe('unavailable');
    expect(await ask({ask: 'status'})).toEqual({kind: 'status', ready: false, asOfMs: null, damagedParts: {}});
    await publish(1, 2 * hourMs);
    await isReady;
    expect(await ask({ask: 'status'})).toEqual({kind: 'status', ready: true, asOfMs: hourMs, damagedParts: {}});
  });

  test('reads ahead when it is told to', async () => {
    const bytesHeld = async (): Promise<number> => {
      const answer = await ask({ask: 'measures'});
      return answer.kind === 'measures' ? answer.thread.caches.find(({use}) => use === 'report')!.bytes : -1;
    };
    const before = await bytesHeld();
    worker.postMessage({kind: 'read ahead'} satisfies ToWorker);
    await until('it reads', async () => (await bytesHeld()) > before);
  });

  test('answers from parts in the bucket, rows, windows and bodies', async () => {
    partitions[1]!.append({user: 'bob', event: 'A', timeMs: 7}, {user: 'bob', event: 'B', timeMs: 8});
    await publish(1, 2 * hourMs);
    expect(await ask(counts)).toEqual({
      kind: 'report',
      headers: {
        'Report-As-Of': '1970-01-01T01:00:00.000Z',
        'Report-Log-Position': '0:1.1,1:1.2',
        'Report-Next-By': '1970-01-01T01:01:00.000Z',
        ETag: expect.any(String),
      },
      body: '{"event":"A","interval":"hour","data":[{"date":"1970-01-01T00:00:00Z","count":2}],"total":2}',
    });
    const where = [{property: 'text', op: 'eq', values: ['x'.repeat(500)]}] as const;
    const filtered = await ask({
      ask: 'report',
      query: {...counts.query, where} as typeof counts.query,
    });
    expect(filtered).toMatchObject({body: expect.stringContaining('"total":1}')});
    const funnel = {report: 'funnel', steps: [{event: 'A'}, {event: 'B'}], fromMs: 0, toMs: hourMs} as const;
    expect(await ask({ask: 'report', query: funnel})).toMatchObject({body: expect.stringContaining('"total":2}')});
  });

  test('answers its process as it answers over NATS, and always over the newest snapshot', async () => {
    for (let count = 3; count < 8; count++) {
      partitions[1]!.append({user: `u${count}`, event: 'A', timeMs: 9});
      await publish(1, (count + 1) * hourMs);
      const answer = await askHere(counts);
      expect(answer).toMatchObject({kind: 'report', body: expect.stringContaining(`"total":${count}}`)});
      expect(await ask(counts)).toEqual(answer);
    }
  });

  test('takes a snapshot from the thread that hands it over, and what is counted and does not come from the bucket', async () => {
    partitions[1]!.append({user: 'handed', event: 'A', timeMs: 9});
    const {manifest, index} = await putParts(1, 9 * hourMs); // Its manifest is not put: nobody has to look there.
    const publication = Atomics.load(publications, 1) + 1;
    const handed = {
      partition: 1,
      publication,
      manifest: encodeManifest(manifest),
      index: encodeIndex(storedIndex(index)),
    };
    channel.port1.postMessage(handed satisfies HandedManifest);
    Atomics.add(publications, 1, 1); // Nobody counts it before it is there: here the bucket does not have it.
    const total = async (): Promise<number> => {
      const answer = await askHere(counts);
      return answer.kind === 'report' ? (JSON.parse(answer.body!) as {total: number}).total : -1;
    };
    await until('the manifest was handed over', async () => (await total()) === 8);
    Atomics.add(publications, 1, 1); // As when the connection came back: the bucket says what is the newest.
    expect(await total()).toBe(7);
    await publish(1, 10 * hourMs);
    expect(await total()).toBe(8);
  });

  test('what is no question harms nobody else', async () => {
    nc.publish(askReportSubject, 'no MessagePack');
    expect((await askHere(null)).kind).toBe('unavailable');
    expect((await ask({ask: 'status'})).kind).toBe('status');
  });

  test('nobody waits for an answer whose asker has left, or whose time is over', async () => {
    const waiting: ReportQuestion = {...counts, includes: {positions: '0:9.9', waitMs: patienceMsMax}};
    const gone = {kind: 'unavailable', message: 'nobody waits for this answer any more'};
    const left = askHere(waiting, {caller: 'key 1', msMax: patienceMsMax});
    worker.postMessage({kind: 'left', number: questions} satisfies ToWorker);
    expect(await left).toEqual(gone);
    expect(await askHere(waiting, {caller: 'key 1', msMax: 10})).toEqual(gone);
    const headers = askedHeaders({number: 'one', caller: 'key 1', msMax: patienceMsMax});
    const asked = nc.request(askReportSubject, pack(waiting), {timeout: patienceMsMax, headers});
    nc.publish(leftSubject(askReportSubject), 'one');
    expect(unpack((await asked).data)).toEqual(gone);
  });

  test('a drain answers what was asked before, and says when it is done', async () => {
    const exited = once(worker, 'exit');
    const stopped = new Promise<void>((resolve) => {
      worker.on('message', (message: FromWorker) => message.kind === 'stopped' && resolve());
    });
    const answers = Array.from({length: 20}, (_, i) => (i % 2 === 0 ? ask(counts) : askHere(counts)));
    await nc.flush(); // The server has handed the questions on before the thread hears of the drain.
    worker.postMessage({kind: 'drain'});
    await stopped;
    for (const answer of await Promise.all(answers)) expect(answer.kind).toBe('report');
    await worker.terminate();
    await exited;
  });
});
