// Event counts of one partition: hourly cells for whole hours, rows for the rest.
//   EC1. A cell answers for a whole hour of one bucket only. Rows answer for partial hours at both ends of [from, to], and for
//        hours with an edge between two buckets inside, as in zones with an offset of half an hour.
//   EC2. With a property filter, cells by value answer for the chunks that have them. In other chunks rows with the name and a
//        code of the value are searched (row-finder.ts), or each row of the name is judged if codes do not decide.
//   EC3. Cells grouped by name hold the same counts as cells of all names.

import {hoursPerDay} from '../../aggregator/windows.js';
import {isIdentityCoded, type RowColumn, type WholeRows} from '../../chunk/property-columns.js';
import {firstAt, firstAtNear, type RowsView, timeOf} from '../../chunk/rows.js';
import type {HourCells} from '../../identity/snapshot-set.js';
import {assert, must} from '../../invariant.js';
import {chunkRowsMax, hourMs} from '../../limits.js';
import type {ChunkEntry, RunBlock, SnapshotIndex} from '../../manifest.js';
import {firstPlace, lowerBound} from '../../order/search.js';
import type {RowFinder} from '../rows/row-finder.js';
import {blocksWithin, chunksNaming, chunksWithinOrdered, countedKey, type Stretch} from '../selection.js';
import type {Buckets} from './buckets.js';
import type {CellsByName} from './cells-by-name.js';
import {type PropertyFilter, verdict} from './filter.js';
import type {ValueCells} from './value-cells.js';

const noRows = new Uint16Array(0);

export class CountsPartial {
  /** Events of each bucket. */
  readonly counts: Float64Array;
  private readonly buckets: Buckets;
  private readonly name: number;
  private readonly filter: PropertyFilter | undefined;
  private readonly finder: RowFinder;
  /** Cells answer for the hours of [hourStart, hourEnd) without an edge inside. EC1 */
  private readonly hourStart: number;
  private readonly hourEnd: number;
  private readonly cutsHours: boolean;
  /** Stretches that rows answer for: beside cells, and without any. In order, not touching. */
  private readonly ends: readonly Stretch[];
  private readonly whole: readonly Stretch[];
  private readonly unsure: Uint16Array;
  private unsureCount = 0;

  /** `name` is the event's index in this partition. */
  constructor(buckets: Buckets, name: number, finder: RowFinder, filter?: PropertyFilter) {
    const {fromMs, toMs} = buckets;
    this.finder = finder;
    this.buckets = buckets;
    this.name = name;
    this.filter = filter;
    this.counts = new Float64Array(buckets.count);
    this.unsure = filter === undefined ? noRows : new Uint16Array(chunkRowsMax);
    const hourStart = Math.ceil(fromMs / hourMs);
    const hourEnd = Math.floor((toMs + 1) / hourMs);
    const cut = cutHours(buckets.edges, hourStart, hourEnd);
    const hasWholeHours = hourEnd - hourStart > cut.length;
    this.hourStart = hasWholeHours ? hourStart : 0;
    this.hourEnd = hasWholeHours ? hourEnd : 0;
    this.cutsHours = cut.length > 0;
    this.whole = [{startMs: fromMs, lastMs: toMs}];
    this.ends = hasWholeHours
      ? joined([
          {startMs: fromMs, lastMs: hourStart * hourMs - 1},
          ...cut.map((hour) => ({startMs: hour * hourMs, lastMs: (hour + 1) * hourMs - 1})),
          {startMs: hourEnd * hourMs, lastMs: toMs},
        ])
      : this.whole;
  }

  blocks(index: SnapshotIndex): RunBlock[] {
    if (this.filter !== undefined || this.hourStart === this.hourEnd) return [];
    const firstDay = Math.floor(this.hourStart / hoursPerDay);
    return blocksWithin(index.windowRuns, firstDay, Math.floor((this.hourEnd - 1) / hoursPerDay));
  }

  /** Chunks to read: those that cells by value stand for (`values`, by `countedKey`), and the others. */
  chunks(
    {chunks}: SnapshotIndex,
    values?: {covered: ReadonlySet<string>; others: readonly ChunkEntry[]},
  ): ChunkEntry[] {
    const {ends} = this;
    if (this.filter === undefined) return this.asked(chunks, ends);
    if (values === undefined) return this.asked(chunks, this.whole);
    const others = this.asked(values.others, this.whole);
    if (ends.length === 0) return others;
    const covered = chunks.filter((chunk) => values.covered.has(countedKey(chunk)));
    return [...others, ...this.asked(covered, ends)];
  }

  private asked(chunks: readonly ChunkEntry[], stretches: readonly Stretch[]): ChunkEntry[] {
    return stretches.length === 0 ? [] : chunksNaming(chunksWithinOrdered(chunks, stretches), [this.name]);
  }

  /** Adds cells by value in place of their chunks' rows, except in the stretches of `ends`. EC2 */
  addValueCells(cells: ValueCells): void {
    if (this.filter === undefined || this.hourStart === this.hourEnd) return;
    const edges = this.buckets.edges.map((edge) => edge / hourMs);
    if (!this.cutsHours) {
      cells.add(this.filter, this.name, this.withinWholeHours(edges), this.counts);
      return;
    }
    const counts = new Float64Array(2 * this.counts.length - 1);
    cells.add(this.filter, this.name, this.withinWholeHours(edgesBesideCuts(edges)), counts);
    for (let bucket = 0; bucket < this.counts.length; bucket++) this.counts[bucket] += counts[2 * bucket];
  }

  private withinWholeHours(hours: Float64Array): Float64Array {
    return hours.map((hour) => Math.min(Math.max(hour, this.hourStart), this.hourEnd));
  }

  addCells({hours, names, counts}: HourCells): void {
    let bucket = 0;
    for (let cell = lowerBound(hours, this.hourStart); cell < hours.length && hours[cell] < this.hourEnd; cell++) {
      if (names[cell] === this.name) bucket = this.addCell(hours[cell], counts[cell], bucket);
    }
  }

  /** Adds cells that are grouped by name. EC3 */
  addNamedCells(cells: CellsByName): void {
    const {hours, counts} = cells;
    const end = cells.find(this.name, this.hourEnd);
    let bucket = 0;
    for (let cell = cells.find(this.name, this.hourStart); cell < end; cell++)
      bucket = this.addCell(hours[cell], counts[cell], bucket);
  }

  /** Counts an hour without an edge inside. Returns its bucket; `bucket` is that of an earlier hour. */
  private addCell(hour: number, count: number, bucket: number): number {
    const {edges} = this.buckets;
    const timeMs = hour * hourMs;
    const found = timeMs < edges[bucket + 1] ? bucket : this.buckets.indexOf(timeMs);
    if (edges[found + 1] - timeMs >= hourMs) this.counts[found] += count;
    return found;
  }

  /** Counts rows without a filter. */
  addRows(rows: RowsView): void {
    assert(this.filter === undefined, 'counts: a filter asks for properties');
    this.addStretches(rows, this.ends);
  }

  /**
   * Counts rows with a filter. `isCovered`: cells stand for the chunk. Returns the rows, ascending, that only their bodies can
   * decide: call `addBodies` for each of their blocks.
   */
  addFilteredRows(rows: WholeRows, isCovered = false): Uint16Array {
    const filter = must(this.filter, 'counts: rows are filtered by a filter');
    if (!filter.open(rows)) return noRows;
    this.unsureCount = 0;
    const telling = isCovered ? undefined : filter.tellingColumn;
    if (telling !== undefined) this.addFound(rows, telling, filter.equalCodes);
    else this.addStretches(rows, isCovered ? this.ends : this.whole);
    return this.unsureCount === 0 ? noRows : this.unsure.slice(0, this.unsureCount).sort();
  }

  /** Stretches are in order: of many, most lie before or after all rows of a chunk. */
  private addStretches(rows: RowsView, stretches: readonly Stretch[]): void {
    const {order} = rows;
    if (order.length === 0) return;
    const firstMs = timeOf(rows, order[0]);
    const lastMs = timeOf(rows, order[order.length - 1]);
    let at = firstPlace(0, stretches.length, (place) => stretches[place].lastMs < firstMs);
    for (; at < stretches.length && stretches[at].startMs <= lastMs; at++) this.addStretch(rows, stretches[at]);
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
    const {name, filter} = this;
    let count = 0;
    for (let at = start; at < end; at++) {
      const row = order[at];
      if (names[row] !== name) continue;
      count += filter === undefined ? 1 : this.judge(filter, row);
    }
    return count;
  }

  /** Counts rows with the name and one of these codes, in arrival order. */
  private addFound(rows: RowsView, column: RowColumn, equalCodes: readonly number[]): void {
    if (isIdentityCoded(column)) {
      const isNamed = (row: number): boolean => rows.names[row] === this.name;
      this.addTimes(rows, Uint16Array.from(equalCodes, (code) => code - 1).filter(isNamed));
      return;
    }
    this.finder.open(rows.names, column.codes);
    for (const code of equalCodes) this.addTimes(rows, this.finder.find(this.name, code));
    this.noteUnsure(rows, this.finder.find(this.name, column.inBody));
  }

  /** Counts passing rows in [from, to]. Most are in the bucket of the row before. */
  private addTimes({times, timeBase}: RowsView, passing: Uint16Array): void {
    const {fromMs, toMs, edges} = this.buckets;
    let [start, end, bucket, count] = [0, 0, -1, 0];
    for (let i = 0; i < passing.length; i++) {
      const time = times[passing[i]];
      if (time >= start && time < end) {
        count += 1;
        continue;
      }
      if (bucket >= 0) this.counts[bucket] += count;
      const timeMs = timeBase + time;
      bucket = timeMs < fromMs || timeMs > toMs ? -1 : this.buckets.indexOf(timeMs);
      start = bucket < 0 ? time : Math.max(edges[bucket], fromMs) - timeBase;
      end = bucket < 0 ? time : Math.min(edges[bucket + 1], toMs + 1) - timeBase;
      count = 1;
    }
    if (bucket >= 0) this.counts[bucket] += count;
  }

  private noteUnsure(rows: RowsView, unsure: Uint16Array): void {
    const {fromMs, toMs} = this.buckets;
    for (const row of unsure) {
      const timeMs = timeOf(rows, row);
      if (timeMs >= fromMs && timeMs <= toMs) this.unsure[this.unsureCount++] = row;
    }
  }

  /** Returns 1 when the row passes; adds an unsure row to the list. */
  private judge(filter: PropertyFilter, row: number): number {
    const judged = filter.judge(row);
    if (judged === verdict.unsure) this.unsure[this.unsureCount++] = row;
    return judged === verdict.yes ? 1 : 0;
  }

  /** Decides unsure rows of one body block. */
  addBodies(rows: WholeRows, unsure: Uint16Array, block: Uint8Array): void {
    if (this.filter === undefined) return;
    for (const row of this.filter.passing(rows, block, unsure))
      this.counts[this.buckets.indexOf(timeOf(rows, row))] += 1;
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

/** The sum of the partitions' counts. */
export function mergeCounts(bucketCount: number, partials: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(bucketCount);
  for (const counts of partials) for (let bucket = 0; bucket < bucketCount; bucket++) sum[bucket] += counts[bucket];
  return sum;
}
