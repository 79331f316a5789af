// The buckets of one answer: every one that touches [from, to], in order, the first and the last perhaps only in part.
import {bucketLabel, bucketLabels, bucketNext, bucketStarts, type Interval} from '../../calendar.js';
import {must} from '../../invariant.js';
import {reportBucketsMax} from '../../limits.js';
import {upperBound} from '../../order/search.js';

export class Buckets {
  readonly fromMs: number;
  readonly toMs: number;
  readonly interval: Interval;
  readonly count: number;
  /** Start of each bucket, and the end of the last: bucket b is [edges[b], edges[b + 1]). */
  readonly edges: Float64Array;

  /** Bounds are inclusive epoch ms. The asker has refused more than `reportBucketsMax` buckets. */
  constructor(fromMs: number, toMs: number, interval: Interval) {
    const starts = must(bucketStarts(fromMs, toMs, interval, reportBucketsMax), 'buckets: their number was checked');
    this.fromMs = fromMs;
    this.toMs = toMs;
    this.interval = interval;
    this.count = starts.length;
    this.edges = new Float64Array(starts.length + 1);
    this.edges.set(starts);
    this.edges[starts.length] = bucketNext(starts[starts.length - 1], interval);
  }

  /** The bucket that holds a time of [from, to]. */
  indexOf(timeMs: number): number {
    if (this.interval !== 'month') return Math.floor((timeMs - this.edges[0]) / (this.edges[1] - this.edges[0]));
    return Math.max(0, upperBound(this.edges, timeMs, 0, this.count) - 1);
  }

  label(bucket: number): string {
    return bucketLabel(this.edges[bucket], this.interval);
  }

  /** Of all of them, in order. */
  labels(): string[] {
    return bucketLabels(this.edges.subarray(0, this.count), this.interval);
  }

  /** The first bucket whose share of [from, to] is not all before `timeMs`; undefined when all are. */
  firstOpen(timeMs: number): number | undefined {
    if (this.toMs < timeMs) return undefined;
    for (let bucket = 0; bucket < this.count; bucket++) if (this.edges[bucket + 1] > timeMs) return bucket;
    return undefined;
  }
}
