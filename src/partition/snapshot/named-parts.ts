// Keys of the parts that one kept manifest names. Of the chunk directory they are kept by its blocks, which two snapshots that
// follow each other share: collecting all keys again at every tick would take time in proportion to all events.
import {
  type ChunkEntry,
  chunkBlockEntries,
  type PartRef,
  partsBesideChunks,
  partsOfChunks,
  type StoredIndex,
} from '../../../actors/manifest.js';

export interface KeySet {
  has(key: string): boolean;
}

export class NamedParts implements KeySet {
  static readonly none = new NamedParts(new Set(), new Map());
  private readonly others: ReadonlySet<string>;
  /** By the key of the block's part. */
  private readonly blocks: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(others: ReadonlySet<string>, blocks: ReadonlyMap<string, ReadonlySet<string>>) {
    this.others = others;
    this.blocks = blocks;
  }

  /** `index`: where it is stored. `entriesOf` is asked for blocks that `before` does not name. */
  static of(
    index: PartRef,
    stored: StoredIndex,
    entriesOf: (block: number) => readonly ChunkEntry[],
    before: NamedParts = NamedParts.none,
  ): NamedParts {
    const others = keysOf([index, ...partsBesideChunks(stored), ...partsOfChunks(stored.lastChunks)]);
    const blocks = stored.chunkBlocks.map(
      ({key}, block) => [key, before.blocks.get(key) ?? keysOf(partsOfChunks(entriesOf(block)))] as const,
    );
    return new NamedParts(others, new Map(blocks));
  }

  has(key: string): boolean {
    if (this.others.has(key)) return true;
    for (const keys of this.blocks.values()) if (keys.has(key)) return true;
    return false;
  }
}

/** Parts that the newest manifest names, and those of the one before. */
export interface KeptNames {
  readonly current: NamedParts;
  readonly previous: NamedParts;
}

/** Entries of a block of the directory, out of all in order. */
export const entriesOfBlock = (chunks: readonly ChunkEntry[], block: number): readonly ChunkEntry[] =>
  chunks.slice(block * chunkBlockEntries, (block + 1) * chunkBlockEntries);

function keysOf(refs: Iterable<PartRef>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const {key} of refs) keys.add(key);
  return keys;
}
