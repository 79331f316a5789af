// The partition role as a thread on a real nats-server, driven without the edge: messages are appended by hand.

import {randomBytes} from 'node:crypto';
import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';
import {type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager} from '@nats-io/jetstream';
import {type NatsConnection, RequestError} from 'nats';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {beginMessage, sealMessage} from '../../actors/log/entries.js';
import type {Manifest, SnapshotIndex} from '../../actors/manifest.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import {askPartitionSubject} from '../../src/asks/subjects.js';
import {lockDataDir} from '../../src/data-lock.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {pack, unpack} from '../../src/nats/packed.js';
import {partValues} from '../../src/nats/part-values.js';
import {type EmbeddedNats, startEmbeddedNats} from '../../src/nats/server/embedded.js';
import {bucketStream, bucketSubject, ensureTopology, logStream, logSubject} from '../../src/nats/topology.js';
import {createLogger} from '../../src/observe.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {IndexReader} from '../../src/parts/stored-index.js';
import {readManifest} from '../../src/parts/stored-state.js';
import {steadyRefreshPlan} from '../../src/refresh.js';
import type {FromWorker, PartitionWorkerData, ToWorker} from '../../src/worker-messages.js';
import {temporaryFolder} from './service.js';
import {patienceMsMax, until} from './until.js';

const workerPath = fileURLToPath(new URL('../../dist/service/partition/worker.js', import.meta.url));

export class PartitionRole {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  private readonly nats: EmbeddedNats;
  readonly dataDir: string;
  private readonly release: () => Promise<void>;
  private worker: Worker | undefined;
  private readonly producer = randomBytes(8);
  private n = 0;
  private questions = 0;
  /** Messages of the worker that say why it ended. */
  readonly fatal: string[] = [];
  /** What the thread says of a partition that another owner took. */
  readonly lost: string[] = [];

  private constructor(
    dataDir: string,
    nats: EmbeddedNats,
    nc: NatsConnection,
    jsm: JetStreamManager,
    release: () => Promise<void>,
  ) {
    this.dataDir = dataDir;
    this.nats = nats;
    this.nc = nc;
    this.js = jetstream(nc);
    this.jsm = jsm;
    this.release = release;
  }

  /** A server with the streams of one partition, no thread yet. */
  static async create(): Promise<PartitionRole> {
    const dataDir = temporaryFolder();
    const lock = await lockDataDir(dataDir, () => {});
    const serverBin = process.env.NATS_SERVER_BIN as string;
    const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
    const nc = await connectNats(nats.address, 'test');
    await ensureTopology(nc, {partitions: 1, replicas: 1});
    return new PartitionRole(dataDir, nats, nc, await jetstreamManager(nc), async () => lock.release());
  }

  /** Resolves when the thread has published a snapshot. */
  async startWorker(options: Partial<PartitionWorkerData> = {}): Promise<void> {
    const workerData: PartitionWorkerData = {
      nats: this.nats.address,
      partitions: [0],
      partitionCount: 1,
      partitionsMax: 1,
      reportRefresh: steadyRefreshPlan(500),
      cacheBytesMax: 4 * 1024 * 1024,
      dedupeBytesMax: 8 * 1024 * 1024,
      funnelBytesMax: 8 * 1024 * 1024,
      retentionDays: 0,
      isNatsEmbedded: true,
      dataDir: this.dataDir,
      deletionsDir: `${this.dataDir}-deletions`,
      appliedSequences: new Int32Array(new SharedArrayBuffer(4)),
      publications: new Int32Array(new SharedArrayBuffer(4)),
      logLevel: 'silent',
      ...options,
    };
    const worker = new Worker(workerPath, {workerData});
    this.worker = worker;
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') resolve();
        if (message.kind === 'lost') this.lost.push(message.message);
        if (message.kind === 'fatal') {
          this.fatal.push(message.message);
          reject(new Error(message.message));
        }
      });
      worker.on('error', reject);
    });
    // Its subscription may reach the server after its word to this thread: one that is halted waits for nothing before.
    await until('it listens', () =>
      this.nc.request(askPartitionSubject(0), pack({ask: 'status'}), {timeout: patienceMsMax}).then(
        () => true,
        (error: unknown) => {
          if (error instanceof RequestError && error.isNoResponders()) return false;
          throw error;
        },
      ),
    );
  }

  async drainWorker(): Promise<void> {
    const worker = this.worker as Worker;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({kind: 'drain'});
    await exited;
  }

  /** As a crash does: nothing is written any more. */
  async killWorker(): Promise<void> {
    await this.worker?.terminate();
  }

  /** Appends one log message with the entries that `write` writes; returns its sequence. */
  async append(write: (writer: ByteWriter) => number): Promise<number> {
    const writer = new ByteWriter(1_024);
    beginMessage(writer);
    const count = write(writer);
    this.n += 1;
    const bytes = sealMessage(writer, this.producer, this.n, 1_700_000_000_000, count);
    // A server that was killed takes clients before it has loaded its streams.
    return (await this.js.publish(logSubject(0), bytes, {retries: 20})).seq;
  }

  /** As if the log had lost the next message of this helper's producer. */
  skipNumber(): void {
    this.n += 1;
  }

  /** The log as a power cut without sync leaves it: only its first `count` messages are there. */
  async loseTail(count: number): Promise<void> {
    const stream = logStream(0);
    const {config} = await this.jsm.streams.info(stream);
    const kept: Uint8Array[] = [];
    for (let seq = 1; seq <= count; seq++) kept.push((await this.jsm.streams.getMessage(stream, {seq}))!.data);
    await this.jsm.streams.delete(stream);
    await this.jsm.streams.add(config);
    for (const bytes of kept) await this.js.publish(logSubject(0), bytes);
  }

  /** kill -9 of nats-server; its guard starts it again. */
  async killServer(): Promise<void> {
    const pid = this.nats.pid()!;
    process.kill(pid, 'SIGKILL');
    await until('another server runs', () => this.nats.pid() !== undefined && this.nats.pid() !== pid);
  }

  /** A live read waits 2 s for the log, which a machine that is busy with other work can exceed: it is asked again. */
  async ask(question: PartitionQuestion): Promise<PartitionAnswer> {
    return until(`the partition answers ${question.ask}`, async () => {
      const answer = await this.askOnce(question);
      const isBehind = answer.kind === 'unavailable' && answer.message === 'the partition is behind its log';
      return !isBehind && answer;
    });
  }

  async askOnce(question: PartitionQuestion): Promise<PartitionAnswer> {
    const message = await this.nc.request(askPartitionSubject(0), pack(question), {timeout: patienceMsMax});
    return unpack<PartitionAnswer>(message.data);
  }

  /** As the edge of the same process asks. */
  askHere(question: PartitionQuestion, acked?: BigInt64Array): Promise<PartitionAnswer> {
    const worker = this.worker as Worker;
    this.questions += 1;
    const number = this.questions;
    return new Promise((resolve) => {
      const hear = (message: FromWorker): void => {
        if (message.kind !== 'answer' || message.number !== number) return;
        worker.off('message', hear);
        resolve(message.answer as PartitionAnswer);
      };
      worker.on('message', hear);
      const asked = {
        kind: 'question',
        number,
        subject: askPartitionSubject(0),
        question,
        acked,
      } as const;
      worker.postMessage(asked satisfies ToWorker);
    });
  }

  async manifest(): Promise<Manifest> {
    const message = await this.jsm.streams.getMessage(bucketStream('manifests'), {
      last_by_subj: bucketSubject('manifests', 'p0'),
    });
    return readManifest(message!.data, 0);
  }

  /** Waits for a published snapshot at or after `sequence`; its manifest and index. */
  async published(sequence: number): Promise<{manifest: Manifest; index: SnapshotIndex; cache: PartsCache}> {
    const manifest = await until(`a snapshot at ${sequence}`, async () => {
      const newest = await this.manifest();
      return newest.position.sequence >= sequence ? newest : undefined;
    });
    const cache = new PartsCache(partValues(this.jsm), 64 * 1024 * 1024);
    return {manifest, index: await new IndexReader().read(manifest.index, (ref) => cache.load(ref)), cache};
  }

  async close(): Promise<void> {
    await this.killWorker();
    await this.nc.close();
    await this.nats.stop();
    await this.release();
  }
}
