// Streams and buckets as data, and the record that identifies this deployment.
//   T1. Existing streams are never changed: their settings decide what is lost and what can be erased, so a new version that
//       needs others must migrate on purpose. Another number of replicas is refused, not ignored: an operator who asks for three
//       copies must not go on with one.
//   T2. The record fixes the partition count before any log exists: a user's partition is hash(user) modulo that count, so
//       another count would look for users in the wrong partition.
//   T3. Buckets are streams created here, never by the KV client: that sets `deny_delete`, which forbids erasure for ever.
//   T4. A record is created only in an empty NATS: its secret is the key of fingerprints and hashes in logs and parts, and with
//       another key retries would count twice.
//   T5. Streams are created one after the other: one that is missing before one that exists was lost, which must be reported.
//   T6. The record changes by compare-and-set alone, and only to another number of partitions. While that is under way it says so,
//       and every start is refused: an old process would write to logs that are about to go.

import {randomBytes} from 'node:crypto';
import {setTimeout as pause} from 'node:timers/promises';
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import {type NatsConnection, nanos, TimeoutError} from 'nats';
import * as z from 'zod/mini';
import {monotonicMs, wallMs} from '../clock.js';
import {commandLine} from '../command-line.js';
import {jsonOrUndefined} from '../json.js';
import {wayOn} from '../other-format.js';
import {StartFault} from '../start-fault.js';
import {isOfCluster} from './client/connection.js';
import {putIfNewest} from './compare-and-set.js';
import {hasCode, isWithoutLeader, messageNotFound, streamNotFound} from './error-codes.js';
import {newestMessage, UnreadableMessage} from './newest-message.js';
import {checkPayload} from './payload.js';
import {isAtLeast, serverVersionReplicas, versionRefusal} from './version.js';

export const logStream = (partition: number): string => `LOG-${partition}`;
export const logSubject = (partition: number): string => `log.${partition}`;

/** Triggers that wait for an endpoint (src/webhooks/trigger.ts). */
export const triggersStream = 'OUT';
export const triggerSubject = (endpoint: string): string => `out.${endpoint}`;

/** References to triggers that an endpoint refused in every attempt. */
export const deadLettersStream = 'DEAD';
export const deadLetterSubject = (endpoint: string): string => `dead.${endpoint}`;
const deadLettersKeptMs = 30 * 86_400_000;

/** Lines that tell who changed what (src/edge/stored-record.ts). */
export const recordStream = 'RECORD';
export const recordSubject = 'record';
/** A further line removes the oldest. */
const recordLinesMax = 10_000;

/** Lines of the journals of deletions and revocations, by file (journal-copy.ts); only where several processes may write them. */
export const journalStream = 'JOURNAL';
export const journalSubject = (name: string): string => `journal.${name}`;

/** Buckets by content. A bucket `b` is the stream `KV_b` with the subjects `$KV.b.<key>`. */
const buckets = {
  /** The two newest manifests of each partition. Read through the leader: a direct read may be stale. */
  manifests: {history: 2, allowDirect: false},
  keys: {history: 1, allowDirect: false},
  settings: {history: 1, allowDirect: false},
  /** Webhooks, saved funnels and alerts, and how far each of them came (src/kept/kept-store.ts). */
  hooks: {history: 1, allowDirect: false},
  /** Which process owns which partition (actors/cluster); only where several may. */
  cluster: {history: 1, allowDirect: false},
} as const;
type PartsBucket = `parts-${number}`;
export type Bucket = keyof typeof buckets | PartsBucket;

/** Pieces of snapshots; each is written once, never overwritten. */
const partsSettings = {history: 1, allowDirect: true} as const;
/** A stream has one leader and one lock, and another stream is another group of the cluster. */
const partsBucketsMax = 8;
/** Bucket of a partition's parts. */
export const partsBucket = (partition: number): PartsBucket => `parts-${partition % partsBucketsMax}`;
/** Buckets of the parts of so many partitions. */
export const partsBuckets = (partitions = partsBucketsMax): readonly PartsBucket[] =>
  Array.from({length: Math.min(partitions, partsBucketsMax)}, (_, partition) => partsBucket(partition));
const settingsOf = (bucket: Bucket) => (isOfParts(bucket) ? partsSettings : buckets[bucket]);
const isOfParts = (bucket: Bucket): bucket is PartsBucket => bucket.startsWith('parts-');

export const bucketStream = (bucket: Bucket): string => `KV_${bucket}`;
export const bucketSubject = (bucket: Bucket, key: string): string => `$KV.${bucket}.${key}`;

/** Time for which the server remembers message ids: a retry with the same id within it is stored once. */
export const duplicateWindowMs = 120_000;

export interface Deployment {
  /** Its level: the newest format of stored data and messages that may be written (actors/cluster/level.ts). */
  readonly formatVersion: number;
  readonly partitions: number;
  /** Time of its first start, epoch ms. */
  readonly createdMs: number;
  /** 32 random bytes, base64url: the key of keyed hashes and cursors. Never shown, never changed. */
  readonly secret: string;
  readonly repartition?: Repartition | undefined;
}

/** A change to another number of partitions that has begun (src/cli/repartition). No process starts meanwhile. T6 */
export interface Repartition {
  readonly to: number;
  /** `copying`: it can be given up. `switching`: it has to be finished. */
  readonly stage: 'copying' | 'switching';
}

export interface DeploymentRecord {
  readonly deployment: Deployment;
  /** Revision that a change expects. */
  readonly revision: number;
}

/** The oldest and the newest level that a program reads and writes. */
export type Levels = readonly [oldest: number, newest: number];
/** Those of this program. */
export const programLevels: Levels = [3, 3];
const anyFormat = z.object({formatVersion: z.number()});
const deploymentForm = z.strictObject({
  formatVersion: z.number(),
  partitions: z.number(),
  createdMs: z.number(),
  secret: z.string(),
  repartition: z.optional(z.strictObject({to: z.number(), stage: z.enum(['copying', 'switching'])})),
}) satisfies z.ZodMiniType<Deployment>;

/** An election takes up to nine seconds, a cut between two hosts often longer. Less than any wait of a start (promised.ts). */
const electionsMsMax = 55_000;
const electionPauseMs = 500;

const deploymentKey = 'deployment';

/** The data does not fit the configuration or this program; the message is one line for the operator. */
export class TopologyFault extends StartFault {}

/** `messages`: number of those whose files were still there. */
type OnLost = (stream: string, messages: number) => void;

interface WantedTopology {
  readonly partitions: number;
  readonly replicas: number;
}

/** Undefined: NATS does not answer that. */
export async function isStreamThere(nc: NatsConnection, name: string): Promise<boolean | undefined> {
  try {
    const jsm = await jetstreamManager(nc, {checkAPI: false});
    await jsm.streams.info(name);
    return true;
  } catch (error) {
    return hasCode(error, streamNotFound) ? false : undefined;
  }
}

/**
 * Creates what is missing (T1), and returns the record of the deployment; a second call changes nothing.
 * `onLost` gets the streams that were lost and are created again (T5), and the messages that nats-server found for them.
 */
export async function ensureTopology(
  nc: NatsConnection,
  wanted: WantedTopology,
  onLost: OnLost = () => undefined,
  electionsMs = electionsMsMax,
): Promise<Deployment> {
  checkServer(nc, wanted.replicas);
  try {
    return await pastElections(nc, () => ensureAll(nc, wanted, onLost), electionsMs);
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError)) throw cause;
    throw new TopologyFault(`NATS refuses a request of the start: ${said(cause)}`, {cause});
  }
}

/** Repeats `ask` while a cluster elects leaders. @throws TopologyFault when it has none for `msMax`. */
export async function pastElections<T>(nc: NatsConnection, ask: () => Promise<T>, msMax = electionsMsMax): Promise<T> {
  const endMs = monotonicMs() + msMax;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const cause = error instanceof TopologyFault ? error.cause : error;
      if (!isOfCluster(nc) || !isWithoutLeader(cause)) throw error;
      if (monotonicMs() > endMs) throw withoutMajority(cause, msMax);
      await pause(electionPauseMs);
    }
  }
}

function withoutMajority(cause: unknown, msMax: number): TopologyFault {
  const seconds = msMax / 1_000;
  return new TopologyFault(
    `the NATS cluster had no leader for ${seconds} s (${(cause as Error).message}): more than half of its servers must run`,
    {cause},
  );
}

async function ensureAll(
  nc: NatsConnection,
  {partitions, replicas}: WantedTopology,
  onLost: OnLost,
): Promise<Deployment> {
  const jsm = await managerOf(nc);
  await ensureStream(jsm, bucketConfig('settings', replicas));
  let deployment = (await readDeploymentRecord(nc))?.deployment;
  if (deployment === undefined) {
    await checkNothingThere(jsm, partitions);
    deployment = await createDeployment(nc, partitions); // T2
  }
  const {repartition} = deployment;
  if (repartition !== undefined) throw new TopologyFault(`${begunText(repartition)}: ${finishText(repartition)}`);
  if (deployment.partitions !== partitions) {
    throw new TopologyFault(
      `PARTITIONS is ${partitions}, but the data was created with ${deployment.partitions}: set PARTITIONS=${deployment.partitions}, or change the number with "${commandLine('repartition', '--to', `${partitions}`)}"`,
    );
  }
  const streams = [
    ...[...partsBuckets(partitions), 'manifests' as const, 'keys' as const].map((bucket) =>
      bucketConfig(bucket, replicas),
    ),
    ...Array.from({length: partitions}, (_, partition) => logConfig(partition, replicas)),
    // Streams of effects come after the logs: a deployment of a version without them has lost nothing. T5
    bucketConfig('hooks', replicas),
    triggersConfig(replicas),
    deadLettersConfig(replicas),
    recordConfig(replicas),
  ];
  await ensureStreams(jsm, streams, onLost);
  return deployment;
}

/** Creates the bucket of the cluster if it is missing: one that is lost costs no more than a new start of all owners. */
export async function ensureCluster(nc: NatsConnection, replicas: number): Promise<void> {
  await ensureOne(nc, bucketConfig('cluster', replicas));
}

/** Creates the stream of the journals if it is missing: processes that fold bring the lines of a lost one. */
export async function ensureJournal(nc: NatsConnection, replicas: number): Promise<void> {
  await ensureOne(nc, journalConfig(replicas));
}

const ensureOne = (nc: NatsConnection, stream: NewStream): Promise<void> =>
  pastElections(nc, async () => void (await ensureStream(await managerOf(nc), stream)));

/** Creates missing streams, in this order. T5 */
async function ensureStreams(jsm: JetStreamManager, streams: readonly NewStream[], onLost: OnLost): Promise<void> {
  const found: (StreamInfo | undefined)[] = new Array(streams.length);
  // Reads the last first: if another start creates streams in the meantime, an earlier one exists when a later one does.
  for (let i = streams.length - 1; i >= 0; i--) found[i] = await infoOf(jsm, streams[i]!.name);
  const newest = found.findLastIndex((info) => info !== undefined);
  for (const [i, stream] of streams.entries()) {
    if (found[i] === undefined) {
      const {state} = await addStream(jsm, stream);
      if (i < newest) onLost(stream.name, state.messages);
    } else checkReplicas(found[i].config, stream);
  }
}

const begunText = ({to}: Repartition): string => `a change to ${to} partitions has begun and has not ended`;
const finishText = ({to, stage}: Repartition): string => {
  const finish = `finish it with "${commandLine('repartition', '--to', `${to}`)}"`;
  return stage === 'switching' ? finish : `${finish}, or give it up with "${commandLine('repartition', '--abandon')}"`;
};

/** Undefined before the first `ensureTopology`. @throws TopologyFault when its level is none of `levels`. LV1 (actors/cluster/level.ts) */
export const readDeployment = async (
  nc: NatsConnection,
  levels: Levels = programLevels,
): Promise<Deployment | undefined> => {
  const record = await pastElections(nc, () => readDeploymentRecord(nc, levels));
  return record?.deployment;
};

/** As `readDeployment`. */
export async function readDeploymentRecord(
  nc: NatsConnection,
  [oldest, newest]: Levels = programLevels,
): Promise<DeploymentRecord | undefined> {
  const jsm = await managerOf(nc);
  const message = await newestMessage(jsm, bucketStream('settings'), bucketSubject('settings', deploymentKey)).catch(
    (cause: Error) => {
      if (!(cause instanceof UnreadableMessage)) {
        if (isNotFound(cause)) return undefined;
        throw cause;
      }
      throw new TopologyFault(`the record of this deployment cannot be read (${cause.message}): restore a backup`, {
        cause,
      });
    },
  );
  if (message === undefined) return undefined;
  const json = jsonOrUndefined(message.string());
  const {data: written} = anyFormat.safeParse(json);
  if (written !== undefined && (written.formatVersion < oldest || written.formatVersion > newest)) {
    const reads = oldest === newest ? newest : `${oldest} to ${newest}`;
    throw new TopologyFault(
      `the data has format version ${written.formatVersion}; this version of Millrace reads ${reads}: ${wayOn}`,
    );
  }
  const {data, error} = deploymentForm.safeParse(json);
  if (error === undefined) return {deployment: data, revision: message.seq};
  throw new TopologyFault(`the record of this deployment is none (${z.prettifyError(error)}): restore a backup`);
}

/** Changes the record; returns its new revision. T6 @throws TopologyFault when another process changed it meanwhile. */
export async function changeDeployment(nc: NatsConnection, deployment: Deployment, revision: number): Promise<number> {
  const subject = bucketSubject('settings', deploymentKey);
  const changed = await putIfNewest(jetstream(nc), subject, JSON.stringify(deployment), revision);
  if (changed === undefined) throw new TopologyFault('another process changed the record of this deployment meanwhile');
  return changed;
}

/** Number of copies of each stream. */
export async function replicasOf(jsm: JetStreamManager): Promise<number> {
  return (await jsm.streams.info(bucketStream('settings'))).config.num_replicas;
}

/** Creates the missing buckets of parts of so many partitions. */
export async function ensurePartsBuckets(jsm: JetStreamManager, partitions: number): Promise<void> {
  const replicas = await replicasOf(jsm);
  for (const bucket of partsBuckets(partitions)) await ensureStream(jsm, bucketConfig(bucket, replicas));
}

/** Replaces the log of a partition by an empty one. */
export async function beginLog(jsm: JetStreamManager, partition: number): Promise<void> {
  await dropStream(jsm, logStream(partition));
  await addStream(jsm, logConfig(partition, await replicasOf(jsm)));
}

/** Deletes a stream with its files; one that is not there is none. */
export async function dropStream(jsm: JetStreamManager, stream: string): Promise<void> {
  try {
    await jsm.streams.delete(stream);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** @throws TopologyFault when NATS is not empty. T4 */
async function checkNothingThere(jsm: JetStreamManager, partitions: number): Promise<void> {
  const logs = Array.from({length: partitions}, (_, partition) => logStream(partition));
  const stored = (['manifests', ...partsBuckets(partitions)] as const).map(bucketStream);
  for (const name of [...stored, ...logs]) {
    const info = await infoOf(jsm, name);
    if (info === undefined || info.state.messages === 0) continue;
    throw new TopologyFault(
      `the record of this deployment is missing from ${bucketStream('settings')}, but ${name} has ${info.state.messages} messages (a power cut without sync?): restore a backup, or start on an empty one`,
    );
  }
}

/** Raises the level by one. False: it is another one by now. LV2, LV3 (actors/cluster/level.ts) */
export async function raiseLevel(nc: NatsConnection, from: number): Promise<boolean> {
  const subject = bucketSubject('settings', deploymentKey);
  const message = await newestMessage(await managerOf(nc), bucketStream('settings'), subject);
  const record = message?.json<Deployment>();
  if (message === undefined || record?.formatVersion !== from) return false;
  const raised: Deployment = {...record, formatVersion: from + 1};
  return (await putIfNewest(jetstream(nc), subject, JSON.stringify(raised), message.seq)) !== undefined;
}

async function createDeployment(nc: NatsConnection, partitions: number): Promise<Deployment> {
  const secret = randomBytes(32).toString('base64url');
  const deployment: Deployment = {formatVersion: programLevels[1], partitions, createdMs: wallMs(), secret};
  const subject = bucketSubject('settings', deploymentKey);
  const revision = await putIfNewest(jetstream(nc), subject, JSON.stringify(deployment), 0);
  return revision === undefined ? (await readDeployment(nc))! : deployment; // Another machine was faster: its record counts.
}

function checkServer(nc: NatsConnection, replicas: number): void {
  if (nc.info === undefined) throw new TopologyFault('the connection to NATS broke while the service started');
  checkPayload(nc);
  const {version} = nc.info;
  const refusal = versionRefusal(version);
  if (refusal !== undefined) throw new TopologyFault(`the NATS server ${refusal}`);
  if (replicas > 1 && !isAtLeast(version, serverVersionReplicas)) {
    throw new TopologyFault(
      `REPLICAS above 1 needs nats-server ${serverVersionReplicas} or newer; this one is ${version}`,
    );
  }
}

/** For so long a server that runs alone may be too busy to answer whether it has JetStream. */
const busyMsMax = 30_000;

async function managerOf(nc: NatsConnection): Promise<JetStreamManager> {
  const endMs = monotonicMs() + busyMsMax;
  for (;;) {
    try {
      return await jetstreamManager(nc);
    } catch (cause) {
      // Without JetStream it says so at once. A cluster that elects leaders is asked again by pastElections.
      if (cause instanceof TimeoutError && !isOfCluster(nc) && monotonicMs() < endMs) continue;
      throw new TopologyFault(`the NATS server offers no JetStream to this account: ${(cause as Error).message}`, {
        cause,
      });
    }
  }
}

type NewStream = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'num_replicas'>;

async function ensureStream(jsm: JetStreamManager, wanted: NewStream): Promise<void> {
  const found = await infoOf(jsm, wanted.name);
  if (found === undefined) await addStream(jsm, wanted);
  else checkReplicas(found.config, wanted);
}

/** Undefined: there is no such stream. */
function infoOf(jsm: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  return jsm.streams.info(stream).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Adding an equal stream twice succeeds: two machines may start together. */
async function addStream(jsm: JetStreamManager, wanted: NewStream): Promise<StreamInfo> {
  try {
    return await jsm.streams.add(wanted);
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError)) throw cause;
    throw new TopologyFault(
      `NATS does not create the stream ${wanted.name} with REPLICAS=${wanted.num_replicas}: ${said(cause)}`,
      {cause},
    );
  }
}

function checkReplicas({num_replicas: found}: StreamConfig, {name, num_replicas: wanted}: NewStream): void {
  if (found === wanted) return;
  throw new TopologyFault(
    `REPLICAS is ${wanted}, but the data was created with ${found} (stream ${name}): set REPLICAS=${found}`,
  );
}

function logConfig(partition: number, replicas: number): NewStream {
  return {
    ...durable(replicas),
    name: logStream(partition),
    subjects: [logSubject(partition)],
    max_msgs_per_subject: -1,
    allow_direct: true,
  };
}

function bucketConfig(bucket: Bucket, replicas: number): NewStream {
  const {history, allowDirect} = settingsOf(bucket);
  return {
    ...durable(replicas),
    name: bucketStream(bucket),
    subjects: [bucketSubject(bucket, '>')],
    max_msgs_per_subject: history,
    allow_direct: allowDirect,
    allow_rollup_hdrs: true, // KV clients expect it of a bucket.
  };
}

/** An ack removes the message. */
function triggersConfig(replicas: number): NewStream {
  return {
    ...durable(replicas),
    name: triggersStream,
    subjects: [triggerSubject('>')],
    retention: RetentionPolicy.Workqueue,
  };
}

function deadLettersConfig(replicas: number): NewStream {
  return {
    ...durable(replicas),
    name: deadLettersStream,
    subjects: [deadLetterSubject('>')],
    max_age: nanos(deadLettersKeptMs),
  };
}

const journalConfig = (replicas: number): NewStream => ({
  ...durable(replicas),
  name: journalStream,
  subjects: [journalSubject('>')],
  max_msgs_per_subject: -1,
});

function recordConfig(replicas: number): NewStream {
  return {
    ...durable(replicas),
    name: recordStream,
    subjects: [recordSubject],
    discard: DiscardPolicy.Old,
    max_msgs: recordLinesMax,
  };
}

/** Stream without a limit of age, count or size: only Millrace removes messages, and only those that no kept manifest needs. */
function durable(replicas: number): Partial<StreamConfig> & Pick<StreamConfig, 'num_replicas'> {
  return {
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_age: 0,
    max_msgs: -1,
    max_bytes: -1,
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: replicas,
    deny_delete: false, // T3
    deny_purge: false,
  };
}

const isNotFound = (error: unknown): boolean => hasCode(error, messageNotFound, streamNotFound);

/** The error in NATS's own words. */
const said = ({message, code}: JetStreamApiError): string => `${message} (${code})`;
