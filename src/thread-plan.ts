// Plan of a process's threads: the partitions, memory and channels of each.

import {availableParallelism} from 'node:os';
import {MessageChannel} from 'node:worker_threads';
import type {Config} from './config.js';
import {newAckedSequences} from './ingest/acked-sequences.js';
import type {PartitionThreadPlan} from './threads.js';
import type {ClusterPlan, DeliverWorkerData, NatsAddress, ReportWorkerData} from './worker-messages.js';

export interface ThreadPlan {
  /** Undefined without the report role. */
  readonly report: ReportWorkerData | undefined;
  /** Undefined without the deliver role. */
  readonly deliver: DeliverWorkerData | undefined;
  /** Empty without the partition role. */
  readonly folding: readonly PartitionThreadPlan[];
  /** Shared memory; given if only the edge of this process writes events (src/ingest/acked-sequences.ts). */
  readonly ackedSequences: BigInt64Array | undefined;
}

/** The partitions of each folding thread, and what these threads share. */
interface Shared {
  readonly hands: readonly number[][];
  /** Channels for manifests to the report thread, one for each folding thread; empty without that thread, and where it cannot know all. */
  readonly manifests: readonly MessageChannel[];
  /** Channels for questions of the deliver thread, one for each folding thread; empty without that thread. */
  readonly asks: readonly MessageChannel[];
  /** Whether the threads here know of every manifest: nobody else writes to the service's own nats-server. */
  readonly knowsAll: boolean;
  /** Cache of the report thread, and of all folding threads. */
  readonly cacheBytes: {readonly report: number; readonly folding: number};
  readonly publications: Int32Array;
  readonly ackedSequences: BigInt64Array | undefined;
}

/** Share of the cache for reports where one process has both roles. Live reads need 30 MiB per million events, reports 30 to 60. */
const reportShare = 5 / 8;

/** `owned`: the partitions that this process owns first. `deploymentCreatedMs`: epoch ms. */
export function planThreads(
  config: Config,
  nats: NatsAddress,
  owned: readonly number[],
  deploymentCreatedMs: number,
): ThreadPlan {
  const shared = shareOut(config, owned);
  return {
    report: config.roles.includes('report') ? planReport(config, nats, shared, deploymentCreatedMs) : undefined,
    deliver: config.roles.includes('deliver') ? planDeliver(config, nats, shared) : undefined,
    folding: shared.hands.map((_, hand) => planFolding(config, nats, shared, hand)),
    ackedSequences: shared.ackedSequences,
  };
}

function shareOut({roles, nats, partitions, cacheBytesMax}: Config, owned: readonly number[]): Shared {
  const isFolding = roles.includes('partition');
  const hasBoth = isFolding && roles.includes('report');
  const knowsAll = isFolding && nats.kind === 'embedded';
  // One core stays free for the edge and nats-server.
  const foldingCount = Math.min(partitions, Math.max(1, availableParallelism() - 1));
  const hands = isFolding ? dealPartitions(owned, foldingCount) : [];
  const reportBytes = hasBoth ? Math.floor(cacheBytesMax * reportShare) : cacheBytesMax;
  return {
    hands,
    // Other processes may publish to an external NATS.
    manifests: hasBoth && knowsAll ? hands.map(() => new MessageChannel()) : [],
    // Partitions that come and go are asked over NATS.
    asks: knowsAll && roles.includes('deliver') ? hands.map(() => new MessageChannel()) : [],
    knowsAll,
    cacheBytes: {report: reportBytes, folding: hasBoth ? cacheBytesMax - reportBytes : cacheBytesMax},
    publications: new Int32Array(new SharedArrayBuffer(partitions * Int32Array.BYTES_PER_ELEMENT)),
    ackedSequences: knowsAll && roles.includes('edge') ? newAckedSequences(partitions) : undefined,
  };
}

function planReport(config: Config, nats: NatsAddress, shared: Shared, deploymentCreatedMs: number): ReportWorkerData {
  const {manifests, knowsAll, cacheBytes, publications} = shared;
  return {
    nats,
    partitionCount: config.partitions,
    logLevel: config.logLevel,
    reportRefresh: config.reportRefresh,
    deploymentCreatedMs,
    dashboardUrl: config.dashboardUrl,
    ...clusterPlanOf(config),
    cacheBytesMax: cacheBytes.report,
    cpuMsMax: config.reportCpuMsMax === 0 ? Number.POSITIVE_INFINITY : config.reportCpuMsMax,
    manifestsPorts: manifests.map(({port2}) => port2),
    ...(knowsAll && {publications}),
  };
}

/** Nobody else reaches the own nats-server. */
const clusterPlanOf = ({nats, replicas, dataDir}: Config): {readonly cluster?: ClusterPlan} =>
  nats.kind === 'external' ? {cluster: {replicas, dataDir}} : {};

function planDeliver(config: Config, nats: NatsAddress, shared: Shared): DeliverWorkerData {
  const {partitions, webhooks, mail, logLevel} = config;
  const asksPorts = shared.asks.map(({port2}, hand) => ({partitions: shared.hands[hand]!, port: port2}));
  const common = {nats, partitionCount: partitions, asksPorts, addresses: webhooks, logLevel};
  return {...common, ...(mail && {mail}), ...clusterPlanOf(config)};
}

function planFolding(config: Config, nats: NatsAddress, shared: Shared, hand: number): PartitionThreadPlan {
  const {hands, manifests, asks, cacheBytes, publications, ackedSequences} = shared;
  const threads = hands.length;
  const to = manifests[hand];
  const asking = asks[hand];
  return {
    nats,
    partitionCount: config.partitions,
    logLevel: config.logLevel,
    partitions: hands[hand]!,
    partitionsMax: config.nats.kind === 'embedded' ? hands[hand]!.length : Math.ceil(config.partitions / threads),
    reportRefresh: config.reportRefresh,
    cacheBytesMax: Math.floor(cacheBytes.folding / threads),
    dedupeBytesMax: Math.floor(config.dedupeBytesMax / threads),
    funnelBytesMax: Math.floor(config.funnelBytesMax / threads),
    retentionDays: config.retentionDays,
    isNatsEmbedded: config.nats.kind === 'embedded',
    publications,
    ...(ackedSequences && {ackedSequences}),
    ...(asking && {asksPort: asking.port1}),
    ...(to && {manifestsPort: to.port1}),
    dataDir: config.dataDir,
    deletionsDir: config.deletionsDir,
  };
}

/** Deals partitions like cards, so that two hot neighbours land on two threads. */
function dealPartitions(partitions: readonly number[], threadCount: number): number[][] {
  const hands: number[][] = Array.from({length: threadCount}, () => []);
  for (const [place, partition] of partitions.entries()) hands[place % threadCount]!.push(partition);
  return hands;
}
