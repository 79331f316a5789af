// Replaces time, random numbers and thread-pool work of this process: importing this module first simulates the world. The real
// code is unchanged, needs no seam, and imports what it always imports.
//   V1. The real world settles nothing that simulated code awaits: the timeline runs timers, and zlib answers at once.
//   V2. So when no microtask is left (`settled`), everything that can happen at this virtual time has happened.
import crypto from 'node:crypto';
import {syncBuiltinESMExports} from 'node:module';
import timersPromises from 'node:timers/promises';
import zlib from 'node:zlib';

export interface VirtualTimer {
  isCancelled: boolean;
}

/** The world that the replaced functions ask. */
export interface VirtualWorld {
  readonly nowMs: number;
  after(ms: number, run: () => void): VirtualTimer;
  randomBytes(count: number): Buffer;
}

/** Wall time of virtual time 0: a day before a month ends, some minutes before an hour ends. */
const wallOriginMs = Date.UTC(2026, 0, 30, 23, 50);

let world: VirtualWorld | undefined;
const realImmediate = globalThis.setImmediate;
const realPerformanceNow = performance.now.bind(performance);

export function enterWorld(next: VirtualWorld): void {
  world = next;
}

/** Ms of the real clock, for figures about the simulation. */
export const realMs = (): number => realPerformanceNow();

/** Resolves when no microtask is left. V2 */
export const settled = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

function here(): VirtualWorld {
  if (world === undefined) throw new Error('simulated code ran outside of a simulated world');
  return world;
}

const later = (ms: number | undefined, run: () => void): VirtualTimer => here().after(Math.max(ms ?? 0, 0), run);
const cancel = (timer: VirtualTimer | undefined): void => {
  if (timer !== undefined) timer.isCancelled = true;
};

type Callback = (...args: unknown[]) => void;

function repeated(ms: number, run: Callback): VirtualTimer {
  const all: VirtualTimer = {isCancelled: false};
  const again = (): void => {
    if (all.isCancelled) return;
    later(ms, again);
    run();
  };
  later(ms, again);
  return all;
}

Object.assign(globalThis, {
  setTimeout: (run: Callback, ms?: number, ...args: unknown[]) => later(ms, () => run(...args)),
  setImmediate: (run: Callback, ...args: unknown[]) => later(0, () => run(...args)),
  setInterval: (run: Callback, ms: number) => repeated(ms, run),
  clearInterval: cancel,
  clearTimeout: cancel,
  clearImmediate: cancel,
});
Date.now = () => wallOriginMs + Math.floor(here().nowMs);
performance.now = () => here().nowMs;
performance.eventLoopUtilization = () => busyLoop();

Object.assign(timersPromises, {
  setTimeout: (ms?: number) => new Promise<void>((resolve) => later(ms, resolve)),
  setImmediate: () => new Promise<void>((resolve) => later(0, resolve)),
});
Object.assign(crypto, {randomBytes: (count: number) => here().randomBytes(count)});
Object.assign(zlib, {gunzip: gunzipAtOnce});
syncBuiltinESMExports();

let busyMs = 0;
/** A loop that was busy for some ms since the last reading: background work that throttles then does. */
const busyLoop = () => ({idle: 0, active: (busyMs += 5), utilization: 1});

/** Without the thread pool, whose answers come at any time. V1 */
function gunzipAtOnce(
  bytes: Uint8Array,
  options: zlib.ZlibOptions,
  done: (error: Error | null, inflated?: Buffer) => void,
): void {
  let inflated: Buffer;
  try {
    inflated = zlib.gunzipSync(bytes, options);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, inflated);
}
