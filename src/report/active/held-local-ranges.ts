// Tables of distinct users by ranges of a zone's days, with the snapshots that each answers for.
//   Owns: whether a table is still valid for the newest snapshot. Does not own: how a table is computed
//   (actors/report/active/local-ranges.ts), how long it is kept (derived-indexes.ts).
//   HL1. A table is valid while the rows of its days that count are the same: parts never change.
//   HL2. A table belongs to one zone and one version of its rules.
//   HL3. The next table continues one for which HL1 holds up to its checkpoint.

import type {SnapshotIndex} from '../../../actors/manifest.js';
import type {DayRanges} from '../../../actors/report/active/day-ranges.js';
import {chunksWithin, countedKey} from '../../../actors/report/selection.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {erasedIn} from './held-day-ranges.js';

/** Tables of one partition: a deployment asks in one to three zones. */
const tablesMax = 8;

interface LocalTable {
  readonly key: string;
  readonly zone: string;
  /** Start of each day, and the end of the last. */
  readonly days: Float64Array;
  /** Chunks and users that the table was computed from. HL1 */
  readonly source: string;
  /** Chunks and users of the days before the checkpoint; undefined without one. HL3 */
  readonly checkpointSource: string | undefined;
  /** Days before the checkpoint, and its start. */
  readonly checkpointDays: Float64Array;
  /** The newest index that had this source. */
  index: SnapshotIndex;
}

export class HeldLocalRanges {
  private readonly ranges: Derived<DayRanges>;
  /** Tables of each partition, newest last. */
  private readonly tables = new Map<number, LocalTable[]>();

  constructor(derived: DerivedIndexes) {
    this.ranges = derived.kind();
  }

  /** A table that has these days of the snapshot, and the place of the first one in it. HL2 */
  find(
    {manifest, index}: PartitionSnapshot,
    zone: string,
    days: Float64Array,
  ): {ranges: DayRanges; firstDay: number} | undefined {
    for (const table of this.tables.get(manifest.partition) ?? []) {
      const firstDay = table.days.indexOf(days[0]!);
      if (table.zone !== zone || firstDay < 0 || table.days[firstDay + days.length - 1] !== days.at(-1)) continue;
      if (!isOf(table, index)) continue;
      const ranges = this.ranges.get(table.key);
      if (ranges !== undefined) return {ranges, firstDay};
    }
    return undefined;
  }

  /** An earlier table that one of these days continues. HL3 */
  resumable({manifest, index}: PartitionSnapshot, zone: string, days: Float64Array): DayRanges | undefined {
    for (const table of this.tables.get(manifest.partition) ?? []) {
      if (table.zone !== zone || table.days[0] !== days[0] || !isResumable(table, index)) continue;
      const ranges = this.ranges.get(table.key);
      if (ranges !== undefined) return ranges;
    }
    return undefined;
  }

  /** Keeps a table of these days of the snapshot, and drops tables that became useless. */
  keep({manifest: {partition}, index}: PartitionSnapshot, zone: string, days: Float64Array, ranges: DayRanges): void {
    const key = `${partition} ${zone} ${days[0]} ${days.at(-1)}`;
    const tables = this.tables.get(partition) ?? [];
    const useful = tables.filter((table) => table.key !== key && (isOf(table, index) || isResumable(table, index)));
    const kept = useful.slice(-(tablesMax - 1));
    for (const table of tables) if (!kept.includes(table)) this.ranges.drop(table.key);
    const checkpointDays = days.subarray(0, (ranges.checkpoint?.day ?? -1) + 1);
    const checkpointSource = ranges.checkpoint && sourceOf(checkpointDays, index);
    const table = {key, zone, days, source: sourceOf(days, index), checkpointSource, checkpointDays, index};
    this.tables.set(partition, this.ranges.keep(key, ranges) ? [...kept, table] : kept);
  }
}

/** HL1 */
function isOf(table: LocalTable, index: SnapshotIndex): boolean {
  if (table.index === index) return true;
  if (table.source !== sourceOf(table.days, index)) return false;
  table.index = index;
  return true;
}

/** HL3 */
const isResumable = ({checkpointSource, checkpointDays}: LocalTable, index: SnapshotIndex): boolean =>
  checkpointSource !== undefined && checkpointSource === sourceOf(checkpointDays, index);

function sourceOf(days: Float64Array, index: SnapshotIndex): string {
  const stretch = {startMs: days[0]!, lastMs: days.at(-1)! - 1};
  return `${chunksWithin(index.chunks, [stretch]).map(countedKey).join()} ${erasedIn(index)}`;
}
