// Event counts of one partition: hourly cells where whole hours are asked for, rows for the rest.
//   Q1. A window cell answers for a whole hour only: the parts of hours at both ends of [from, to] are counted from rows.
//   Q2. With a property filter those are cells by value, of the chunks that have any; of other chunks every row of the name
//       is judged.
//   Q3. What is derived from rows only leads to the same ones sooner: the rows of the name without the others, the code of
//       the filter's value without the other values.
import {chunkRowsMax, hourMs} from '../limits.js';
import type {ChunkEntry, RunBlock, SnapshotIndex} from '../manifest.js';
import {lowerBound, lowerBoundNear, type RowsView, timeOf} from '../rows.js';
import {hoursPerDay, type WindowsView} from '../windows.js';
import type {Buckets} from './buckets.js';
import type {CellsByName} from './cells-by-name.js';
import type {DerivedRows} from './derived-rows.js';
import {type PropertyFilter, verdict} from './filter.js';
import type {RowsByName} from './rows-by-name.js';
import {blocksWithin, chunksNaming, chunksWithin, type Stretch} from './selection.js';
import type {ValueCells} from './value-cells.js';

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
  /** What is left to rows where cells answer for those, and where none do; each in order, not touching. */
  private readonly ends: readonly Stretch[];
  private readonly whole: readonly Stretch[];
  private edges: Float64Array | undefined;
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
    const hasWholeHours = hourStart < hourEnd;
    this.hourStart = hasWholeHours ? hourStart : 0;
    this.hourEnd = hasWholeHours ? hourEnd : 0;
    this.whole = [{startMs: fromMs, lastMs: toMs}];
    this.ends = hasWholeHours
      ? [
          {startMs: fromMs, lastMs: hourStart * hourMs - 1},
          {startMs: hourEnd * hourMs, lastMs: toMs},
        ]
      : this.whole;
  }

  blocks(index: SnapshotIndex): RunBlock[] {
    if (this.filter !== undefined || this.hourStart === this.hourEnd) return [];
    const firstDay = Math.floor(this.hourStart / hoursPerDay);
    return blocksWithin(index.windowRuns, firstDay, Math.floor((this.hourEnd - 1) / hoursPerDay));
  }

  /** `values`: the chunks that cells by value stand for (`addValueCells`), by the keys of their rows parts, and the others. */
  chunks(
    {chunks}: SnapshotIndex,
    values?: {covered: ReadonlySet<string>; others: readonly ChunkEntry[]},
  ): ChunkEntry[] {
    const ends = this.ends.filter(({startMs, lastMs}) => startMs <= lastMs);
    if (this.filter === undefined) return this.asked(chunks, ends);
    if (values === undefined) return this.asked(chunks, this.whole);
    const others = this.asked(values.others, this.whole);
    if (ends.length === 0) return others;
    const covered = chunks.filter(({rows}) => values.covered.has(rows.key));
    return [...others, ...this.asked(covered, ends)];
  }

  private asked(chunks: readonly ChunkEntry[], stretches: readonly Stretch[]): ChunkEntry[] {
    return stretches.length === 0 ? [] : chunksNaming(chunksWithin(chunks, stretches), [this.name]);
  }

  /** Cells by value instead of the rows of the chunks that they stand for, but for the ends of [from, to]. Q2 */
  addValueCells(cells: ValueCells): void {
    if (this.filter !== undefined && this.hourStart < this.hourEnd) {
      cells.add(this.filter, this.name, this.edgeHours, this.counts);
    }
  }

  /** Edges of the buckets as hours, within the whole hours. */
  private get edgeHours(): Float64Array {
    const {hourStart, hourEnd} = this;
    this.edges ??= this.buckets.edges.map((edge) => Math.min(Math.max(edge / hourMs, hourStart), hourEnd));
    return this.edges;
  }

  addCells({hours, names, counts}: WindowsView): void {
    let bucket = 0;
    for (let cell = firstCell(hours, this.hourStart); cell < hours.length && hours[cell] < this.hourEnd; cell++) {
      if (names[cell] === this.name) bucket = this.addCell(hours[cell], counts[cell], bucket);
    }
  }

  /** The same from the cells of the name alone. Q3 */
  addNamedCells(cells: CellsByName): void {
    const {hours, counts} = cells;
    const end = cells.find(this.name, this.hourEnd);
    let bucket = 0;
    for (let cell = cells.find(this.name, this.hourStart); cell < end; cell++)
      bucket = this.addCell(hours[cell], counts[cell], bucket);
  }

  /** `bucket`: of an hour before this one. Returns that of this hour. */
  private addCell(hour: number, count: number, bucket: number): number {
    const {edges} = this.buckets;
    const timeMs = hour * hourMs;
    const found = timeMs < edges[bucket + 1] ? bucket : this.buckets.indexOf(timeMs);
    this.counts[found] += count;
    return found;
  }

  /**
   * `isCovered`: cells stand for the chunk. Returns the rows, ascending, that only their bodies can decide: `addBodies` is
   * due for each of their blocks.
   */
  addRows(rows: RowsView, derived?: DerivedRows, isCovered = false): Uint16Array {
    if (this.filter !== undefined && !this.filter.open(rows, derived?.values)) return noRows; // Q3
    this.unsureCount = 0;
    const areEnds = this.filter === undefined || isCovered;
    // To group a chunk takes 1 to 2 ms, many times as long as going through all of its rows once.
    const named = areEnds ? derived?.heldNames : derived?.names;
    for (const stretch of areEnds ? this.ends : this.whole) {
      if (named === undefined) this.addStretch(rows, stretch);
      else this.addNamedStretch(named, stretch);
    }
    return this.unsureCount === 0 ? noRows : this.unsure.slice(0, this.unsureCount).sort();
  }

  private addStretch(rows: RowsView, {startMs, lastMs}: Stretch): void {
    const end = lowerBound(rows, lastMs + 1);
    for (let at = lowerBound(rows, startMs); at < end; ) at = this.addBucketRows(rows, at, end);
  }

  /** Counts from `order[start]` to the end of that row's bucket; returns where the next bucket's rows start. */
  private addBucketRows(rows: RowsView, start: number, end: number): number {
    const bucket = this.buckets.indexOf(timeOf(rows, rows.order[start]));
    const bucketEnd = Math.min(end, lowerBoundNear(rows, this.buckets.edges[bucket + 1], start));
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

  /** The same from the rows of the name alone. Q3 */
  private addNamedStretch(rows: RowsByName, {startMs, lastMs}: Stretch): void {
    const group = rows.group(this.name);
    if (group === undefined || lastMs < startMs) return;
    const {edges} = this.buckets;
    const end = rows.placeAt(group, lastMs + 1);
    let place = rows.placeAt(group, startMs);
    let run = rows.runAt(group, Math.floor(startMs / hourMs));
    while (place < end) {
      const bucket = this.buckets.indexOf(Math.max(rows.runHours[run] * hourMs, startMs));
      const edgeHour = edges[bucket + 1] / hourMs;
      while (run < group.runEnd && rows.runHours[run] < edgeHour) run += 1;
      const bucketEnd = Math.min(end, rows.runStarts[run]);
      this.counts[bucket] += this.countPlaces(rows, place, bucketEnd);
      place = bucketEnd;
    }
  }

  private countPlaces(rows: RowsByName, start: number, end: number): number {
    const {filter} = this;
    if (filter === undefined) return end - start;
    const sure = filter.countSure(rows, start, end);
    if (sure >= 0) return sure;
    let count = 0;
    for (let place = start; place < end; place++) count += this.judge(filter, rows.rows[place]);
    return count;
  }

  /** 1 when the row passes for sure; one that is unsure is noted. */
  private judge(filter: PropertyFilter, row: number): number {
    const judged = filter.judge(row);
    if (judged === verdict.unsure) this.unsure[this.unsureCount++] = row;
    return judged === verdict.yes ? 1 : 0;
  }

  /** Decides unsure rows of one body block. */
  addBodies(rows: RowsView, unsure: Uint16Array, block: Uint8Array): void {
    if (this.filter === undefined) return;
    for (const row of this.filter.passing(rows, block, unsure))
      this.counts[this.buckets.indexOf(timeOf(rows, row))] += 1;
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
