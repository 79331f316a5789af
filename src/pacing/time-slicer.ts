// Long work in slices: when one has lasted long enough, the thread does something else, or rests, before the next.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {monotonicMs} from '../clock.js';

interface Slicing {
  /** How long a slice lasts, by `nowMs`. */
  readonly sliceMs?: number;
  /** By default the monotonic clock. */
  readonly nowMs?: () => number;
  /**
   * What comes between two slices, the first of which took `workedMs`; undefined: it is done. By default a turn of the event loop:
   * the thread answers what came meanwhile.
   */
  readonly between?: (workedMs: number) => Promise<unknown> | undefined;
}

/** A scan folds about a million rows in 5 ms; a turn of the loop costs some 10 us. */
const scanMs = 5;

export class TimeSlicer {
  private readonly sliceMs: number;
  private readonly nowMs: () => number;
  private readonly between: (workedMs: number) => Promise<unknown> | undefined;
  private startedMs: number;

  constructor({sliceMs = scanMs, nowMs = monotonicMs, between = () => nextTurn()}: Slicing = {}) {
    this.sliceMs = sliceMs;
    this.nowMs = nowMs;
    this.between = between;
    this.startedMs = nowMs();
  }

  /** To be awaited between two pieces of work. */
  async pause(): Promise<void> {
    await this.pauseIfDue();
  }

  /** The same; undefined, with nothing to wait for, while the slice lasts. */
  pauseIfDue(): Promise<void> | undefined {
    const workedMs = this.nowMs() - this.startedMs;
    if (workedMs < this.sliceMs) return undefined;
    const pause = this.between(workedMs);
    if (pause !== undefined) return pause.then(() => this.begin());
    this.begin();
    return undefined;
  }

  private begin(): void {
    this.startedMs = this.nowMs();
  }
}
