// Reports of active users.
import type {BucketedRange} from '../../actors/report/counts/buckets.js';
import type {Condition} from '../../actors/report/rows/condition.js';
import type {Selector} from '../../actors/report/rows/row-choice.js';
import type {Breakdown} from './breakdown.js';

export type ActiveMetric = 'dau' | 'wau' | 'mau';

export type ActiveReportQuery =
  | (BucketedRange & {
      readonly report: 'users';
      readonly metric: ActiveMetric;
      /** Start of each bucket's trailing window, epoch ms, for a zone's days and weeks. */
      readonly windows?: readonly number[];
      /**
       * Start of each day of a zone, from 29 days before the range, and the end of the last; absent when there are more days
       * than a table holds.
       */
      readonly days?: readonly number[];
    })
  /** Users active in an event that rows must answer. */
  | (BucketedRange & {
      readonly report: 'activity';
      readonly metric: ActiveMetric;
      /** Start of each bucket's trailing window, as in `users`. */
      readonly windows?: readonly number[];
      readonly did: Selector;
      /** Conditions on the users' current traits. */
      readonly userWhere: readonly Condition[];
      readonly breakdown?: Breakdown;
    });
