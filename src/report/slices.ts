// Long scans in slices, between which the event loop runs: the thread answers status while it computes a report.

import {setImmediate as turn} from 'node:timers/promises';
import {monotonicMs} from '../clock.js';

// A scan folds about a million rows in 5 ms; a turn of the loop costs some 10 us.
const sliceMsMax = 5;

export class Slices {
  private startedMs = monotonicMs();

  /** Yields when this slice has lasted long enough. */
  async pause(): Promise<void> {
    await this.pauseIfDue();
  }

  /** Undefined within a slice. */
  pauseIfDue(): Promise<void> | undefined {
    return monotonicMs() - this.startedMs < sliceMsMax ? undefined : this.giveWay();
  }

  private async giveWay(): Promise<void> {
    await turn();
    this.startedMs = monotonicMs();
  }
}

/** Slices of background work: the next one begins when `whenQuiet` resolves. */
export class QuietSlices {
  private readonly whenQuiet: () => Promise<void>;
  private slices = new Slices();

  constructor(whenQuiet: () => Promise<void>) {
    this.whenQuiet = whenQuiet;
  }

  /** Yields when this slice has lasted long enough. */
  async pause(): Promise<void> {
    const turn = this.slices.pauseIfDue();
    if (turn === undefined) return;
    await turn;
    await this.whenQuiet();
    this.slices = new Slices();
  }
}
