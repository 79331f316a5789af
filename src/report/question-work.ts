// The work on one question while it has a slot: when it pauses, and when it must stop.
//   QW1. It stops within a slice (5 ms) and the slices of others, once nobody waits for the answer.
//   QW2. It stops once it has taken as much of a core as one question may. Time in which the thread waited, also for a core, or
//        another question's slices, does not count: what is refused does not depend on what else the machine does.
import {threadCpuClock} from '../clock.js';
import type {Slot} from '../pacing/dealt-slots.js';
import {Stopped} from '../pacing/stop.js';

/** The question takes more of a core than one question may. */
export class TooExpensive extends Error {
  override name = 'TooExpensive';
}

/** The CPU time of this thread. Every slice belongs to the question that ends it. */
export class CpuTime {
  private readonly usedMs: () => number;
  private takenMs = 0;

  constructor(usedMs: () => number = threadCpuClock()) {
    this.usedMs = usedMs;
  }

  /** Ms that nobody has taken yet. */
  take(): number {
    const before = this.takenMs;
    this.takenMs = this.usedMs();
    return this.takenMs - before;
  }
}

export interface WorkBounds {
  readonly cpu: CpuTime;
  /** Infinity: no bound. */
  readonly cpuMsMax: number;
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
    bounds.cpu.take(); // What came before was others' work.
  }

  /** Ends a slice; resolves when the next one begins. @throws Stopped, TooExpensive */
  readonly nextSlice = async (): Promise<void> => {
    const {cpu, cpuMsMax} = this.bounds;
    this.takenMs += cpu.take();
    if (this.takenMs > cpuMsMax) throw new TooExpensive(tooExpensive(cpuMsMax));
    if (this.stop.aborted) throw new Stopped();
    await this.slot.nextSlice();
    if (this.stop.aborted) throw new Stopped();
  };
}

const tooExpensive = (cpuMsMax: number): string =>
  `this question takes more than the ${cpuMsMax / 1_000} s of computing that one question may (REPORT_CPU_SECONDS): ` +
  'ask for a shorter range, a longer interval, or fewer conditions, values and steps';
