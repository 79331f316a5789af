// The only reader of clocks. All other code gets times as values, so that tests and replays decide them.

// The global `performance` is a getter, which the hot path would call at every read of the clock.
import {openSync, readSync} from 'node:fs';
import {performance} from 'node:perf_hooks';
import {isSystemError} from './system-file.js';

/** Epoch ms. May jump (NTP, an operator): for showing and for log time, never for measuring. */
export const wallMs = (): number => Date.now();

/** Ms since an arbitrary moment; never goes back. For durations, deadlines and rates. */
export const monotonicMs = (): number => performance.now();

/** Ms for which this thread was busy since it began: its loop did not wait. Waiting for a core counts as busy. */
export const threadBusyMs = (): number => performance.eventLoopUtilization().active;

/** A clock of the calling thread: ms of a core that it has used. Where the kernel does not tell, waiting for a core counts too. */
export function threadCpuClock(): () => number {
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const text = Buffer.alloc(64);
    // "RAN WAITED SLICES", in nanoseconds.
    const ranMs = (): number => parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10) / 1e6;
    return Number.isNaN(ranMs()) ? threadBusyMs : ranMs;
  } catch (error) {
    if (isSystemError(error)) return threadBusyMs;
    throw error;
  }
}
