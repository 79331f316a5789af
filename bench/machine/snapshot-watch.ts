// When snapshots were taken, as the service logs it (LOG_LEVEL=debug).

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import type {LogLine} from './service.js';

/** Some refreshes; a line comes through a pipe. */
const heardMsMax = 60_000;
const pollMs = 20;

export interface Interval {
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
}

export class SnapshotWatch {
  readonly intervals: Interval[] = [];

  /** For the service's `onLog`. */
  readonly hear = ({msg, time, ms}: LogLine): void => {
    if (msg !== 'snapshot published') return;
    const endMs = Date.parse(time);
    this.intervals.push({startMs: endMs - Number(ms), endMs});
  };

  /** Resolves once one is told that ended at or after `endMs`, so that all before it are; false: none was, for long. */
  async untilHeardSince(endMs: number): Promise<boolean> {
    const deadlineMs = monotonicMs() + heardMsMax;
    const isHeard = (): boolean => this.intervals.some((one) => one.endMs >= endMs);
    while (!isHeard() && monotonicMs() < deadlineMs) await pause(pollMs);
    return isHeard();
  }

  /** Whether any of them was being taken at some moment of `[startMs, endMs]`. */
  overlaps(startMs: number, endMs: number): boolean {
    return this.intervals.some((interval) => interval.startMs <= endMs && startMs <= interval.endMs);
  }
}
