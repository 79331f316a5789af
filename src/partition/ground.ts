// What the partitions of a thread stand on: connections, caches, the deployment's secret; a partition put together over
// it; and word of a log that goes away and comes back.
import {createHash} from 'node:crypto';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {must} from '../../actors/invariant.js';
import {connectNats} from '../nats/connection.js';
import {ConnectionWatch} from '../nats/connection-watch.js';
import {NatsLogSource} from '../nats/log-pull.js';
import {partValues} from '../nats/part-values.js';
import {readDeployment} from '../nats/topology.js';
import {erasesAtomically} from '../nats/version.js';
import type {Logger} from '../observe.js';
import {Damage} from '../parts/damage.js';
import {PartsCache} from '../parts/parts-cache.js';
import {ThreadVitals} from '../thread-vitals.js';
import type {PartitionWorkerData} from '../worker-messages.js';
import {assemblePartition} from './assembly.js';
import {patientValues} from './patient-values.js';
import {PositionFile} from './position-note.js';
import {loadRowKernel} from './row-kernel.js';
import type {Runner} from './runner.js';
import type {ErasureReach} from './scrub.js';

/** Profiles to be changed, chunks to be erased from: few and seldom. */
const foldCacheShare = 0.25;
/** The log's last sequence comes within a millisecond; what a restart of the server swallowed is asked again. */
const lastSequenceMsMax = 500;

/** Shared by the partitions of a thread: one connection to read logs with, one for all the rest. */
export interface Ground {
  readonly data: PartitionWorkerData;
  readonly logNc: NatsConnection;
  /** Over `logNc`. */
  readonly logSource: NatsLogSource;
  readonly nc: NatsConnection;
  /** For live reads: fails when the store does. */
  readonly cache: PartsCache;
  /** For folding: waits while the store is unreachable. */
  readonly foldCache: PartsCache;
  readonly seeds: readonly [number, number, number];
  readonly damage: Damage;
  readonly log: Logger;
  /** Called with what cannot go on. */
  readonly onFatal: (error: Error) => void;
}

export async function openGround(
  data: PartitionWorkerData,
  log: Logger,
  onFatal: (error: Error) => void,
): Promise<Ground> {
  // A log that is read at full speed must not stand in the way of acks and answers.
  const [logNc, nc] = await Promise.all([connectNats(data.nats, 'partition-log'), connectNats(data.nats, 'partition')]);
  const jsm = await jetstreamManager(nc, {checkAPI: false});
  const deployment = must(await readDeployment(nc), 'the deployment record exists before partitions start');
  const values = partValues(jsm);
  const digest = createHash('sha256').update(`fingerprints ${deployment.secret}`).digest();
  return {
    data,
    logNc,
    logSource: new NatsLogSource(logNc, await jetstreamManager(logNc, {checkAPI: false})),
    nc,
    cache: new PartsCache(values, data.cacheBytesMax * (1 - foldCacheShare)),
    foldCache: new PartsCache(patientValues(values), data.cacheBytesMax * foldCacheShare),
    seeds: [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)],
    damage: new Damage(log),
    log,
    onFatal,
  };
}

export async function closeGround({nc, logNc}: Ground): Promise<void> {
  await Promise.all([nc.close(), logNc.close()]);
}

export function vitalsOf({data, logNc, nc, cache, foldCache}: Ground): ThreadVitals {
  return new ThreadVitals({
    thread: `partitions ${data.partitions.join(',')}`,
    connections: [new ConnectionWatch(logNc, 'partition-log'), new ConnectionWatch(nc, 'partition')],
    caches: () => [
      {use: 'live', bytes: cache.bytesHeld, bytesMax: cache.bytesMax},
      {use: 'fold', bytes: foldCache.bytesHeld, bytesMax: foldCache.bytesMax},
    ],
  });
}

/** Recovers a partition, which fences whoever owned it before. */
export async function assembleOver(ground: Ground, number: number): Promise<Runner> {
  const {data, nc, logSource, cache, foldCache, seeds, damage, log, onFatal} = ground;
  return assemblePartition({
    setup: {
      partition: number,
      seeds,
      dedupeBytesMax: data.dedupeBytesMax / data.partitions.length,
      rowKernel: loadRowKernel(),
    },
    js: jetstream(nc),
    jsm: await jetstreamManager(nc, {checkAPI: false}),
    logSource,
    logJsm: await jetstreamManager(nc, {checkAPI: false, timeout: lastSequenceMsMax}),
    cache,
    foldCache,
    damage,
    positionNote: new PositionFile(data.dataDir, number, log),
    refreshMs: data.reportRefreshMs,
    stagger: (number + 1) / (data.partitionCount + 1),
    erasureReach: reachOf(data, nc),
    noteApplied: (sequence) => void Atomics.store(data.appliedSequences, number, sequence),
    log,
    onFatal,
  });
}

function reachOf({isNatsEmbedded}: PartitionWorkerData, nc: NatsConnection): ErasureReach {
  if (!isNatsEmbedded) return 'records';
  return erasesAtomically(nc.info?.version ?? '0.0.0') ? 'bytes' : 'logical';
}

/** Folding goes on only when the log that comes back is the one that went. `runners`: those that there are at that moment. */
export async function watchLog(
  {logNc, onFatal}: Ground,
  runners: readonly Runner[],
  onDisconnect: () => void = () => {},
): Promise<void> {
  for await (const {type} of logNc.status()) {
    if (type === 'disconnect') {
      for (const runner of runners) runner.logDisconnected();
      onDisconnect();
    }
    if (type === 'reconnect') for (const runner of runners) runner.logReconnected().catch(onFatal);
  }
}
