// Which threads a process has, and what each of them is told: partitions, shares of memory, and ways to the others.

import {availableParallelism} from 'node:os';
import {MessageChannel} from 'node:worker_threads';
import type {Config} from './config.js';
import {newAckedSequences} from './ingest/acked-sequences.js';
import {newSpareRoom} from './parts/spare-room.js';
import {partsBytesOf, readAheadBytesOf} from './report/memory-shares.js';
import type {PartitionThreadPlan} from './threads.js';
import type {NatsAddress, PartitionWorkerData, ReportWorkerData} from './worker-messages.js';

export interface ThreadPlan {
  /** Undefined without the role. */
  readonly report: ReportWorkerData | undefined;
  /** Empty without the role. */
  readonly folding: readonly PartitionThreadPlan[];
  /** Over shared memory, where the edge of this process alone writes events (src/ingest/acked-sequences.ts). */
  readonly ackedSequences: BigInt64Array | undefined;
}

/** Those that fold, with the partitions of each, and what they share. */
interface Shared {
  readonly hands: readonly number[][];
  /** To the report thread, where there is one: one a hand. */
  readonly channels: readonly Channels[];
  /** Nobody else writes to a nats-server of our own, so the threads here know of every manifest. */
  readonly knowsAll: boolean;
  /** Of each of the roles that are here. */
  readonly cacheBytesMax: number;
  /** Over shared memory: what reports lend to those who fold. */
  readonly spareRoom: Int32Array | undefined;
  readonly publications: Int32Array;
  readonly ackedSequences: BigInt64Array | undefined;
}

/** Between the report thread and one that folds. */
interface Channels {
  readonly partitions: readonly number[];
  readonly manifests: MessageChannel;
  readonly rows: MessageChannel;
}

/** `deploymentCreatedMs`: epoch ms. */
export function planThreads(config: Config, nats: NatsAddress, deploymentCreatedMs: number): ThreadPlan {
  const shared = shareOut(config);
  return {
    report: config.roles.includes('report') ? planReport(config, nats, shared, deploymentCreatedMs) : undefined,
    folding: shared.hands.map((_, hand) => planFolding(config, nats, shared, hand)),
    ackedSequences: shared.ackedSequences,
  };
}

function shareOut({roles, nats, partitions, cacheBytesMax}: Config): Shared {
  const isFolding = roles.includes('partition');
  const hasBoth = isFolding && roles.includes('report');
  const knowsAll = isFolding && nats.kind === 'embedded';
  // One core stays with the edge and nats-server.
  const foldingCount = Math.min(partitions, Math.max(1, availableParallelism() - 1));
  const hands = isFolding ? dealPartitions(partitions, foldingCount) : [];
  // Half of the cache for those who fold, half for those who answer reports; all of it where there is only one of them.
  const ownBytesMax = hasBoth ? Math.floor(cacheBytesMax / 2) : cacheBytesMax;
  return {
    hands,
    channels: hasBoth ? hands.map(channelsOf) : [],
    knowsAll,
    cacheBytesMax: ownBytesMax,
    spareRoom: hasBoth ? newSpareRoom(partsBytesOf(ownBytesMax)) : undefined,
    publications: new Int32Array(new SharedArrayBuffer(partitions * Int32Array.BYTES_PER_ELEMENT)),
    ackedSequences: knowsAll && roles.includes('edge') ? newAckedSequences(partitions) : undefined,
  };
}

function planReport(config: Config, nats: NatsAddress, shared: Shared, deploymentCreatedMs: number): ReportWorkerData {
  const {channels, knowsAll, cacheBytesMax, spareRoom, publications} = shared;
  return {
    nats,
    partitionCount: config.partitions,
    logLevel: config.logLevel,
    reportRefresh: config.reportRefresh,
    deploymentCreatedMs,
    cacheBytesMax,
    // Others may publish to a NATS that is not ours.
    manifestsPorts: knowsAll ? channels.map(({manifests}) => manifests.port2) : [],
    rowsPorts: channels.map(({partitions, rows}) => ({partitions, port: rows.port2})),
    ...(spareRoom && {spareRoom}),
    ...(knowsAll && {publications}),
  };
}

function planFolding(config: Config, nats: NatsAddress, shared: Shared, hand: number): PartitionThreadPlan {
  const {hands, channels, knowsAll, cacheBytesMax, spareRoom, publications, ackedSequences} = shared;
  const threads = hands.length;
  const to = channels[hand];
  return {
    nats,
    partitionCount: config.partitions,
    logLevel: config.logLevel,
    partitions: hands[hand]!,
    reportRefresh: config.reportRefresh,
    cacheBytesMax: Math.floor(cacheBytesMax / threads),
    ...(spareRoom && {spareRoom: spareRoomOf(spareRoom, partsBytesOf(cacheBytesMax), threads)}),
    dedupeBytesMax: Math.floor(config.dedupeBytesMax / threads),
    isNatsEmbedded: config.nats.kind === 'embedded',
    publications,
    ...(ackedSequences && {ackedSequences}),
    ...(to && {rowsPort: to.rows.port1}),
    ...(to && knowsAll && {manifestsPort: to.manifests.port1}),
    dataDir: config.dataDir,
    deletionsDir: config.deletionsDir,
  };
}

/** Partitions dealt out like cards, so that a hot neighbour pair lands on two threads. */
function dealPartitions(partitionCount: number, threadCount: number): number[][] {
  const hands: number[][] = Array.from({length: threadCount}, () => []);
  for (let p = 0; p < partitionCount; p++) hands[p % threadCount]!.push(p);
  return hands;
}

const channelsOf = (partitions: readonly number[]): Channels => ({
  partitions,
  manifests: new MessageChannel(),
  rows: new MessageChannel(),
});

/** For each of so many threads that fold. */
function spareRoomOf(room: Int32Array, bytes: number, threads: number): NonNullable<PartitionWorkerData['spareRoom']> {
  return {room, share: 1 / threads, startBytes: Math.floor((bytes - readAheadBytesOf(bytes)) / threads)};
}
