// Loaded into the service by `--import`: how long the event loop of its main thread, the edge, kept others waiting.
//   The service's own metric looks every 20 ms, which costs nothing and sees a stall of 10 ms half the time, for half its
//   length. This one looks every millisecond, and writes one line a second: the longest stall and the longest garbage
//   collection of that second.

import {appendFileSync} from 'node:fs';
import {monitorEventLoopDelay, PerformanceObserver} from 'node:perf_hooks';
import {isMainThread} from 'node:worker_threads';

export interface StallLine {
  /** Epoch ms. */
  readonly time: number;
  /** Beyond the period of the timer. */
  readonly stallMs: number;
  readonly gcMs: number;
}

/** Names the file; the worker threads of the service inherit it, and the probe leaves them alone. */
export const stallFileVariable = 'BENCH_STALL_FILE';
const periodMs = 1;
const lineMs = 1_000;
const nsPerMs = 1e6;

function watch(file: string): void {
  const delays = monitorEventLoopDelay({resolution: periodMs});
  delays.enable();
  let gcMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) gcMs = Math.max(gcMs, duration);
  });
  collections.observe({entryTypes: ['gc']});
  const timer = setInterval(() => {
    const stallMs = Math.max(0, delays.max / nsPerMs - periodMs);
    appendFileSync(file, `${JSON.stringify({time: Date.now(), stallMs, gcMs} satisfies StallLine)}\n`);
    delays.reset();
    gcMs = 0;
  }, lineMs);
  timer.unref();
}

const file = process.env[stallFileVariable];
if (isMainThread && file !== undefined) watch(file);
