// Hourly counts of one property by value and event name, over some chunks of one partition: a filtered count of whole hours
// adds up few of them, however many rows they stand for.
//   Derived from rows parts, never stored.
//   VC1. A value has one index here, whatever its codes in the chunks (property-columns.ts PC3): values are identified by their
//        bytes.
//   VC2. A chunk with a row whose value is in its body alone is left to the scan.
//   VC3. A cell is an hour of one value and name, in the order of (value, name, hour), with the number of its rows. If most hours
//        have a single row, each cell is one row and counts are not stored.
//   VC4. Cells of a value and name are a group, which has the name. If groups would take more memory than a name for each cell,
//        as with tens of thousands of values, cells have names instead.
//   VC5. A scan waits for cells that it leaves behind. Rows are counted while a chunk is read, and what is sorted are these
//        counts: a tenth of the rows where an hour of a chunk has many of a value and name.
import {ByteWriter} from '../../bytes/bytes.js';
import {
  codeAbsent,
  codeInBody,
  type PropertyColumns,
  type RowColumn,
  type WholeRows,
} from '../../chunk/property-columns.js';
import type {RowsView} from '../../chunk/rows.js';
import {chunkRowsMax, hourMs} from '../../limits.js';
import {radixSortIndices} from '../../order/radix-sort.js';
import {lowerBound} from '../../order/search.js';
import {InternedTable} from '../../table/interned.js';
import type {PackedTable} from '../../table/packed-table.js';
import type {PropertyName} from '../rows/property-name.js';

/** Names and hours are 16 bits each in the keys of rows; chunks with larger ones are left to the scan (VC2). */
const nameMax = 0xffff;
const hoursMax = 0x1_0000;
/**
 * A property with more values than this, and than this share of its rows, is nearly unique: its cells would be larger than its
 * rows.
 */
const valuesMin = 65_536;
const valuesShare = 1 / 4;
/** Peak bytes a row of building, where each row is a run. */
const buildingRowBytes = 28;
/** Pairs of value and name of a chunk whose rows are counted while it is read; more of them rarely meet within an hour. VC5 */
const talliedMax = 65_536;

/** Groups of value v: [valueStarts[v], valueStarts[v + 1]); their names ascending. Cells of group g: [cells[g], cells[g + 1]). */
interface Groups {
  readonly names: Uint16Array;
  readonly cells: Uint32Array;
}

type CellNames = Uint8Array | Uint16Array;
type CellCounts = Uint8Array | Uint16Array | Uint32Array;

interface CellColumns {
  readonly values: PackedTable;
  /** Hours (epoch ms / 3,600,000) with events, ascending; cells refer to their positions. */
  readonly hours: Uint32Array;
  /** Index of each value's first group, then the end; of its first cell if cells have names. VC4 */
  readonly valueStarts: Uint32Array;
  readonly named: Groups | CellNames;
  readonly cellHours: Uint16Array;
  /** Rows of each cell; undefined if each cell is one row. VC3 */
  readonly cellCounts: CellCounts | undefined;
}

const isGroups = (named: Groups | CellNames): named is Groups => 'cells' in named;

export class ValueCells {
  private readonly columns: CellColumns;

  constructor(columns: CellColumns) {
    this.columns = columns;
  }

  get bytes(): number {
    const {values, hours, valueStarts, named, cellHours, cellCounts} = this.columns;
    const names = isGroups(named) ? named.names.byteLength + named.cells.byteLength : named.byteLength;
    const bytes = values.bytes + hours.byteLength + valueStarts.byteLength + names + cellHours.byteLength;
    return bytes + (cellCounts?.byteLength ?? 0);
  }

  /** Adds the events of the name with one of these encoded values: those of hours [edges[b], edges[b + 1]) to counts[b]. `edges` ascend. */
  add(values: readonly Uint8Array[], name: number, edges: Float64Array, counts: Float64Array): void {
    const places = this.placesOf(edges);
    for (const bytes of values) {
      const value = this.columns.values.find(bytes, 0, bytes.length);
      if (value >= 0) this.addValue(value, name, places, counts);
    }
  }

  get valueCount(): number {
    return this.columns.values.count;
  }

  /** Calls `each` with the bytes of each value of the name, and the value's events in hours [edges[b], edges[b + 1]). */
  forEachValue(
    name: number,
    edges: Float64Array,
    bucketCount: number,
    each: (bytes: Uint8Array, counts: Float64Array) => void,
  ): void {
    const places = this.placesOf(edges);
    const counts = new Float64Array(bucketCount);
    for (let value = 0; value < this.valueCount; value++) {
      this.addValue(value, name, places, counts);
      each(this.columns.values.bytesOf(value), counts);
      counts.fill(0);
    }
  }

  /** Position in `hours` of the first hour at or after each edge. */
  private placesOf(edges: Float64Array): Uint32Array {
    const places = new Uint32Array(edges.length);
    let place = 0;
    for (let edge = 0; edge < edges.length; edge++)
      places[edge] = place = lowerBound(this.columns.hours, edges[edge], place);
    return places;
  }

  private addValue(value: number, name: number, places: Uint32Array, counts: Float64Array): void {
    const {valueStarts, named} = this.columns;
    const [start, end] = [valueStarts[value], valueStarts[value + 1]];
    if (!isGroups(named)) {
      const first = lowerBound(named, name, start, end);
      this.addCells(first, lowerBound(named, name + 1, first, end), places, counts);
      return;
    }
    const group = lowerBound(named.names, name, start, end);
    if (group === end || named.names[group] !== name) return;
    this.addCells(named.cells[group], named.cells[group + 1], places, counts);
  }

  private addCells(start: number, end: number, places: Uint32Array, counts: Float64Array): void {
    const {cellHours, cellCounts} = this.columns;
    const last = lowerBound(cellHours, places[counts.length], start, end);
    let cell = lowerBound(cellHours, places[0], start, last);
    for (let bucket = 0; cell < last; bucket++) {
      const place = places[bucket + 1];
      if (cellCounts === undefined) {
        const next = lowerBound(cellHours, place, cell, last);
        counts[bucket] += next - cell;
        cell = next;
      } else for (; cell < last && cellHours[cell] < place; cell++) counts[bucket] += cellCounts[cell];
    }
  }
}

/** Numbers of rows, each of one value (its index) and of one key of name and hour. A value and key may come several times. VC5 */
interface Runs {
  readonly values: Uint32Array;
  readonly keys: Uint32Array;
  readonly counts: Uint32Array;
}

/** Runs in the order of (value, key): those of value v are [starts[v], starts[v + 1]). */
interface RunsByValue {
  readonly starts: Uint32Array;
  readonly keys: Uint32Array;
  readonly counts: Uint32Array;
}

const runsFor = (count: number): Runs => ({
  values: new Uint32Array(count),
  keys: new Uint32Array(count),
  counts: new Uint32Array(count),
});

export class ValueCellsBuilder {
  readonly property: PropertyName;
  private readonly values = new InternedTable();
  private readonly chunks: Runs[] = [];
  /** Runs of the chunk that is being added; the next chunk writes over them. */
  private readonly runs = runsFor(chunkRowsMax);
  /** By value code and name: the newest run of the chunk being added, from 1; 0: none. */
  private readonly runOf = new Uint32Array(talliedMax);
  private rows = 0;
  /** Index of each hour, in order of occurrence. */
  private readonly hours = new Map<number, number>();
  /** Index of the value of each code of the chunk being added. */
  private readonly valueOf = new Uint32Array(codeInBody);
  private readonly scratch = new ByteWriter(64);

  constructor(property: PropertyName) {
    this.property = property;
  }

  /** Peak bytes of building; the result takes fewer. */
  static bytesFor(rows: number): number {
    return rows * buildingRowBytes;
  }

  get valueCount(): number {
    return this.values.count;
  }

  /** Whether nearly every row has a value of its own: cells would then save nothing. */
  get isNearlyUnique(): boolean {
    return this.values.count > Math.max(valuesMin, this.rows * valuesShare);
  }

  /** Adds a chunk; false: it is left to the scan. VC2 */
  add(rows: WholeRows): boolean {
    const column = this.property.decidingColumn(rows);
    if (column === undefined) return false;
    if (column < 0) return true;
    this.internValues(rows, column);
    return this.addRuns(rows, rows.columns[column]);
  }

  /** Interns the chunk's values. VC1 */
  private internValues({columns}: PropertyColumns, column: number): void {
    const {values} = columns[column];
    const {scratch} = this;
    for (let code = 1; code <= values.count; code++) {
      scratch.position = 0;
      values.write(code, scratch);
      this.valueOf[code] = this.values.intern(scratch.bytes, 0, scratch.position);
    }
  }

  /** Adds the runs of a chunk; false when a name or the number of hours is out of bounds. */
  private addRuns({order, timeBase, times, names}: RowsView, {codes, values: {count: codeCount}}: RowColumn): boolean {
    const nameEnd = 1 + largestOf(names);
    if (nameEnd > nameMax + 1) return false;
    const {runOf} = this;
    const {values, keys, counts} = this.runs;
    const isTallied = (codeCount + 1) * nameEnd <= talliedMax;
    runOf.fill(0);
    let rows = 0;
    let count = 0;
    /** Runs before those of the current hour. */
    let hourStart = 0;
    let hourIndex = 0;
    // End of the current hour, relative to `timeBase` as times are.
    let hourEnd = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      const code = codes[row];
      if (code === codeAbsent) continue;
      if (times[row] >= hourEnd) {
        const hour = Math.floor((timeBase + times[row]) / hourMs);
        hourEnd = (hour + 1) * hourMs - timeBase;
        hourIndex = this.indexOfHour(hour);
        if (hourIndex >= hoursMax) return false;
        hourStart = count;
      }
      rows += 1;
      const pair = isTallied ? code * nameEnd + names[row] : 0;
      const run = runOf[pair];
      if (isTallied && run > hourStart) {
        counts[run - 1] += 1;
        continue;
      }
      values[count] = this.valueOf[code];
      keys[count] = ((names[row] << 16) | hourIndex) >>> 0;
      counts[count] = 1;
      runOf[pair] = count += 1;
    }
    this.rows += rows;
    this.chunks.push({values: values.slice(0, count), keys: keys.slice(0, count), counts: counts.slice(0, count)});
    return true;
  }

  private indexOfHour(hour: number): number {
    const held = this.hours.get(hour);
    if (held !== undefined) return held;
    const index = this.hours.size;
    if (index < hoursMax) this.hours.set(hour, index);
    return index;
  }

  /** Builds the cells. Yields between steps of some ms. */
  *build(): Generator<void, ValueCells, void> {
    const hours = Uint32Array.from(this.hours.keys()).sort();
    const placeOf = new Uint16Array(hours.length);
    for (let place = 0; place < hours.length; place++) placeOf[this.hours.get(hours[place])!] = place;
    const runs = this.takeRuns(placeOf);
    yield;
    const places = new Uint32Array(runs.keys.length);
    for (let run = 0; run < places.length; run++) places[run] = run;
    radixSortIndices(places, runs.keys);
    yield;
    const byValue = this.byValue(places, runs);
    yield;
    return this.cellsOf(hours, byValue);
  }

  /** Takes the runs of all chunks. Their keys refer to the positions of their hours. */
  private takeRuns(placeOf: Uint16Array): Runs {
    const all = runsFor(this.chunks.reduce((sum, {keys}) => sum + keys.length, 0));
    let at = 0;
    for (const {values, keys, counts} of this.chunks.splice(0)) {
      all.values.set(values, at);
      all.counts.set(counts, at);
      for (let run = 0; run < keys.length; run++)
        all.keys[at++] = ((keys[run] & ~0xffff) | placeOf[keys[run] & 0xffff]) >>> 0;
    }
    return all;
  }

  /** The runs in the order of (value, key); `places` has their order by key. */
  private byValue(places: Uint32Array, {values, keys, counts}: Runs): RunsByValue {
    const starts = new Uint32Array(this.values.count + 1);
    for (let run = 0; run < values.length; run++) starts[values[run] + 1] += 1;
    for (let value = 0; value < this.values.count; value++) starts[value + 1] += starts[value];
    const ends = starts.slice();
    const sorted: RunsByValue = {starts, keys: new Uint32Array(keys.length), counts: new Uint32Array(keys.length)};
    for (let at = 0; at < places.length; at++) {
      const run = places[at];
      const to = ends[values[run]]++;
      sorted.keys[to] = keys[run];
      sorted.counts[to] = counts[run];
    }
    return sorted;
  }

  private cellsOf(hours: Uint32Array, runs: RunsByValue): ValueCells {
    const {starts, keys, counts} = runs;
    const {groups, cells, rowsMax} = countCells(runs);
    const CellCounts = rowsMax <= 0xff ? Uint8Array : rowsMax <= 0xffff ? Uint16Array : Uint32Array;
    const isCounted = cells * (2 + CellCounts.BYTES_PER_ELEMENT) < this.rows * 2; // VC3
    const cellCount = isCounted ? cells : this.rows;
    const nameBytes = keys.some((key) => key >>> 16 > 0xff) ? 2 : 1;
    const areNamed = groups * 6 > cellCount * nameBytes; // VC4
    const valueStarts = new Uint32Array(starts.length);
    const cellNames = areNamed ? new (nameBytes === 1 ? Uint8Array : Uint16Array)(cellCount) : undefined;
    const groupNames = new Uint16Array(areNamed ? 0 : groups);
    const groupCells = new Uint32Array(areNamed ? 0 : groups + 1);
    const cellHours = new Uint16Array(cellCount);
    const cellCounts = isCounted ? new CellCounts(cellCount) : undefined;
    let group = 0;
    let cell = 0;
    for (let value = 0; value + 1 < starts.length; value++) {
      valueStarts[value] = areNamed ? cell : group;
      for (let run = starts[value]; run < starts[value + 1]; run++) {
        const name = keys[run] >>> 16;
        const isFirst = run === starts[value];
        if (!areNamed && (isFirst || name !== keys[run - 1] >>> 16)) {
          groupNames[group] = name;
          groupCells[group++] = cell;
        }
        const isOfCell = cellCounts !== undefined && !isFirst && keys[run] === keys[run - 1];
        const end = isOfCell ? cell : cell + (cellCounts === undefined ? counts[run] : 1);
        for (; cell < end; cell++) {
          if (cellNames !== undefined) cellNames[cell] = name;
          cellHours[cell] = keys[run] & 0xffff;
        }
        if (cellCounts !== undefined) cellCounts[cell - 1] += counts[run];
      }
    }
    valueStarts[starts.length - 1] = areNamed ? cell : group;
    if (!areNamed) groupCells[group] = cell;
    const named = cellNames ?? {names: groupNames, cells: groupCells};
    return new ValueCells({values: this.values.pack(), hours, valueStarts, named, cellHours, cellCounts});
  }
}

/** Counts the groups (value, name) and cells (value, name, hour), and the rows of the largest cell. */
function countCells({starts, keys, counts}: RunsByValue): {groups: number; cells: number; rowsMax: number} {
  let [groups, cells, rows, rowsMax] = [0, 0, 0, 0];
  for (let value = 0; value + 1 < starts.length; value++) {
    for (let run = starts[value]; run < starts[value + 1]; run++) {
      const isFirst = run === starts[value];
      if (isFirst || keys[run] >>> 16 !== keys[run - 1] >>> 16) groups += 1;
      const isOfCell = !isFirst && keys[run] === keys[run - 1];
      if (!isOfCell) cells += 1;
      rows = isOfCell ? rows + counts[run] : counts[run];
      rowsMax = Math.max(rowsMax, rows);
    }
  }
  return {groups, cells, rowsMax};
}

/** @returns 0 for none. */
function largestOf(numbers: ArrayLike<number>): number {
  let largest = 0;
  for (let at = 0; at < numbers.length; at++) largest = Math.max(largest, numbers[at]);
  return largest;
}
