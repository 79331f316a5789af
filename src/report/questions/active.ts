// Active users over time: of any event out of the aggregator's day sets, all others out of rows (activity.ts).
import {dayMs} from '../../../actors/limits.js';
import {ActiveDaysPartial, type ActiveResult, mergeActive} from '../../../actors/report/active/active-days.js';
import {
  type ActivePlan,
  isOfWholeElements,
  planActive,
  planStretches,
  type RowPlan,
} from '../../../actors/report/active/active-plan.js';
import {ActiveRowsPartial} from '../../../actors/report/active/active-rows.js';
import {
  activeInRanges,
  cutsNoUser,
  type DayRanges,
  DayRangesBuilder,
  type DaySpan,
} from '../../../actors/report/active/day-ranges.js';
import {HourSetsPartial, hourSetBytes, hourSetWords} from '../../../actors/report/active/hour-sets.js';
import {
  activeInLocalRanges,
  cutsNoUserOfDays,
  type LocalDaysPlan,
  LocalRangesBuilder,
  planLocalDays,
} from '../../../actors/report/active/local-ranges.js';
import {activeAnswer} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import type {QueryOf} from '../../asks/report.js';
import {isUnreadable} from '../../parts/damage.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {gatheredBytesOf, gatheredRowsMax, type Reading} from '../reading.js';
import {isOfAnyone} from '../stored-answers.js';
import {activity} from './activity.js';

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function active(
  reading: Reading,
  query: QueryOf<'active'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  if (!isOfAnyone(query)) return activity(reading, query, snapshots);
  const buckets = Buckets.of(query);
  const partials: ActiveResult[] = [];
  const activeOf = activeIn(reading, query, buckets);
  for (const snapshot of snapshots) partials.push(await activeOf(snapshot)); // EV1
  return activeAnswer(query.metric, buckets, mergeActive(buckets.count, partials));
}

function activeIn(
  reading: Reading,
  {metric, windows, days, zone, toMs}: QueryOf<'active'>,
  buckets: Buckets,
): (snapshot: PartitionSnapshot) => Promise<ActiveResult> {
  if (!isOfWholeElements(buckets, metric, windows)) {
    const plan = planStretches(buckets, metric, windows);
    const local = days === undefined ? undefined : planLocalDays(buckets, metric, windows, days);
    return async (snapshot) =>
      (local && (await activeInLocalDays(reading, local, JSON.stringify(zone), snapshot))) ??
      activeByRows(reading, plan, toMs, snapshot);
  }
  const plan = planActive(buckets, metric, windows);
  const isDays = plan.elementMs === dayMs;
  return (snapshot) => (isDays ? activeDays(reading, plan, snapshot) : activeHours(reading, plan, toMs, snapshot));
}

async function activeDays(reading: Reading, plan: ActivePlan, snapshot: PartitionSnapshot): Promise<ActiveResult> {
  const ranges = cutsNoUser(plan, snapshot.index) ? await rangesOf(reading, plan, snapshot) : undefined;
  return ranges === undefined ? activeDaysOneByOne(reading, plan, snapshot) : activeInRanges(plan, ranges);
}

async function activeDaysOneByOne(
  reading: Reading,
  plan: ActivePlan,
  {index, leftOut}: PartitionSnapshot,
): Promise<ActiveResult> {
  const partial = new ActiveDaysPartial(index, plan);
  for await (const rows of reading.scan.rows(partial.chunks(index), leftOut.users)) partial.addRows(rows);
  for await (const [segment, views] of reading.scan.days(partial.segments(index))) {
    for (let day = segment.firstDay; day <= segment.lastDay; day++) partial.addDay(day, views);
  }
  return partial.finish();
}

/** Undefined when there is no table for these days and none can be made. */
async function rangesOf(
  reading: Reading,
  {firstElement, elementCount}: ActivePlan,
  snapshot: PartitionSnapshot,
): Promise<DayRanges | undefined> {
  const span = {firstDay: firstElement, lastDay: firstElement + elementCount - 1};
  const held = reading.fast.dayRanges?.find(snapshot, span);
  if (held !== undefined) return held;
  try {
    return await makeRanges(reading, span, snapshot);
  } catch (error) {
    // A table has more days than the question: the unreadable part may have none of the asked ones.
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

async function makeRanges(
  reading: Reading,
  asked: DaySpan,
  snapshot: PartitionSnapshot,
): Promise<DayRanges | undefined> {
  const {index} = snapshot;
  const builder = new DayRangesBuilder(index, asked);
  const earlier = reading.fast.dayRanges?.resumable(snapshot, builder.covered);
  if (earlier !== undefined) builder.resume(earlier);
  for await (const [segment, views] of reading.scan.days(builder.segments(index))) {
    for (let day = segment.firstDay; day <= segment.lastDay; day++) if (!builder.addDay(day, views)) return undefined;
  }
  const ranges = builder.finish();
  reading.fast.dayRanges?.keep(snapshot, builder.covered, ranges);
  return ranges;
}

/** Undefined when there is no table for these days and none can be made. */
async function activeInLocalDays(
  reading: Reading,
  plan: LocalDaysPlan,
  zone: string,
  snapshot: PartitionSnapshot,
): Promise<ActiveResult | undefined> {
  const tables = reading.fast.localRanges;
  if (tables === undefined || !cutsNoUserOfDays(plan, snapshot.index)) return undefined;
  const held = tables.find(snapshot, zone, plan.days);
  if (held !== undefined) return activeInLocalRanges(plan, held.ranges, held.firstDay);
  try {
    const earlier = tables.resumable(snapshot, zone, plan.days);
    const ranges = await makeLocalRanges(reading, plan.days, snapshot, earlier);
    tables.keep(snapshot, zone, plan.days, ranges);
    return activeInLocalRanges(plan, ranges, 0);
  } catch (error) {
    // A table has more days than the question: the unreadable part may have none of the asked ones.
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function makeLocalRanges(
  reading: Reading,
  days: Float64Array,
  {index, leftOut}: PartitionSnapshot,
  earlier: DayRanges | undefined,
): Promise<DayRanges> {
  const builder = new LocalRangesBuilder(index, days, gatheredRowsMax(reading), earlier);
  const chunks = builder.chunks(index);
  return reading.scan.borrowing(gatheredBytesOf(reading, chunks), async () => {
    await reading.scan.passes(builder, chunks, leftOut.users);
    return builder.finish();
  });
}

function activeHours(
  reading: Reading,
  plan: ActivePlan,
  toMs: number,
  snapshot: PartitionSnapshot,
): Promise<ActiveResult> {
  const {index, leftOut} = snapshot;
  const words = hourSetWords(index, plan, toMs, reading.gatheredBytesMax);
  if (words === undefined) return activeByRows(reading, plan, toMs, snapshot);
  return reading.scan.borrowing(hourSetBytes(words, plan), async () => {
    const partial = new HourSetsPartial(index, plan, toMs, words);
    await reading.scan.passes(partial, partial.chunks(index), leftOut.users);
    return partial.result();
  });
}

function activeByRows(
  reading: Reading,
  plan: RowPlan,
  toMs: number,
  {index, leftOut}: PartitionSnapshot,
): Promise<ActiveResult> {
  const partial = new ActiveRowsPartial(index, plan, toMs, gatheredRowsMax(reading));
  const chunks = partial.chunks(index);
  return reading.scan.borrowing(gatheredBytesOf(reading, chunks), async () => {
    await reading.scan.passes(partial, chunks, leftOut.users);
    return partial.result();
  });
}
