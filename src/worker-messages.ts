// What the main thread and the worker threads say to each other. Threads meet in NATS. Handed over within a process is what
// spares a way through it: questions, and newer manifests.

import type {MessagePort} from 'node:worker_threads';
import type {RowsPort} from './parts/handed-rows.js';
import type {RefreshPlan} from './refresh.js';

/** How to reach NATS; plain data, so that it can be handed to worker threads. */
export interface NatsAddress {
  readonly servers: string[];
  readonly token?: string;
  /** Path of a .creds file. */
  readonly credsPath?: string;
}

export interface PartitionWorkerData {
  readonly nats: NatsAddress;
  /** The partitions this thread owns. */
  readonly partitions: number[];
  readonly partitionCount: number;
  readonly reportRefresh: RefreshPlan;
  /** Rows, bodies and users that may stay in memory, for all partitions of this thread together; beside `spareRoom`. */
  readonly cacheBytesMax: number;
  /**
   * Of the report thread of this process (src/parts/spare-room.ts), which part of it this thread may use, and what it may
   * count on of that when it starts: reports do not read ahead so much.
   */
  readonly spareRoom?: {readonly room: Int32Array; readonly share: number; readonly startBytes: number};
  /** Remembered message ids, for all partitions of this thread together. */
  readonly dedupeBytesMax: number;
  /** Whether nats-server is ours alone: what it unlinks and overwrites is then all that there is on disk. */
  readonly isNatsEmbedded: boolean;
  /** Over shared memory, an element a partition: what it folded last; modulo 2^32. */
  readonly appliedSequences: Int32Array;
  /** Where the edge of this process alone writes events: what it was acked (src/ingest/acked-sequences.ts). */
  readonly ackedSequences?: BigInt64Array;
  /** Over shared memory, an element a partition: goes up with every manifest that is published, before anybody hears of it; modulo 2^32. */
  readonly publications: Int32Array;
  /** Takes every such manifest to the report thread of this process, where that counts publications. */
  readonly manifestsPort?: MessagePort;
  /** Over which the report thread of this process asks for rows that are at hand (src/parts/handed-rows.ts). */
  readonly rowsPort?: MessagePort;
  /** Gets the notes of the newest positions. */
  readonly dataDir: string;
  /** Has the journal of deletions. */
  readonly deletionsDir: string;
  readonly logLevel: string;
}

export interface ReportWorkerData {
  readonly nats: NatsAddress;
  readonly partitionCount: number;
  readonly reportRefresh: RefreshPlan;
  /** Epoch ms. */
  readonly deploymentCreatedMs: number;
  readonly cacheBytesMax: number;
  /** Where it tells what of that is free, for threads of this process that fold. */
  readonly spareRoom?: Int32Array;
  /** As PartitionWorkerData has it, where threads of this process alone publish; otherwise NATS is asked. */
  readonly publications?: Int32Array;
  /** Brings their manifests. */
  readonly manifestsPorts: readonly MessagePort[];
  /** To the threads of this process that fold. */
  readonly rowsPorts: readonly RowsPort[];
  readonly logLevel: string;
}

/** From a thread that folds to the report thread: what it published, as it was written. */
export interface HandedManifest {
  readonly partition: number;
  /** Which of the partition's publications this is, as they are counted in shared memory. */
  readonly publication: number;
  readonly manifest: Uint8Array;
  /** The index that it names; undefined when that is another owner's. */
  readonly index: Uint8Array | undefined;
}

/** A thread that folds logs, as the edge of the same process sees it. */
export interface FoldingThread {
  readonly partitions: readonly number[];
  readonly appliedSequences: Int32Array;
}

/** A thread as the edge of the same process asks it. Questions and answers are what NATS would carry as JSON (asks.ts). */
export interface AnsweringThread {
  /** Whether it takes questions by now. */
  readonly isListening: boolean;
  /** `answered` is called once, or never: whoever asks has a deadline. */
  ask(subject: string, question: unknown, answered: (answer: unknown) => void): void;
}

export interface ThreadQuestion {
  readonly kind: 'question';
  readonly number: number;
  readonly subject: string;
  readonly question: unknown;
  /** To a thread that folds: its `ackedSequences` at this moment. */
  readonly acked?: BigInt64Array | undefined;
}

/**
 * `ready`: every owned partition has published a snapshot (report: has read one of every partition). `read`: what live reads
 * need is at hand, or took too long.  `listening` and `answer`: see AnsweringThread.
 */
export type FromWorker =
  | {kind: 'ready'}
  | {kind: 'read'}
  | {kind: 'stopped'}
  | {kind: 'listening'}
  | {kind: 'answer'; number: number; answer: unknown}
  /** `isReplaced`: another process has the partition. */
  | {kind: 'fatal'; message: string; isReplaced?: boolean};

/**
 * `drain`: finish, take a last snapshot, close the connections, answer `stopped`. `read ahead`, to the report thread: those
 * that fold here have read what they need at hand, and it may read what reports will need.
 */
export type ToWorker = {kind: 'drain'} | {kind: 'read ahead'} | ThreadQuestion;
