// When a delivery is tried again, and what becomes of an endpoint that fails.
//   SC1. The times are those of Standard Webhooks: ten attempts within some three days.
//   SC2. An endpoint that failed often is probed with one delivery at a time, and rests in between: it costs nobody else.
import {must} from '../../actors/invariant.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** From the attempt before; the first is made at once. SC1 */
export const retryDelaysMs = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;
export const attemptsMax = retryDelaysMs.length;
const jitter = 0.1;

/** Failures in a row after which an endpoint is probed. SC2 */
export const probedAfter = 20;
/** Without a success. */
export const disabledAfterMs = 5 * day;
const retryAfterMsMin = second;
const retryAfterMsMax = day;

/** Pause before attempt `attempt` + 1, from 1; undefined: there is none. `chance`: from 0 to 1. */
export function retryDelayMs(attempt: number, chance: number): number | undefined {
  const delayMs = retryDelaysMs[attempt];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 - jitter + 2 * jitter * chance));
}

/** Pause before the next probe, after so many failures in a row. */
export function probeDelayMs(failures: number, chance: number): number {
  const attempt = Math.min(Math.max(1, failures - probedAfter + 1), attemptsMax - 1);
  return must(retryDelayMs(attempt, chance), 'a probe has a delay');
}

/** What `Retry-After` asks for, within its bounds; undefined for a text that asks for nothing. */
export function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const askedMs = /^\d{1,15}$/.test(text) ? Number(text) * second : dateOf(text) - nowMs;
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(askedMs, retryAfterMsMin), retryAfterMsMax);
}

/** An HTTP date alone: `Date.parse` takes much else, `-1` for one. */
const dateOf = (text: string): number =>
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
