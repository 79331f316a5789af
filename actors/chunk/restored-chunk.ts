// The open chunk as its parts, or an erasure, left it. A start that nothing follows never appends to it, and numbering its
// values anew for those that may come took a tenth of a recovery: they are numbered when the first row comes (1 ms in 16,384
// rows).
//   Until then readers get what the parts have. What they would get of the opened chunk says the same (R6 in rows.ts).
import type {ChunkInMemory, OpenColumns} from './chunk.js';
import {OpenChunk} from './open-chunk.js';
import {noUser, type RowsView, timeOf} from './rows.js';

export class RestoredChunk implements ChunkInMemory {
  private readonly rows: RowsView;
  private readonly bodyBlocks: readonly Uint8Array[];
  private columns: OpenColumns | undefined;

  /** `blocks`: of its bodies, uncompressed. */
  constructor(rows: RowsView, blocks: readonly Uint8Array[]) {
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

  /** One that rows are appended to; undefined when no more can be: then it is closed as it is. */
  opened(): OpenChunk | undefined {
    return OpenChunk.restore(this.rows, this.bodyBlocks);
  }

  rowsNow(): RowsView {
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
