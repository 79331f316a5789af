// Messages between the main thread and worker threads. Threads communicate through NATS; only acked messages, questions and newer
// manifests are also handed over within the process, which saves a way through NATS.

import type {MessagePort} from 'node:worker_threads';
import type {AskedBy} from './asks/asker.js';
import type {AckedParcel, HandOver} from './ingest/hand-over.js';
import type {MailServer} from './mail/mailer.js';
import type {RefreshPlan} from './refresh.js';
import type {AddressRules} from './webhooks/addresses.js';

/** Connection data of NATS: plain, so that worker threads can receive it. */
export interface NatsAddress {
  readonly servers: string[];
  readonly token?: string;
  /** Path of a .creds file. */
  readonly credsPath?: string;
  /** Folder of the server's store: of the service's own server. */
  readonly storeFolder?: string;
}

/** What the configuration says of the cluster, for a thread that is a member of it. */
export interface ClusterPlan {
  /** Copies of the bucket. */
  readonly replicas: number;
  /** Folder for the notes of which members this process is. O8 (actors/cluster/member.ts) */
  readonly dataDir: string;
}

export interface PartitionWorkerData {
  readonly nats: NatsAddress;
  /** The partitions that this thread owns first. */
  readonly partitions: readonly number[];
  /** Number of partitions that this thread may own: its memory is divided by it. */
  readonly partitionsMax: number;
  readonly partitionCount: number;
  readonly reportRefresh: RefreshPlan;
  /** Bound of cached rows, bodies and users, for all partitions of this thread together. */
  readonly cacheBytesMax: number;
  /** Bound of remembered message ids, for all partitions of this thread together. */
  readonly dedupeBytesMax: number;
  /** Bound of what is known of users in saved funnels, for all partitions of this thread together. */
  readonly funnelBytesMax: number;
  /** Days for which events are kept; 0: for ever. */
  readonly retentionDays: number;
  /** Whether nats-server is ours alone: then no copies exist besides the data that it unlinks and overwrites. */
  readonly isNatsEmbedded: boolean;
  /** Shared memory: the last folded sequence of each partition, modulo 2^32. */
  readonly appliedSequences: Int32Array;
  /** Acked sequences (src/ingest/acked-sequences.ts); given if only the edge of this process writes events. */
  readonly ackedSequences?: BigInt64Array;
  /** Shared memory: number of manifests published for each partition, incremented before anyone is notified; modulo 2^32. */
  readonly publications: Int32Array;
  /** Sends each such manifest to the report thread of this process, if that counts publications. */
  readonly manifestsPort?: MessagePort;
  /** Questions of the deliver thread. */
  readonly asksPort?: MessagePort;
  /** Folder for notes of the newest positions. */
  readonly dataDir: string;
  /** Folder of the journal of deletions. */
  readonly deletionsDir: string;
  readonly logLevel: string;
}

export interface ReportWorkerData {
  readonly nats: NatsAddress;
  readonly partitionCount: number;
  readonly reportRefresh: RefreshPlan;
  /** Epoch ms. */
  readonly deploymentCreatedMs: number;
  /** Address of the dashboard in messages. */
  readonly dashboardUrl: string | undefined;
  readonly cacheBytesMax: number;
  /** Bound of the computing for one question, ms of the report thread; Infinity: none. */
  readonly cpuMsMax: number;
  /** As in PartitionWorkerData, if only threads of this process publish; otherwise NATS is asked. */
  readonly publications?: Int32Array;
  /** Receive these threads' manifests. */
  readonly manifestsPorts: readonly MessagePort[];
  /** Absent: no other process answers reports and evaluates alerts. */
  readonly cluster?: ClusterPlan;
  readonly logLevel: string;
}

/** The port of a folding thread that answers questions about these partitions (ThreadQuestion, FromAnswering). */
interface AsksPort {
  readonly partitions: readonly number[];
  readonly port: MessagePort;
}

export interface DeliverWorkerData {
  readonly nats: NatsAddress;
  readonly partitionCount: number;
  /** Ports to the folding threads of this process. */
  readonly asksPorts: readonly AsksPort[];
  /** Absent: no other process delivers. */
  readonly cluster?: ClusterPlan;
  /** Where deliveries may go. */
  readonly addresses: AddressRules;
  /** Absent: no mail is sent. */
  readonly mail?: MailServer;
  readonly logLevel: string;
}

/** A published manifest, from a folding thread to the report thread, as it was written. */
export interface HandedManifest {
  readonly partition: number;
  /** Number of the publication, as counted in shared memory. */
  readonly publication: number;
  readonly manifest: Uint8Array;
  /** Its index; undefined when another owner wrote that. */
  readonly index: Uint8Array | undefined;
}

/** A folding thread, as the edge of its process sees it. */
export interface FoldingThread {
  /** Those that it owns at the moment. */
  readonly partitions: readonly number[];
  readonly appliedSequences: Int32Array;
  /** What its logs acked. */
  readonly handOver: HandOver;
  /** `lost` is called when the thread lost its connection to the logs, and uses nothing that was acked before. */
  onLogLost(lost: () => void): void;
}

/** A thread that answers others of its process. Questions and answers are those that NATS would carry (src/asks). */
export interface AnsweringThread {
  /** Whether it accepts questions yet. */
  readonly isListening: boolean;
  /** `answered` is called once, or never: the caller has a deadline. @returns what the caller calls when it waits no longer. */
  ask(subject: string, question: unknown, answered: (answer: unknown) => void, by?: AskedBy): () => void;
}

export interface ThreadQuestion {
  readonly kind: 'question';
  readonly number: number;
  readonly subject: string;
  readonly question: unknown;
  readonly by?: AskedBy | undefined;
  /** To a folding thread: `ackedSequences` at this moment. */
  readonly acked?: BigInt64Array | undefined;
}

/** Nobody waits for the answer to this question any more. */
export interface ThreadQuestionLeft {
  readonly kind: 'left';
  readonly number: number;
}

/** What a thread that answers questions sends to a thread that asks them. */
export type FromAnswering = {kind: 'listening'} | {kind: 'answer'; number: number; answer: unknown};

/**
 * `ready`: every owned partition has published a snapshot (report: a snapshot of every partition was read). `read`: the parts
 * that live reads need are cached, or that took too long. `log lost`: see FoldingThread. `listening` and `answer`: see
 * AnsweringThread.
 */
export type FromWorker =
  | {kind: 'ready'}
  | {kind: 'read'}
  | {kind: 'stopped'}
  | {kind: 'log lost'}
  | FromAnswering
  /** The thread answers questions about a partition. */
  | {kind: 'owned'; partition: number}
  /** The thread has published a last snapshot of a partition, and let go of it. */
  | {kind: 'released'; partition: number}
  /** Another process owns the partition now. */
  | {kind: 'lost'; partition: number; message: string}
  | {kind: 'fatal'; message: string};

/**
 * `drain`: finish, publish a last snapshot, close the connections, answer `stopped`. `read ahead`, to the report thread: the
 * folding threads have read what they need, so it may read ahead for reports.
 */
export type ToWorker =
  | {kind: 'drain'}
  | {kind: 'read ahead'}
  /** To a folding thread: start a partition; give it away (`released`); let go of it at once, as another process owns it. */
  | {kind: 'own' | 'release' | 'abandon'; partition: number}
  | AckedParcel
  | ThreadQuestion
  | ThreadQuestionLeft;
