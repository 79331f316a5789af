// The pace of folding: a folding thread yields its core at least once a millisecond.
//   A thread that wakes while all cores are busy waits for the scheduler's next tick (4 ms on many systems), whatever the
//   niceness of the running threads; a thread that sleeps frees its core at once. No caller waits for folding, which uses a
//   core longest, while acks, reports and pages wait for a core.
//   FP1. A nap is as short as the system's shortest sleep, some 60 us.
//   FP2. No naps while folding is behind: the machine is saturated, and naps would only make it later.
//   FP3. Behind or not, the event loop runs every few milliseconds, so that a question about folded events does not wait for
//        the messages read after them: near saturation that took a third of a second for each page.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {monotonicMs, wallMs} from '../clock.js';
import {TimeSlicer} from '../pacing/time-slicer.js';

/** Ms of work before a nap, and the nap. FP1 */
const workMsMax = 1;
const napMs = 0.01;
/** Ms of folding before the event loop runs. FP3 */
const foldedMsMax = 4;
/** Lag beyond which there are no naps, by log time. Edges with wrong clocks only cause or prevent naps. FP2 */
const behindMsMax = 100;

/** The clock and the pauses of a thread. */
export interface FoldClock {
  /** Monotonic ms. */
  nowMs(): number;
  /** Epoch ms. */
  wallMs(): number;
  /** Puts the thread to sleep. */
  nap(ms: number): void;
  /** Resolves after one run of the event loop. */
  nextTurn(): Promise<unknown>;
}

const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const threadClock: FoldClock = {
  nowMs: monotonicMs,
  wallMs,
  nap: (ms) => void Atomics.wait(cell, 0, 0, ms),
  nextTurn,
};

/** Pace of a thread, over all partitions that it folds. */
export class FoldPace {
  private readonly clock: FoldClock;
  private readonly naps: TimeSlicer;
  private readonly turns: TimeSlicer;

  constructor(clock: FoldClock = threadClock) {
    this.clock = clock;
    const nowMs = () => clock.nowMs();
    const nap = (): undefined => void clock.nap(napMs);
    this.naps = new TimeSlicer({sliceMs: workMsMax, nowMs, between: nap});
    this.turns = new TimeSlicer({sliceMs: foldedMsMax, nowMs, between: () => clock.nextTurn()});
  }

  /** Call it after each message, and await a returned promise before the next. `logTimeMs`: time of the message, epoch ms. */
  pauseIfDue(logTimeMs: number): Promise<void> | undefined {
    if (this.clock.wallMs() - logTimeMs <= behindMsMax) this.naps.pauseIfDue(); // FP2
    return this.turns.pauseIfDue(); // FP3
  }
}
