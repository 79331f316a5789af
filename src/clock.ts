// The only reader of clocks. All other code gets times as values, so that tests and replays decide them.

// The global `performance` is a getter, which the hot path would call at every read of the clock.
import {performance} from 'node:perf_hooks';

/** Epoch ms. May jump (NTP, an operator): for showing and for log time, never for measuring. */
export const wallMs = (): number => Date.now();

/** Ms since an arbitrary moment; never goes back. For durations, deadlines and rates. */
export const monotonicMs = (): number => performance.now();

/** Ms for which this thread was busy since it began: its loop did not wait. Waiting for a core counts as busy. */
export const threadBusyMs = (): number => performance.eventLoopUtilization().active;
