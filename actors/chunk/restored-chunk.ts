// The open chunk as its parts, or an erasure, left it: read-only. The next row makes the kernel append all its rows again
// (kernel-chunk.ts `reopened`); a start without new events never pays for that.
import {bodyBlockRows} from '../limits.js';
import {EntryView} from '../log/entry-view.js';
import type {InternedTable} from '../table/interned.js';
import {BodyBlock} from './bodies.js';
import type {ChunkInMemory, OpenColumns} from './chunk.js';
import type {WholeRows} from './property-columns.js';
import {noUser, timeOf} from './rows.js';

/** User keys and event names by index. */
export interface Tables {
  readonly users: InternedTable;
  readonly names: InternedTable;
}

export class RestoredChunk implements ChunkInMemory {
  private readonly rows: WholeRows;
  private readonly bodyBlocks: readonly Uint8Array[];
  private columns: OpenColumns | undefined;
  private block: {readonly index: number; readonly bodies: BodyBlock} | undefined;

  /** `blocks`: body blocks, uncompressed. */
  constructor(rows: WholeRows, blocks: readonly Uint8Array[]) {
    this.rows = rows;
    this.bodyBlocks = blocks;
  }

  get chunk(): number {
    return this.rows.chunk;
  }

  get baseOrdinal(): number {
    return this.rows.baseOrdinal;
  }

  get count(): number {
    return this.rows.count;
  }

  /** The entry of a row, undefined when it was erased, and the base of received times in its block. */
  entry(row: number, {users, names}: Tables): {readonly entry: EntryView | undefined; readonly receivedBase: number} {
    const index = Math.floor(row / bodyBlockRows);
    if (this.block?.index !== index) this.block = {index, bodies: new BodyBlock(this.bodyBlocks[index], this.rows)};
    const {bodies} = this.block;
    const found = bodies.entry(row, users, names);
    return {entry: found && copyOf(found), receivedBase: bodies.receivedBase};
  }

  rowsNow(): WholeRows {
    return this.rows;
  }

  columnsView(): OpenColumns {
    this.columns ??= this.widened();
    return this.columns;
  }

  private widened(): OpenColumns {
    const {rows} = this;
    const times = Float64Array.from({length: rows.count}, (_, row) => timeOf(rows, row));
    const users = Uint32Array.from(rows.users, (user) => (user === rows.noUser ? noUser : user));
    return {...rows, timeBase: 0, times, users, noUser};
  }

  blocks(): Uint8Array[] {
    return [...this.bodyBlocks];
  }

  blockAt(index: number): Uint8Array {
    return this.bodyBlocks[index];
  }
}

/** A copy with bytes of its own: the next entry is decoded into this one's buffer. */
function copyOf({kind, bytes, payloadStart, payloadEnd}: EntryView): EntryView {
  const copy = new EntryView(bytes.slice(payloadStart, payloadEnd));
  copy.movePayload(kind, 0, payloadEnd - payloadStart);
  return copy;
}
