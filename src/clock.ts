// The only reader of clocks. Everything else is handed times, so that tests and replays decide what time it is.

import {readFileSync} from 'node:fs';
// The global of this name is a getter, which the hot path would call at every look at the clock.
import {performance} from 'node:perf_hooks';

/**
 * Test only (`npm run chaos -- clock`): a file that holds by how many ms the wall clock is wrong. Read at every call, so
 * that it can jump at any moment. No part of the configuration: nobody who runs the service sets it.
 */
const offsetFile = process.env.MILLRACE_TEST_CLOCK_OFFSET_FILE;

/** Epoch ms. May jump (NTP, an operator): for showing and for log time, never for measuring. */
export const wallMs: () => number =
  offsetFile === undefined ? () => Date.now() : () => Date.now() + Number(readFileSync(offsetFile, 'utf8'));

/** Ms since an arbitrary moment; never goes back. For durations, deadlines and rates. */
export const monotonicMs = (): number => performance.now();

/** Ms for which this thread was busy since it began: its loop did not wait for anything. What waits for a core is busy, too. */
export const threadBusyMs = (): number => performance.eventLoopUtilization().active;
