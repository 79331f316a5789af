// What taking a user out of the parts reads, beside what live reads have in memory.
import {expect, test} from 'vitest';
import {writeEvent} from '../../actors/codec/entries.js';
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
  const erased = await shell.erasureFor(cache).takeOut(carol);
  expect(erased.rows).toHaveLength(rows / 100);
  expect(refs.map(({key}) => memory.peek(key) !== undefined)).toEqual([true, false, false, false]);
  const replaced = [...layout.chunks.values()].flatMap(({rows, bodies}) => [rows, bodies]);
  expect(replaced.some(({key}) => refs.some((old) => old.key === key))).toBe(false);
  expect(memory.bytesHeld).toBe(refs[0]!.bytes);
});
