// Loaded into the service by `--import`: how long the event loop of its main thread, the edge, kept others waiting.
//   The service's own metric looks every 20 ms, which costs nothing and sees a stall of 10 ms half the time, for half its
//   length. This one looks every millisecond (about 1 % of a core), and writes one line a second: the longest stall, what of
//   it the thread waited for a core, the longest that it was busy itself, and the longest garbage collection.
//   S1. A stall is the time between two looks beyond the period. In it the thread was ready and had no core (as the kernel's
//       scheduler counts it, to the nanosecond), or it was at work: its own part is all but the waiting. Time in which a
//       virtual machine itself had no core is in it, too.
//   S2. Nothing here waits for the disk.

import {appendFile, openSync, readSync} from 'node:fs';
import {PerformanceObserver, performance} from 'node:perf_hooks';
import {isMainThread} from 'node:worker_threads';
import {isSystemError} from '../../src/system-file.js';

export interface StallLine {
  /** Epoch ms. */
  readonly time: number;
  /** The longest, beyond the period of the timer. */
  readonly stallMs: number;
  /** What of that stall the thread waited for a core; null where the kernel does not tell. */
  readonly waitMs: number | null;
  /** The longest own part of any stall of the second (S1); null likewise. */
  readonly ownMs: number | null;
  readonly gcMs: number;
}

/** Names the file; the worker threads of the service inherit it, and the probe leaves them alone. */
export const stallFileVariable = 'BENCH_STALL_FILE';
const periodMs = 1;
const lineMs = 1_000;
const nsPerMs = 1e6;

/** How long this thread has waited for a core since it began, in ms; undefined where the kernel does not tell. */
function coreWaits(): (() => number) | undefined {
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r'); // CPU ns, waiting ns, how often it got a core
    const bytes = Buffer.alloc(128);
    return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ')[1]) / nsPerMs;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

class Second {
  stallMs = 0;
  waitMs = 0;
  ownMs = 0;
  gcMs = 0;

  add(stallMs: number, waitMs: number): void {
    this.ownMs = Math.max(this.ownMs, stallMs - waitMs);
    if (stallMs <= this.stallMs) return;
    this.stallMs = stallMs;
    this.waitMs = waitMs;
  }
}

const fail = (error: Error | null): void => {
  if (error !== null) throw error;
};

function watch(file: string): void {
  const waited = coreWaits();
  let second = new Second();
  let [lookedMs, waitedMs] = [performance.now(), waited?.() ?? 0];
  const look = (): void => {
    const [nowMs, allWaitedMs] = [performance.now(), waited?.() ?? 0];
    const stallMs = Math.max(0, nowMs - lookedMs - periodMs);
    second.add(stallMs, Math.min(stallMs, allWaitedMs - waitedMs));
    lookedMs = nowMs;
    waitedMs = allWaitedMs;
  };
  const write = (): void => {
    const {stallMs, waitMs, ownMs, gcMs} = second;
    const told = waited === undefined ? {waitMs: null, ownMs: null} : {waitMs, ownMs};
    const line: StallLine = {time: Date.now(), stallMs, ...told, gcMs};
    appendFile(file, `${JSON.stringify(line)}\n`, fail); // S2
    second = new Second();
  };
  const collections = new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) second.gcMs = Math.max(second.gcMs, duration);
  });
  collections.observe({entryTypes: ['gc']});
  setInterval(look, periodMs).unref();
  setInterval(write, lineMs).unref();
}

const file = process.env[stallFileVariable];
if (isMainThread && file !== undefined) watch(file);
