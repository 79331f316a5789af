// When snapshots were taken, as the service logs it (LOG_LEVEL=debug).

import type {LogLine} from './service.js';

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

  /** Whether any of them was being taken at some moment of `[startMs, endMs]`. */
  overlaps(startMs: number, endMs: number): boolean {
    return this.intervals.some((interval) => interval.startMs <= endMs && startMs <= interval.endMs);
  }
}
