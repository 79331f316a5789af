// The people behind a number of a report: the question, and where the number is in its answer.
import type {Stage} from '../../actors/report/engagement/lifecycle.js';
import type {PathNode} from '../../actors/report/engagement/paths.js';
import type {ActiveReportQuery} from './active-users.js';
import type {BreakdownRow} from './breakdown.js';
import type {CountsReportQuery} from './counts.js';
import type {EngagementReportQuery} from './engagement.js';
import type {FunnelReportQuery} from './funnels.js';

export type CountingQuery =
  | CountsReportQuery
  | ActiveReportQuery
  | EngagementReportQuery
  | Extract<FunnelReportQuery, {report: 'funnel'}>;

/** Which number of an answer. Who makes it knows the members that are of a kind of report. */
export interface Point {
  /** One of several series of counts. */
  readonly event?: string | undefined;
  /** Index of a bucket, or of a cohort. Absent: the number of the whole range. */
  readonly bucket?: number | undefined;
  /** The row of each breakdown. Absent: the number is of the series without a breakdown. */
  readonly row?: readonly BreakdownRow[] | undefined;
  /** Step of a funnel or of paths, from 1. */
  readonly step?: number | undefined;
  /** `returned` and `member` are outcomes of retention, the others of a funnel. */
  readonly outcome?: 'reached' | 'dropped' | 'undecided' | 'returned' | 'member' | undefined;
  /** Start of a bin of the step's histogram, ms. */
  readonly binMs?: number | undefined;
  /** Period of retention, from 0. Absent: the number is the size of the cohort. */
  readonly period?: number | undefined;
  /** Part of a lifecycle bucket. Absent: the number is of all its users. */
  readonly stage?: Stage | undefined;
  /** Number of active buckets, for stickiness. Absent: the number is the total. */
  readonly buckets?: number | undefined;
  /** Event of a path at `step`. With `to`: where the edge begins. */
  readonly from?: PathNode | undefined;
  readonly to?: PathNode | undefined;
}

export interface Behind {
  readonly query: CountingQuery;
  readonly point: Point;
}
