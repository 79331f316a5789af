// The users of any event by bucket, where buckets are whole UTC days: out of the aggregator's day sets, without rows.
//   UD1. Old day sets keep users who were erased or left: these are removed.

import {dayMs} from '../../../actors/limits.js';
import {upperBound} from '../../../actors/order/search.js';
import {membersOf} from '../../../actors/report/active/day-members.js';
import type {BucketSets} from '../../../actors/report/engagement/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {chunksWithin, type DaySegment, daySegments} from '../../../actors/report/selection.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {ChosenBuckets} from '../active/held-buckets.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

/** Whether day sets have the users of these buckets: the question leaves none of their rows out. */
export function areOfDays({index}: PartitionSnapshot, {selectors, edges, cuts}: ChosenBuckets): boolean {
  const areOfAnything = selectors.every(({event, where = []}) => event === undefined && where.length === 0);
  const areDays = edges.every((edge) => edge === Number.NEGATIVE_INFINITY || edge % dayMs === 0);
  return areOfAnything && areDays && chunksWithin(index.chunks, cuts).length === 0;
}

/** Fills the sets and walks them, in as many passes as they take. @throws MissingPart, DamagedPart */
export async function usersOfDays(
  scan: PartScan,
  {index}: PartitionSnapshot,
  edges: Float64Array,
  sets: BucketSets,
  users: Users | undefined,
): Promise<void> {
  const erased = new UserSet();
  for (const user of index.erasedUsers) erased.add(user); // UD1
  const segments = segmentsOf(index.windowRuns, edges);
  do {
    for await (const [{firstDay, lastDay}, views] of scan.days(segments)) {
      for (let day = firstDay; day <= lastDay; day++) {
        const bucket = upperBound(edges, day * dayMs) - 1;
        for (const view of views) sets.addUsers(bucket, membersOf(view, day));
      }
    }
    if (erased.count > 0) sets.keepOnly({has: (user) => !erased.has(user)});
    if (users !== undefined) sets.keepOnly(users);
  } while (await scan.inSlices(sets.endPass()));
}

/** Segments of the days of all buckets that have sets. */
function segmentsOf(runs: Parameters<typeof daySegments>[0], edges: Float64Array): DaySegment[] {
  const blocks = runs.flatMap((run) => run.blocks);
  const first = blocks.reduce((day, block) => Math.min(day, block.first), Number.POSITIVE_INFINITY);
  const last = blocks.reduce((day, block) => Math.max(day, block.last), Number.NEGATIVE_INFINITY);
  const [firstDay, lastDay] = [Math.max(first, edges[0]! / dayMs), Math.min(last, edges.at(-1)! / dayMs - 1)];
  return firstDay > lastDay ? [] : daySegments(runs, firstDay, lastDay);
}
