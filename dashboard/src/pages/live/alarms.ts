// Alarms and their cures in the words of docs/operating.md; a test compares the two.
import type {LoadAlarmKind} from '../../../../src/edge/dashboard/answers/load.js';

interface AlarmWords {
  readonly means: string;
  readonly cure: string;
}

export const alarmWords: Readonly<Record<LoadAlarmKind, AlarmWords>> = {
  report_lag: {
    means:
      'snapshots come more than a minute later than `REPORT_REFRESH_SECONDS` promises; a start has that minute and the refresh to fold what its log has',
    cure: 'check `millrace_snapshot_duration_seconds` and the disk; add cores, or lengthen the refresh',
  },
  alerts_late: {
    means: 'a publication has waited for more than a refresh and 30 s to be judged by alerts: they fire late',
    cure: 'check `millrace_reports` and the report thread in `millrace_event_loop_delay_seconds`; add cores, or lengthen the refresh',
  },
  dedupe_window: {
    means: 'message ids are remembered for less than 7 days: a later retry would count twice',
    cure: 'raise `DEDUPE_MEMORY_MIB` (20 bytes per id)',
  },
  funnel_memory: {
    means:
      'progress in saved funnels takes all of `FUNNEL_MEMORY_MIB`: completions of further users are told with the next report, not at once',
    cure: 'raise `FUNNEL_MEMORY_MIB` (up to 36 bytes per user), or delete saved funnels; no completion is lost, and reports stay exact',
  },
  event_names: {
    means:
      'there are nearly as many names of events as `EVENT_NAMES_MAX` permits; past it, events with new names are refused',
    cure: 'search for names that are made of ids (`GET /v1/names`); delete names, limit keys to known names, or raise `EVENT_NAMES_MAX`',
  },
  dictionaries: {
    means:
      'users or devices of a partition take more than its share of a quarter of memory, or its events or users have more than 2,000 names of properties or traits (counted in samples since the start); nothing is refused',
    cure: 'see which in `millrace_dictionary_alarm_ratio`; search for ids that are made at random and names that are made of ids (`GET /v1/properties`, `GET /v1/traits`); revoke the key, lower its rate, or add memory',
  },
  gap: {
    means: 'a producer skipped a number: the log lacks a message that may have been acknowledged',
    cure: 'keep `DATA_DIR` and the logs; check whether a backup was restored or the disk lost synced data',
  },
  log_lost: {
    means: 'the log lost messages that were already counted (power cut without sync, restored backup, deleted stream)',
    cure: 'no repair is needed: the partition continues with its snapshots and log, and clients that resend with `messageId` fill the gap; check `millrace_durability_info` and the disk',
  },
  moves: {
    means: 'events of anonymous users wait to be joined to their known users',
    cure: 'check `millrace_moves_waiting_seconds` and the partition that takes no entries; the events count as anonymous until then, and none is lost',
  },
  standing_still: {
    means:
      'a partition needs stored data that cannot be read, at a start or later: it answers 503, new events wait in its log, and the other partitions go on',
    cure: 'restore a backup and start again; check the disk',
  },
  damaged_part: {
    means: 'a part of a snapshot cannot be read: requests that need it are answered 503',
    cure: 'restore a backup; check the disk',
  },
  disk_nearly_full: {
    means: 'writes and deletions are refused until there is room',
    cure: 'free disk space; `millrace_disk_free_bytes` warns ahead',
  },
  store_fault: {
    means: 'nats-server cannot write',
    cure: 'on a full disk the service restarts it as soon as there is room; otherwise it tries three times: then check the disk, read `DATA_DIR/nats/server.log`, stop the service and restore a backup',
  },
  definitions_lost: {
    means:
      'keys, definitions (webhooks, saved funnels and reports, alerts, boards, segments), lines of the record or messages that waited for webhooks were stored and are missing, or cannot be read; it stays raised for a day',
    cure: 'the log and `/readyz` name them: stop the service and restore a backup, or create them again; check the disk',
  },
  partition_unowned: {
    means:
      'nobody has owned a partition for 17 s: live reads of its users are 503, new events wait in its log, and its reports grow old',
    cure: 'see *Members* under *Live load*: start processes with the role `partition`, or free those that are paused; check whether NATS stores anything',
  },
  membership_lost: {
    means:
      'other processes took one that folds for dead, and own its partitions: it was paused, or could not reach NATS; it stays raised for a day, or until that process stops',
    cure: 'nothing is lost, and it joined again by itself; check its machine for pauses (memory, suspended virtual machine) and its way to NATS',
  },
};
