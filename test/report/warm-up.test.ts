// What a start reads ahead for reports, that it takes room that is free, and that nothing of it can harm anybody.
import {describe, expect, test} from 'vitest';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {DamagedPart} from '../../src/parts/stored-parts.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {warmUp} from '../../src/report/warm-up.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const hourMs = 3_600_000;
const chunks = 12;
const rowsOfChunk = 500;
const range = {fromMs: 0, toMs: 100 * hourMs - 1};
const funnel = {report: 'funnel', steps: [{event: 'A'}, {event: 'B'}], windowSeconds: null, ...range} as const;
const count = {report: 'counts', events: ['A'], interval: 'day', ...range} as const;
const quiet = async (): Promise<void> => undefined;

function world() {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < chunks * rowsOfChunk; row++) {
    partition.append({user: `u${row % 90}`, event: 'AB'[row % 2]!, timeMs: row * 40_000});
    if (row % rowsOfChunk === rowsOfChunk - 1) partition.cutChunk();
  }
  const snapshot = partition.publish();
  const rowsBytes = snapshot.index.chunks.reduce((sum, {rows}) => sum + rows.bytes, 0);
  parts.reads = 0;
  return {parts, snapshot, rowsBytes};
}

describe('warm-up of reports', () => {
  test('the first reports find everything at hand', async () => {
    const {parts, snapshot} = world();
    const cache = new PartsCache(parts, 16 << 20);
    await warmUp(cache, [snapshot], quiet);
    expect(parts.reads).toBeGreaterThan(chunks);
    parts.reads = 0;
    const answers = [];
    for (const query of [funnel, count]) answers.push(await new Evaluation(cache, 1 << 20).answer(query, [snapshot]));
    expect(parts.reads).toBe(0);
    expect(answers[1]).toContain(`"total":${(chunks * rowsOfChunk) / 2}`);
  });

  test('of a store that is larger than the cache the newest rows are, room is left, and nobody has to leave', async () => {
    const {parts, snapshot, rowsBytes} = world();
    const cache = new PartsCache(parts, Math.floor(rowsBytes / 2));
    const [oldest] = snapshot.index.chunks;
    await cache.rows.load(oldest!);
    await warmUp(cache, [snapshot], quiet);
    const held = snapshot.index.chunks.map(({rows}) => cache.rows.held({rows}) !== undefined);
    expect([held[0], held[1], held.at(-1)]).toEqual([true, false, true]);
    expect(cache.memory.bytesHeld).toBeLessThanOrEqual(cache.memory.bytesMax);
  });

  test('rows of all chunks come before properties of any', async () => {
    const {parts, snapshot, rowsBytes} = world();
    const {chunks: entries, windowRuns} = snapshot.index;
    const windowsBytes = windowRuns.flatMap(({blocks}) => blocks).reduce((sum, {part}) => sum + part.bytes, 0);
    const newest = entries.toSorted((a, b) => b.maxTimeMs - a.maxTimeMs);
    const fitting = windowsBytes + rowsBytes + Math.ceil(newest[0]!.properties.bytes / 2);
    const cache = new PartsCache(parts, Math.ceil((fitting * 4) / 3));
    await warmUp(cache, [snapshot], quiet);
    expect(entries.every(({rows}) => cache.memory.peek(rows.key) !== undefined)).toBe(true);
    const held = newest.map(({properties}) => cache.heldColumns(properties) !== undefined);
    expect(held).toEqual(newest.map((_, i) => i === 0));
  });

  test('what cannot be read is left to whoever asks for it', async () => {
    const {parts, snapshot} = world();
    const [, second] = snapshot.index.chunks;
    parts.damage(second!.rows);
    const cache = new PartsCache(parts, 16 << 20);
    await warmUp(cache, [snapshot], quiet);
    const held = snapshot.index.chunks.filter(({rows}) => cache.rows.held({rows}) !== undefined);
    expect(held).toHaveLength(chunks - 1);
    await expect(cache.rows.load(second!)).rejects.toThrow(DamagedPart);
  });

  test('gives way to reports, and ends where the store does not answer', async () => {
    const {parts, snapshot} = world();
    const slow = {
      read: async (revision: number) => {
        await new Promise((resolve) => setTimeout(resolve, 15));
        return parts.read(revision);
      },
    };
    let turns = 0;
    await warmUp(new PartsCache(slow, 16 << 20), [snapshot], async () => void (turns += 1));
    expect(turns).toBeGreaterThan(0);

    let reads = 0;
    const gone = {
      read: async () => {
        reads += 1;
        throw new Error('no connection');
      },
    };
    await expect(warmUp(new PartsCache(gone, 16 << 20), [snapshot], quiet)).rejects.toThrow('no connection');
    expect(reads).toBeLessThan(chunks);
  });
});
