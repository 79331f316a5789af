// Thread entry of the partition role: owns some partitions, folds their logs, answers live questions about them.
import {parentPort, workerData} from 'node:worker_threads';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must, OperatorFault} from '../../actors/invariant.js';
import {type PartRef, UnknownFormat} from '../../actors/manifest.js';
import {comparedSubject, forgottenLinksSubject} from '../asks/subjects.js';
import {wallMs} from '../clock.js';
import {DeletionRecords, deletionsName} from '../deletions-dir.js';
import {seedsOf} from '../deployment-seeds.js';
import {AckedSequences} from '../ingest/acked-sequences.js';
import type {AckedParcel} from '../ingest/hand-over.js';
import {KeptStore} from '../kept/kept-store.js';
import {memoryLimitBytes} from '../memory-plan.js';
import {connectFirst, isOfCluster} from '../nats/client/connection.js';
import {ConnectionWatch} from '../nats/client/connection-watch.js';
import {erasingLink} from '../nats/erasing-link.js';
import {StreamLines} from '../nats/journal-copy.js';
import {NatsKeyBucket} from '../nats/key-bucket.js';
import {NatsLogSource} from '../nats/log-pull.js';
import {partValues} from '../nats/part-values.js';
import {announceManifest} from '../nats/published-manifests.js';
import {readDeployment} from '../nats/topology.js';
import {erasesAtomically} from '../nats/version.js';
import {createLogger} from '../observe.js';
import {wayOn} from '../other-format.js';
import {Damage} from '../parts/damage.js';
import {PartsCache} from '../parts/parts-cache.js';
import type {PartValues} from '../parts/stored-parts.js';
import {promised} from '../promised.js';
import {Refresh} from '../refresh.js';
import {lowerPriority} from '../thread-priority.js';
import {ThreadVitals} from '../thread-vitals.js';
import type {FromWorker, HandedManifest, PartitionWorkerData, ToWorker} from '../worker-messages.js';
import {askConverted} from './asked-converted.js';
import {assemblePartition} from './assembly.js';
import type {Outbox} from './effects.js';
import type {ErasureReach} from './erasure/scrub.js';
import {FoldPace} from './fold-pace.js';
import {Hand, type HandSetup, type Started} from './hand.js';
import {hookOutbox} from './hook-outbox.js';
import {ReadBarrier} from './log/read-barrier.js';
import {HaltedReads} from './reads/halted-reads.js';
import {LiveReads} from './reads/live-reads.js';
import {longReadSlots} from './reads/read-budget.js';
import {rehearse} from './reads/rehearsal.js';
import {warmUp} from './reads/warm-up.js';
import {NoState, RetryLog} from './retry.js';
import {retryingValues} from './retrying-values.js';
import {loadRowKernel} from './row-kernel.js';
import type {Runner} from './runner.js';
import type {WrittenManifest} from './snapshot/manifest-store.js';
import {PositionFile} from './snapshot/position-note.js';

const data = workerData as PartitionWorkerData;
const port = must(parentPort, 'the partition worker runs in a thread');
const tell = (message: FromWorker): void => port.postMessage(message);
const log = createLogger(data.logLevel, 'partition');
const damage = new Damage(log);
const foldPace = new FoldPace();
const longReads = longReadSlots();
let isRenewing = false;

/**
 * Deadline of the log's last sequence, which comes within a millisecond. A question lost in a restart of the server is asked
 * again.
 */
const lastSequenceMsMax = 500;
/** Loading a large store takes time; NATS may be away for some of it. */
const loadMsMax = 600_000;
const mib = 1_024 * 1_024;
/** Another process may take a partition over and fold its tail, some 0.45 million batched events with 64 MiB, while reads wait. */
const tailBytesMax = {embedded: 256 * mib, external: 64 * mib};
/** Enough for several hundred MiB. */
const warmUpMsMax = 3_000;
/** Enough for some hundred pages. */
const rehearsalMsMax = 400;

function fail(error: Error): void {
  if (!(error instanceof OperatorFault)) log.error({err: error}, 'a partition cannot continue');
  const message = error instanceof UnknownFormat ? `${error.message}: ${wayOn}` : error.message;
  tell({kind: 'fatal', message});
}

/** Shared by the thread's partitions: a connection to read logs, one to erase parts, one for everything else. */
interface Shared {
  readonly logNc: NatsConnection;
  /** Over `logNc`. */
  readonly logSource: NatsLogSource;
  readonly nc: NatsConnection;
  /** Connection that only erases parts. */
  readonly erasingNc: NatsConnection;
  /** Reads parts, for both caches. */
  readonly values: PartValues;
  /** Cache of live reads; a read fails when the store does. */
  readonly cache: PartsCache;
  /** Cache of the fold, in the same memory; a read waits while the store is unreachable. */
  readonly foldCache: PartsCache;
  readonly seeds: readonly [number, number, number];
  readonly refresh: Refresh;
  readonly store: KeptStore;
  readonly outbox: Outbox;
}

async function openShared(): Promise<Shared> {
  // Separate connections: reading a log at full speed must not delay acks and answers, nor must erasing parts. A server handles
  // the requests of one connection one after the other, and an erase takes it some 10 ms.
  const [logNc, nc, erasingNc] = await Promise.all([
    connectFirst(data.nats, 'partition-log'),
    connectFirst(data.nats, 'partition'),
    connectFirst(data.nats, 'partition-erasing'),
  ]);
  const jsm = await jetstreamManager(nc, {checkAPI: false});
  const deployment = must(await readDeployment(nc), 'the deployment record exists before partitions start');
  const values = partValues(jsm, () => isOfCluster(nc), data.nats.storeFolder);
  const cache = new PartsCache(values, data.cacheBytesMax);
  const opening = KeptStore.open(new NatsKeyBucket(nc, 'hooks'), wallMs);
  const store = await promised('the definitions of the bucket KV_hooks', opening, {logger: log});
  return {
    logNc,
    logSource: new NatsLogSource(logNc, await jetstreamManager(logNc, {checkAPI: false})),
    nc,
    erasingNc,
    values,
    cache,
    foldCache: new PartsCache(retryingValues(values, new RetryLog(log, {tried: 'to read a part'})), cache.memory),
    seeds: seedsOf(deployment.secret),
    refresh: new Refresh(data.reportRefresh, deployment.createdMs),
    store,
    outbox: hookOutbox(store, jetstream(nc), deployment.secret),
  };
}

/** `partitions`: those of the thread at the moment. */
function vitalsOf({logNc, nc, erasingNc, cache}: Shared, partitions: () => readonly number[]): ThreadVitals {
  return new ThreadVitals({
    get thread() {
      return `partitions ${partitions().join(',')}`;
    },
    connections: [
      new ConnectionWatch(logNc, 'partition-log'),
      new ConnectionWatch(nc, 'partition'),
      new ConnectionWatch(erasingNc, 'partition-erasing'),
    ],
    caches: () => [{use: 'live', bytes: cache.memory.bytesHeld, bytesMax: cache.memory.bytesMax}],
  });
}

/** Undefined: no other process folds. */
const sharedLines = (nc: NatsConnection, partition: number): StreamLines | undefined =>
  data.isNatsEmbedded ? undefined : new StreamLines(nc, deletionsName(partition));

async function startPartition(number: number, shared: Shared, onFatal: (error: Error) => void): Promise<Runner> {
  const {nc, erasingNc, logSource, values, cache, foldCache, seeds, refresh, outbox} = shared;
  return assemblePartition({
    setup: {
      partition: number,
      partitions: data.partitionCount,
      seeds,
      dedupeBytesMax: data.dedupeBytesMax / data.partitionsMax,
      rowKernel: loadRowKernel(),
    },
    js: jetstream(nc),
    jsm: await jetstreamManager(nc, {checkAPI: false}),
    erasing: await erasingLink(erasingNc),
    logSource,
    logJsm: await jetstreamManager(nc, {checkAPI: false, timeout: lastSequenceMsMax}),
    values,
    cache,
    foldCache,
    damage,
    foldPace,
    positionNote: new PositionFile(data.dataDir, number, log),
    refresh,
    outbox,
    funnelBytesMax: data.funnelBytesMax / data.partitionsMax,
    retentionDays: data.retentionDays,
    memoryBytesMax: memoryLimitBytes() / data.partitionCount,
    converted: (funnel, fromByte) => askConverted(nc, number, funnel, fromByte),
    stagger: (number + 1) / (data.partitionCount + 1),
    tailBytesMax: tailBytesMax[data.isNatsEmbedded ? 'embedded' : 'external'],
    erasureReach: reachOf(nc),
    journal: new DeletionRecords(data.deletionsDir, number, log, sharedLines(nc, number)),
    notePublished: (written) => {
      handOver(number, written);
      announceManifest(nc);
    },
    forgetLinks: (userKey) => void nc.publish(forgottenLinksSubject, userKey),
    noteCompared: (generation) => void nc.publish(comparedSubject(number), String(generation)),
    renewHandOver,
    noteApplied: (sequence) => void Atomics.store(data.appliedSequences, number, sequence),
    log,
    onFatal,
  });
}

/** A partition that starts halted has no runner: the other partitions and ingestion go on. */
async function startOrHalt(number: number, shared: Shared, onFatal: (error: Error) => void): Promise<Started> {
  try {
    const runner = await startPartition(number, shared, onFatal);
    const acked = data.ackedSequences === undefined ? undefined : new AckedSequences(data.ackedSequences);
    const barrier = new ReadBarrier(runner.view.reader, number, acked);
    return {runner, reads: new LiveReads(runner, longReads, barrier)};
  } catch (error) {
    if (!damage.note(error) && !(error instanceof NoState)) throw error;
    log.error(
      {alarm: 'standing_still', partition: number, reason: (error as Error).message},
      'alarm: the partition starts halted: its reads and reports are answered 503, and new events wait in its log; restore a backup',
    );
    return {runner: undefined, reads: haltedReads(number, shared)};
  }
}

/** Hands the manifest to the report thread of this process. The count may reach that thread before the manifest. */
function handOver(partition: number, {manifest, index}: WrittenManifest): void {
  const publication = (Atomics.add(data.publications, partition, 1) + 1) | 0;
  data.manifestsPort?.postMessage({partition, publication, manifest, index} satisfies HandedManifest);
}

function reachOf(nc: NatsConnection): ErasureReach {
  if (!data.isNatsEmbedded) return 'records';
  return erasesAtomically(nc.info?.version ?? '0.0.0') ? 'bytes' : 'logical';
}

/** Asks the edge of this process once for the losses of all partitions in this turn: they have one connection. */
function renewHandOver(): void {
  if (isRenewing) return;
  isRenewing = true;
  setImmediate(() => {
    isRenewing = false;
    tell({kind: 'log lost'});
  });
}

/** Messages that the edge of this process handed over; those of halted partitions wait in their logs. */
function takeHanded(runners: readonly Runner[], {connection, messages}: AckedParcel): void {
  for (const {identity, view} of runners) {
    const {partition} = view.partition;
    identity.takeHanded(
      connection,
      messages.filter((message) => message.partition === partition),
    );
  }
}

function haltedReads(partition: number, {refresh}: Shared): HaltedReads {
  const share = data.partitionsMax;
  const [funnelBytesMax, dedupeBytesMax] = [data.funnelBytesMax / share, data.dedupeBytesMax / share];
  return new HaltedReads({partition, damage, refresh, funnelBytesMax, dedupeBytesMax});
}

/** Folding continues only if the log that returns is the same one. */
async function watchLog(hand: Hand, {logNc}: Shared): Promise<void> {
  for await (const {type} of logNc.status()) {
    if (type === 'disconnect') for (const runner of hand.runners) runner.identity.disconnected();
    if (type === 'reconnect') for (const runner of hand.runners) runner.identity.reconnected().catch(fail);
  }
}

async function main(): Promise<void> {
  // Acks and reports are awaited; folding a little later is in time for the next snapshot.
  lowerPriority(log);
  const shared = await openShared();
  const vitals = vitalsOf(shared, () => hand.partitions);
  const start: HandSetup['start'] = (number, onFatal) => startOrHalt(number, shared, onFatal);
  const hand: Hand = new Hand({nc: shared.nc, start, vitals, damage, log, tell, fail});
  const starting = Promise.all(data.partitions.map((number) => hand.take(number)));
  await promised('the snapshots of the partitions', starting, {logger: log, msMax: loadMsMax});
  const {runners} = hand;
  hand.answerOver(port);
  if (data.asksPort !== undefined) hand.answerOver(data.asksPort);
  void watchLog(hand, shared);
  shared.store.onChange(() => {
    for (const runner of hand.runners) runner.definitionsChanged();
  });
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'acked') takeHanded(hand.runners, message);
    else if (message.kind === 'drain') void drain(hand, shared).catch(fail);
    else if (message.kind === 'own') hand.own(message.partition).catch(fail);
    else if (message.kind === 'release') hand.release(message.partition).catch(fail);
    else if (message.kind === 'abandon') hand.abandon(message.partition);
  });
  const stored = runners.map(({view: {layout}}) => ({
    chunks: [...layout.chunks.values()],
    userRuns: layout.userRuns,
    readsFrom: (part: PartRef) => layout.readsFrom(part),
  }));
  const {cache} = shared;
  const warmedUp = warmUp(cache, stored, warmUpMsMax).then(async () => {
    tell({kind: 'read'});
    await rehearse(
      runners.map(({view}) => view),
      rehearsalMsMax,
    );
  });
  await Promise.all(runners.map((runner) => runner.start(warmedUp)));
  tell({kind: 'ready'});
}

async function drain(hand: Hand, {nc, erasingNc, logNc, store}: Shared): Promise<void> {
  await hand.drain();
  store.stop();
  await Promise.all([nc.close(), erasingNc.close(), logNc.close()]);
  tell({kind: 'stopped'});
  port.close();
  data.asksPort?.close();
}

main().catch(fail);
