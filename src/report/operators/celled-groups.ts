// Events of a name by the values of a property, out of hourly cells by value (actors/report/counts/value-cells.ts).
//   CG1. Cells answer for whole hours of the chunks that they stand for; rows answer for the other chunks, and for the parts of
//       hours at both ends of [from, to].
//   CG2. Cells count the rows that have the property. Rows without it are the rest of the name's count.

import {timeOf} from '../../../actors/chunk/rows.js';
import {hourMs} from '../../../actors/limits.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import type {Buckets} from '../../../actors/report/counts/buckets.js';
import {ValueReader} from '../../../actors/report/rows/property-values.js';
import {missingGroup} from '../../../actors/report/rows/value-groups.js';
import {chunksNaming, chunksWithin, countedKey, type Stretch} from '../../../actors/report/selection.js';
import {nameIndex} from '../name-index.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {type ChosenFold, RowScan} from '../row-scan.js';
import type {GroupCounts, Grouping} from './grouped-rows.js';
import {countsOf} from './stored-counts.js';

/** Adds the events of a partition by group and bucket. @returns false where no cells can be used: then nothing was added. */
export async function countInCells(
  reading: Reading,
  {event, property, buckets}: {readonly event: string; readonly property: string; readonly buckets: Buckets},
  grouping: Grouping,
  snapshot: PartitionSnapshot,
  counts: GroupCounts,
): Promise<boolean> {
  const {fromMs, toMs, edges} = buckets;
  const stretch = {startMs: fromMs, lastMs: toMs};
  const values = reading.fast.values?.coveredForAll(snapshot, property, stretch);
  const hourStart = Math.ceil(fromMs / hourMs);
  const hourEnd = Math.floor((toMs + 1) / hourMs);
  const isOfHours = edges.every((edge) => edge % hourMs === 0);
  if (values === undefined || !isOfHours || hourStart >= hourEnd) return false;
  const name = nameIndex(snapshot, event);
  if (name < 0) return true;
  const counted = new Float64Array(buckets.count);
  const reader = new ValueReader();
  const hours = edges.map((edge) => Math.min(Math.max(edge / hourMs, hourStart), hourEnd));
  for (const cells of values.cells) {
    cells.forEachValue(name, hours, buckets.count, (value, events) => {
      counts.addSeries(grouping.groups.values[0]!.groupOf(reader.read((writer) => writer.raw(value))), events);
      for (let bucket = 0; bucket < buckets.count; bucket++) counted[bucket]! += events[bucket]!;
    });
    await reading.scan.pauseIfDue();
  }
  const ofName = (chunks: readonly ChunkEntry[], within: Stretch): ChunkEntry[] =>
    within.startMs > within.lastMs ? [] : chunksNaming(chunksWithin(chunks, [within]), [name]);
  const covered = snapshot.index.chunks.filter((chunk) => values.covered.has(countedKey(chunk)));
  const scanned: readonly (readonly [Stretch, readonly ChunkEntry[]])[] = [
    [stretch, values.others],
    [{startMs: fromMs, lastMs: hourStart * hourMs - 1}, covered],
    [{startMs: hourEnd * hourMs, lastMs: toMs}, covered],
  ];
  for (const [within, chunks] of scanned) {
    const asked = ofName(chunks, within);
    if (asked.length === 0) continue;
    const fold: ChosenFold = (rows, [chosen]) => {
      const groupOf = grouping.of(snapshot, rows);
      for (const row of chosen!) {
        const bucket = buckets.indexOf(timeOf(rows, row));
        counts.add(groupOf(row), bucket);
        counted[bucket]! += 1;
      }
    };
    const scan = new RowScan(reading, {stretch: within, selectors: [{event}], properties: grouping.properties});
    await scan.fold(snapshot, fold, undefined, asked);
  }
  const whole = await countsOf(reading, event, buckets, snapshot);
  for (let bucket = 0; bucket < buckets.count; bucket++)
    counts.add(missingGroup, bucket, whole[bucket]! - counted[bucket]!); // CG2
  return true;
}
