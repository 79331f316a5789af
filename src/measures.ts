// Measures of a thread or a role: plain numbers for `/metrics`. They have no id, key or name of a user or an event.

/** Loop delays are measured in windows of this length: a scrape sees the running window and the previous one. */
export const loopWindowMs = 30_000;

export interface ConnectionMeasures {
  readonly name: string;
  /** Connected, and the other end answers, where a pulse checks that. */
  readonly isConnected: boolean;
  /** Number of reconnects. */
  readonly reconnects: number;
}

/** Memory of cached parts, and of values derived from them. */
export interface CacheMeasures {
  readonly use: 'live' | 'report' | 'funnels';
  readonly bytes: number;
  readonly bytesMax: number;
}

/** Measures of one thread. */
export interface ThreadMeasures {
  readonly thread: string;
  /** Bytes. `process_rss` is that of the whole process: its threads report the same number. */
  readonly memory: {
    readonly process_rss: number;
    readonly heap_total: number;
    readonly heap_used: number;
    readonly external: number;
    readonly array_buffers: number;
  };
  /** How late timers ran, ms, over the last one or two windows. */
  readonly loopDelayMs: {readonly p50: number; readonly p99: number; readonly max: number};
  readonly connections: readonly ConnectionMeasures[];
  readonly caches: readonly CacheMeasures[];
  /** Indexes for reports that are being built or wait for it; undefined in other threads. */
  readonly builds?: number;
}

/** Conditions that an operator must know; docs/operating.md says what to do about each. */
export const alarmKinds = [
  'report_lag',
  'standing_still',
  'dedupe_window',
  'funnel_memory',
  'dictionaries',
  'gap',
  'log_lost',
  'moves',
] as const;
export type AlarmKind = (typeof alarmKinds)[number];

/** Memory of what is known of users in saved funnels. */
export interface FunnelMemory {
  readonly bytes: number;
  readonly bytesMax: number;
  /** Users who do not fit: their completions are found with the next snapshot, and not at once. */
  readonly lateUsers: number;
}

/** What clients can make grow (src/partition/dictionaries.ts). */
export interface DictionaryMeasures {
  readonly dictionary: 'users' | 'devices' | 'property_names' | 'trait_names';
  readonly entries: number;
  /** Bytes of memory of users and devices; the number of names. */
  readonly size: number;
  /** Size at which the alarm begins. */
  readonly alarmAt: number;
}

/** Measures of one partition. Counts begin with the start of its thread. */
export interface PartitionMeasures {
  readonly alarms: readonly AlarmKind[];
  /** Messages of the log that were not folded when the question arrived; null while the log does not answer. */
  readonly lagMessages: number | null;
  /** Upper bound of the age of the oldest of them. */
  readonly lagMs: number;
  readonly generation: number;
  /** Newest published snapshot; null before the first. */
  readonly snapshot: {readonly sequence: number; readonly ageMs: number} | null;
  /** Duration of the newest snapshot of this thread, from its beginning to the manifest; null before the first. */
  readonly snapshotMs: number | null;
  readonly snapshots: number;
  /** Outcomes of the events in the log. `arrived`: events from the partition of the anonymous user who sent them. */
  readonly events: {
    readonly counted: number;
    readonly arrived: number;
    readonly duplicate: number;
    readonly erased: number;
    /** They came when events of their day had expired. */
    readonly expired: number;
  };
  readonly identifies: {readonly counted: number; readonly duplicate: number; readonly erased: number};
  /** Anonymous users by what links made of them: joined to a user, shared by two, or with too many events to be joined. */
  readonly joins: {readonly joined: number; readonly shared: number; readonly too_large: number};
  readonly moves: {
    /** Linked anonymous users whose events are still here. */
    readonly candidates: number;
    /** Moves that are not settled. */
    readonly pending: number;
    /** Since the oldest one waits to be appended to the log of its destination. */
    readonly waitedMs: number;
  };
  /** Bytes of chunks that expired events are still to leave. */
  readonly expiredBytesPending: number;
  /** Duplicates of both kinds that were not retries. */
  readonly conflicts: number;
  /** Messages that the log had twice. */
  readonly redelivered: number;
  /** Numbers that producers skipped: messages that the log lacks. */
  readonly gaps: number;
  /** How often the log had lost messages that were folded. */
  readonly logLosses: number;
  /** Parts that live reads and snapshots could not read. */
  readonly damagedParts: number;
  /** Users known, event names known, profiles in memory. */
  readonly users: number;
  readonly names: number;
  readonly profiles: number;
  readonly dictionaries: readonly DictionaryMeasures[];
  readonly dedupe: {
    readonly ids: number;
    readonly bytes: number;
    readonly bytesMax: number;
    /** How far back, in logical time, every message id is remembered. */
    readonly windowMs: number;
    /** Ids of erased events, and their memory. */
    readonly erasedIds: number;
    readonly erasedBytes: number;
  };
  readonly funnels: FunnelMemory;
  readonly deletions: {
    readonly pending: number;
    /** Time since this thread took up the oldest pending one. */
    readonly oldestPendingMs: number;
    readonly completed: number;
  };
}
