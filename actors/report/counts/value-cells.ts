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
//   VC5. A scan waits for cells that it leaves behind. Counting takes a fourth of the time of sorting, but memory for every
//        value, name and hour.
import {ByteWriter} from '../../bytes/bytes.js';
import {
  codeAbsent,
  codeInBody,
  type PropertyColumns,
  type RowColumn,
  type WholeRows,
} from '../../chunk/property-columns.js';
import type {RowsView} from '../../chunk/rows.js';
import {hourMs} from '../../limits.js';
import {radixSortIndices} from '../../order/radix-sort.js';
import {lowerBound} from '../../order/search.js';
import {InternedTable} from '../../table/interned.js';
import type {PackedTable} from '../../table/packed-table.js';
import type {PropertyName} from '../rows/property-name.js';
import type {PropertyFilter} from './filter.js';

/** Names and hours are 16 bits each in the keys of rows; chunks with larger ones are left to the scan (VC2). */
const nameMax = 0xffff;
const hoursMax = 0x1_0000;
/**
 * A property with more values than this, and than this share of its rows, is nearly unique: its cells would be larger than its
 * rows.
 */
const valuesMin = 65_536;
const valuesShare = 1 / 4;
/** Peak bytes a row of building. */
const buildingRowBytes = 28;

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

  /** Adds the passing events of the name: those of hours [edges[b], edges[b + 1]) to counts[b]. `edges` ascend. */
  add(filter: PropertyFilter, name: number, edges: Float64Array, counts: Float64Array): void {
    const places = this.placesOf(edges);
    for (const bytes of filter.equalValues) {
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

/** Rows of one chunk with the property: the value's index, and a key of name and hour index, in arrival order. */
interface ChunkRows {
  readonly values: Uint32Array;
  readonly keys: Uint32Array;
}

/** Keys in the order of (value, key): those of value v are [starts[v], starts[v + 1]). */
interface KeysByValue {
  readonly starts: Uint32Array;
  readonly keys: Uint32Array;
}

export class ValueCellsBuilder {
  readonly property: PropertyName;
  private readonly values = new InternedTable();
  private readonly chunks: ChunkRows[] = [];
  private rows = 0;
  /** Above all names. */
  private nameEnd = 0;
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
    const chunk = this.rowsOf(rows, rows.columns[column].codes);
    if (chunk === undefined) return false;
    this.chunks.push(chunk);
    this.rows += chunk.values.length;
    return true;
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

  /** Rows of a chunk; undefined when a name or the number of hours is out of bounds. */
  private rowsOf({order, timeBase, times, names}: RowsView, codes: RowColumn['codes']): ChunkRows | undefined {
    const values = new Uint32Array(order.length);
    const keys = new Uint32Array(order.length);
    let count = 0;
    let hourIndex = 0;
    // End of the current hour, relative to `timeBase` as times are.
    let hourEnd = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      if (codes[row] === codeAbsent) continue;
      if (names[row] > nameMax) return undefined;
      if (names[row] >= this.nameEnd) this.nameEnd = names[row] + 1;
      if (times[row] >= hourEnd) {
        const hour = Math.floor((timeBase + times[row]) / hourMs);
        hourEnd = (hour + 1) * hourMs - timeBase;
        hourIndex = this.indexOfHour(hour);
        if (hourIndex >= hoursMax) return undefined;
      }
      values[count] = this.valueOf[codes[row]];
      keys[count++] = ((names[row] << 16) | hourIndex) >>> 0;
    }
    return count === order.length ? {values, keys} : {values: values.slice(0, count), keys: keys.slice(0, count)};
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
    const sorted = this.counted(placeOf) ?? (yield* this.sorted(placeOf));
    yield;
    return this.cellsOf(hours, sorted);
  }

  /** As `sorted`, by counting the rows of each value, name and hour; undefined if these are more than there are rows. VC5 */
  private counted(placeOf: Uint16Array): KeysByValue | undefined {
    const {chunks, nameEnd} = this;
    const hourEnd = placeOf.length;
    const cellEnd = this.values.count * nameEnd * hourEnd;
    if (cellEnd > this.rows) return undefined;
    const counts = new Uint32Array(cellEnd);
    for (const {values, keys} of chunks) {
      for (let row = 0; row < keys.length; row++) {
        const key = keys[row];
        counts[(values[row] * nameEnd + (key >>> 16)) * hourEnd + placeOf[key & 0xffff]] += 1;
      }
    }
    const starts = new Uint32Array(this.values.count + 1);
    const keys = new Uint32Array(this.rows);
    let [cell, at] = [0, 0];
    for (let value = 0; value < this.values.count; value++) {
      for (let name = 0; name < nameEnd; name++) {
        for (let place = 0; place < hourEnd; place++) {
          const end = at + counts[cell++];
          while (at < end) keys[at++] = ((name << 16) | place) >>> 0;
        }
      }
      starts[value + 1] = at;
    }
    return {starts, keys};
  }

  /** Keys of all rows in the order of (value, key). They refer to the positions of their hours. */
  private *sorted(placeOf: Uint16Array): Generator<void, KeysByValue, void> {
    const keys = new Uint32Array(this.rows);
    let at = 0;
    for (const chunk of this.chunks) for (const key of chunk.keys) keys[at++] = (key & ~0xffff) | placeOf[key & 0xffff];
    yield;
    const places = new Uint32Array(keys.length);
    for (let row = 0; row < places.length; row++) places[row] = row;
    radixSortIndices(places, keys);
    yield;
    return this.byValue(places, keys);
  }

  /** Keys in the order of (value, key), and the start of each value's keys. */
  private byValue(places: Uint32Array, keys: Uint32Array): KeysByValue {
    const values = new Uint32Array(this.rows);
    let filled = 0;
    for (const chunk of this.chunks) {
      values.set(chunk.values, filled);
      filled += chunk.values.length;
    }
    const starts = new Uint32Array(this.values.count + 1);
    for (let row = 0; row < values.length; row++) starts[values[row] + 1] += 1;
    for (let value = 0; value < this.values.count; value++) starts[value + 1] += starts[value];
    const ends = starts.slice();
    const sorted = new Uint32Array(this.rows);
    for (let at = 0; at < places.length; at++) sorted[ends[values[places[at]]]++] = keys[places[at]];
    return {starts, keys: sorted};
  }

  private cellsOf(hours: Uint32Array, {starts, keys}: KeysByValue): ValueCells {
    const {groups, cells, rowsMax} = countCells(starts, keys);
    const CellCounts = rowsMax <= 0xff ? Uint8Array : rowsMax <= 0xffff ? Uint16Array : Uint32Array;
    const isCounted = cells * (2 + CellCounts.BYTES_PER_ELEMENT) < keys.length * 2; // VC3
    const cellCount = isCounted ? cells : keys.length;
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
      for (let at = starts[value]; at < starts[value + 1]; at++) {
        const name = keys[at] >>> 16;
        const isFirst = at === starts[value];
        if (!areNamed && (isFirst || name !== keys[at - 1] >>> 16)) {
          groupNames[group] = name;
          groupCells[group++] = cell;
        }
        if (cellCounts !== undefined && !isFirst && keys[at] === keys[at - 1]) {
          cellCounts[cell - 1] += 1;
          continue;
        }
        if (cellNames !== undefined) cellNames[cell] = name;
        cellHours[cell] = keys[at] & 0xffff;
        if (cellCounts !== undefined) cellCounts[cell] = 1;
        cell += 1;
      }
    }
    valueStarts[starts.length - 1] = areNamed ? cell : group;
    if (!areNamed) groupCells[group] = cell;
    const named = cellNames ?? {names: groupNames, cells: groupCells};
    return new ValueCells({values: this.values.pack(), hours, valueStarts, named, cellHours, cellCounts});
  }
}

/** Counts the groups (value, name) and cells (value, name, hour), and the rows of the largest cell. */
function countCells(starts: Uint32Array, keys: Uint32Array): {groups: number; cells: number; rowsMax: number} {
  let [groups, cells, rows, rowsMax] = [0, 0, 0, 0];
  for (let value = 0; value + 1 < starts.length; value++) {
    for (let at = starts[value]; at < starts[value + 1]; at++) {
      const isFirst = at === starts[value];
      if (isFirst || keys[at] >>> 16 !== keys[at - 1] >>> 16) groups += 1;
      const isOfCell = !isFirst && keys[at] === keys[at - 1];
      if (!isOfCell) cells += 1;
      rows = isOfCell ? rows + 1 : 1;
      rowsMax = Math.max(rowsMax, rows);
    }
  }
  return {groups, cells, rowsMax};
}
