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
  /** Absent: the unbroken series. */
  readonly row?: BreakdownRow | undefined;
  /** Of a funnel or of paths, from 1. */
  readonly step?: number | undefined;
  /** The last two are of retention. */
  readonly outcome?: 'reached' | 'dropped' | 'undecided' | 'returned' | 'member' | undefined;
  /** Start of a bin of the step's histogram, ms. */
  readonly binMs?: number | undefined;
  /** Of retention; absent: the size of the cohort. */
  readonly period?: number | undefined;
  /** Of lifecycle; absent: all of the bucket. */
  readonly stage?: Stage | undefined;
  /** Of stickiness; absent: all. */
  readonly buckets?: number | undefined;
  /** Of paths. With `to` the edge between both. */
  readonly from?: PathNode | undefined;
  readonly to?: PathNode | undefined;
}

export interface Behind {
  readonly query: CountingQuery;
  readonly point: Point;
}
