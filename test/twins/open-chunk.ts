// An open chunk whose rows are made one by one: what the kernel of event rows makes many of (kernels/event-rows.ts).

import {equalRanges, viewOf} from '../../actors/bytes/byte-ranges.js';
import {keyInBody} from '../../actors/chunk/bodies.js';
import type {ChunkInMemory, OpenColumns} from '../../actors/chunk/chunk.js';
import {predictedShapes} from '../../actors/chunk/event-rows.js';
import {codeInBody, type RowColumn} from '../../actors/chunk/property-columns.js';
import {noUser} from '../../actors/chunk/rows.js';
import {assert} from '../../actors/invariant.js';
import {bodyBlockRows, chunkBodyBytesMax, chunkColumnsMax, chunkRowsMax, entryPairsMax} from '../../actors/limits.js';
import {valueTag} from '../../actors/log/entries.js';
import {type EntryView, PropertyCursor} from '../../actors/log/entry-view.js';
import {InternedTable} from '../../actors/table/interned.js';
import {BodyWriter, type Shape} from './body-writer.js';
import {Dictionary} from './dictionary.js';

export class OpenChunk implements ChunkInMemory {
  count = 0;
  readonly chunk: number;
  readonly baseOrdinal: number;
  private readonly times = new Float64Array(chunkRowsMax);
  private readonly users = new Uint32Array(chunkRowsMax);
  private readonly names = new Uint32Array(chunkRowsMax);
  private readonly keys = new InternedTable();
  private readonly keyBytes: Uint8Array[] = [];
  private readonly keyViews: DataView[] = [];
  private readonly columns: Uint16Array[] = [];
  private readonly dictionary = new Dictionary();
  private keysInBody = false;
  /** By the characters that their columns spell. */
  private readonly shapes = new Map<string, Shape>();
  private readonly shapeOfName: (Shape | undefined)[] = new Array(predictedShapes).fill(undefined);
  private readonly fullBlocks: Uint8Array[] = [];
  private readonly bodies = new BodyWriter();
  private bodyBytes = 0;
  /** Of the row that is being appended: its columns in order, and what of its properties goes into the body. */
  private readonly rowColumns = new Uint8Array(entryPairsMax);
  private readonly spans: number[] = [];
  private spanCount = 0;
  private cursor: PropertyCursor | undefined;

  constructor(chunk: number, baseOrdinal: number) {
    this.chunk = chunk;
    this.baseOrdinal = baseOrdinal;
  }

  get isFull(): boolean {
    return this.count === chunkRowsMax || this.bodyBytes >= chunkBodyBytesMax;
  }

  /** Appends the row of an event entry. */
  append(entry: EntryView, user: number, name: number): void {
    assert(!this.isFull, 'rows: a full chunk is closed before the next row');
    const row = this.count;
    this.times[row] = entry.timeMs;
    this.users[row] = user;
    this.names[row] = name;
    this.spanCount = 0;
    const shape = entry.propertiesStart > 0 ? this.appendProperties(entry, row, name) : undefined;
    this.bodyBytes += this.bodies.append(entry, shape, this.spans, this.spanCount);
    this.count = row + 1;
    if (this.bodies.rows === bodyBlockRows) this.closeBlock();
  }

  private appendProperties(entry: EntryView, row: number, name: number): Shape {
    if (this.cursor?.bytes !== entry.bytes) this.cursor = new PropertyCursor(entry.bytes);
    const {cursor, rowColumns} = this;
    const {bytes} = entry;
    const count = cursor.open(entry.propertiesStart);
    assert(count <= entryPairsMax, 'rows: an event has at most entryPairsMax properties, its context among them');
    const predicted = this.shapeOfName[name % predictedShapes];
    let isPredicted = predicted?.columns.length === count;
    for (let i = 0; cursor.next(); i++) {
      let column = isPredicted && predicted !== undefined ? predicted.columns[i] : keyInBody;
      if (column === keyInBody || !holds(this.keyViews[column], bytes, cursor.keyStart, cursor.keyEnd)) {
        column = this.findColumn(bytes, cursor.keyStart, cursor.keyEnd);
        isPredicted &&= column === predicted?.columns[i];
      }
      rowColumns[i] = column;
      if (column === keyInBody) {
        this.keysInBody = true;
        this.addSpan(cursor.pairStart, cursor.valueEnd);
        continue;
      }
      const code =
        cursor.tag === valueTag.json
          ? codeInBody
          : this.dictionary.code(column, bytes, cursor.valueStart, cursor.valueEnd);
      if (code === codeInBody) this.addSpan(cursor.valueStart, cursor.valueEnd);
      this.columns[column][row] = code;
    }
    if (isPredicted && predicted !== undefined) return predicted;
    const shape = this.shapeOf(rowColumns.slice(0, count));
    this.shapeOfName[name % predictedShapes] = shape;
    return shape;
  }

  private addSpan(start: number, end: number): void {
    this.spans[this.spanCount * 2] = start;
    this.spans[this.spanCount * 2 + 1] = end;
    this.spanCount += 1;
  }

  private shapeOf(columns: Uint8Array): Shape {
    const spelling = String.fromCharCode(...columns);
    let shape = this.shapes.get(spelling);
    if (shape === undefined) {
      const own = columns.filter((column) => column !== keyInBody);
      shape = {columns: columns.slice(), isWhole: new Set(own).size < own.length, block: -1, id: 0};
      this.shapes.set(spelling, shape);
    }
    return shape;
  }

  /** `keyInBody` past the last column. */
  private findColumn(bytes: Uint8Array, start: number, end: number): number {
    if (this.columns.length === chunkColumnsMax) {
      const found = this.keys.find(bytes, start, end);
      return found >= 0 ? found : keyInBody;
    }
    const column = this.keys.intern(bytes, start, end);
    if (column === this.columns.length) this.addColumn(bytes.slice(start, end));
    return column;
  }

  private addColumn(key: Uint8Array): Uint16Array {
    const codes = new Uint16Array(chunkRowsMax);
    this.keyBytes.push(key);
    this.keyViews.push(new DataView(key.buffer, key.byteOffset, key.length));
    this.columns.push(codes);
    return codes;
  }

  private closeBlock(): void {
    this.fullBlocks.push(this.bodies.encoded());
    this.bodies.clear();
    this.dictionary.beginBlock();
  }

  rowsNow() {
    const {count} = this;
    return {
      baseOrdinal: this.baseOrdinal,
      count,
      timeBase: 0,
      times: this.times.subarray(0, count),
      users: this.users.subarray(0, count),
      noUser,
      names: this.names.subarray(0, count),
    };
  }

  /** What bodies are read with. The columns are views of this chunk's memory: rows that come later do not show. */
  columnsView(): OpenColumns {
    const {count} = this;
    const values = this.dictionary.view();
    return {
      ...this.rowsNow(),
      chunk: this.chunk,
      columns: this.columns.map(
        (codes, i): RowColumn => ({key: this.keyBytes[i], codes: codes.subarray(0, count), inBody: codeInBody, values}),
      ),
      keysInBody: this.keysInBody,
    };
  }

  /** Uncompressed body blocks so far; the last one may be short. */
  blocks(): Uint8Array[] {
    return this.bodies.rows === 0 ? [...this.fullBlocks] : [...this.fullBlocks, this.bodies.encoded()];
  }

  /** One uncompressed block, for a live read. */
  blockAt(index: number): Uint8Array {
    return index < this.fullBlocks.length ? this.fullBlocks[index] : this.bodies.encoded();
  }
}

function holds(key: DataView, bytes: Uint8Array, start: number, end: number): boolean {
  return key.byteLength === end - start && equalRanges(key, 0, viewOf(bytes), start, end - start);
}
