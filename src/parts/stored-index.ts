// Indexes of snapshots as they are read from the store: put together with the blocks of their chunk directory.
import {
  type ChunkEntry,
  decodeChunkBlock,
  decodeIndex,
  type PartRef,
  type SnapshotIndex,
  type StoredIndex,
  wholeIndex,
} from '../../actors/manifest.js';

/** Reads successive indexes of one partition. A block that the previous index named, too, is neither read nor decoded again. */
export class IndexReader {
  private blocks: ReadonlyMap<string, readonly ChunkEntry[]> = new Map();

  /** The index at `ref`. Throws what `load` throws. */
  async read(ref: PartRef, load: (ref: PartRef) => Promise<Uint8Array>): Promise<SnapshotIndex> {
    return this.whole(decodeIndex(await load(ref)), load);
  }

  /** Completes an index that was read. Throws what `load` throws for a part of its chunk directory. */
  async whole(stored: StoredIndex, load: (ref: PartRef) => Promise<Uint8Array>): Promise<SnapshotIndex> {
    const blockOf = async (ref: PartRef): Promise<readonly ChunkEntry[]> =>
      this.blocks.get(ref.key) ?? decodeChunkBlock(await load(ref));
    const blocks = await Promise.all(stored.chunkBlocks.map(blockOf));
    this.blocks = new Map(stored.chunkBlocks.map(({key}, i) => [key, blocks[i]!]));
    return wholeIndex(stored, blocks);
  }
}
