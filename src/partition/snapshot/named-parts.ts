// Keys of the parts that one kept manifest names. Keys of the chunk directory are kept by block, because successive snapshots
// share its blocks: collecting all keys at every tick would take time in proportion to all events.
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
  /** Keys by the key of the block's part. */
  private readonly blocks: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(others: ReadonlySet<string>, blocks: ReadonlyMap<string, ReadonlySet<string>>) {
    this.others = others;
    this.blocks = blocks;
  }

  /** `index`: the part of the index. `entriesOf` is called only for blocks that `before` does not name. */
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

/** Parts that the newest manifest and the one before it name. */
export interface KeptNames {
  readonly current: NamedParts;
  readonly previous: NamedParts;
}

/** Entries of one block of the directory. */
export const entriesOfBlock = (chunks: readonly ChunkEntry[], block: number): readonly ChunkEntry[] =>
  chunks.slice(block * chunkBlockEntries, (block + 1) * chunkBlockEntries);

function keysOf(refs: Iterable<PartRef>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const {key} of refs) keys.add(key);
  return keys;
}
