// Indexes of snapshots as they are read from the store: put together with the blocks of their chunk directory.
import {type ChunkEntry, type PartRef, type SnapshotIndex, wholeIndex} from '../../actors/manifest.js';
import {readChunks, readIndex} from './stored-state.js';

export type LoadPart = (ref: PartRef) => Promise<Uint8Array>;

/** Reads successive indexes of one partition. A block that the previous index named, too, is neither read nor decoded again. */
export class IndexReader {
  private blocks: ReadonlyMap<string, readonly ChunkEntry[]> = new Map();

  /** The index at `index`; `bytes`: its payload, if it is known. Throws what `load` throws. @throws DamagedPart */
  async read(index: PartRef, load: LoadPart, bytes?: Uint8Array): Promise<SnapshotIndex> {
    const stored = readIndex(bytes ?? (await load(index)), index);
    const blockOf = async (ref: PartRef): Promise<readonly ChunkEntry[]> =>
      this.blocks.get(ref.key) ?? readChunks(await load(ref), ref);
    const blocks = await Promise.all(stored.chunkBlocks.map(blockOf));
    this.blocks = new Map(stored.chunkBlocks.map(({key}, i) => [key, blocks[i]!]));
    return wholeIndex(stored, blocks);
  }
}
