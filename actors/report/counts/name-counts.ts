// Number of events of each name of one partition in [from, to].
//   NC1. Whole hours come from cells, partial hours at both ends from rows: as exact as the count of one name (counts.ts EC1).

import {hoursPerDay} from '../../aggregator/windows.js';
import {firstAt, type RowsView} from '../../chunk/rows.js';
import type {HourCells} from '../../identity/snapshot-set.js';
import {hourMs} from '../../limits.js';
import type {ChunkEntry, RunBlock, SnapshotIndex} from '../../manifest.js';
import {lowerBound} from '../../order/search.js';
import {blocksWithin, chunksWithin, type Stretch} from '../selection.js';

export class NameCounts {
  /** Counts by name index. */
  readonly counts: Float64Array;
  /** Cells answer for whole hours [hourStart, hourEnd); empty when both are equal. NC1 */
  private readonly hourStart: number;
  private readonly hourEnd: number;
  /** Stretches that rows answer for. NC1 */
  private readonly ends: readonly Stretch[];

  /** Bounds are inclusive epoch ms; `names`: number of name indexes ever given out. */
  constructor(names: number, fromMs: number, toMs: number) {
    this.counts = new Float64Array(names);
    const hourStart = Math.ceil(fromMs / hourMs);
    const hourEnd = Math.floor((toMs + 1) / hourMs);
    const hasWholeHours = hourStart < hourEnd;
    this.hourStart = hasWholeHours ? hourStart : 0;
    this.hourEnd = hasWholeHours ? hourEnd : 0;
    const ends = hasWholeHours
      ? [
          {startMs: fromMs, lastMs: hourStart * hourMs - 1},
          {startMs: hourEnd * hourMs, lastMs: toMs},
        ]
      : [{startMs: fromMs, lastMs: toMs}];
    this.ends = ends.filter(({startMs, lastMs}) => startMs <= lastMs);
  }

  /** Blocks for `addCells`. */
  blocks({windowRuns}: SnapshotIndex): RunBlock[] {
    if (this.hourStart === this.hourEnd) return [];
    const firstDay = Math.floor(this.hourStart / hoursPerDay);
    return blocksWithin(windowRuns, firstDay, Math.floor((this.hourEnd - 1) / hoursPerDay));
  }

  addCells({hours, names, counts}: HourCells): void {
    for (let cell = lowerBound(hours, this.hourStart); cell < hours.length && hours[cell] < this.hourEnd; cell++)
      this.counts[names[cell]] += counts[cell];
  }

  /** Chunks for `addRows`. */
  chunks({chunks}: SnapshotIndex): ChunkEntry[] {
    return this.ends.length === 0 ? [] : chunksWithin(chunks, this.ends);
  }

  addRows(rows: RowsView): void {
    const {order, names} = rows;
    for (const {startMs, lastMs} of this.ends) {
      const end = firstAt(rows, lastMs + 1);
      for (let at = firstAt(rows, startMs); at < end; at++) this.counts[names[order[at]]] += 1;
    }
  }
}
