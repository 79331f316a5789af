// The pace of folding: a thread that folds gives up its core for a moment at least once in each millisecond of it.
//   A thread that wakes while all cores are taken waits for the scheduler's next tick, 4 ms on many systems, whatever the
//   niceness of who is there; one that sleeps leaves its core at once. Folding is what nobody waits for at the moment, and
//   what takes a core for longest: acks, reports and pages wait for it.
//   FP1. A nap is as short as the system's shortest sleep, some 60 us.
//   FP2. There is none while folding is behind: then the machine has more to do than it can, and naps would only make that longer.
//   FP3. Behind or not, the thread's event loop has a turn every few milliseconds: a question for events that are folded already
//        does not wait until all is folded that was read before it. Near saturation that was a third of a second, once
//        more for each page.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {monotonicMs, wallMs} from '../clock.js';
import {TimeSlicer} from '../pacing/time-slicer.js';

/** FP1: at work, then asleep. */
const workMsMax = 1;
const napMs = 0.01;
/** FP3 */
const foldedMsMax = 4;
/** FP2. As the log tells the time: what edges with wrong clocks wrote may be folded with or without naps. */
const behindMsMax = 100;

/** What tells the time, and lets a thread rest. */
export interface FoldClock {
  /** Monotonic. */
  nowMs(): number;
  /** Epoch ms. */
  wallMs(): number;
  /** Puts the thread to sleep. */
  nap(ms: number): void;
  /** Resolves when what came meanwhile had its turn. */
  nextTurn(): Promise<unknown>;
}

const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const threadClock: FoldClock = {
  nowMs: monotonicMs,
  wallMs,
  nap: (ms) => void Atomics.wait(cell, 0, 0, ms),
  nextTurn,
};

/** One for a thread, whichever partitions it folds. */
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

  /** After each message; `logTimeMs`: when it was written, epoch ms. A promise is to be awaited before the next. */
  pauseIfDue(logTimeMs: number): Promise<void> | undefined {
    if (this.clock.wallMs() - logTimeMs <= behindMsMax) this.naps.pauseIfDue(); // FP2
    return this.turns.pauseIfDue(); // FP3
  }
}
