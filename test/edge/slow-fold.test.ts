// An edge beside a thread that folds slower than batches come in, or not at all, in its own process or in another one. The edge,
// nats-server and the log are the real ones; the thread is the test's, which decides how far it is.
import {dirname, join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {memberName, memberText, ownerName, ownerText} from '../../actors/cluster/records.js';
import {appliedSubject} from '../../src/asks/subjects.js';
import {AppliedReporter, appliedEveryMs} from '../../src/cluster/applied-report.js';
import {type Edge, startEdge} from '../../src/edge/start.js';
import {foldLagBytesMax} from '../../src/ingest/fold-lag.js';
import {HandOver} from '../../src/ingest/hand-over.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsKeyBucket} from '../../src/nats/key-bucket.js';
import {ensureCluster, ensureJournal, logSubject} from '../../src/nats/topology.js';
import type {FoldingThread} from '../../src/worker-messages.js';
import {type Answer, Client, expectJson} from '../support/http.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {temporaryFolder, testAdminToken, testSecretKey, testWriteKey} from '../support/service.js';

const partitionCount = 1;
const stepMs = 5;
/** What may be under way when the lag is seen to be at its bound: bodies that were begun, and a message in flight each. */
const underWayBytesMax = 10 * 1024 * 1024;

/** Hears every message that is sent to the log and folds it, in its order, as fast as the test says. */
class SlowThread implements FoldingThread {
  readonly partitions = [0];
  readonly appliedSequences = new Int32Array(partitionCount);
  readonly handOver = new HandOver(() => {});
  bytesPerSecond = 0;
  lagBytes = 0;
  lagBytesMax = 0;
  private readonly waitingBytes: number[] = [];
  private dueBytes = 0;
  private foldedMs = performance.now();
  private readonly timer = setInterval(() => this.fold(), stepMs);

  hear(bytes: number): void {
    this.waitingBytes.push(bytes);
    this.lagBytes += bytes;
    this.lagBytesMax = Math.max(this.lagBytesMax, this.lagBytes);
  }

  private fold(): void {
    const nowMs = performance.now();
    const bytes = (this.bytesPerSecond * (nowMs - this.foldedMs)) / 1_000;
    this.foldedMs = nowMs;
    this.dueBytes = Math.min(this.dueBytes + bytes, this.bytesPerSecond);
    while (this.waitingBytes.length > 0 && this.dueBytes >= this.waitingBytes[0]) {
      const bytes = this.waitingBytes.shift()!;
      this.dueBytes -= bytes;
      this.lagBytes -= bytes;
      Atomics.add(this.appliedSequences, 0, 1); // The log has one message for each that was sent.
    }
  }

  onLogLost(): void {}

  stop(): void {
    clearInterval(this.timer);
  }
}

let nats: TestNats;
let edge: Edge;
let client: Client;
let listening: NatsConnection;
let thread: SlowThread;
let telling: NodeJS.Timeout | undefined;

/** The thread folds in the edge's process, or in another one. */
async function start(isDistant: boolean): Promise<void> {
  thread = new SlowThread();
  nats = await startTestNats(partitionCount);
  listening = await connectNats(nats.nats.address, 'test-listener');
  listening.subscribe(logSubject(0), {callback: (_, {data}) => thread.hear(data.length)});
  await listening.flush();
  await ensureJournal(listening, 1);
  if (isDistant) await ownElsewhere();
  edge = await startEdge({
    webhooks: {allowed: [], allowsHttp: false},
    sendsMail: false,
    host: '127.0.0.1',
    port: 0,
    admin: undefined,
    nats: nats.nats.address,
    dataDir: dirname(nats.nats.folder),
    partitionCount,
    joinsIdentities: true,
    eventNamesMax: 10_000,
    tokens: {admin: testAdminToken, command: 'a token of the command line'},
    level: 2,
    revocations: {folder: join(temporaryFolder(), 'deletions'), isRestored: false},
    fixedKeys: {write: testWriteKey, secret: testSecretKey},
    deploymentSecret: 'a secret',
    durability: {class: 'power-cut'},
    store: {},
    natsServer: undefined,
    refresh: {ms: 1_000},
    reportZone: undefined,
    logMessagesPerSecond: 2_000,
    limits: {eventsPerSecond: 0, readsPerMinute: 0, deletesPerSecond: 0},
    trustedProxies: [],
    dashboardHosts: [],
    benchResultsDir: undefined,
    foldingThreads: isDistant ? [] : [thread],
    answeringThreads: new Map(),
    logLevel: 'silent',
  });
  client = new Client(`http://127.0.0.1:${edge.port}`, testWriteKey);
}

/** A member of the cluster owns the partition, and tells how far it is. */
async function ownElsewhere(): Promise<void> {
  await ensureCluster(listening, 1);
  const bucket = new NatsKeyBucket(listening, 'cluster');
  const another = {name: 'another process', role: 'partition', levels: [3, 3]} as const;
  await bucket.write(memberName('m'), memberText('up', 0, {...another, sinceMs: 0, isBack: false}), 0);
  await bucket.write(ownerName('partition', 0), ownerText('m'), 0);
  const reporter = new AppliedReporter(
    [thread],
    () => 'm',
    (message) => listening.publish(appliedSubject, message),
  );
  telling = setInterval(() => reporter.tell(), appliedEveryMs);
}

async function stop(): Promise<void> {
  clearInterval(telling);
  thread.stop();
  await edge.drain();
  await listening.close();
  await nats.stop();
}

const events = Array.from({length: 1_000}, (_, i) => ({event: 'e', userId: `u${i}`, properties: {x: 'y'.repeat(200)}}));
const body = Buffer.from(JSON.stringify({events}));
const logBytesOfBatch = 1_000 * 220; // At least.

/** Batches over 32 connections in closed loops; `goesOn` is told how many were begun. */
async function send(goesOn: (begun: number) => boolean): Promise<Answer[]> {
  const answers: Answer[] = [];
  let begun = 0;
  const loop = async (): Promise<void> => {
    while (goesOn(begun++)) {
      answers.push(
        await client.send('POST', '/v1/events/batch', {body, headers: {'content-type': 'application/json'}}),
      );
    }
  };
  await Promise.all(Array.from({length: 32}, loop));
  return answers;
}

const stored = (answers: readonly Answer[]): number => answers.filter(({status}) => status === 200).length;

describe.each([
  ['its own process', false],
  ['another process', true],
])('a thread of %s', (_, isDistant) => {
  beforeAll(() => start(isDistant));
  afterAll(stop);

  const bytesPerSecond = 4 * 1024 * 1024;
  /** A lag at which batches are held up: of another process the edge may see one that is a little larger. */
  const heldBytes = foldLagBytesMax - (isDistant ? (2 * bytesPerSecond * appliedEveryMs) / 1_000 : 0);

  test('batches are taken as fast as they are folded: the lag stays within its bound, small events never wait', async () => {
    thread.bytesPerSecond = bytesPerSecond;
    let heldBatches = 0;
    let isOver = false;
    const sending = send(() => thread.lagBytesMax < heldBytes || heldBatches++ < 60).finally(() => {
      isOver = true;
    });
    const smallMs: number[] = [];
    while (!isOver) {
      const startMs = performance.now();
      expectJson(await client.post('/v1/events', {event: 'small', userId: 'small'}), 200);
      smallMs.push(performance.now() - startMs);
      await pause(10);
    }
    const answers = await sending;
    expect(stored(answers)).toBeGreaterThan(0);
    for (const {status, headers} of answers) {
      if (status === 200) continue;
      expect(status).toBe(503);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(thread.lagBytesMax).toBeLessThan(foldLagBytesMax + underWayBytesMax);
    expect(smallMs.sort((a, b) => a - b)[smallMs.length >> 1]).toBeLessThan(1_000);
  });

  test('a thread that stands still holds up nobody', async () => {
    thread.bytesPerSecond = 0;
    const batches = Math.ceil((2 * foldLagBytesMax) / logBytesOfBatch);
    const answers = await send((begun) => begun < batches);
    expect(stored(answers)).toBe(batches);
    expect(thread.lagBytes).toBeGreaterThan(2 * foldLagBytesMax);
  });

  test('one that goes on far behind is caught up with, while batches are taken', async () => {
    const lagBytes = thread.lagBytes;
    thread.bytesPerSecond = 40 * 1024 * 1024;
    const answers = await send((begun) => begun < 150);
    expect(stored(answers)).toBe(150);
    expect(thread.lagBytes).toBeLessThan(lagBytes);
  });
});
