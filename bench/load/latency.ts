// Latencies of a run as an HDR histogram: three significant digits, from a microsecond to a minute.

import {build, type Histogram} from 'hdr-histogram-js';

export interface LatencyMs {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Deadline of an answer, after which a run is given up: nothing measured here is slower. */
export const answerMsMax = 60_000;
const usPerMs = 1_000;

export class Latencies {
  readonly #histogram: Histogram = build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 2 * answerMsMax * usPerMs,
    numberOfSignificantValueDigits: 3,
  });

  get count(): number {
    return this.#histogram.totalCount;
  }

  record(ms: number): void {
    this.#histogram.recordValue(Math.max(1, Math.round(ms * usPerMs)));
  }

  /** Latencies of several runs, as if they were one. */
  static together(all: readonly Latencies[]): Latencies {
    const together = new Latencies();
    for (const {histogram} of all) together.#histogram.add(histogram);
    return together;
  }

  private get histogram(): Histogram {
    return this.#histogram;
  }

  /** For result files, which do not keep single latencies. */
  toJSON(): {readonly count: number} {
    return {count: this.count};
  }

  summary(): LatencyMs {
    const at = (percentile: number): number => this.#histogram.getValueAtPercentile(percentile) / usPerMs;
    return {p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: this.#histogram.maxValue / usPerMs};
  }
}
