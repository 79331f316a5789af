// What a start reads ahead, and that nothing of it can hinder the start.
import {crc32} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {joinBodies} from '../../../actors/chunk/bodies.js';
import {inOrder} from '../../../actors/chunk/chunk.js';
import {encodeProperties} from '../../../actors/chunk/property-columns.js';
import {encodeRows} from '../../../actors/chunk/rows.js';
import {type ChunkEntry, type PartRef, partsOfChunk} from '../../../actors/manifest.js';
import {type StoredRows, warmUp} from '../../../src/partition/reads/warm-up.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {storedMember} from '../../../src/parts/stored-member.js';
import type {PartValues} from '../../../src/parts/stored-parts.js';
import {until} from '../../support/until.js';
import {OpenChunk} from '../../twins/open-chunk.js';

const anyMsMax = 60_000;

class Store implements PartValues {
  readonly values: (Uint8Array | undefined)[] = [];
  readonly reads: number[] = [];
  /** Called with every read. */
  onRead: () => Promise<void> = async () => {};

  put(payload: Uint8Array): PartRef {
    const revision = this.values.push(payload);
    const bytes = payload.length;
    return {key: `part.${revision}`, revisions: [revision], bytes, valueBytes: bytes, crcs: [crc32(payload)]};
  }

  async read(revision: number): Promise<Uint8Array | undefined> {
    this.reads.push(revision);
    await this.onRead();
    return this.values[revision - 1];
  }
}

/** Chunks whose newest rows are at these times, written in this order, and a block of user records. */
function storeOf(times: readonly number[]): {readonly store: Store; readonly stored: StoredRows} {
  const store = new Store();
  const chunks = times.map((timeMs, chunk): ChunkEntry => {
    const columns = inOrder(new OpenChunk(chunk, chunk).columnsView());
    const rows = store.put(encodeRows(columns));
    const properties = store.put(encodeProperties(columns));
    const bodies = store.put(joinBodies([storedMember(Uint8Array.of(chunk))]));
    return {
      chunk,
      baseOrdinal: chunk,
      count: 1,
      live: 1,
      leftOut: 0,
      minTimeMs: timeMs,
      maxTimeMs: timeMs,
      middleTimeMs: timeMs,
      keptFromMs: 0,
      names: [0],
      rows,
      properties,
      bodies,
    };
  });
  const part = store.put(new Uint8Array(8));
  return {store, stored: {chunks, userRuns: [{blocks: [{first: 0, last: 0, part}], bytes: 8}], readsFrom: () => true}};
}

const bytesOf = (chunk: ChunkEntry): number => partsOfChunk(chunk).reduce((sum, {bytes}) => sum + bytes, 0);

describe('warm-up', () => {
  test('everything that fits is at hand afterwards, read once and in the order of the store', async () => {
    const {store, stored} = storeOf([3, 9, 6]);
    const cache = new PartsCache(store, 100_000);
    await warmUp(
      cache,
      [
        {...stored, chunks: stored.chunks.slice(1), userRuns: []},
        {...stored, chunks: stored.chunks.slice(0, 1)},
      ],
      anyMsMax,
    );
    expect(store.reads).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const chunk of stored.chunks) {
      expect(cache.wholeRows.held(chunk)).toBeDefined();
      await cache.loadBodyBlock(chunk.bodies, 0);
    }
    await cache.load(stored.userRuns[0]!.blocks[0]!.part);
    expect(store.reads).toHaveLength(10);
  });

  test('of a store that is larger than the cache the newest chunks, and room is left', async () => {
    const {store, stored} = storeOf([3, 9, 6, 1]);
    const chunkBytes = bytesOf(stored.chunks[0]!);
    const cache = new PartsCache(store, Math.ceil(((2 * chunkBytes + 8) * 16) / 15));
    await warmUp(cache, [stored], anyMsMax);
    const held = stored.chunks.map(({rows}) => cache.rows.held({rows}) !== undefined);
    expect(held).toEqual([false, true, true, false]);
    expect(cache.memory.bytesHeld).toBeLessThanOrEqual((cache.memory.bytesMax * 15) / 16);
  });

  test('what was replaced before it is read, or while it is, is not kept', async () => {
    const {store, stored} = storeOf([1, 2, 3]);
    const [before, meanwhile, kept] = stored.chunks.map(({rows}) => rows);
    const gone = new Set([before!.key]);
    store.onRead = async () => void gone.add(meanwhile!.key);
    const cache = new PartsCache(store, 100_000);
    await warmUp(cache, [{...stored, readsFrom: ({key}) => !gone.has(key)}], anyMsMax);
    expect([before, meanwhile, kept].map((rows) => cache.rows.held({rows: rows!}) !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
    expect(store.reads).not.toContain(before!.revisions[0]);
  });

  test('a part that is damaged or gone is left out, the others are read', async () => {
    const {store, stored} = storeOf([1, 2, 3]);
    store.values[0] = new Uint8Array(3);
    store.values[5] = undefined; // Bodies of the second chunk.
    const cache = new PartsCache(store, 100_000);
    await warmUp(cache, [stored], anyMsMax);
    expect(store.reads).toHaveLength(10);
    expect(stored.chunks.map(({rows}) => cache.rows.held({rows}) !== undefined)).toEqual([false, true, true]);
    await expect(cache.rows.load(stored.chunks[0]!)).rejects.toThrow('damaged');
  });

  test('a store that fails ends it, and so does its time', async () => {
    const times = Array.from({length: 100}, (_, i) => i);
    const failing = storeOf(times);
    failing.store.onRead = async () => {
      throw new Error('no connection');
    };
    await warmUp(new PartsCache(failing.store, 100_000), [failing.stored], anyMsMax);
    expect(failing.store.reads.length).toBeLessThan(50);
    const slow = storeOf(times);
    slow.store.onRead = () => new Promise((resolve) => setTimeout(resolve, 2));
    await warmUp(new PartsCache(slow.store, 100_000), [slow.stored], 0);
    expect(slow.store.reads.length).toBeLessThan(50);
    // The rest follows, and nothing is read twice.
    await until('everything is at hand', () => slow.store.reads.length === slow.store.values.length);
    expect(new Set(slow.store.reads).size).toBe(slow.store.values.length);
  });
});
