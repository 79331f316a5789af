// Reports that count events, or measure a property of them.
import type {BucketedRange} from '../../actors/report/counts/buckets.js';
import type {Condition} from '../../actors/report/rows/condition.js';
import type {Measure} from '../../actors/report/rows/measures.js';
import type {Breakdown} from './breakdown.js';
import type {UserFilter} from './user-filter.js';

export interface CountsReportQuery extends BucketedRange {
  readonly report: 'counts';
  /** Absent: events of every name. */
  readonly events?: readonly string[];
  /** Whether the answer has `series` even for one event. */
  readonly isList?: boolean;
  /** Conditions that must all hold. */
  readonly where?: readonly Condition[];
  /** Absent: all users. */
  readonly users?: UserFilter;
  /** Absent: events are counted, and the answer has no values. */
  readonly measure?: Measure;
  /** The property whose numbers are measured. */
  readonly property?: string;
  readonly breakdown?: readonly Breakdown[];
}
