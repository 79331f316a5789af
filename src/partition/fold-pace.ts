// The pace of folding: a thread that folds gives up its core for a moment at least once in each millisecond of it.
//   A thread that wakes while all cores are taken waits for the scheduler's next tick, 4 ms on many systems, whatever the
//   niceness of who is there; one that sleeps leaves its core at once. Folding is what nobody waits for at the moment, and
//   what takes a core for longest: acks, reports and pages wait for it.
//   FP1. A rest is as short as the system's shortest sleep, some 60 us.
//   FP2. Not while folding is behind: then the machine has more to do than it can, and rests would only make that longer.
//   FP3. Behind or not, the thread's event loop has a turn every few milliseconds: a question for events that are folded already
//        does not wait until all is folded that was read before it. Near saturation that was a third of a second, once
//        more for each page.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {monotonicMs, wallMs} from '../clock.js';

/** FP1: at work, then at rest. */
const workMsMax = 1;
const restMs = 0.01;
/** FP3 */
const foldedMsMax = 4;
/** FP2. As the log tells the time: what edges with wrong clocks wrote may be folded with or without rests. */
const behindMsMax = 100;

/** What tells the time, and lets a thread rest. */
export interface FoldClock {
  /** Monotonic. */
  nowMs(): number;
  /** Epoch ms. */
  wallMs(): number;
  /** Puts the thread to sleep. */
  rest(ms: number): void;
  /** Resolves when what came meanwhile had its turn. */
  nextTurn(): Promise<unknown>;
}

const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const threadClock: FoldClock = {
  nowMs: monotonicMs,
  wallMs,
  rest: (ms) => void Atomics.wait(cell, 0, 0, ms),
  nextTurn,
};

/** Of a thread, whichever partitions it folds. */
export class FoldPace {
  private readonly clock: FoldClock;
  private restedMs = 0;
  private turnedMs = 0;

  constructor(clock: FoldClock = threadClock) {
    this.clock = clock;
  }

  /** Behind each message; `logTimeMs`: when it was written, epoch ms. The promise is to be waited for. */
  turn(logTimeMs: number): Promise<void> | undefined {
    const {clock} = this;
    if (clock.nowMs() - this.restedMs >= workMsMax && clock.wallMs() - logTimeMs <= behindMsMax) {
      clock.rest(restMs);
      this.restedMs = clock.nowMs();
    }
    return clock.nowMs() - this.turnedMs >= foldedMsMax ? this.loopTurn() : undefined;
  }

  /** FP3 */
  private async loopTurn(): Promise<void> {
    await this.clock.nextTurn();
    this.turnedMs = this.clock.nowMs();
  }
}
