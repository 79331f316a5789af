// The stretches of time that a report of active users unites, by metric and interval (docs/api/reports/active.md): trailing windows
// if the interval is shorter than the metric's unit, otherwise calendar buckets.
//   AP1. Elements are the stretches between all edges of windows, so a window is a run of whole elements.
//   AP2. Trailing windows look back before `from`. Nothing after `to` counts. `total` counts [from, to] alone.
//   AP3. The question brings the trailing windows of a zone's days and weeks: local days do not all have 24 hours.
import type {Interval} from '../../calendar.js';
import {dayMs} from '../../limits.js';
import {lowerBound} from '../../order/search.js';
import type {Buckets} from '../counts/buckets.js';

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

/** Windows over elements: window w is [starts[w], ends[w]); both bounds never decrease. */
export interface ElementWindows {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export interface ActivePlan {
  /** Start of each element, and the end of the last; ascending, epoch ms. */
  readonly edges: Float64Array;
  /** Window of each bucket. */
  readonly windows: ElementWindows;
  /** Users of this element and later ones are in the total. */
  readonly totalElement: number;
}

/** Window start of each bucket, epoch ms. `given`: starts that came with the question. AP3 */
export function windowStarts(
  {edges, interval, count, fromMs}: Buckets,
  metric: ActiveMetric,
  given?: readonly number[],
): Float64Array {
  if (given !== undefined) return Float64Array.from(given);
  const days = trailingDays(metric, interval);
  if (days !== undefined) return edges.slice(1).map((end) => end - days * dayMs);
  const starts = edges.slice(0, count);
  starts[0] = fromMs; // AP2
  return starts;
}

export function planActive(buckets: Buckets, metric: ActiveMetric, given?: readonly number[]): ActivePlan {
  const starts = windowStarts(buckets, metric, given);
  const ends = buckets.edges.subarray(1);
  const edges = Float64Array.from(new Set([...starts, ...ends, buckets.fromMs])).sort();
  const placeOf = (timeMs: number): number => lowerBound(edges, timeMs);
  return {
    edges,
    windows: {starts: Int32Array.from(starts, placeOf), ends: Int32Array.from(ends, placeOf)},
    totalElement: placeOf(buckets.fromMs),
  };
}
