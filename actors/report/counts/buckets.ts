// Buckets of one answer: each that touches [from, to], in order; the first and last may be partial.
//   BK1. UTC buckets are computed here. The question brings those of other zones and weeks from Sunday: the core knows no zone.
//   BK2. Edges of all zones of today are quarters of an hour apart: a table by quarter finds the bucket of a time in one step.
import {bucketLabel, bucketLabels, bucketNext, bucketStarts, type Interval} from '../../calendar.js';
import {must} from '../../invariant.js';
import {reportBucketsMax} from '../../limits.js';
import {upperBound} from '../../order/search.js';
import type {Stretch} from '../selection.js';

/** Buckets that came with the question. */
interface GivenBuckets {
  /** Start of each bucket, ascending, and the end of the last; epoch ms. */
  readonly edges: readonly number[];
  /** Label of each bucket. */
  readonly labels: readonly string[];
}

/** BK2 */
const slotMs = 15 * 60_000;
/** Nearly two years. Longer ranges are searched. */
const slotsMax = 2 ** 16;

/** The range [from, to] and its buckets, as a question has them. */
export interface BucketedRange {
  /** Inclusive, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly interval: Interval;
  /** Absent: UTC buckets. */
  readonly buckets?: GivenBuckets;
  /** The zone if the question named one: the answer repeats it. `rules`: version of a named zone's rules. */
  readonly zone?: {readonly name: string; readonly rules?: string};
}

export class Buckets {
  readonly fromMs: number;
  readonly toMs: number;
  readonly interval: Interval;
  readonly count: number;
  /** Start of each bucket, and the end of the last: bucket b is [edges[b], edges[b + 1]). */
  readonly edges: Float64Array;
  /** Name of the zone, if the question named one. */
  readonly zone: string | undefined;
  private readonly given: readonly string[] | undefined;
  /** Length of each bucket, if all have the same by definition. */
  private readonly lengthMs: number | undefined;
  /** Bucket of each quarter of an hour. BK2 */
  private readonly slots: Uint32Array | undefined;

  /** Bounds are inclusive epoch ms. The caller refuses more than `reportBucketsMax` buckets. */
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
    this.slots = this.lengthMs === undefined ? slotsOf(this.edges) : undefined;
  }

  static of({fromMs, toMs, interval, ...more}: BucketedRange): Buckets {
    return new Buckets(fromMs, toMs, interval, more);
  }

  /** Index of the bucket with a time of [from, to]. */
  indexOf(timeMs: number): number {
    if (this.lengthMs !== undefined) return Math.floor((timeMs - this.edges[0]) / this.lengthMs);
    const {slots} = this;
    if (slots !== undefined) {
      const slot = Math.floor((timeMs - this.edges[0]) / slotMs);
      return slots[Math.min(Math.max(0, slot), slots.length - 1)];
    }
    return Math.max(0, upperBound(this.edges, timeMs, 0, this.count) - 1);
  }

  stretchOf(bucket: number): Stretch {
    return {startMs: this.edges[bucket], lastMs: this.edges[bucket + 1] - 1};
  }

  /** Equal for buckets of the same interval and zone, of any range. */
  get kind(): string {
    return `${this.interval} ${this.zone ?? ''}`;
  }

  label(bucket: number): string {
    return this.given?.[bucket] ?? bucketLabel(this.edges[bucket], this.interval);
  }

  /** Labels of all buckets. */
  labels(): readonly string[] {
    return this.given ?? bucketLabels(this.edges.subarray(0, this.count), this.interval);
  }

  /** The first bucket whose share of [from, to] does not end before `timeMs`; undefined if all do. */
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

/** Undefined where the table would be too long, or an edge is within a quarter. BK2 */
function slotsOf(edges: Float64Array): Uint32Array | undefined {
  const first = edges[0];
  const last = edges[edges.length - 1];
  if (last - first > slotsMax * slotMs || edges.some((edge) => (edge - first) % slotMs !== 0)) return undefined;
  const slots = new Uint32Array((last - first) / slotMs);
  for (let bucket = 0; bucket + 1 < edges.length; bucket++)
    slots.fill(bucket, (edges[bucket] - first) / slotMs, (edges[bucket + 1] - first) / slotMs);
  return slots;
}

const isOfOneLength = (interval: Interval): boolean => interval === 'hour' || interval === 'day' || interval === 'week';
