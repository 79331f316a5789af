// The work on one question while it has a slot: when it pauses, and when it must stop.
//   QW1. It stops within a slice (5 ms) and the slices of others, once nobody waits for the answer.
//   QW2. It stops once it has taken as much of the thread as one question may. Time in which the thread did nothing, or another
//        question's slices, does not count.
import {performance} from 'node:perf_hooks';
import type {Slot} from '../pacing/dealt-slots.js';
import {Stopped} from '../pacing/stop.js';

/** The question takes more of the thread than one question may. */
export class TooExpensive extends Error {
  override name = 'TooExpensive';
}

/** The time in which this thread was busy. Every slice belongs to the question that ends it. */
export class BusyTime {
  private readonly busyMs: () => number;
  private takenMs = 0;

  /** `busyMs`: ms since some moment in which the thread did not wait for events. */
  constructor(busyMs: () => number = () => performance.eventLoopUtilization().active) {
    this.busyMs = busyMs;
  }

  /** Busy ms that nobody has taken yet. */
  take(): number {
    const before = this.takenMs;
    this.takenMs = this.busyMs();
    return this.takenMs - before;
  }
}

export interface WorkBounds {
  readonly busy: BusyTime;
  /** Infinity: no bound. */
  readonly busyMsMax: number;
}

export class QuestionWork {
  private readonly slot: Slot;
  private readonly stop: AbortSignal;
  private readonly bounds: WorkBounds;
  private takenMs = 0;

  constructor(slot: Slot, stop: AbortSignal, bounds: WorkBounds) {
    this.slot = slot;
    this.stop = stop;
    this.bounds = bounds;
    bounds.busy.take(); // What came before was others' work.
  }

  /** Ends a slice; resolves when the next one begins. @throws Stopped, TooExpensive */
  readonly nextSlice = async (): Promise<void> => {
    const {busy, busyMsMax} = this.bounds;
    this.takenMs += busy.take();
    if (this.takenMs > busyMsMax) throw new TooExpensive(tooExpensive(busyMsMax));
    if (this.stop.aborted) throw new Stopped();
    await this.slot.nextSlice();
    if (this.stop.aborted) throw new Stopped();
  };
}

const tooExpensive = (busyMsMax: number): string =>
  `this question takes more than the ${busyMsMax / 1_000} s of computing that one question may (REPORT_CPU_SECONDS): ` +
  'ask for a shorter range, a longer interval, or fewer conditions, values and steps';
