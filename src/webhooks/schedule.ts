// Times of retries, of probes and of the end of a failing endpoint.
//   SC1. The times are those of Standard Webhooks: ten attempts within some three days.
//   SC2. An endpoint that failed often is probed with one delivery at a time and a pause after each: it takes no sockets from others.
//   SC3. Times of attempts are stored by the clock of the day. If it goes back, one may seem further ahead than its pause was long: it
//        has come.
import {must} from '../../actors/invariant.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Pause before each attempt, after the attempt before it. SC1 */
const retryDelaysMs = [
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
/** Time without a success after which an endpoint is disabled. */
export const disabledAfterMs = 5 * day;
const retryAfterMsMin = second;
const retryAfterMsMax = day;

/** Pause after attempt number `attempt`, from 1; undefined: it was the last. `chance`: from 0 to 1. */
export function retryDelayMs(attempt: number, chance: number): number | undefined {
  const delayMs = retryDelaysMs[attempt];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 - jitter + 2 * jitter * chance));
}

/** Pause before the next probe, after `failures` failures in a row. */
export function probeDelayMs(failures: number, chance: number): number {
  const attempt = Math.min(Math.max(1, failures - probedAfter + 1), attemptsMax - 1);
  return must(retryDelayMs(attempt, chance), 'a probe has a delay');
}

/** Clocks of two processes may differ by this. */
const skewMs = minute;

/** Longest pause before the next probe, after `failures` failures in a row. */
export const probeDelayMsMax = (failures: number): number => probeDelayMs(failures, 1);

/** Whether the time has come that was set at most `waitMs` ahead. SC3 */
export const hasCome = (timeMs: number, waitMs: number, nowMs: number): boolean =>
  nowMs >= timeMs || timeMs - nowMs > waitMs + skewMs;

/** Pause that a `Retry-After` header asks for, within bounds; undefined for an invalid text. */
export function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const askedMs = /^\d{1,15}$/.test(text) ? Number(text) * second : dateOf(text) - nowMs;
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(askedMs, retryAfterMsMin), retryAfterMsMax);
}

/** Epoch ms of an HTTP date. `Date.parse` alone accepts other texts, such as `-1`. */
const dateOf = (text: string): number =>
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
