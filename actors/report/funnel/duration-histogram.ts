// Histogram of durations in ms; its bounds are 1, 2 and 5 times powers of ten.
//   DH1. A bin is [from, to). The first is [0, 1): durations are whole ms, so it has those of 0.
import {upperBound} from '../../order/search.js';

export interface HistogramBin {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/** 0, 1, 2, 5, 10, … up to 5 * 10^14: 15,000 years. */
const bounds = Float64Array.from([
  0,
  ...Array.from({length: 15}, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** power)).flat(),
]);

export const histogramBinsMax = bounds.length;

export class DurationHistogram {
  private readonly counts = new Float64Array(bounds.length);

  add(ms: number): void {
    this.counts[upperBound(bounds, ms, 0, bounds.length) - 1] += 1;
  }

  /** Bins from the first to the last with durations, empty ones between them included. */
  bins(): HistogramBin[] {
    const first = this.counts.findIndex((count) => count > 0);
    const last = this.counts.findLastIndex((count) => count > 0);
    if (first < 0) return [];
    return Array.from({length: last - first + 1}, (_, i) => ({
      fromMs: bounds[first + i],
      toMs: bounds[first + i + 1],
      count: this.counts[first + i],
    }));
  }
}
