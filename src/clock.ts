// The only reader of clocks. Everything else is handed times, so that tests and replays decide what time it is.

// The global of this name is a getter, which the hot path would call at every look at the clock.
import {performance} from 'node:perf_hooks';

/** Epoch ms. May jump (NTP, an operator): for showing and for log time, never for measuring. */
export const wallMs = (): number => Date.now();

/** Ms since an arbitrary moment; never goes back. For durations, deadlines and rates. */
export const monotonicMs = (): number => performance.now();

/** Ms for which this thread was busy since it began: its loop did not wait for anything. What waits for a core is busy, too. */
export const threadBusyMs = (): number => performance.eventLoopUtilization().active;
