// Tables of distinct users by ranges of days, with the days of the snapshots that each answers for.
//   Owns: whether a table is still valid for the newest snapshot. Does not own: how a table is computed
//   (actors/report/active/day-ranges.ts), how long it is kept (derived-indexes.ts).
//   HD1. A table is valid while the blocks of its days and the erased users are the same: parts never change.
//   HD2. The next table continues one for which that holds up to its checkpoint.

import {createHash} from 'node:crypto';
import type {SnapshotIndex} from '../../../actors/manifest.js';
import type {DayRanges, DaySpan} from '../../../actors/report/active/day-ranges.js';
import {blocksWithin} from '../../../actors/report/selection.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

/** Tables of one partition. Few ranges are not inside another one: those of dashboards, and of current look-ups. */
const tablesMax = 8;

interface DayTable extends DaySpan {
  readonly key: string;
  /** Blocks and erased users that the table was computed from. HD1 */
  readonly source: string;
  /** Days before the checkpoint and their source; undefined without one. HD2 */
  readonly checkpoint: {readonly span: DaySpan; readonly source: string} | undefined;
  /** The newest index that had this source. */
  index: SnapshotIndex;
}

export class HeldDayRanges {
  private readonly ranges: Derived<DayRanges>;
  /** Tables of each partition, newest last. */
  private readonly tables = new Map<number, DayTable[]>();

  constructor(derived: DerivedIndexes) {
    this.ranges = derived.kind();
  }

  /** A table that covers days [firstDay, lastDay] of the snapshot. */
  find({manifest, index}: PartitionSnapshot, {firstDay, lastDay}: DaySpan): DayRanges | undefined {
    for (const table of this.tables.get(manifest.partition) ?? []) {
      if (table.firstDay > firstDay || table.lastDay < lastDay || !isOf(table, index)) continue;
      const ranges = this.ranges.get(table.key);
      if (ranges !== undefined) return ranges;
    }
    return undefined;
  }

  /** An earlier table to continue to one that covers `span`. HD2 */
  resumable({manifest, index}: PartitionSnapshot, span: DaySpan): DayRanges | undefined {
    for (const table of this.tables.get(manifest.partition) ?? []) {
      if (table.firstDay !== span.firstDay || !isResumable(table, index)) continue;
      const ranges = this.ranges.get(table.key);
      if (ranges !== undefined) return ranges;
    }
    return undefined;
  }

  /** Keeps a table that covers these days of the snapshot, and drops tables that became useless. */
  keep({manifest: {partition}, index}: PartitionSnapshot, span: DaySpan, ranges: DayRanges): void {
    const key = `${partition} ${span.firstDay} ${span.lastDay}`;
    const tables = this.tables.get(partition) ?? [];
    const useful = tables.filter((table) => table.key !== key && (isOf(table, index) || isResumable(table, index)));
    const kept = useful.slice(-(tablesMax - 1));
    for (const table of tables) if (!kept.includes(table)) this.ranges.drop(table.key);
    const checkpoint = ranges.checkpoint && before(ranges.checkpoint.day, index, span);
    const isKept = this.ranges.keep(key, ranges);
    const own = isKept ? [{...span, key, source: sourceOf(index, span), checkpoint, index}] : [];
    this.tables.set(partition, [...kept, ...own]);
  }
}

/** Whether the table is valid for the index. HD1 */
function isOf(table: DayTable, index: SnapshotIndex): boolean {
  if (table.index === index) return true;
  if (table.source !== sourceOf(index, table)) return false;
  table.index = index;
  return true;
}

/** Whether a table can be continued for the index. HD2 */
function isResumable({checkpoint}: DayTable, index: SnapshotIndex): boolean {
  return checkpoint !== undefined && checkpoint.source === sourceOf(index, checkpoint.span);
}

function before(day: number, index: SnapshotIndex, {firstDay}: DaySpan): DayTable['checkpoint'] {
  const span = {firstDay, lastDay: day - 1};
  return {span, source: sourceOf(index, span)};
}

function sourceOf(index: SnapshotIndex, {firstDay, lastDay}: DaySpan): string {
  const blocks = blocksWithin(index.windowRuns, firstDay, lastDay).map(({part}) => part.key);
  return `${blocks.join()} ${erasedIn(index)}`;
}

const erasedDigests = new WeakMap<SnapshotIndex, string>();

/** Tells the erased users of an index from others: where many moved they are hundreds of thousands, and each table asks. */
export function erasedIn(index: SnapshotIndex): string {
  const known = erasedDigests.get(index);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(Uint32Array.from(index.erasedUsers)).digest('base64url');
  erasedDigests.set(index, digest);
  return digest;
}
