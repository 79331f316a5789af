// What taking a user out of the parts reads, beside what live reads have in memory.
import {describe, expect, test} from 'vitest';
import {tickReason, writeErase, writeEvent, writeTick} from '../../actors/codec/entries.js';
import {chunkRowsMax} from '../../actors/limits.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {MemoryShell} from '../support/memory-shell.js';

/** The first user there is. */
const carol = 0;
const day = Date.UTC(2026, 4, 1);

test('a user is taken out of many chunks without a part of them in the memory of live reads', async () => {
  const shell = new MemoryShell();
  const batch = 500;
  const rows = 41_000;
  for (let first = 0; first < rows; first += batch) {
    await shell.append(
      (writer) => {
        for (let i = first; i < first + batch; i++) {
          const userId = i % 100 === 0 ? 'carol' : `u${i % 40}`;
          writeEvent(writer, {event: 'x', userId, timeMs: day + i, receivedMs: day, properties: {text: `t${i}`}});
        }
      },
      undefined,
      batch,
    );
  }
  const {cache, layout} = shell.readable(64 * 1024 * 1024);
  const refs = [...layout.chunks.values()].flatMap(({rows, bodies}) => [rows, bodies]);
  expect(refs).toHaveLength(4);
  const {memory} = cache;
  await cache.loadRows(refs[0]!);
  const erasure = shell.erasureFor(cache);
  const erased = await erasure.takeOut(carol);
  expect(erased.rows).toHaveLength(rows / 100);
  expect(refs.map(({key}) => memory.peek(key) !== undefined)).toEqual([true, false, false, false]);
  // Who reads meanwhile finds all of the user, and then nothing.
  const partsNow = () => [...layout.chunks.values()].flatMap((chunk) => [chunk.rows, chunk.bodies]);
  expect(partsNow().slice(0, refs.length)).toEqual(refs);
  erasure.replace(erased);
  const replaced = [...layout.chunks.values()].flatMap(({rows, bodies}) => [rows, bodies]);
  expect(replaced.some(({key}) => refs.some((old) => old.key === key))).toBe(false);
  expect(memory.bytesHeld).toBe(refs[0]!.bytes);
});

describe.each([
  ['made by the kernel', loadRowKernel()],
  ['made one by one', undefined],
])('the open chunk, %s,', (_case, kernel) => {
  const appendEvents = (shell: MemoryShell, count: number, userOf: (i: number) => string) =>
    shell.append(
      (writer) => {
        for (let i = 0; i < count; i++)
          writeEvent(writer, {event: 'x', userId: userOf(i), timeMs: day + i, receivedMs: day, properties: {i}});
      },
      undefined,
      count,
    );
  const erase = (shell: MemoryShell, userId: string) =>
    shell.append((writer) => writeErase(writer, 'u', userId, `del_0_${userId}`, day));

  test('stays open when users are erased who have no rows in it', async () => {
    const shell = new MemoryShell(kernel);
    await appendEvents(shell, chunkRowsMax, (i) => `old${i % 40}`);
    for (let i = 0; i < 40; i++) {
      await appendEvents(shell, 100, () => 'new');
      await erase(shell, `old${i}`);
    }
    const {layout, partition} = shell.readable(0);
    expect([...layout.chunks.values()]).toMatchObject([{chunk: 0, count: chunkRowsMax, live: 0}]);
    expect(partition.open).toMatchObject({chunk: 1, count: 4_000});
    expect([...partition.deletions.values()].map(({eventsDeleted}) => eventsDeleted)).toEqual(
      Array.from({length: 40}, (_, i) => Math.floor(chunkRowsMax / 40) + (i < chunkRowsMax % 40 ? 1 : 0)),
    );
  });

  test('is closed, and its rows are taken out, when the user has one in it', async () => {
    const shell = new MemoryShell(kernel);
    await appendEvents(shell, 300, (i) => (i === 299 ? 'carol' : `u${i % 7}`));
    await erase(shell, 'carol');
    const {layout, partition} = shell.readable(0);
    expect([...layout.chunks.values()]).toMatchObject([{chunk: 0, count: 300, live: 299}]);
    expect(partition.open).toMatchObject({chunk: 1, count: 0});
    expect(partition.deletions.get('del_0_carol')).toMatchObject({eventsDeleted: 1});
  });

  test('of a start goes on over the erasure of a user without rows in it', async () => {
    const before = new MemoryShell(kernel);
    await appendEvents(before, chunkRowsMax, () => 'old');
    await appendEvents(before, 300, () => 'new');
    await before.append((writer) => writeTick(writer, day, 1, tickReason.interval));
    const shell = await before.restarted();
    await erase(shell, 'old');
    const {partition} = shell.readable(0);
    expect(partition.open).toMatchObject({chunk: 1, count: 300});
    expect(partition.deletions.get('del_0_old')).toMatchObject({eventsDeleted: chunkRowsMax});
  });
});
