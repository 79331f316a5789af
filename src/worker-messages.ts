// What the main thread and the worker threads say to each other. Events never travel this way: threads meet in NATS.

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
  /** An event is in every report this long after its 200; ticks come every 0.8 of it. */
  readonly reportRefreshMs: number;
  /** Passivated rows, bodies and users that may stay in memory, for all partitions of this thread together. */
  readonly cacheBytesMax: number;
  /** Remembered message ids, for all partitions of this thread together. */
  readonly dedupeBytesMax: number;
  /** Whether nats-server is ours alone: what it unlinks and overwrites is then all that there is on disk. */
  readonly isNatsEmbedded: boolean;
  /** Gets the notes of the newest positions. */
  readonly dataDir: string;
  readonly logLevel: string;
}

export interface ReportWorkerData {
  readonly nats: NatsAddress;
  readonly partitionCount: number;
  readonly cacheBytesMax: number;
  readonly logLevel: string;
}

/** `ready`: every owned partition has published a snapshot (report: has read one of every partition). */
export type FromWorker = {kind: 'ready'} | {kind: 'stopped'} | {kind: 'fatal'; message: string};

/** Finish: take a last snapshot, close the connections, answer `stopped`. */
export type ToWorker = {kind: 'drain'};
