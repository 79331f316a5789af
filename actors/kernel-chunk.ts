// A chunk whose rows a kernel makes (actors/event-rows.ts). While it is open they stand in the kernel's memory, and readers
// get copies; when it is closed they are copied out, and the memory is the next chunk's.
import {encodeBlock} from './bodies.js';
import {type ChunkInMemory, inOrder, type OpenColumns} from './chunk.js';
import {ByteReader} from './codec/bytes.js';
import type {EntryView, MessageCursor} from './codec/entries.js';
import {ColumnValues} from './column-values.js';
import type {EventRows, RowKernel} from './event-rows.js';
import {assert} from './invariant.js';
import {bodyBlockRows, chunkBodyBytesMax, chunkRowsMax} from './limits.js';
import {codeInBody, noUser, type RowsView} from './rows.js';

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
  /** Kept until the next row. */
  private lastColumns: OpenColumns | undefined;
  private lastView: RowsView | undefined;

  /** The chunk before is closed. */
  constructor(rows: EventRows, chunk: number, baseOrdinal: number) {
    this.rows = rows;
    this.chunk = chunk;
    this.baseOrdinal = baseOrdinal;
    rows.kernel.calls.begin();
  }

  /**
   * Makes rows of the cursor's next entries as long as they are ordinary events, and moves it behind them. Returns how many;
   * users that the kernel does not know are the caller's to fill in (`kernel.missedRows`, counted from the first of these rows).
   */
  take(cursor: MessageCursor): number {
    const taken = this.rows.take(cursor);
    if (taken > 0) this.noteRows();
    return taken;
  }

  /** Appends the row of an event entry. */
  append(entry: EntryView, user: number, name: number): void {
    assert(!this.isFull, 'rows: a full chunk is closed before the next row');
    this.rows.append(entry, name);
    this.rows.kernel.users[this.count] = user;
    this.noteRows();
  }

  private noteRows(): void {
    const {calls} = this.rows.kernel;
    this.count = calls.rows();
    this.isFull = this.count === chunkRowsMax || calls.bodyBytes() >= chunkBodyBytesMax;
    this.lastBlock = undefined;
    this.lastColumns = undefined;
    this.lastView = undefined;
  }

  /** Copies out what readers may still ask for. */
  close(): void {
    this.lastColumns = this.columnsView();
    for (const _ of this.blocks());
    this.isOpen = false;
  }

  view(): RowsView {
    this.lastView ??= inOrder(this.columnsView());
    return this.lastView;
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
    const valuesEnd = dictionaryAt + offsets[codeCount + 1];
    const values = new ColumnValues(codeCount, memory.slice(dictionaryAt, valuesEnd), offsets.slice(1, codeCount + 2));
    return {
      chunk: this.chunk,
      baseOrdinal: this.baseOrdinal,
      count,
      timeBase: 0,
      times: kernel.times.slice(0, count),
      users: kernel.users.slice(0, count),
      noUser,
      names: kernel.names.slice(0, count),
      columns: Array.from({length: kernel.calls.columns()}, (_, column) => ({
        key: keyOf(kernel, column),
        codes: codes[column].slice(0, count),
        inBody: codeInBody,
        values,
      })),
      keysInBody: kernel.calls.keysInBody() !== 0,
    };
  }

  blocks(): Uint8Array[] {
    return Array.from({length: Math.ceil(this.count / bodyBlockRows)}, (_, index) => this.blockAt(index));
  }

  blockAt(index: number): Uint8Array {
    const full = Math.floor(this.count / bodyBlockRows);
    while (this.fullBlocks.length < Math.min(full, index + 1))
      this.fullBlocks.push(this.copyBlock(this.fullBlocks.length));
    if (index < full) return this.fullBlocks[index];
    this.lastBlock ??= this.copyBlock(index);
    return this.lastBlock;
  }

  private copyBlock(index: number): Uint8Array {
    assert(this.isOpen, 'kernel chunk: the blocks of a closed chunk were copied when it was closed');
    const {memory, blocks, receivedBases, blockShapes, shapeColumns, shapeOffsets, calls} = this.rows.kernel;
    const isLast = index === Math.ceil(this.count / bodyBlockRows) - 1;
    const at = index * blockWords;
    const bodiesEnd = isLast ? calls.bodiesEndAt() : blocks[at + blockWords + blockBodiesWord];
    const shapesEnd = isLast ? calls.blockShapes() : blocks[at + blockWords + blockShapesWord];
    const shapes: Uint8Array[] = [];
    for (const shape of blockShapes.subarray(blocks[at + blockShapesWord], shapesEnd))
      shapes.push(shapeColumns.subarray(shapeOffsets[shape], shapeOffsets[shape + 1]));
    const base = receivedBases[(index * blockWords) / 2];
    return encodeBlock(base, shapes, memory.subarray(blocks[at + blockBodiesWord], bodiesEnd));
  }
}

function keyOf({memory, keysAt, keyStride, keyLengths}: RowKernel, column: number): Uint8Array {
  const start = keysAt + keyStride * column;
  const reader = new ByteReader(memory, start, start + keyLengths[column]);
  return reader.raw(reader.varint()).slice();
}
