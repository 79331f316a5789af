// Event counts of one partition: hourly cells for whole hours, rows for the rest.
//   EC1. A cell answers for a whole hour of one bucket only. Rows answer for partial hours at both ends of [from, to], and for
//        hours with an edge between two buckets inside, as in zones with an offset of half an hour.
//   EC2. Of the events with one value of a property, cells by value answer for the chunks that have them. Of other chunks all
//        rows with the value are added.
//   EC3. Cells are sorted by (hour, name). A count of one name finds its cell in each hour by binary search, so it costs little more
//        with many names than with few.

import {hoursPerDay} from '../../aggregator/windows.js';
import {firstAt, firstAtNear, type RowsView, timeOf} from '../../chunk/rows.js';
import type {HourCells} from '../../identity/snapshot-set.js';
import {hourMs} from '../../limits.js';
import type {ChunkEntry, RunBlock, SnapshotIndex} from '../../manifest.js';
import {endOfRun, firstPlace, lowerBound} from '../../order/search.js';
import {blocksWithin, chunksNaming, chunksWithinOrdered, type Stretch} from '../selection.js';
import type {Buckets} from './buckets.js';
import type {ValueCells} from './value-cells.js';

export class CountsPartial {
  /** Events of each bucket. */
  readonly counts: Float64Array;
  private readonly buckets: Buckets;
  private readonly name: number;
  /** Cells answer for the hours of [hourStart, hourEnd) without an edge inside. EC1 */
  private readonly hourStart: number;
  private readonly hourEnd: number;
  private readonly cutsHours: boolean;
  /** Stretches that rows answer for beside cells. In order, not touching. */
  private readonly ends: readonly Stretch[];

  /** `name` is the event's index in this partition. */
  constructor(buckets: Buckets, name: number) {
    const {fromMs, toMs} = buckets;
    this.buckets = buckets;
    this.name = name;
    this.counts = new Float64Array(buckets.count);
    const hourStart = Math.ceil(fromMs / hourMs);
    const hourEnd = Math.floor((toMs + 1) / hourMs);
    const cut = cutHours(buckets.edges, hourStart, hourEnd);
    const hasWholeHours = hourEnd - hourStart > cut.length;
    this.hourStart = hasWholeHours ? hourStart : 0;
    this.hourEnd = hasWholeHours ? hourEnd : 0;
    this.cutsHours = cut.length > 0;
    this.ends = hasWholeHours
      ? joined([
          {startMs: fromMs, lastMs: hourStart * hourMs - 1},
          ...cut.map((hour) => ({startMs: hour * hourMs, lastMs: (hour + 1) * hourMs - 1})),
          {startMs: hourEnd * hourMs, lastMs: toMs},
        ])
      : [{startMs: fromMs, lastMs: toMs}];
  }

  blocks(index: SnapshotIndex): RunBlock[] {
    if (this.hourStart === this.hourEnd) return [];
    const firstDay = Math.floor(this.hourStart / hoursPerDay);
    return blocksWithin(index.windowRuns, firstDay, Math.floor((this.hourEnd - 1) / hoursPerDay));
  }

  /** Those of the chunks whose rows answer beside cells. */
  chunks(chunks: readonly ChunkEntry[]): ChunkEntry[] {
    const {ends} = this;
    return ends.length === 0 ? [] : chunksNaming(chunksWithinOrdered(chunks, ends), [this.name]);
  }

  /** Adds the events with one of these encoded values, beside the rows of `ends`. EC2 */
  addValueCells(cells: ValueCells, values: readonly Uint8Array[]): void {
    if (this.hourStart === this.hourEnd) return;
    const edges = this.buckets.edges.map((edge) => edge / hourMs);
    if (!this.cutsHours) {
      cells.add(values, this.name, this.withinWholeHours(edges), this.counts);
      return;
    }
    const counts = new Float64Array(2 * this.counts.length - 1);
    cells.add(values, this.name, this.withinWholeHours(edgesBesideCuts(edges)), counts);
    for (let bucket = 0; bucket < this.counts.length; bucket++) this.counts[bucket] += counts[2 * bucket];
  }

  private withinWholeHours(hours: Float64Array): Float64Array {
    return hours.map((hour) => Math.min(Math.max(hour, this.hourStart), this.hourEnd));
  }

  /** EC3 */
  addCells({hours, names, counts}: HourCells): void {
    const {name, hourEnd} = this;
    let bucket = 0;
    for (let first = lowerBound(hours, this.hourStart); first < hours.length && hours[first] < hourEnd; ) {
      const end = endOfRun(hours, first);
      const cell = lowerBound(names, name, first, end);
      if (cell < end && names[cell] === name) bucket = this.addCell(hours[first], counts[cell], bucket);
      first = end;
    }
  }

  /** Counts an hour without an edge inside. Returns its bucket; `bucket` is that of an earlier hour. */
  private addCell(hour: number, count: number, bucket: number): number {
    const {edges} = this.buckets;
    const timeMs = hour * hourMs;
    const found = timeMs < edges[bucket + 1] ? bucket : this.buckets.indexOf(timeMs);
    if (edges[found + 1] - timeMs >= hourMs) this.counts[found] += count;
    return found;
  }

  /** Counts the rows of the name that answer beside cells. Stretches are in order: of many, most lie before or after all rows of a chunk. */
  addRows(rows: RowsView): void {
    const {order} = rows;
    const {ends} = this;
    if (order.length === 0) return;
    const firstMs = timeOf(rows, order[0]);
    const lastMs = timeOf(rows, order[order.length - 1]);
    let at = firstPlace(0, ends.length, (place) => ends[place].lastMs < firstMs);
    for (; at < ends.length && ends[at].startMs <= lastMs; at++) this.addStretch(rows, ends[at]);
  }

  private addStretch(rows: RowsView, {startMs, lastMs}: Stretch): void {
    const end = firstAt(rows, lastMs + 1);
    for (let at = firstAt(rows, startMs); at < end; ) at = this.addBucketRows(rows, at, end);
  }

  /** Counts the rows of `order[start]`'s bucket; returns the position of the next bucket's rows. */
  private addBucketRows(rows: RowsView, start: number, end: number): number {
    const bucket = this.buckets.indexOf(timeOf(rows, rows.order[start]));
    const bucketEnd = Math.min(end, firstAtNear(rows, this.buckets.edges[bucket + 1], start));
    this.counts[bucket] += this.countRows(rows, start, bucketEnd);
    return bucketEnd;
  }

  private countRows({order, names}: RowsView, start: number, end: number): number {
    const {name} = this;
    let count = 0;
    for (let at = start; at < end; at++) if (names[order[at]] === name) count += 1;
    return count;
  }

  /** Counts chosen rows of a chunk, which are in [from, to]. Most are in the bucket of the row before. */
  addChosen({times, timeBase}: RowsView, chosen: Uint16Array): void {
    const {edges} = this.buckets;
    let [start, end, bucket] = [0, 0, 0];
    for (let i = 0; i < chosen.length; i++) {
      const time = times[chosen[i]];
      if (time < start || time >= end) {
        bucket = this.buckets.indexOf(timeBase + time);
        start = edges[bucket] - timeBase;
        end = edges[bucket + 1] - timeBase;
      }
      this.counts[bucket] += 1;
    }
  }

  /** The chosen rows of a chunk that answer beside cells. EC2 */
  besideCells(rows: RowsView, chosen: Uint16Array): Uint16Array {
    const {ends} = this;
    return chosen.filter((row) => {
      const timeMs = timeOf(rows, row);
      const at = firstPlace(0, ends.length, (place) => ends[place].lastMs < timeMs);
      return at < ends.length && ends[at].startMs <= timeMs;
    });
  }
}

/** Hours of [hourStart, hourEnd) with an edge inside, ascending. */
function cutHours(edges: Float64Array, hourStart: number, hourEnd: number): number[] {
  const hours: number[] = [];
  for (const edge of edges) {
    if (edge % hourMs === 0) continue;
    const hour = Math.floor(edge / hourMs);
    if (hour >= hourStart && hour < hourEnd && hour !== hours.at(-1)) hours.push(hour);
  }
  return hours;
}

/** Stretches without empty ones; touching ones are joined. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const list: Stretch[] = [];
  for (const {startMs, lastMs} of stretches) {
    if (lastMs < startMs) continue;
    const before = list.at(-1);
    if (before?.lastMs === startMs - 1) list[list.length - 1] = {startMs: before.startMs, lastMs};
    else list.push({startMs, lastMs});
  }
  return list;
}

/**
 * Start and end of each bucket's uncut hours. The hour that two buckets share, if any, lies between an end and the next start.
 */
function edgesBesideCuts(edges: Float64Array): Float64Array {
  const beside = new Float64Array(2 * edges.length - 2);
  for (let bucket = 0; bucket < edges.length - 1; bucket++) {
    const start = Math.ceil(edges[bucket]);
    beside[2 * bucket] = start;
    beside[2 * bucket + 1] = Math.max(start, Math.floor(edges[bucket + 1]));
  }
  return beside;
}
