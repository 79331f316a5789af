// The users of any event by bucket, where buckets are whole UTC days: out of the aggregator's day sets, without rows.
//   UD1. Old day sets keep users who were erased or left: these are removed.

import type {WindowsView} from '../../../actors/aggregator/windows.js';
import {dayMs} from '../../../actors/limits.js';
import {lowerBound, upperBound} from '../../../actors/order/search.js';
import type {BucketSets} from '../../../actors/report/rows/bucket-sets.js';
import {chunksWithin, type DaySegment, daySegments} from '../../../actors/report/selection.js';
import type {ChosenBuckets} from '../derived/held-buckets.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

/** Whether day sets have the users of these buckets: the question leaves none of their rows out. */
export function areOfDays({index}: PartitionSnapshot, {selectors, edges, cuts}: ChosenBuckets): boolean {
  const areOfAnything = selectors.every(({event, where = []}) => event === undefined && where.length === 0);
  const areDays = edges.every((edge) => edge === Number.NEGATIVE_INFINITY || edge % dayMs === 0);
  return areOfAnything && areDays && chunksWithin(index.chunks, cuts).length === 0;
}

/** Adds the users of some buckets, which ascend. @throws MissingPart, DamagedPart */
export async function addUsersOfDays(
  scan: PartScan,
  {index}: PartitionSnapshot,
  edges: Float64Array,
  buckets: readonly number[],
  sets: BucketSets,
): Promise<void> {
  for await (const [{firstDay, lastDay}, views] of scan.days(segmentsOf(index.windowRuns, edges, buckets))) {
    for (let day = firstDay; day <= lastDay; day++) {
      const bucket = upperBound(edges, day * dayMs) - 1;
      for (const view of views) sets.addUsers(bucket, membersOf(view, day));
    }
  }
  sets.remove(index.erasedUsers); // UD1
}

/** Segments of the days of these buckets that have sets. */
function segmentsOf(
  runs: Parameters<typeof daySegments>[0],
  edges: Float64Array,
  buckets: readonly number[],
): DaySegment[] {
  const blocks = runs.flatMap((run) => run.blocks);
  const first = blocks.reduce((day, block) => Math.min(day, block.first), Number.POSITIVE_INFINITY);
  const last = blocks.reduce((day, block) => Math.max(day, block.last), Number.NEGATIVE_INFINITY);
  return stretchesOf(buckets).flatMap(([start, end]) => {
    const [firstDay, lastDay] = [Math.max(first, edges[start]! / dayMs), Math.min(last, edges[end]! / dayMs - 1)];
    return firstDay > lastDay ? [] : daySegments(runs, firstDay, lastDay);
  });
}

/** Ascending numbers as stretches [start, end). */
function stretchesOf(numbers: readonly number[]): (readonly [start: number, end: number])[] {
  const starts = numbers.filter((number, at) => number - 1 !== numbers[at - 1]);
  const ends = numbers.filter((number, at) => number + 1 !== numbers[at + 1]);
  return starts.map((start, at) => [start, ends[at]! + 1] as const);
}

/** User indexes of the day's set; empty for a block without the day. */
function membersOf({days, members, memberOffsets}: WindowsView, day: number): Uint32Array {
  const place = lowerBound(days, day);
  return days[place] === day
    ? members.subarray(memberOffsets[place], memberOffsets[place + 1])
    : members.subarray(0, 0);
}
