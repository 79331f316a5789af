// Orders of chunks that are kept while chunks come and are replaced.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {newestChunkFirst} from '../../../actors/chunk/history.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {ChunkDirectory} from '../../../src/partition/snapshot/chunk-directory.js';

const entryOf = (chunk: number, maxTimeMs: number): ChunkEntry =>
  ({chunk, baseOrdinal: chunk * 10, count: 10, maxTimeMs}) as ChunkEntry;

test('are those of all chunks, each as it was set last, and an order that was given stays as it was', () => {
  const steps = fc.array(fc.tuple(fc.nat(30), fc.nat(5)), {maxLength: 80});
  fc.assert(
    fc.property(steps, steps, (restored, set) => {
      const model = new Map(restored.map(([chunk, timeMs]) => [chunk, entryOf(chunk, timeMs)]));
      const directory = new ChunkDirectory();
      directory.restore([...model.values()]);
      for (const [chunk, timeMs] of set) {
        const {newestFirst, byOrdinal} = directory;
        const before = [[...newestFirst], [...byOrdinal]];
        const entry = entryOf(chunk, timeMs);
        model.set(chunk, entry);
        directory.set(entry);
        expect([newestFirst, byOrdinal]).toEqual(before);
        expect(directory.newestFirst).toEqual([...model.values()].sort(newestChunkFirst));
        expect(directory.byOrdinal).toEqual([...model.values()].sort((a, b) => a.chunk - b.chunk));
        expect(directory.get(chunk)).toBe(entry);
      }
      expect([directory.size, directory.has(7)]).toEqual([model.size, model.has(7)]);
    }),
  );
});
