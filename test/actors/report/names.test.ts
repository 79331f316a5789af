// Names: pages, and how much is read for the times of the first and the last event.

import {describe, expect, test} from 'vitest';
import {chunkNamesMax} from '../../../actors/manifest.js';
import {NameTimes} from '../../../actors/report/counts/name-times.js';
import {namesCursorText, readNamesCursor} from '../../../src/names-cursor.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

describe('a page of names', () => {
  test.each([
    ['not base64 !', 'not ours'],
    [Buffer.from('[1,2').toString('base64url'), 'cut'],
    [Buffer.from('[5,1,null,1,"a"]').toString('base64url'), 'a range that ends before it starts'],
    [Buffer.from('[1,5,null,0,"a"]').toString('base64url'), 'no event'],
    [Buffer.from('[1,5,null,1,""]').toString('base64url'), 'no name'],
    [Buffer.from('[1,5,3,1,"a"]').toString('base64url'), 'a prefix that is no text'],
    ['A'.repeat(9_000), 'too long'],
  ])('a cursor %s is refused: %s', (text) => {
    expect(readNamesCursor(text)).toBeUndefined();
  });

  test('a cursor says what it was made of', () => {
    const cursor = {fromMs: -5, toMs: 8.64e15, prefix: 'a"ü', after: {count: 3, name: 'a"ü\u{1f600}'}};
    expect(readNamesCursor(namesCursorText(cursor))).toEqual(cursor);
    const bare = {fromMs: 1, toMs: 2, after: {count: 1, name: 'x'}};
    expect(readNamesCursor(namesCursorText(bare))).toEqual(bare);
  });
});

describe('first and last times', () => {
  /** Twenty chunks in order of time: `often` in each of them, the others in one. */
  function published(noise: number): {parts: MemoryParts; snapshot: PartitionSnapshot} {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts);
    for (let chunk = 0; chunk < 20; chunk++) {
      const at = (ms: number) => chunk * 1_000 + ms;
      partition.append({user: 'ada', event: 'often', timeMs: at(1)}, {user: 'bob', event: 'often', timeMs: at(9)});
      if (chunk === 7) partition.append({user: 'ada', event: 'rare', timeMs: at(5)});
      for (let i = 0; i < noise; i++) partition.append({user: 'ada', event: `noise ${i}`, timeMs: at(3)});
      partition.cutChunk();
    }
    return {parts, snapshot: partition.publish()};
  }

  async function timesOf({parts, snapshot}: ReturnType<typeof published>, events: readonly string[]) {
    const cache = new PartsCache(parts, 1 << 20);
    const indexes = events.map((event) => {
      const bytes = new TextEncoder().encode(event);
      return snapshot.names.find(bytes, 0, bytes.length);
    });
    const times = new NameTimes(snapshot.index, indexes, snapshot.names.count);
    let chunksRead = 0;
    for (let chunks = times.next(1); chunks.length > 0; chunks = times.next(1)) {
      chunksRead += chunks.length;
      for (const {rows} of chunks) times.addRows(await cache.rows.load({rows}));
    }
    return {found: events.map((_, i) => [times.firstMs[i], times.lastMs[i]]), chunksRead};
  }

  test('are those of the oldest and the newest event, and only chunks that may hold these are read', async () => {
    const world = published(2);
    expect(await timesOf(world, ['often', 'rare'])).toEqual({
      found: [
        [1, 19_009],
        [7_005, 7_005],
      ],
      chunksRead: 3,
    });
    expect((await timesOf(world, [])).chunksRead).toBe(0);
  });

  test('are exact where chunks hold more names than they list', async () => {
    const {found} = await timesOf(published(chunkNamesMax + 1), ['rare', 'often', 'noise 5']);
    expect(found).toEqual([
      [7_005, 7_005],
      [1, 19_009],
      [3, 19_003],
    ]);
  });
});
