// Histogram of durations in ms; its bounds are 1, 2 and 5 times powers of ten, or those of clocks and calendars.
//   DH1. A bin is [from, to). The first is [0, 1): durations are whole ms, so it has those of 0.
//   DH2. The last bound is beyond all durations: no two events are 15,000 years apart.
import {upperBound} from '../../order/search.js';

export interface HistogramBin {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/** `decimal`: 1, 2 and 5 times powers of ten. `clock`: durations that people choose, such as 30 s, 15 min or 7 d. */
export type HistogramBounds = 'decimal' | 'clock';

/** 1, 2 and 5 units, 10, 20 and 50, and so on: three for each power of ten. */
const decimals = (powers: number, unit: number): number[] =>
  Array.from({length: powers}, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** power * unit)).flat();

const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];
/** Mean year of the Julian calendar. */
const yearMs = 365.25 * dayMs;
const ofMinute = [1, 2, 5, 10, 15, 30];

const boundsOf: Readonly<Record<HistogramBounds, Float64Array>> = {
  decimal: Float64Array.from([0, ...decimals(15, 1)]),
  clock: Float64Array.from([
    0,
    ...decimals(3, 1),
    ...ofMinute.map((seconds) => seconds * secondMs),
    ...ofMinute.map((minutes) => minutes * minuteMs),
    ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
    ...[1, 2, 4, 7, 14, 30, 60, 90, 180].map((days) => days * dayMs),
    ...decimals(5, yearMs),
  ]),
};

/** Index of the bin with a duration. */
export const binOf = (bounds: HistogramBounds, ms: number): number => upperBound(boundsOf[bounds], ms) - 1;

/** Whether a bin begins with a duration. */
export const isBinStart = (bounds: HistogramBounds, ms: number): boolean => boundsOf[bounds].includes(ms);

export const histogramBinsMax = Math.max(...Object.values(boundsOf).map(({length}) => length));

export class DurationHistogram {
  private readonly bounds: Float64Array;
  private readonly counts: Float64Array;

  constructor(bounds: HistogramBounds) {
    this.bounds = boundsOf[bounds];
    this.counts = new Float64Array(this.bounds.length);
  }

  addAll(durations: Float64Array): void {
    const {bounds, counts} = this;
    for (let i = 0; i < durations.length; i++) counts[upperBound(bounds, durations[i], 0, bounds.length) - 1] += 1;
  }

  /** Bins from the first to the last with durations, empty ones between them included. */
  bins(): HistogramBin[] {
    const {bounds, counts} = this;
    const first = counts.findIndex((count) => count > 0);
    const last = counts.findLastIndex((count) => count > 0);
    if (first < 0) return [];
    return Array.from({length: last - first + 1}, (_, i) => ({
      fromMs: bounds[first + i],
      toMs: bounds[first + i + 1],
      count: counts[first + i],
    }));
  }
}
