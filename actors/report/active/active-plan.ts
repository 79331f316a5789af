// The stretches of time that an active-users report unites, by metric and interval (docs/api/reports/active.md): trailing windows
// if the interval is shorter than the metric's unit, otherwise calendar buckets.
//   AP1. Elements of time: hours for hourly buckets (from rows), otherwise days (from daily sets). If edges of a zone lie
//        inside of these, elements are the stretches between edges (from rows).
//   AP2. Trailing windows look back before `from`. Nothing after `to` counts. `total` counts [from, to] alone.
//   AP3. The question brings the trailing windows of a zone's days and weeks: local days do not all have 24 hours.
import type {Interval} from '../../calendar.js';
import {dayMs, hourMs} from '../../limits.js';
import {lowerBound} from '../../order/search.js';
import type {Buckets} from '../counts/buckets.js';
import type {Stretch} from '../selection.js';
import {type Elements, elementsBetween} from './element-pairs.js';
import type {ElementWindows} from './sliding-users.js';

export type ActiveMetric = 'dau' | 'wau' | 'mau';

const metricDays: Record<ActiveMetric, number> = {dau: 1, wau: 7, mau: 30};
const trailingIntervals: Record<ActiveMetric, readonly Interval[]> = {
  dau: ['hour'],
  wau: ['hour', 'day'],
  mau: ['hour', 'day', 'week'],
};

/** Days in the trailing window that ends with each bucket; undefined if a bucket counts its own users only. */
export const trailingDays = (metric: ActiveMetric, interval: Interval): number | undefined =>
  trailingIntervals[metric].includes(interval) ? metricDays[metric] : undefined;

/** Division of time for a report from rows. */
export interface RowPlan extends Elements {
  /** Window of each bucket, in elements. */
  readonly windows: ElementWindows;
  /** A user active in this element or a later one was active in [from, to]. */
  readonly totalElement: number;
  /** The part of `from`'s element from `from` on, if that is not the whole element: its users are in the total, too. */
  readonly head: Stretch;
}

/** A plan whose elements are the stretches between instants. */
export interface StretchPlan extends RowPlan {
  /** Ascending, epoch ms. */
  readonly cuts: Float64Array;
}

/** A plan whose elements are UTC hours or days. */
export interface ActivePlan extends RowPlan {
  readonly elementMs: number;
  /** Element e is the (firstElement + e)-th hour or day of the epoch. */
  readonly firstElement: number;
  /** Calendar buckets only: whether `head` replaces element 0. Trailing windows count the whole element. */
  readonly headIsElement: boolean;
  /** The last element's share up to `to`, if `to` cuts it. If `from` cuts the same element, `head` is that share. */
  readonly tail: Stretch;
}

const nothing: Stretch = {startMs: 0, lastMs: -1};

export function isEmpty(stretch: Stretch): boolean {
  return stretch.lastMs < stretch.startMs;
}

const elementMsOf = ({interval}: Buckets): number => (interval === 'hour' ? hourMs : dayMs);

/** Window start of each bucket, epoch ms. `given`: starts that came with the question. AP3 */
export function windowStarts(
  {edges, interval, count}: Buckets,
  metric: ActiveMetric,
  given?: readonly number[],
): Float64Array {
  if (given !== undefined) return Float64Array.from(given);
  const days = trailingDays(metric, interval);
  return days === undefined ? edges.slice(0, count) : edges.slice(1).map((end) => end - days * dayMs);
}

/** Whether the report's elements are UTC hours or days. AP1 */
export function isOfWholeElements(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]): boolean {
  const elementMs = elementMsOf(buckets);
  const isWhole = (timeMs: number): boolean => timeMs % elementMs === 0;
  return buckets.edges.every(isWhole) && windowStarts(buckets, metric, given).every(isWhole);
}

/** Plan of a report whose edges are all whole hours or days. */
export function planActive(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]): ActivePlan {
  const {fromMs, toMs, edges, interval, count} = buckets;
  const elementMs = elementMsOf(buckets);
  const isTrailing = trailingDays(metric, interval) !== undefined;
  const windowsMs = windowStarts(buckets, metric, given);
  const fromElement = Math.floor(fromMs / elementMs);
  const firstElement = isTrailing ? windowsMs[0] / elementMs : fromElement;
  const elementCount = Math.floor(toMs / elementMs) - firstElement + 1;

  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let bucket = 0; bucket < count; bucket++) {
    starts[bucket] = Math.max(windowsMs[bucket] / elementMs - firstElement, 0);
    ends[bucket] = Math.min(edges[bucket + 1] / elementMs - firstElement, elementCount);
  }

  const cutsHead = fromMs % elementMs !== 0;
  const cutsTail = (toMs + 1) % elementMs !== 0;
  const headLastMs = Math.min((fromElement + 1) * elementMs - 1, toMs);
  const lastStartMs = (firstElement + elementCount - 1) * elementMs;
  return {
    elementMs,
    firstElement,
    elementCount,
    elementStart: (element) => (firstElement + element) * elementMs,
    elementAt: (timeMs) => Math.floor(timeMs / elementMs) - firstElement,
    windows: {starts, ends},
    totalElement: fromElement - firstElement + (cutsHead ? 1 : 0),
    head: cutsHead ? {startMs: fromMs, lastMs: headLastMs} : nothing,
    headIsElement: cutsHead && !isTrailing,
    tail: cutsTail ? {startMs: lastStartMs, lastMs: toMs} : nothing,
  };
}

/** Plan of a report whose elements are the stretches between its edges. `from` is an edge, so there is no head. */
export function planStretches(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]): StretchPlan {
  const {fromMs, edges, interval} = buckets;
  const isTrailing = trailingDays(metric, interval) !== undefined;
  const windowsMs = windowStarts(buckets, metric, given);
  if (!isTrailing) windowsMs[0] = Math.max(windowsMs[0], fromMs); // AP2
  const ends = edges.subarray(1);
  const cuts = Float64Array.from(new Set([...windowsMs, ...ends, fromMs])).sort();
  const placeOf = (timeMs: number): number => lowerBound(cuts, timeMs);
  return {
    ...elementsBetween(cuts),
    cuts,
    windows: {starts: Int32Array.from(windowsMs, placeOf), ends: Int32Array.from(ends, placeOf)},
    totalElement: placeOf(fromMs),
    head: nothing,
  };
}
