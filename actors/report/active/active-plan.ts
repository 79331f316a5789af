// Which stretches of time an active-users report unites, by the table "metric x interval" of docs/api.md: trailing windows
// while the interval is shorter than the metric's own unit, otherwise the calendar buckets themselves.
//   AP1. Time is cut into elements: hours for hourly buckets (from rows), days otherwise (from the daily sets).
//   AP2. Trailing windows look back before `from`; nothing after `to` counts; `total` counts [from, to] alone.
import type {Interval} from '../../calendar.js';
import {dayMs, hourMs} from '../../limits.js';
import type {Buckets} from '../counts/buckets.js';
import type {Stretch} from '../selection.js';
import type {ElementWindows} from './sliding-users.js';

export type ActiveMetric = 'dau' | 'wau' | 'mau';

const metricDays: Record<ActiveMetric, number> = {dau: 1, wau: 7, mau: 30};
const trailingIntervals: Record<ActiveMetric, readonly Interval[]> = {
  dau: ['hour'],
  wau: ['hour', 'day'],
  mau: ['hour', 'day', 'week'],
};

export interface ActivePlan {
  readonly elementMs: number;
  /** Element e is the (firstElement + e)-th hour or day of the epoch. */
  readonly firstElement: number;
  readonly elementCount: number;
  /** Of each bucket, in elements. */
  readonly windows: ElementWindows;
  /** Everybody active in this element or a later one was active in [from, to]. */
  readonly totalElement: number;
  /** From `from` to the end of its element, when that is not the whole element: its users are in the total too. */
  readonly head: Stretch;
  /** With calendar buckets, what element 0 is when `head` is not empty; trailing windows see all of it. */
  readonly headIsElement: boolean;
  /** The last element's share, when `to` cuts it. Where `from` cuts the same element too, `head` is that element. */
  readonly tail: Stretch;
}

const nothing: Stretch = {startMs: 0, lastMs: -1};

export function isEmpty(stretch: Stretch): boolean {
  return stretch.lastMs < stretch.startMs;
}

export function planActive(buckets: Buckets, metric: ActiveMetric): ActivePlan {
  const {fromMs, toMs, edges, interval, count} = buckets;
  const elementMs = interval === 'hour' ? hourMs : dayMs;
  const isTrailing = trailingIntervals[metric].includes(interval);
  const windowElements = (metricDays[metric] * dayMs) / elementMs;
  const fromElement = Math.floor(fromMs / elementMs);
  const firstElement = isTrailing ? edges[1] / elementMs - windowElements : fromElement;
  const elementCount = Math.floor(toMs / elementMs) - firstElement + 1;

  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let bucket = 0; bucket < count; bucket++) {
    const end = edges[bucket + 1] / elementMs - firstElement;
    const start = isTrailing ? end - windowElements : edges[bucket] / elementMs - firstElement;
    starts[bucket] = Math.max(start, 0);
    ends[bucket] = Math.min(end, elementCount);
  }

  const cutsHead = fromMs % elementMs !== 0;
  const cutsTail = (toMs + 1) % elementMs !== 0;
  const headLastMs = Math.min((fromElement + 1) * elementMs - 1, toMs);
  const lastStartMs = (firstElement + elementCount - 1) * elementMs;
  return {
    elementMs,
    firstElement,
    elementCount,
    windows: {starts, ends},
    totalElement: fromElement - firstElement + (cutsHead ? 1 : 0),
    head: cutsHead ? {startMs: fromMs, lastMs: headLastMs} : nothing,
    headIsElement: cutsHead && !isTrailing,
    tail: cutsTail ? {startMs: lastStartMs, lastMs: toMs} : nothing,
  };
}
