// Event counts of one partition: hourly cells where whole hours are asked for, rows for the rest.
//   Q1. A window cell answers for a whole hour only: the parts of hours at both ends of [from, to] are counted from rows.
//   Q2. With a property filter every row of the name is judged; no cell knows properties.
import {chunkRowsMax, hourMs} from '../limits.js';
import type {ChunkEntry, RunBlock, SnapshotIndex} from '../manifest.js';
import {lowerBound, type RowsView} from '../rows.js';
import {hoursPerDay, type WindowsView} from '../windows.js';
import type {Buckets} from './buckets.js';
import {type PropertyFilter, verdict} from './filter.js';
import {blocksWithin, chunksNaming, chunksWithin, type Stretch} from './selection.js';

const noRows = new Uint16Array(0);

export class CountsPartial {
  /** Events of each bucket. */
  readonly counts: Float64Array;
  private readonly buckets: Buckets;
  private readonly name: number;
  private readonly filter: PropertyFilter | undefined;
  /** Whole hours [hourStart, hourEnd) that cells answer for. Q1 */
  private readonly hourStart: number;
  private readonly hourEnd: number;
  /** What rows answer for; in order, not touching. */
  private readonly stretches: readonly Stretch[];
  private readonly unsure: Uint16Array;
  private unsureCount = 0;

  /** `name` is the event's index in this partition. */
  constructor(buckets: Buckets, name: number, filter?: PropertyFilter) {
    const {fromMs, toMs} = buckets;
    this.buckets = buckets;
    this.name = name;
    this.filter = filter;
    this.counts = new Float64Array(buckets.count);
    this.unsure = filter === undefined ? noRows : new Uint16Array(chunkRowsMax);
    const hourStart = Math.ceil(fromMs / hourMs);
    const hourEnd = Math.floor((toMs + 1) / hourMs);
    const hasWholeHours = filter === undefined && hourStart < hourEnd; // Q2
    this.hourStart = hasWholeHours ? hourStart : 0;
    this.hourEnd = hasWholeHours ? hourEnd : 0;
    this.stretches = hasWholeHours
      ? [
          {startMs: fromMs, lastMs: hourStart * hourMs - 1},
          {startMs: hourEnd * hourMs, lastMs: toMs},
        ]
      : [{startMs: fromMs, lastMs: toMs}];
  }

  blocks(index: SnapshotIndex): RunBlock[] {
    if (this.hourStart === this.hourEnd) return [];
    const firstDay = Math.floor(this.hourStart / hoursPerDay);
    return blocksWithin(index.windowRuns, firstDay, Math.floor((this.hourEnd - 1) / hoursPerDay));
  }

  chunks(index: SnapshotIndex): ChunkEntry[] {
    return chunksNaming(chunksWithin(index.chunks, this.stretches), [this.name]);
  }

  addCells(windows: WindowsView): void {
    const {hours, names, counts} = windows;
    const {edges} = this.buckets;
    let bucket = 0;
    let bucketEndHour = 0;
    for (let cell = firstCell(hours, this.hourStart); cell < hours.length && hours[cell] < this.hourEnd; cell++) {
      if (names[cell] !== this.name) continue;
      if (hours[cell] >= bucketEndHour) {
        bucket = this.buckets.indexOf(hours[cell] * hourMs);
        bucketEndHour = edges[bucket + 1] / hourMs;
      }
      this.counts[bucket] += counts[cell];
    }
  }

  /** Returns the rows, ascending, that only their bodies can decide: `addBodies` is due for each of their blocks. */
  addRows(rows: RowsView): Uint16Array {
    if (this.filter !== undefined && !this.filter.open(rows)) return noRows;
    this.unsureCount = 0;
    for (const {startMs, lastMs} of this.stretches) {
      const end = lowerBound(rows, lastMs + 1);
      for (let at = lowerBound(rows, startMs); at < end; ) at = this.addBucketRows(rows, at, end);
    }
    return this.unsure.slice(0, this.unsureCount).sort();
  }

  /** Counts from `order[start]` to the end of that row's bucket; returns where the next bucket's rows start. */
  private addBucketRows(rows: RowsView, start: number, end: number): number {
    const bucket = this.buckets.indexOf(rows.times[rows.order[start]]);
    const bucketEnd = Math.min(end, lowerBound(rows, this.buckets.edges[bucket + 1], start));
    this.counts[bucket] +=
      this.filter === undefined
        ? this.countNamed(rows, start, bucketEnd)
        : this.countPassing(rows, this.filter, start, bucketEnd);
    return bucketEnd;
  }

  private countNamed({order, names}: RowsView, start: number, end: number): number {
    const {name} = this;
    let count = 0;
    for (let at = start; at < end; at++) if (names[order[at]] === name) count += 1;
    return count;
  }

  private countPassing({order, names}: RowsView, filter: PropertyFilter, start: number, end: number): number {
    const {name} = this;
    let count = 0;
    for (let at = start; at < end; at++) {
      const row = order[at];
      if (names[row] !== name) continue;
      const judged = filter.judge(row);
      if (judged === verdict.yes) count += 1;
      else if (judged === verdict.unsure) this.unsure[this.unsureCount++] = row;
    }
    return count;
  }

  /** Decides unsure rows of one body block. */
  addBodies(rows: RowsView, unsure: Uint16Array, block: Uint8Array): void {
    if (this.filter === undefined) return;
    for (const row of this.filter.passing(rows, block, unsure)) this.counts[this.buckets.indexOf(rows.times[row])] += 1;
  }
}

/** First cell at or after `hour`; cells are in the order of their hours. */
function firstCell(hours: Uint32Array, hour: number): number {
  let low = 0;
  let high = hours.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hours[middle] < hour) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The sum of the partitions' counts. */
export function mergeCounts(bucketCount: number, partials: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(bucketCount);
  for (const counts of partials) for (let bucket = 0; bucket < bucketCount; bucket++) sum[bucket] += counts[bucket];
  return sum;
}
