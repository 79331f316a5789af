// Questions to the service and its peers, as plain data: each side has its own words for them.

import {dayMs, type WorkloadOptions} from '../workload/events.js';

/** A long funnel of one visit: half of all events match one of its steps. */
export const funnelOf14 = [
  'session_started',
  'search_performed',
  'item_viewed',
  'item_added',
  'item_removed',
  'video_played',
  'form_submitted',
  'notification_opened',
  'file_uploaded',
  'comment_posted',
  'checkout_started',
  'settings_changed',
  'purchase_completed',
  'invite_sent',
] as const;
/** The worst funnel of its length: nearly all events match one of its steps. */
export const funnelOf14Frequent = [
  'page_viewed',
  'button_clicked',
  'search_performed',
  'item_viewed',
  'session_started',
  'form_submitted',
  'item_added',
  'video_played',
  'notification_opened',
  'item_removed',
  'file_uploaded',
  'comment_posted',
  'checkout_started',
  'signed_in',
] as const;

/** Bounds are inclusive epoch ms. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Users at each step; no conversion window. */
export interface FunnelQuestion extends TimeRange {
  readonly steps: readonly string[];
}

/** Events of one name and one property value, by day. */
export interface FilteredCountQuestion extends TimeRange {
  readonly event: string;
  readonly property: string;
  readonly value: string;
}

export type ActiveMetric = 'dau' | 'wau' | 'mau';

/** Distinct users by day: of the day itself, or of the 7 or 30 days that end with it. */
export interface ActiveQuestion extends TimeRange {
  readonly metric: ActiveMetric;
}

export const activeDays: Readonly<Record<ActiveMetric, number>> = {dau: 1, wau: 7, mau: 30};

const iso = (timeMs: number): string => encodeURIComponent(new Date(timeMs).toISOString());
const range = ({fromMs, toMs}: TimeRange): string => `from=${iso(fromMs)}&to=${iso(toMs)}`;

export function funnelPath(question: FunnelQuestion): string {
  return `/v1/reports/funnel?${question.steps.map((step) => `steps[]=${step}`).join('&')}&${range(question)}`;
}

export function filteredCountPath(question: FilteredCountQuestion): string {
  const filter = encodeURIComponent(`${question.property}=${question.value}`);
  return `/v1/reports/events?event=${question.event}&filter=${filter}&interval=day&${range(question)}`;
}

export function activePath(question: ActiveQuestion): string {
  return `/v1/reports/users?metric=${question.metric}&interval=day&${range(question)}`;
}

/** The whole time of the workload and some empty days around it: a different range for every number, with the same events. */
export function wholeRange({startMs, dayCount}: WorkloadOptions, number: number): TimeRange {
  return {fromMs: startMs - (number >> 3) * dayMs, toMs: startMs + (dayCount + (number & 7)) * dayMs - 1};
}
