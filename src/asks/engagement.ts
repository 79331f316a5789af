// Reports of how users come back: retention, lifecycle, stickiness, paths.
import type {BucketedRange} from '../../actors/report/counts/buckets.js';
import type {PathDirection} from '../../actors/report/engagement/paths.js';
import type {RetentionInterval, RetentionRules} from '../../actors/report/engagement/retention.js';
import type {Condition} from '../../actors/report/rows/condition.js';
import type {Selector} from '../../actors/report/rows/row-choice.js';
import type {Breakdown} from './breakdown.js';
import type {UserFilter} from './user-filter.js';

/** `users`: absent: all of them. */
export type EngagementReportQuery =
  /** Cohorts of [from, to] and their returns. */
  | (BucketedRange &
      RetentionRules & {
        readonly report: 'retention';
        readonly interval: RetentionInterval;
        /** Ends of the `periods` - 1 buckets after the last cohort's. */
        readonly laterEnds: readonly number[];
        readonly start: Selector;
        readonly return: Selector;
        readonly users?: UserFilter;
        readonly breakdown?: readonly Breakdown[];
      })
  | (BucketedRange & {
      readonly report: 'lifecycle';
      /** Start of the bucket before the first, whose start is `fromMs`. */
      readonly beforeMs: number;
      readonly did: Selector;
      readonly users?: UserFilter;
    })
  | (BucketedRange & {
      readonly report: 'stickiness';
      /** Users of k or more buckets, instead of exactly k. */
      readonly isAtLeast: boolean;
      readonly did: Selector;
      readonly users?: UserFilter;
    })
  | {
      readonly report: 'paths';
      /** Each user's first event of this name and the events after it, or the last one and the events before it. */
      readonly event: string;
      readonly direction: PathDirection;
      readonly fromMs: number;
      readonly toMs: number;
      /** Conditions on every event of a path. */
      readonly where: readonly Condition[];
      readonly users?: UserFilter;
      readonly depth: number;
      /** Number of edges shown for each step. */
      readonly limit: number;
    };
