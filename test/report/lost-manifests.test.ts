// An external nats-server that forgets the newest manifests under a running report thread.

import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';
import {jetstream} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {encodeManifest} from '../../actors/manifest.js';
import type {ReportAnswer} from '../../src/asks/report.js';
import {askReportSubject} from '../../src/asks/subjects.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {pack, unpack} from '../../src/nats/packed.js';
import {bucketSubject} from '../../src/nats/topology.js';
import {ordinaryRefreshPlan} from '../../src/refresh.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import type {ReportWorkerData} from '../../src/worker-messages.js';
import {ForgetfulNats} from '../support/forgetful-nats.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';
import {patienceMsMax, until} from '../support/until.js';

const program = fileURLToPath(new URL('../../dist/service/report/worker.js', import.meta.url));

let nats: ForgetfulNats;
let nc: NatsConnection;
let worker: Worker | undefined;

beforeAll(async () => {
  nats = await ForgetfulNats.start();
  nc = await connectNats(nats.address, 'test');
});

afterAll(async () => {
  await worker?.terminate();
  await nc.close();
  await nats.close();
});

/** A server that comes back takes clients before it has loaded its streams. */
const put = (subject: string, value: Uint8Array) => jetstream(nc).publish(subject, value, {retries: 20});

const publish = ({manifest}: PartitionSnapshot) => put(bucketSubject('manifests', 'p0'), encodeManifest(manifest));

/** As of when reports are, epoch ms. */
async function reportsAsOf(): Promise<number | null | undefined> {
  const message = await nc.request(askReportSubject, pack({ask: 'status'}), {timeout: patienceMsMax});
  const answer = unpack<ReportAnswer>(message.data);
  return answer.kind === 'status' ? answer.asOfMs : undefined;
}

test('reports are over what is there, though as many manifests were published again as were lost', async () => {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  const [kept, lost, again] = [1, 2, 3].map((asOfMs) =>
    partition.append({user: 'ada', event: 'A', timeMs: asOfMs}).publish(asOfMs),
  );
  for (let revision = 1; ; revision++) {
    const value = await parts.read(revision);
    if (value === undefined) break;
    await put(bucketSubject('parts-0', `p0.1.${revision}`), value);
  }
  await publish(kept!);
  await nats.remember('one manifest');
  const {seq: before} = await publish(lost!);
  const workerData: ReportWorkerData = {
    nats: nats.address,
    partitionCount: 1,
    reportRefresh: ordinaryRefreshPlan,
    deploymentCreatedMs: 0,
    dashboardUrl: undefined,
    cacheBytesMax: 1 << 20,
    cpuMsMax: 20_000,
    manifestsPorts: [],
    logLevel: 'silent',
  };
  worker = new Worker(program, {workerData});
  await until('reports are ready', () =>
    reportsAsOf().then(
      (asOfMs) => asOfMs === 2,
      () => false,
    ),
  );
  await nats.goBackTo('one manifest');
  const {seq: after} = await publish(again!);
  expect(after).toBe(before);
  await until('reports are over what was published again', () =>
    reportsAsOf().then(
      (asOfMs) => asOfMs === 3,
      () => false,
    ),
  );
});
