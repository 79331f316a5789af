// What reports answer, and how fresh an answer is: the shapes of the API (API.md, Reports).
import type {Interval} from '../../../actors/calendar.js';

export interface Bucket {
  /** When it begins: `2026-11-03`, for hours `2026-11-03T14:00:00Z`. */
  readonly date: string;
  readonly count: number;
}

export interface CountsAnswer {
  readonly event: string;
  readonly interval: Interval;
  readonly data: readonly Bucket[];
  readonly total: number;
}

export interface UsersAnswer {
  readonly metric: 'dau' | 'wau' | 'mau';
  readonly interval: Interval;
  readonly data: readonly Bucket[];
  /** Distinct users of the whole range. */
  readonly total: number;
}

export interface FunnelStep {
  readonly event: string;
  readonly count: number;
  readonly conversion_rate: number;
  readonly step_conversion_rate: number;
  readonly drop_off: number;
  readonly median_seconds: number | null;
}

export interface FunnelAnswer {
  readonly steps: readonly FunnelStep[];
  readonly conversion_rate: number;
  readonly total: number;
}

export interface ListedName {
  readonly name: string;
  readonly count: number;
  readonly first_seen: string;
  readonly last_seen: string;
}

export interface NamesAnswer {
  readonly data: readonly ListedName[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export interface Freshness {
  /** The answer has every event that was acknowledged before. Epoch ms. */
  readonly asOfMs: number;
  readonly nextByMs: number;
  /** Of each partition's log: `0:1.17,1:1.20`. */
  readonly position: string;
}

/** Undefined for an answer that is no report. */
export function freshnessOf(headers: Headers | undefined): Freshness | undefined {
  const asOf = headers?.get('Report-As-Of');
  if (headers === undefined || asOf === null || asOf === undefined) return undefined;
  return {
    asOfMs: Date.parse(asOf),
    nextByMs: Date.parse(headers.get('Report-Next-By') ?? asOf),
    position: headers.get('Report-Log-Position') ?? '',
  };
}

/** That of the oldest: what can be said of all of them together. */
export function oldest(all: readonly (Freshness | undefined)[]): Freshness | undefined {
  return all
    .filter((one) => one !== undefined)
    .reduce<Freshness | undefined>(
      (least, one) => (least === undefined || one.asOfMs < least.asOfMs ? one : least),
      undefined,
    );
}

/** Index of the first bucket that is not over; undefined when all of them are. */
export function openFrom(data: readonly Bucket[], headers: Headers | undefined): number | undefined {
  const from = headers?.get('Report-Incomplete-From');
  if (from === null || from === undefined) return undefined;
  const at = data.findIndex(({date}) => date >= from);
  return at < 0 ? undefined : at;
}
