// Reports of active users.
import type {BucketedRange} from '../../actors/report/counts/buckets.js';
import type {Selector} from '../../actors/report/rows/row-choice.js';
import type {Breakdown} from './breakdown.js';
import type {UserFilter} from './user-filter.js';

export type ActiveMetric = 'dau' | 'wau' | 'mau';

export interface ActiveReportQuery extends BucketedRange {
  readonly report: 'active';
  readonly metric: ActiveMetric;
  /** Start of each bucket's trailing window, epoch ms, for a zone's days and weeks. */
  readonly windows?: readonly number[];
  /** Events that make a user active. Absent: all. */
  readonly did?: Selector;
  /** Absent: all users. */
  readonly users?: UserFilter;
  readonly breakdown?: readonly Breakdown[];
}
