// Alarms and their cures in the words of README.md (Operating); a test compares the two.
import type {LoadAlarmKind} from '../../../../src/edge/dashboard/answers.js';

export interface AlarmWords {
  readonly means: string;
  readonly cure: string;
}

export const alarmWords: Readonly<Record<LoadAlarmKind, AlarmWords>> = {
  report_lag: {
    means: 'snapshots come later than `REPORT_REFRESH_SECONDS` promises',
    cure: 'look at `millrace_snapshot_duration_seconds` and the disk; more cores, or a longer refresh',
  },
  dedupe_window: {
    means: 'message ids are remembered for less than 7 days: a later retry would count twice',
    cure: 'raise `DEDUPE_MEMORY_MIB` (20 bytes an id)',
  },
  gap: {
    means: 'a producer skipped a number: the log lacks a message that may have been acknowledged',
    cure: 'keep `DATA_DIR` and the logs; was a backup restored, did the disk lose what it had synced?',
  },
  log_lost: {
    means: 'the log lost messages that were folded (power cut without sync, restored backup, deleted stream)',
    cure: 'nothing to repair: the partition goes on with what snapshots and log still have, and clients that send the rest again with `messageId` fill it in; look at `millrace_durability_info` and the disk',
  },
  standing_still: {
    means:
      'a partition cannot fold its log without a part that cannot be read: it is 503, what is sent waits safely in the log',
    cure: 'restore a backup and start again; check the disk',
  },
  damaged_part: {
    means: 'a part of a snapshot cannot be read: what needs it is answered 503',
    cure: 'restore a backup; check the disk',
  },
  disk_nearly_full: {
    means: 'writes and deletions are refused until there is room',
    cure: 'make room; `millrace_disk_free_bytes` warns ahead',
  },
  store_fault: {
    means: 'nats-server cannot write',
    cure: 'the service restarts it as soon as there is room; else see `DATA_DIR/nats/server.log`',
  },
};
