// Load of the service: its present state, and the ring of the last 15 minutes.
import type {AlarmKind} from '../../../measures.js';
import type {StateAnswer} from './state.js';

/** Alarms of partitions and of those that own them, of alerts, of names, of lost records, and those of our own nats-server and its disk. */
export type LoadAlarmKind =
  | AlarmKind
  | 'alerts_late'
  | 'event_names'
  | 'damaged_part'
  | 'disk_nearly_full'
  | 'store_fault'
  | 'definitions_lost'
  | 'partition_unowned'
  | 'membership_lost';

/** State of the service with its load, as Live load shows it. */
export interface LoadState extends Omit<StateAnswer, 'status'> {
  /** Epoch ms, by the service's clock. */
  readonly at: number;
  /** `degraded`: ready, and an operator should know something. */
  readonly status: 'ready' | 'degraded' | 'catching_up' | 'not_ready';
  readonly alarms: readonly {readonly kind: LoadAlarmKind; readonly partitions: readonly number[]}[];
  readonly up_seconds: number;
  readonly report: PublishedReports;
  /** `is_own`: started by this service. */
  readonly nats: {readonly is_own: boolean; readonly version: string | null; readonly restarts: number | null};
  readonly disk: {readonly free_bytes: number; readonly reserve_bytes: number} | null;
  /** False: other processes fold, and other edges may take events. */
  readonly is_whole: boolean;
  readonly partitions: readonly PartitionLoad[];
  /** Processes that share the partitions; null for a service with its own nats-server. */
  readonly members: readonly MemberLoad[] | null;
  readonly memory: readonly MemoryUse[];
  readonly threads: readonly {readonly thread: string; readonly late_p99_ms: number; readonly late_max_ms: number}[];
}

/** Freshness of reports; nulls before every partition has published, and while reports do not answer. */
export interface PublishedReports {
  readonly as_of: string | null;
  readonly next_by: string | null;
  readonly refresh_seconds: number;
}

export interface PartitionLoad {
  readonly partition: number;
  /** Lag; nulls while the partition does not answer. */
  readonly behind_ms: number | null;
  readonly behind_messages: number | null;
  /** Events and identify calls since its thread started, duplicates included. */
  readonly folded: number | null;
  readonly users: number | null;
  readonly snapshot_sequence: number | null;
  readonly snapshot_age_ms: number | null;
  readonly dedupe_window_ms: number | null;
  readonly deletions_pending: number | null;
}

export interface MemberLoad {
  readonly name: string;
  /** What it does: `partition` folds. */
  readonly role: 'partition' | 'report' | 'deliver' | 'edge';
  /** `silent`: it has not renewed its record. */
  readonly state: 'up' | 'leaving' | 'silent';
  /** Epoch ms at which it joined. */
  readonly since: number;
  /** Whether it lost a membership before. */
  readonly is_back: boolean;
  /** Those that it owns in its role; of the one that evaluates alerts: 0. */
  readonly partitions: readonly number[];
  /** Seconds since the newest of them came to it; null: before this edge looked. */
  readonly moved_seconds: number | null;
}

export interface MemoryUse {
  readonly use: 'live_reads' | 'reports' | 'funnels' | 'message_ids' | 'log' | 'fold' | 'heaps' | 'nats';
  readonly bytes: number;
  readonly bytes_max: number | null;
}

/** Rows of the ring as columns, one row per second. */
export interface LoadRows {
  /** Epoch ms, ascending. */
  readonly at: readonly number[];
  /** Columns of `refused.` that hold only zeros are left out. */
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface LoadAnswer extends LoadRows {
  readonly state: LoadState;
  /** Number of open streams. */
  readonly streams: number;
}
