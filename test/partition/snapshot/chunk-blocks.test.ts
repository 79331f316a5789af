// The chunk directory of a snapshot: what is written and read at a tick depends on what changed, not on how much there is.

import {describe, expect, test} from 'vitest';
import {
  type ChunkEntry,
  chunkBlockEntries,
  encodeIndex,
  type PartRef,
  type SnapshotIndex,
  type StoredIndex,
} from '../../../actors/manifest.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {Layout} from '../../../src/partition/snapshot/layout.js';
import {entriesOfBlock, NamedParts} from '../../../src/partition/snapshot/named-parts.js';
import type {PartStore} from '../../../src/partition/snapshot/part-store.js';
import {Throttle} from '../../../src/partition/throttle.js';
import {IndexReader, type LoadPart} from '../../../src/parts/stored-index.js';
import {readChunks} from '../../../src/parts/stored-state.js';
import {emptyValues} from '../../support/snapshot.js';

/** Keeps payloads by key, and what was put and retired since it was asked last. */
class Parts {
  readonly payloads = new Map<string, Uint8Array>();
  puts: string[] = [];
  retired: string[] = [];

  async put(payload: Uint8Array): Promise<PartRef> {
    const ref = refOf(`b${this.payloads.size}`, payload.length);
    this.payloads.set(ref.key, payload);
    this.puts.push(ref.key);
    return ref;
  }

  retire(...refs: readonly PartRef[]): void {
    this.retired.push(...refs.map(({key}) => key));
  }

  readonly load = async ({key}: PartRef): Promise<Uint8Array> => this.payloads.get(key)!;

  changes(): {put: number; retired: number} {
    const changes = {put: this.puts.length, retired: this.retired.length};
    [this.puts, this.retired] = [[], []];
    return changes;
  }
}

const refOf = (key: string, bytes: number): PartRef => ({
  key,
  revisions: [7e8],
  bytes,
  valueBytes: 524_288,
  crcs: [3e9],
});

const entryOf = (chunk: number, times = 0): ChunkEntry => ({
  chunk,
  baseOrdinal: chunk * 16_384,
  count: 16_384,
  live: 16_384 - times,
  leftOut: 0,
  minTimeMs: 1_700_000_000_000 + chunk,
  maxTimeMs: 1_700_000_900_000 + chunk,
  middleTimeMs: 1_700_000_400_000 + chunk,
  keptFromMs: 0,
  names: [1, 2, 3, 5, 8, 13, 21],
  rows: refOf(`p0.3-0a1b2c3d.${3 * chunk}-${times}`, 150_000),
  properties: refOf(`p0.3-0a1b2c3d.${3 * chunk + 1}-${times}`, 250_000),
  bodies: refOf(`p0.3-0a1b2c3d.${3 * chunk + 2}-${times}`, 400_000),
});

const readWhole = (reader: IndexReader, stored: StoredIndex, load: LoadPart): Promise<SnapshotIndex> =>
  reader.read(refOf('index', 1), load, encodeIndex(stored));

class World {
  readonly parts = new Parts();
  readonly layout = this.newLayout();

  newLayout(): Layout {
    return new Layout(this.parts as unknown as PartStore, new Throttle(() => 0), new UserSet());
  }

  close(from: number, to: number): void {
    for (let chunk = from; chunk < to; chunk++) this.layout.setChunk(entryOf(chunk));
  }

  async snapshot(nextChunk: number, layout = this.layout): Promise<StoredIndex> {
    await layout.putChunkBlocks(nextChunk, new Throttle(() => 0).slicer());
    return {...layout.indexOf({nextChunk, nextOrdinal: 0}, null), values: emptyValues};
  }

  async entries(stored: StoredIndex): Promise<readonly ChunkEntry[]> {
    return (await readWhole(new IndexReader(), stored, this.parts.load)).chunks;
  }
}

const n = chunkBlockEntries;

describe('blocks of the chunk directory', () => {
  test('complete ones are written once, the rest stands in the index', async () => {
    const world = new World();
    world.close(0, n - 1);
    expect((await world.snapshot(n - 1)).lastChunks).toHaveLength(n - 1);
    expect(world.parts.changes().put).toBe(0);
    world.close(n - 1, 2 * n + 3);
    const stored = await world.snapshot(2 * n + 3);
    expect([world.parts.changes().put, stored.lastChunks.length]).toEqual([2, 3]);
    expect(await world.entries(stored)).toEqual(Array.from({length: 2 * n + 3}, (_, chunk) => entryOf(chunk)));
    await world.snapshot(2 * n + 3);
    expect(world.parts.changes()).toEqual({put: 0, retired: 0});
  });

  test('a chunk that an erasure rewrites rewrites its block alone, also after a start', async () => {
    const world = new World();
    world.close(0, 3 * n);
    const stored = await world.snapshot(3 * n);
    const restarted = world.newLayout();
    restarted.restore(await readWhole(new IndexReader(), stored, world.parts.load));
    world.parts.changes();
    restarted.setChunk(entryOf(n + 5, 1));
    const later = await world.snapshot(3 * n, restarted);
    expect(world.parts.changes()).toEqual({put: 1, retired: 4}); // The block, and the parts of the chunk.
    expect((await world.entries(later))[n + 5]).toEqual(entryOf(n + 5, 1));
    expect(later.chunkBlocks.map(({key}, block) => key === stored.chunkBlocks[block]!.key)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('what a snapshot names is known by the blocks that it shares with the one before', async () => {
    const world = new World();
    world.close(0, 2 * n);
    const first = await world.snapshot(2 * n);
    const chunks = await world.entries(first);
    const before = NamedParts.of(refOf('index 1', 1), first, (block) => entriesOfBlock(chunks, block));
    world.layout.setChunk(entryOf(n + 1, 1));
    const second = await world.snapshot(2 * n);
    const asked: number[] = [];
    const entriesOf = (block: number) => {
      asked.push(block);
      return world.layout.blockEntries(block);
    };
    const after = NamedParts.of(refOf('index 2', 1), second, entriesOf, before);
    expect(asked).toEqual([1]);
    const [old, fresh] = [entryOf(n + 1).rows.key, entryOf(n + 1, 1).rows.key];
    expect([before.has(old), before.has(fresh), after.has(old), after.has(fresh)]).toEqual([true, false, false, true]);
    expect([after.has('index 2'), after.has('index 1'), after.has(entryOf(3).bodies.key)]).toEqual([true, false, true]);
    expect(second.chunkBlocks.every(({key}) => after.has(key))).toBe(true);
  });

  test('a reader decodes the blocks that changed', async () => {
    const world = new World();
    world.close(0, 4 * n);
    const reader = new IndexReader();
    const loaded: string[] = [];
    const load = (ref: PartRef) => {
      loaded.push(ref.key);
      return world.parts.load(ref);
    };
    await readWhole(reader, await world.snapshot(4 * n), load);
    expect(loaded).toHaveLength(4);
    world.layout.setChunk(entryOf(2 * n, 1));
    const index = await readWhole(reader, await world.snapshot(4 * n), load);
    expect(loaded).toHaveLength(5);
    expect(readChunks(world.parts.payloads.get(loaded[4]!)!, refOf(loaded[4]!, 1))[0]).toEqual(entryOf(2 * n, 1));
    expect(index.chunks[2 * n]).toEqual(entryOf(2 * n, 1));
  });
});
