// Which tables of distinct users by ranges of days are at hand, for which days of which snapshot.
//   Owns: whether a table still says what the newest snapshot says. Does not own: the tables (the parts cache keeps them,
//   within its bound), how one is made (actors/report/active/day-ranges.ts).
//   H1. A table is good for as long as the blocks of its days and the erased users are the same: parts never change.
//   H2. The next table goes on from one of which that holds for the days before its checkpoint.

import type {SnapshotIndex} from '../../../actors/manifest.js';
import type {DayRanges, DaySpan} from '../../../actors/report/active/day-ranges.js';
import {blocksWithin} from '../../../actors/report/selection.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

/** Of one partition. Ranges that no other covers are few: those of dashboards, and what somebody looks up now. */
const tablesMax = 8;

interface Table extends DaySpan {
  readonly key: string;
  /** H1 */
  readonly source: string;
  /** H2; undefined without a checkpoint. */
  readonly checkpoint: {readonly span: DaySpan; readonly source: string} | undefined;
  /** The index that was last seen to have this source. */
  index: SnapshotIndex;
}

export class HeldDayRanges {
  private readonly parts: PartsCache;
  /** By partition, newest last. */
  private readonly tables = new Map<number, Table[]>();

  constructor(parts: PartsCache) {
    this.parts = parts;
  }

  /** A table that covers days [firstDay, lastDay] of the snapshot. */
  find({manifest, index}: PartitionSnapshot, {firstDay, lastDay}: DaySpan): DayRanges | undefined {
    for (const table of this.tables.get(manifest.partition) ?? []) {
      if (table.firstDay > firstDay || table.lastDay < lastDay || !isOf(table, index)) continue;
      const ranges = this.parts.memory.keptRanges(table.key);
      if (ranges !== undefined) return ranges;
    }
    return undefined;
  }

  /** An earlier table to go on from to one that covers `span`. H2 */
  resumable({manifest, index}: PartitionSnapshot, span: DaySpan): DayRanges | undefined {
    const tables = this.tables.get(manifest.partition) ?? [];
    const table = tables.find((one) => one.firstDay === span.firstDay && isResumable(one, index) && this.isKept(one));
    return table === undefined ? undefined : this.parts.memory.keptRanges(table.key);
  }

  /** Keeps a table that covers these days of the snapshot, and lets go of those that are of no use any more. */
  keep({manifest: {partition}, index}: PartitionSnapshot, span: DaySpan, ranges: DayRanges): void {
    const key = `ranges ${partition} ${span.firstDay} ${span.lastDay}`;
    const tables = this.tables.get(partition) ?? [];
    const useful = tables.filter(
      (table) => table.key !== key && (isOf(table, index) || isResumable(table, index)) && this.isKept(table),
    );
    const kept = useful.slice(-(tablesMax - 1));
    for (const table of tables) if (!kept.includes(table)) this.parts.memory.drop(table.key);
    this.parts.memory.keepRanges(key, ranges);
    const checkpoint = ranges.checkpoint && before(ranges.checkpoint.day, index, span);
    this.tables.set(partition, [...kept, {...span, key, source: sourceOf(index, span), checkpoint, index}]);
  }

  private isKept({key}: Table): boolean {
    return this.parts.memory.keptRanges(key) !== undefined;
  }
}

/** H1 */
function isOf(table: Table, index: SnapshotIndex): boolean {
  if (table.index === index) return true;
  if (table.source !== sourceOf(index, table)) return false;
  table.index = index;
  return true;
}

/** H2 */
function isResumable({checkpoint}: Table, index: SnapshotIndex): boolean {
  return checkpoint !== undefined && checkpoint.source === sourceOf(index, checkpoint.span);
}

function before(day: number, index: SnapshotIndex, {firstDay}: DaySpan): Table['checkpoint'] {
  const span = {firstDay, lastDay: day - 1};
  return {span, source: sourceOf(index, span)};
}

function sourceOf({windowRuns, erasedUsers}: SnapshotIndex, {firstDay, lastDay}: DaySpan): string {
  const blocks = blocksWithin(windowRuns, firstDay, lastDay).map(({part}) => part.key);
  return `${blocks.join()} ${erasedUsers.join()}`;
}
