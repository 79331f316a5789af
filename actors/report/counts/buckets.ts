// The buckets of one answer: every one that touches [from, to], in order, the first and the last perhaps only in part.
//   BK1. Those of UTC are computed here. The buckets of other zones, and weeks from Sunday, come with the question: the core knows
//        no zone.
import {bucketLabel, bucketLabels, bucketNext, bucketStarts, type Interval} from '../../calendar.js';
import {must} from '../../invariant.js';
import {reportBucketsMax} from '../../limits.js';
import {upperBound} from '../../order/search.js';

/** Buckets that were computed with the question. */
export interface GivenBuckets {
  /** Start of each bucket, ascending, and the end of the last; epoch ms. */
  readonly edges: readonly number[];
  /** One a bucket. */
  readonly labels: readonly string[];
}

/** [from, to] in buckets, as a question has it. */
export interface BucketedRange {
  /** Inclusive, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly interval: Interval;
  /** Absent: those of UTC. */
  readonly buckets?: GivenBuckets;
  /** Where one was asked for: the answer names it. Of a zone by name `rules` is the version of its rules. */
  readonly zone?: {readonly name: string; readonly rules?: string};
}

export class Buckets {
  readonly fromMs: number;
  readonly toMs: number;
  readonly interval: Interval;
  readonly count: number;
  /** Start of each bucket, and the end of the last: bucket b is [edges[b], edges[b + 1]). */
  readonly edges: Float64Array;
  /** Name of the zone, where one was asked for. */
  readonly zone: string | undefined;
  private readonly given: readonly string[] | undefined;
  /** Length of each bucket, when it is the same for all by definition. */
  private readonly lengthMs: number | undefined;

  /** Bounds are inclusive epoch ms. The asker has refused more than `reportBucketsMax` buckets. */
  constructor(
    fromMs: number,
    toMs: number,
    interval: Interval,
    {buckets, zone}: Pick<BucketedRange, 'buckets' | 'zone'> = {},
  ) {
    this.fromMs = fromMs;
    this.toMs = toMs;
    this.interval = interval;
    this.zone = zone?.name;
    this.given = buckets?.labels;
    this.edges = buckets === undefined ? utcEdges(fromMs, toMs, interval) : Float64Array.from(buckets.edges);
    this.count = this.edges.length - 1;
    this.lengthMs = buckets === undefined && isOfOneLength(interval) ? this.edges[1] - this.edges[0] : undefined;
  }

  static of({fromMs, toMs, interval, ...more}: BucketedRange): Buckets {
    return new Buckets(fromMs, toMs, interval, more);
  }

  /** The bucket that holds a time of [from, to]. */
  indexOf(timeMs: number): number {
    if (this.lengthMs !== undefined) return Math.floor((timeMs - this.edges[0]) / this.lengthMs);
    return Math.max(0, upperBound(this.edges, timeMs, 0, this.count) - 1);
  }

  label(bucket: number): string {
    return this.given?.[bucket] ?? bucketLabel(this.edges[bucket], this.interval);
  }

  /** Of all of them, in order. */
  labels(): readonly string[] {
    return this.given ?? bucketLabels(this.edges.subarray(0, this.count), this.interval);
  }

  /** The first bucket whose share of [from, to] is not all before `timeMs`; undefined when all are. */
  firstOpen(timeMs: number): number | undefined {
    if (this.toMs < timeMs) return undefined;
    for (let bucket = 0; bucket < this.count; bucket++) if (this.edges[bucket + 1] > timeMs) return bucket;
    return undefined;
  }
}

function utcEdges(fromMs: number, toMs: number, interval: Interval): Float64Array {
  const starts = must(bucketStarts(fromMs, toMs, interval, reportBucketsMax), 'buckets: their number was checked');
  return Float64Array.from([...starts, bucketNext(starts[starts.length - 1], interval)]);
}

const isOfOneLength = (interval: Interval): boolean => interval === 'hour' || interval === 'day' || interval === 'week';
