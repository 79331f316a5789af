// What snapshots know of an actor: the example of CONTRIBUTING.md is played, and the directory of parts holds what actors freeze.
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {type Actor, bytesIn, type FrozenPart, jsonPart, type Payload} from '../../actors/actor.js';
import {Journal} from '../../actors/journal.js';
import {dayMs} from '../../actors/limits.js';
import {writeEvent, writeTick} from '../../actors/log/entries.js';
import {KeptState} from '../support/kept-state.js';
import {MemoryShell} from '../support/memory-shell.js';
import {RowsOfDay} from '../support/rows-of-day.js';

const day = 20_000;

test('a further actor is a file and a line: it is in snapshots, and a start gives it its state back', async () => {
  const made: RowsOfDay[] = [];
  const newActor = () => {
    made.push(new RowsOfDay());
    return made.at(-1)!;
  };
  const shell = new MemoryShell(undefined, undefined, undefined, () => [newActor()]);
  const track = (to: MemoryShell, ofDay: number, count: number, messageId?: string) =>
    to.append(
      (writer) => {
        const timeMs = ofDay * dayMs + 5;
        for (let i = 0; i < count; i++)
          writeEvent(writer, {event: 'e', userId: `u${i}`, timeMs, receivedMs: timeMs, ...(messageId && {messageId})});
      },
      undefined,
      count,
    );
  await track(shell, day, 300);
  await track(shell, day, 1, 'm');
  await track(shell, day, 1, 'm');
  await shell.append((writer) => writeTick(writer, day * dayMs, 1_000, 1));
  const restarted = await shell.restarted();
  for (const one of [shell, restarted]) await track(one, day + 1, 2);
  expect(made).toHaveLength(2);
  for (const actor of made) expect([actor.countOf(day), actor.countOf(day + 1)]).toEqual([301, 2]);
});

test('the example of CONTRIBUTING.md is the actor that is played here', () => {
  const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const source = read('test/support/rows-of-day.ts').replaceAll('../../actors/', './');
  expect(read('CONTRIBUTING.md')).toContain(source.slice(source.indexOf('import')));
});

/** Freezes what it is told to, and notes what it gets back. */
class Told implements Actor {
  readonly name = 'told';
  readonly got: [name: string, block: number, payload: unknown][] = [];
  parts: readonly FrozenPart[] = [];

  apply(): void {}

  freeze(): readonly FrozenPart[] {
    return this.parts;
  }

  restore(name: string, block: number, payload: Payload): void {
    this.got.push([name, block, payload instanceof Uint8Array ? [...payload] : payload.json]);
  }
}

const part = (name: string, block: number, byte: number | null): FrozenPart => ({
  name,
  block,
  payload: byte === null ? null : Uint8Array.of(byte),
});

test('what is not frozen stays, and what has no payload goes (AC2); JSON comes back first, and blocks ascend (AC3)', async () => {
  const kept = new KeptState();
  const told = new Told();
  const snapshot = async (...parts: readonly FrozenPart[]) => {
    told.parts = parts;
    return kept.snapshot(told);
  };
  const [first, second, third] = await snapshot(part('told.b', 1, 1), part('told.b', 0, 2), part('told.a', 0, 3));
  await snapshot(jsonPart('told', {n: 1}), part('told.b', 1, 4));
  expect([first, second, third].map((key) => kept.has(key!))).toEqual([false, true, true]);
  expect((await kept.restored(new Told())).got).toEqual([
    ['told', 0, {n: 1}],
    ['told.b', 0, [2]],
    ['told.b', 1, [4]],
    ['told.a', 0, [3]],
  ]);
  await snapshot(jsonPart('told', {n: 2}), part('told.b', 0, null), part('told.b', 1, null), part('told.b', 2, null));
  expect((await kept.restored(new Told())).got).toEqual([
    ['told', 0, {n: 2}],
    ['told.a', 0, [3]],
  ]);
});

test('a block joins its small neighbours; one that cannot be read stays, and so do its neighbours (JO1)', async () => {
  const kept = new KeptState();
  const told = new Told();
  const journal = new Journal<string>('told.list');
  const append = async (count: number, byte: number): Promise<void> => {
    const encode = () => Uint8Array.of(byte);
    told.parts = [
      journal.append({count, note: `${byte}`, encode}, journal.blocks, (older) => {
        const all = [...older.flatMap((payload) => [...bytesIn(payload)]), byte];
        return {count: count + older.length, note: all.join(), encode: () => Uint8Array.from(all)};
      }),
    ];
    await kept.snapshot(told);
  };
  const stored = () => kept.parts('told.list').map(({payload}) => [...payload]);
  await append(20, 1);
  await append(1, 2);
  expect(stored()).toEqual([[1], [2]]);
  await append(1, 3);
  expect([stored(), journal.blocks.at(-1)]).toEqual([[[1], [2, 3]], {block: 2, count: 2, note: '2,3'}]);
  kept.canRead = false;
  await append(1, 4);
  expect([stored(), journal.blocks.map(({note}) => note)]).toEqual([
    [[1], [2, 3], [4]],
    ['1', '2,3', '4'],
  ]);
  kept.canRead = true;
  expect(journal.drop(journal.blocks.slice(0, 1))).toEqual([{name: 'told.list', block: 0, payload: null}]);
  expect(journal.count).toBe(3);
});
