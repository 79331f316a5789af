// Times of snapshots, from the service's log (LOG_LEVEL=debug).

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import type {LogLine} from './service.js';

/** Deadline of a line: some refreshes. */
const heardMsMax = 60_000;
const pollMs = 20;

export interface Interval {
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
}

export class SnapshotWatch {
  readonly intervals: Interval[] = [];

  /** Takes log lines: for the service's `onLog`. */
  readonly hear = ({msg, time, ms}: LogLine): void => {
    if (msg !== 'snapshot published') return;
    const endMs = Date.parse(time);
    this.intervals.push({startMs: endMs - Number(ms), endMs});
  };

  /**
   * Resolves once a snapshot was logged that ended at or after `endMs`, so that all earlier ones were, too; false: none was in
   * time.
   */
  async untilHeardSince(endMs: number): Promise<boolean> {
    const deadlineMs = monotonicMs() + heardMsMax;
    const isHeard = (): boolean => this.intervals.some((one) => one.endMs >= endMs);
    while (!isHeard() && monotonicMs() < deadlineMs) await pause(pollMs);
    return isHeard();
  }

  /** Whether any snapshot overlaps [startMs, endMs]. */
  overlaps(startMs: number, endMs: number): boolean {
    return this.intervals.some((interval) => interval.startMs <= endMs && startMs <= interval.endMs);
  }
}
