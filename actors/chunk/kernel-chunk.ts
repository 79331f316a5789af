// The chunk that rows are appended to. A kernel holds its rows (event-rows.ts) while it is open; readers that outlive the next
// row get copies. Closing the chunk copies the rows out and frees the memory for the next chunk.

import {ByteReader} from '../bytes/bytes.js';
import {assert, must} from '../invariant.js';
import {bodyBlockRows, chunkBodyBytesMax, chunkRowsMax} from '../limits.js';
import type {EntryView, MessageCursor} from '../log/entry-view.js';
import {type BlockPieces, encodeBlocks} from './bodies.js';
import type {ChunkInMemory, OpenColumns, RowsByOrdinal} from './chunk.js';
import {ColumnValues} from './column-values.js';
import type {EventRows, RowKernel, UserNumbers} from './event-rows.js';
import {codeInBody} from './property-columns.js';
import type {RestoredChunk, Tables} from './restored-chunk.js';
import {noUser} from './rows.js';

const blockWords = 4;
const blockBodiesWord = 2;
const blockShapesWord = 3;

export class KernelChunk implements ChunkInMemory {
  readonly chunk: number;
  readonly baseOrdinal: number;
  count = 0;
  isFull = false;
  private readonly rows: EventRows;
  private isOpen = true;
  private readonly fullBlocks: Uint8Array[] = [];
  private lastBlock: Uint8Array | undefined;
  /** Cached until the next row. */
  private lastColumns: OpenColumns | undefined;

  /** The previous chunk must be closed. */
  constructor(rows: EventRows, chunk: number, baseOrdinal: number) {
    this.rows = rows;
    this.chunk = chunk;
    this.baseOrdinal = baseOrdinal;
    rows.kernel.calls.begin();
  }

  /** Appends the rows of a restored chunk again; undefined when the chunk is full before all rows are appended. */
  static reopened(rows: EventRows, left: RestoredChunk, tables: Tables): KernelChunk | undefined {
    const chunk = new KernelChunk(rows, left.chunk, left.baseOrdinal);
    const {users, names} = left.rowsNow();
    for (let row = 0; row < left.count; row++) {
      if (chunk.isFull) return undefined;
      const {entry, receivedBase} = left.entry(row, tables);
      if (entry === undefined) chunk.appendErased(receivedBase);
      else chunk.append(entry, users[row], names[row]);
    }
    return chunk.isFull ? undefined : chunk;
  }

  /**
   * Appends rows from the cursor's next entries while they are ordinary events, and moves the cursor past them. `users` interns
   * users. Returns the number of rows: they are the last ones of the chunk.
   */
  take(cursor: MessageCursor, users: UserNumbers): number {
    const taken = this.rows.take(cursor, users, this.count);
    if (taken > 0) this.noteRows();
    return taken;
  }

  /** The columns that `take` and `append` write to, by row. */
  get columnsNow(): Pick<RowKernel, 'times' | 'users' | 'names'> {
    return this.rows.kernel;
  }

  append(entry: EntryView, user: number, name: number): void {
    assert(!this.isFull, 'rows: a full chunk is closed before the next row');
    this.rows.append(entry, name);
    this.rows.kernel.users[this.count] = user;
    this.noteRows();
  }

  private appendErased(receivedMs: number): void {
    const row = this.count;
    this.rows.appendErased(receivedMs);
    this.rows.kernel.users[row] = noUser;
    this.noteRows();
  }

  private noteRows(): void {
    const {calls} = this.rows.kernel;
    this.count = calls.rows();
    this.isFull = this.count === chunkRowsMax || calls.bodyBytes() >= chunkBodyBytesMax;
    this.lastBlock = undefined;
    this.lastColumns = undefined;
  }

  /** Copies out what readers may still ask for; the kernel's memory may be overwritten afterwards. */
  close(): void {
    this.lastColumns = this.columnsView();
    this.copyBlocks(Math.ceil(this.count / bodyBlockRows));
    this.isOpen = false;
  }

  /** Closes the chunk for one that is no kernel chunk, and overwrites the memory at once (event-rows.ts ER2). */
  leave(): void {
    this.close();
    this.rows.kernel.calls.begin();
  }

  rowsNow(): RowsByOrdinal {
    if (!this.isOpen) return this.columnsView();
    const {count, baseOrdinal} = this;
    const {times, users, names} = this.rows.kernel;
    return {
      baseOrdinal,
      count,
      timeBase: 0,
      times: times.subarray(0, count),
      users: users.subarray(0, count),
      noUser,
      names: names.subarray(0, count),
    };
  }

  columnsView(): OpenColumns {
    this.lastColumns ??= this.copyColumns();
    return this.lastColumns;
  }

  private copyColumns(): OpenColumns {
    const {count} = this;
    const {kernel} = this.rows;
    const codeCount = kernel.calls.codes();
    const {dictionaryAt, offsets, memory, codes} = kernel;
    const columnCount = kernel.calls.columns();
    const valueBytes = offsets[codeCount + 1];
    // One buffer, widest columns first: the garbage collector pays per buffer, and each column must be aligned to its width.
    const room = new Room(count * (8 + 4 + 4 + 2 * columnCount) + 4 * (codeCount + 1) + valueBytes);
    const times = room.copy(Float64Array, kernel.times, 0, count);
    const users = room.copy(Uint32Array, kernel.users, 0, count);
    const names = room.copy(Uint32Array, kernel.names, 0, count);
    const valueOffsets = room.copy(Uint32Array, offsets, 1, codeCount + 1);
    const columnCodes = codes.slice(0, columnCount).map((column) => room.copy(Uint16Array, column, 0, count));
    const values = new ColumnValues(codeCount, room.copy(Uint8Array, memory, dictionaryAt, valueBytes), valueOffsets);
    return {
      chunk: this.chunk,
      baseOrdinal: this.baseOrdinal,
      count,
      timeBase: 0,
      times,
      users,
      noUser,
      names,
      columns: columnCodes.map((ofColumn, column) => ({
        key: keyOf(kernel, column),
        codes: ofColumn,
        inBody: codeInBody,
        values,
      })),
      keysInBody: kernel.calls.keysInBody() !== 0,
    };
  }

  blocks(): Uint8Array[] {
    const count = Math.ceil(this.count / bodyBlockRows);
    if (count > 0) this.blockAt(count - 1); // Copies all missing blocks into one buffer.
    return Array.from({length: count}, (_, index) => this.blockAt(index));
  }

  blockAt(index: number): Uint8Array {
    const full = Math.floor(this.count / bodyBlockRows);
    if (index < full ? index >= this.fullBlocks.length : this.lastBlock === undefined) this.copyBlocks(index + 1);
    return index < full ? this.fullBlocks[index] : must(this.lastBlock, 'the last block was copied');
  }

  /** Copies the blocks before `end` that are not copied yet. */
  private copyBlocks(end: number): void {
    const first = this.fullBlocks.length;
    const full = Math.floor(this.count / bodyBlockRows);
    const copies = encodeBlocks(Array.from({length: end - first}, (_, i) => this.piecesOf(first + i)));
    this.fullBlocks.push(...copies.slice(0, full - first));
    if (end > full) this.lastBlock = copies[full - first];
  }

  private piecesOf(index: number): BlockPieces {
    assert(this.isOpen, 'kernel chunk: the blocks of a closed chunk were copied when it was closed');
    const {memory, blocks, receivedBases, blockShapes, shapeColumns, shapeOffsets, calls} = this.rows.kernel;
    const isLast = index === Math.ceil(this.count / bodyBlockRows) - 1;
    const at = index * blockWords;
    const bodiesEnd = isLast ? calls.bodiesEndAt() : blocks[at + blockWords + blockBodiesWord];
    const shapesEnd = isLast ? calls.blockShapes() : blocks[at + blockWords + blockShapesWord];
    const shapes: Uint8Array[] = [];
    for (const shape of blockShapes.subarray(blocks[at + blockShapesWord], shapesEnd))
      shapes.push(shapeColumns.subarray(shapeOffsets[shape], shapeOffsets[shape + 1]));
    const receivedBase = receivedBases[(index * blockWords) / 2];
    return {receivedBase, shapes, bodies: memory.subarray(blocks[at + blockBodiesWord], bodiesEnd)};
  }
}

type ColumnArray = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** A buffer that is filled with copies of columns, one after the other. */
class Room {
  private readonly buffer: ArrayBuffer;
  private end = 0;

  constructor(bytes: number) {
    this.buffer = new ArrayBuffer(bytes);
  }

  /** Copies `count` elements from `start`. */
  copy<T extends ColumnArray>(
    type: new (buffer: ArrayBuffer, at: number, count: number) => T,
    from: T,
    start: number,
    count: number,
  ): T {
    const column = new type(this.buffer, this.end, count);
    column.set(from.subarray(start, start + count));
    this.end += column.byteLength;
    return column;
  }
}

function keyOf({memory, keysAt, keyStride, keyLengths}: RowKernel, column: number): Uint8Array {
  const start = keysAt + keyStride * column;
  const reader = new ByteReader(memory, start, start + keyLengths[column]);
  return reader.raw(reader.varint()).slice();
}
