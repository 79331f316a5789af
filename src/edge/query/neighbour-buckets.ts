// Edges of the buckets next to those of a range, for questions about what came before and what follows.
//   NB1. Their edges are those of a longer range: in every zone, and with either first day of the week.
import {bucketNext, bucketStart, type Interval} from '../../../actors/calendar.js';
import {dayMs, hourMs} from '../../../actors/limits.js';
import type {BucketedRange} from '../../../actors/report/counts/buckets.js';
import {type ZoneDefault, zoneIn} from '../../asks/question/times.js';
import {type AskedBuckets, isOfUtc} from './asked-times.js';
import {localBuckets} from './local-buckets.js';

/** Longest bucket of any zone. */
const longestMs: Readonly<Record<Interval, number>> = {
  hour: 2 * hourMs,
  day: 2 * dayMs,
  week: 8 * dayMs,
  month: 32 * dayMs,
  quarter: 93 * dayMs,
  year: 367 * dayMs,
};

/** Ends of the `count` buckets after the last one. NB1 */
export function endsAfter(range: BucketedRange, asked: AskedBuckets, service: ZoneDefault, count: number): number[] {
  const {interval, toMs} = range;
  let endMs = range.buckets?.edges.at(-1) ?? bucketNext(bucketStart(toMs, interval), interval);
  if (!isOfUtc(asked, service)) {
    const later = {fromMs: endMs, toMs: endMs + count * longestMs[interval], interval};
    return localBuckets(later, zoneIn(asked, service), asked.week_start, Number.POSITIVE_INFINITY)!.edges.slice(
      1,
      count + 1,
    );
  }
  const ends: number[] = [];
  while (ends.length < count) {
    endMs = bucketNext(endMs, interval);
    ends.push(endMs);
  }
  return ends;
}

/** Start of the bucket before the first one. NB1 */
export function startBefore(range: BucketedRange, asked: AskedBuckets, service: ZoneDefault): number {
  const {interval, fromMs} = range;
  const startMs = range.buckets?.edges[0] ?? bucketStart(fromMs, interval);
  if (isOfUtc(asked, service)) return bucketStart(startMs - 1, interval);
  const before = {fromMs: startMs - 1, toMs: startMs - 1, interval};
  return localBuckets(before, zoneIn(asked, service), asked.week_start, 1)!.edges[0]!;
}
