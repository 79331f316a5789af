// How the service is, as Live load is told every second.

export type AlarmKind =
  | 'report_lag'
  | 'standing_still'
  | 'dedupe_window'
  | 'gap'
  | 'log_lost'
  | 'damaged_part'
  | 'disk_nearly_full'
  | 'store_fault';

export interface PartitionLoad {
  readonly partition: number;
  readonly behind_ms: number | null;
  readonly behind_messages: number | null;
  readonly folded: number | null;
  readonly users: number | null;
  readonly snapshot_sequence: number | null;
  readonly snapshot_age_ms: number | null;
  readonly dedupe_window_ms: number | null;
  readonly deletions_pending: number | null;
}

export interface Published {
  readonly as_of: string | null;
  readonly next_by: string | null;
  readonly refresh_seconds: number;
}

export interface LoadState {
  /** Epoch ms, by the service's clock. */
  readonly at: number;
  readonly status: 'ready' | 'degraded' | 'catching_up' | 'not_ready';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly alarms: readonly {readonly kind: AlarmKind; readonly partitions: readonly number[]}[];
  readonly durability: 'power-cut' | 'process-crash';
  readonly version: string;
  readonly up_seconds: number;
  readonly report: Published;
  readonly nats: {readonly is_own: boolean; readonly version: string | null; readonly restarts: number | null};
  readonly disk: {readonly free_bytes: number; readonly reserve_bytes: number} | null;
  readonly is_whole: boolean;
  readonly partitions: readonly PartitionLoad[];
  readonly memory: readonly {readonly use: string; readonly bytes: number; readonly bytes_max: number | null}[];
  readonly threads: readonly {readonly thread: string; readonly late_p99_ms: number; readonly late_max_ms: number}[];
}
