// Funnels: their rules, the reports about them, the users at a step.
import type {BucketedRange} from '../../actors/report/counts/buckets.js';
import type {HistogramBounds} from '../../actors/report/funnel/duration-histogram.js';
import type {StepOrder} from '../../actors/report/funnel/path-rules.js';
import type {Condition} from '../../actors/report/rows/condition.js';
import type {Selector} from '../../actors/report/rows/row-choice.js';
import type {FunnelUserPlace} from '../funnel-users-cursor.js';
import type {Breakdown, BreakdownRow} from './breakdown.js';
import type {UserFilter} from './user-filter.js';

/** The step (from 1) whose event has the value, or the first or last event that has one. */
export type BreakdownAt = number | 'first' | 'last';

/** Events of a name that meet all conditions. */
export interface ChosenEvents {
  readonly event: string;
  readonly where?: readonly Condition[];
}

/** The paths through a funnel. */
export interface FunnelPath {
  readonly steps: readonly ChosenEvents[];
  /** Absent: `sequential`. */
  readonly order?: StepOrder | undefined;
  /** Conversion window in ms, inclusive, from the first event of the path. */
  readonly windowMs?: number | undefined;
  /** Conditions that every event must meet; other events are ignored. */
  readonly where?: readonly Condition[];
  /** Events that end a path between two steps; steps from 0. */
  readonly exclusions?: readonly (ChosenEvents & {readonly afterStep: number; readonly beforeStep: number})[];
}

/** What chooses the events of paths: steps, then exclusions, then for strict paths every event. */
export function funnelSelectors({steps, exclusions = [], order, where = []}: FunnelPath): readonly Selector[] {
  const named = [...steps, ...exclusions].map(({event, where: own = []}) => ({event, where: [...where, ...own]}));
  return order === 'strict' ? [...named, {where}] : named;
}

/** Who is in a funnel, and how far. */
export interface FunnelRules extends FunnelPath {
  readonly fromMs: number;
  readonly toMs: number;
  /** `entry`: only the entry must be in [fromMs, toMs]; its path may continue for the window. Absent: `all`. */
  readonly range?: 'all' | 'entry' | undefined;
  /** Absent: all users. */
  readonly users?: UserFilter;
  /** A property that must have the same value in all events of a path. */
  readonly hold?: string | undefined;
  readonly breakdown?: readonly Breakdown[] | undefined;
  /** Absent: 1. */
  readonly breakdownAt?: BreakdownAt;
}

/** Users at a step, from 1, or those of them in a row of the breakdown. */
export interface StepPoint {
  readonly step: number;
  /** `dropped`: users who reached the step before and not this one. */
  readonly outcome: 'reached' | 'dropped';
  readonly row?: readonly BreakdownRow[] | undefined;
}

export type FunnelReportQuery =
  /** A funnel with nothing but steps, a range and a window has fewer fields in its answer (src/report/questions/funnel.ts). */
  | ({
      readonly report: 'funnel';
      /** Absent: the answer has no histograms. */
      readonly histogram?: HistogramBounds | undefined;
      /** Absent: the answer has no percentiles. */
      readonly hasPercentiles?: true;
    } & FunnelRules &
      /** Buckets of the entries; absent: the answer has none. */
      Partial<Omit<BucketedRange, 'fromMs' | 'toMs'>>)
  /** Users whom a number of a funnel counts, with the times of their paths. */
  | ({
      readonly report: 'funnel-users';
      readonly point: StepPoint;
      readonly limit: number;
      /** Digest of the list's parameters: cursors of another list are refused. */
      readonly list: string;
      /** The last user of the previous page. */
      readonly after?: FunnelUserPlace;
    } & FunnelRules);
