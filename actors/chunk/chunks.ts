// The rows of a partition in memory: the open chunk, and closed chunks that the shell has not taken yet.
//   CH1. A chunk closes at `chunkRowsMax` rows or `chunkBodyBytesMax` bytes of bodies. After an erasure the open chunk stays
//        open, or erasures would leave many small chunks; from half of `chunkRowsMax` on it closes, because its rows would have
//        to be appended again.

import type {RowRun} from '../aggregator/aggregator.js';
import {assert} from '../invariant.js';
import {chunkRowsMax} from '../limits.js';
import type {EntryView, MessageCursor} from '../log/entry-view.js';
import type {ChunkInMemory} from './chunk.js';
import {EventRows, type RowKernel, type UserNumbers} from './event-rows.js';
import {KernelChunk} from './kernel-chunk.js';
import type {RestoredChunk, Tables} from './restored-chunk.js';

/** Rows of a chunk. */
export interface ChunkRun extends RowRun {
  readonly chunk: number;
  /** Room for a mark of each row, from 0: user actors set it (actors/user/user-actors.ts). */
  readonly isNewDay: Uint8Array;
}

export class Chunks {
  open: KernelChunk | RestoredChunk;
  private readonly rows: EventRows;
  private readonly tables: Tables;
  private closed: ChunkInMemory[] = [];
  private readonly isNewDay = new Uint8Array(chunkRowsMax);

  constructor(kernel: RowKernel, tables: Tables) {
    this.rows = new EventRows(kernel);
    this.tables = tables;
    this.open = new KernelChunk(this.rows, 0, 0);
  }

  /**
   * Takes rows from the cursor's next entries while they are ordinary events; undefined when the next entry is none. The
   * columns stay valid until the next call, even when these rows closed the chunk: the new chunk overwrites them row by row.
   */
  take(cursor: MessageCursor, numbers: UserNumbers): ChunkRun | undefined {
    const {open} = this;
    if (!(open instanceof KernelChunk)) return undefined;
    const taken = open.take(cursor, numbers);
    if (taken === 0) return undefined;
    const end = open.count;
    const {times, users, names} = open.columnsNow;
    if (open.isFull) this.close();
    return {chunk: open.chunk, times, users, names, start: end - taken, end, isNewDay: this.isNewDay};
  }

  /** Number of the chunk that the next row goes to. */
  get nextRowChunk(): number {
    return this.appendable().chunk;
  }

  /** Ordinal of the next row. */
  get nextOrdinal(): number {
    return this.open.baseOrdinal + this.open.count;
  }

  append(entry: EntryView, user: number, name: number): void {
    const open = this.appendable();
    open.append(entry, user, name);
    if (open.isFull) this.close();
  }

  private appendable(): KernelChunk {
    if (this.open instanceof KernelChunk) return this.open;
    const opened = KernelChunk.reopened(this.rows, this.open, this.tables);
    if (opened === undefined) return this.close();
    this.open = opened;
    return opened;
  }

  /** Closes the open chunk, which has rows, and opens the next. */
  private close(): KernelChunk {
    const {open} = this;
    if (open instanceof KernelChunk) open.close();
    this.closed.push(open);
    const next = new KernelChunk(this.rows, open.chunk + 1, open.baseOrdinal + open.count);
    this.open = next;
    return next;
  }

  /** Replaces the open chunk by its copy without a user's rows. CH1 */
  replaceOpen(left: RestoredChunk): void {
    const {open} = this;
    assert(left.chunk === open.chunk && left.count === open.count, 'an erased row keeps its place');
    if (open instanceof KernelChunk) open.leave(); // Readers may still hold the rows from before.
    this.open = left;
    if (2 * left.count >= chunkRowsMax) this.close();
  }

  takeClosed(): ChunkInMemory[] {
    const {closed} = this;
    this.closed = [];
    return closed;
  }

  /** Rows of events before this time are made no more (retention.ts RT2). */
  keepFrom(fromMs: number): void {
    this.rows.keepFrom(fromMs);
  }

  /** Clears an erased user's data from the kernel's memory. ER2 (event-rows.ts) */
  forget(): void {
    this.rows.forget();
  }

  /** `open`: undefined when the open chunk has no rows. */
  restore(open: RestoredChunk | undefined, nextChunk: number, nextOrdinal: number): void {
    this.open = open ?? new KernelChunk(this.rows, nextChunk, nextOrdinal);
  }
}
