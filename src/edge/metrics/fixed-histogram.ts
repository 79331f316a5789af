// A histogram with fixed bounds: an observation is a short scan and three additions.
//   prom-client's own `observe` and `inc` cost more than ten times as much (`npm run bench -- pieces`).

export class FixedHistogram {
  readonly bounds: readonly number[];
  /** Observations at or below each bound and above the previous one; the last cell has those above all bounds. */
  private readonly counts: Float64Array;
  private sum = 0;

  /** `bounds` ascend. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const {bounds} = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += value;
  }

  /** The observations in Prometheus' form: every bucket includes all smaller ones. */
  read(): {readonly cumulative: readonly number[]; readonly count: number; readonly sum: number} {
    let count = 0;
    const cumulative = Array.from(this.counts, (bucket) => {
      count += bucket;
      return count;
    });
    return {cumulative, count, sum: this.sum};
  }
}

/** Seconds. An ack takes half a millisecond on an idle machine, and no message waits longer than 5 s for the log. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Bytes: a log message holds at most 1 MB. */
export const messageBytesBounds = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];
/** Entries of one log message. */
export const messageEntriesBounds = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];
