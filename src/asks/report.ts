// Questions to the report role, which answers them from published snapshots, and its answers.
import type {Position} from '../../actors/manifest.js';
import type {ThreadMeasures} from '../measures.js';
import type {ActiveReportQuery} from './active-users.js';
import type {ChangesAnswer, ChangesQuery} from './changes.js';
import type {CountsReportQuery} from './counts.js';
import type {EngagementReportQuery} from './engagement.js';
import type {ExportAnswer, ExportQuery} from './exports.js';
import type {FunnelPath, FunnelReportQuery} from './funnels.js';
import type {ListQuery, NameListQuery} from './lists.js';
import type {StalledQuery} from './stalled.js';
import type {UserListQuery} from './user-list.js';

/** Bounds are inclusive epoch ms: a date-only `to` is the last ms of its day. The caller checks them. */
export type ReportQuery =
  | CountsReportQuery
  | ActiveReportQuery
  | EngagementReportQuery
  | FunnelReportQuery
  | StalledQuery
  | NameListQuery
  | UserListQuery
  | ListQuery;

/** The query of one kind of report. */
export type QueryOf<R extends ReportQuery['report']> = Extract<ReportQuery, {report: R}>;

export type ReportQuestion =
  | {readonly ask: 'status'}
  | {readonly ask: 'measures'}
  /** Users from index `8 * fromByte` on who completed the funnel by all events of the partition's newest snapshot. */
  | {readonly ask: 'converted'; readonly partition: number; readonly funnel: FunnelPath; readonly fromByte: number}
  | {readonly ask: 'export'; readonly query: ExportQuery}
  | {readonly ask: 'changes'; readonly query: ChangesQuery}
  | {
      readonly ask: 'report';
      readonly query: ReportQuery;
      readonly ifNoneMatch?: string;
      /** `Report-Log-Position` of an earlier answer: the same snapshots answer. Absent: the newest ones. */
      readonly at?: string;
      /** Positions of writes (`Log-Position`) that the snapshots must include, and how long to wait for such snapshots. */
      readonly includes?: {readonly positions: string; readonly waitMs: number};
    };

export type ReportAnswer =
  | {
      readonly kind: 'status';
      readonly ready: boolean;
      readonly asOfMs: number | null;
      /** Number of parts that reports could not read since the start, by partition; partitions without any are left out. */
      readonly damagedParts: Readonly<Record<number, number>>;
      /**
       * Partitions whose newest snapshot does not agree with the others on which users moved; absent: none. `ready`: the last
       * snapshots that agreed answer.
       */
      readonly outdated?: readonly number[];
      /** How long a publication has waited for alerts, while they are late (src/alerts/alert-watch.ts). */
      readonly alertsLateMs?: number | undefined;
    }
  /** `asOfMs`: events up to this time are in all reports; null until every partition has published. */
  | {
      readonly kind: 'measures';
      readonly asOfMs: number | null;
      /** Number of unreadable parts by partition, as in `status`. */
      readonly damagedParts: Readonly<Record<number, number>>;
      /** As in `status`. */
      readonly alertsLateMs?: number | undefined;
      /** Questions that are computed, and that wait for their turn. */
      readonly atWork: {readonly running: number; readonly waiting: number};
      readonly thread: ThreadMeasures;
    }
  | {
      readonly kind: 'report';
      readonly headers: {
        readonly 'Report-As-Of': string;
        /** `<p>:<generation>.<sequence>,…` of every partition. */
        readonly 'Report-Log-Position': string;
        readonly ETag: string;
        readonly 'Report-Next-By': string;
        readonly 'Report-Incomplete-From'?: string;
        readonly 'Report-Retained-From'?: string;
        readonly 'Report-Hint'?: string;
      };
      /** JSON text of the answer; null when `ifNoneMatch` matched (304). */
      readonly body: string | null;
    }
  | {
      readonly kind: 'converted';
      /** Position of the snapshot. */
      readonly position: Position;
      /** Set of users, a bit each (actors/table/user-set.ts), from `fromByte` on, in base64. */
      readonly users: string;
      readonly hasMore: boolean;
    }
  | ExportAnswer
  | ChangesAnswer
  /** The snapshots of `at` are not available (any more). */
  | {readonly kind: 'snapshot_gone'}
  /**
   * `lacking`: partitions whose snapshot is older than `includes`. `nextByMs`: time by which the next snapshot is due, epoch
   * ms.
   */
  | {readonly kind: 'not_yet'; readonly lacking: readonly number[]; readonly nextByMs: number}
  /** The caller has too many questions that wait (src/pacing/dealt-slots.ts). */
  | {readonly kind: 'crowded'; readonly message: string}
  /** The question takes more computing than one may. */
  | {readonly kind: 'too_expensive'; readonly message: string}
  | {readonly kind: 'unavailable'; readonly message: string};
