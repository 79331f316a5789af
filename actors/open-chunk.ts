// The chunk that rows are appended to; the others are closed and live in parts (actors/rows.ts, actors/bodies.ts).
//   A chunk is closed when it has `chunkRowsMax` rows or `chunkBodyBytesMax` bytes of bodies, and before an erasure.

import {findBody} from './bodies.js';
import {ByteWriter} from './codec/bytes.js';
import {type EntryView, PropertyCursor, valueTag} from './codec/entries.js';
import {Dictionary} from './dictionary.js';
import {InternedTable} from './interned.js';
import {assert} from './invariant.js';
import {bodyBlockRows, chunkBodyBytesMax, chunkColumnsMax, chunkRowsMax} from './limits.js';
import {chunkNamesMax} from './manifest.js';
import {codeInBody, noUser, type RowColumn, type RowsView, timeOrder} from './rows.js';

export class OpenChunk {
  count = 0;
  readonly chunk: number;
  readonly baseOrdinal: number;
  private readonly times = new Float64Array(chunkRowsMax);
  private readonly users = new Uint32Array(chunkRowsMax);
  private readonly names = new Uint32Array(chunkRowsMax);
  private readonly keys = new InternedTable();
  private readonly keyBytes: Uint8Array[] = [];
  private readonly columns: Uint16Array[] = [];
  private readonly dictionary = new Dictionary();
  private keysInBody = false;
  private lastColumn = -1;
  /** Column that came after column c - 1 the last time. */
  private readonly followers: (number | undefined)[] = new Array(chunkColumnsMax + 1).fill(undefined);
  private readonly fullBlocks: Uint8Array[] = [];
  private readonly block = new ByteWriter(64 * 1024);
  private bodyBytes = 0;
  /** Kept until the next row: live reads at rest do not sort again. */
  private lastView: RowsView | undefined;
  private cursor: PropertyCursor | undefined;
  private cursorBytes: Uint8Array | undefined;

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
    if (entry.propertiesStart > 0) this.appendProperties(entry, row);
    this.appendBody(entry.bytes, entry.payloadStart, entry.payloadEnd);
    this.count = row + 1;
    this.lastView = undefined;
    if (this.count % bodyBlockRows === 0) this.closeBlock();
  }

  private appendProperties(entry: EntryView, row: number): void {
    if (this.cursorBytes !== entry.bytes || this.cursor === undefined) {
      this.cursor = new PropertyCursor(entry.bytes);
      this.cursorBytes = entry.bytes;
    }
    const cursor = this.cursor;
    cursor.open(entry.propertiesStart);
    this.lastColumn = -1;
    while (cursor.next()) {
      const column = this.column(entry.bytes, cursor.keyStart, cursor.keyEnd);
      if (column === undefined) {
        this.keysInBody = true;
        continue;
      }
      this.columns[column][row] =
        cursor.tag === valueTag.json
          ? codeInBody
          : this.dictionary.code(column, entry.bytes, cursor.valueStart, cursor.valueEnd);
    }
  }

  /** Events of one kind have the same properties in the same order: what followed the last column before is tried first. */
  private column(bytes: Uint8Array, start: number, end: number): number | undefined {
    const predicted = this.followers[this.lastColumn + 1];
    if (predicted !== undefined && equals(this.keyBytes[predicted], bytes, start, end)) {
      this.lastColumn = predicted;
      return predicted;
    }
    const found = this.findColumn(bytes, start, end);
    if (found !== undefined) {
      this.followers[this.lastColumn + 1] = found;
      this.lastColumn = found;
    }
    return found;
  }

  private findColumn(bytes: Uint8Array, start: number, end: number): number | undefined {
    if (this.columns.length === chunkColumnsMax) {
      const found = this.keys.find(bytes, start, end);
      return found >= 0 ? found : undefined;
    }
    const column = this.keys.intern(bytes, start, end);
    if (column === this.columns.length) {
      this.keyBytes.push(bytes.slice(start, end));
      this.columns.push(new Uint16Array(chunkRowsMax));
    }
    return column;
  }

  private appendBody(bytes: Uint8Array, start: number, end: number): void {
    this.block.varint(end - start);
    this.block.raw(bytes, start, end);
    this.bodyBytes += end - start;
  }

  private closeBlock(): void {
    this.fullBlocks.push(this.block.finish());
    this.block.position = 0;
  }

  /** Rows so far. The columns are views of this chunk's memory: rows that come later do not show. */
  view(): RowsView {
    this.lastView ??= this.makeView();
    return this.lastView;
  }

  private makeView(): RowsView {
    const {count} = this;
    return {
      chunk: this.chunk,
      baseOrdinal: this.baseOrdinal,
      count,
      times: this.times.subarray(0, count),
      users: this.users.subarray(0, count),
      names: this.names.subarray(0, count),
      order: timeOrder(this.times, this.users, count),
      columns: this.columns.map((codes, i): RowColumn => ({key: this.keyBytes[i], codes: codes.subarray(0, count)})),
      keysInBody: this.keysInBody,
      ...this.dictionary.view(),
    };
  }

  /** Uncompressed body blocks so far; the last one may be short. */
  blocks(): Uint8Array[] {
    return this.block.position === 0 ? [...this.fullBlocks] : [...this.fullBlocks, this.block.finish()];
  }

  /** One uncompressed block, for a live read. */
  blockAt(index: number): Uint8Array {
    return index < this.fullBlocks.length ? this.fullBlocks[index] : this.block.finish();
  }

  /** An open chunk as its parts left it. Only a chunk that was never erased from is open. */
  static restore(rows: RowsView, blocks: readonly Uint8Array[]): OpenChunk {
    const open = new OpenChunk(rows.chunk, rows.baseOrdinal);
    open.times.set(rows.times);
    open.users.set(rows.users);
    open.names.set(rows.names);
    for (const column of rows.columns) {
      open.keys.intern(column.key, 0, column.key.length);
      open.keyBytes.push(column.key.slice());
      const codes = new Uint16Array(chunkRowsMax);
      codes.set(column.codes);
      open.columns.push(codes);
    }
    open.keysInBody = rows.keysInBody;
    open.dictionary.restore(rows.dictionary, rows.dictionaryOffsets, rows.codeColumns);
    open.count = rows.count;
    open.restoreBlocks(blocks);
    return open;
  }

  private restoreBlocks(blocks: readonly Uint8Array[]): void {
    for (let row = 0; row < this.count; row++) {
      const block = blocks[Math.floor(row / bodyBlockRows)];
      if (row % bodyBlockRows !== 0) continue;
      const rowsInBlock = Math.min(bodyBlockRows, this.count - row);
      if (rowsInBlock === bodyBlockRows) this.fullBlocks.push(block.slice());
      else this.block.raw(block);
      for (let i = 0; i < rowsInBlock; i++) {
        const body = findBody(block, i);
        this.bodyBytes += body === undefined ? 0 : body.end - body.start;
      }
    }
  }
}

function equals(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}

/** What the directory says of a chunk (actors/manifest.ts `ChunkEntry`), its parts excepted. */
export function summarizeRows(rows: RowsView): {
  live: number;
  minTimeMs: number;
  maxTimeMs: number;
  names: number[] | null;
} {
  const live = rows.order.length;
  if (live === 0) return {live, minTimeMs: 1, maxTimeMs: 0, names: []};
  const names = new Set<number>();
  for (let row = 0; row < rows.count && names.size <= chunkNamesMax; row++) {
    if (rows.users[row] !== noUser) names.add(rows.names[row]);
  }
  return {
    live,
    minTimeMs: rows.times[rows.order[0]],
    maxTimeMs: rows.times[rows.order[live - 1]],
    names: names.size > chunkNamesMax ? null : [...names].sort((a, b) => a - b),
  };
}
