// What taking users out of the parts writes, and what becomes of the open chunk.
import {describe, expect, test} from 'vitest';
import {inOrder} from '../../../actors/chunk/chunk.js';
import {codeInBody} from '../../../actors/chunk/property-columns.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import {writeErase, writeEvent, writeTick} from '../../../actors/log/entries.js';
import type {Json} from '../../../actors/log/json.js';
import {MemoryShell} from '../../support/memory-shell.js';
import {wholeBytes} from '../../support/whole-rows.js';

const day = Date.UTC(2026, 4, 1);

test('several users are taken out together: every part is rewritten once, and what is erased is told by user', async () => {
  const shell = new MemoryShell();
  const rows = chunkRowsMax + 2_000;
  const batch = 1_000;
  const userIdOf = (i: number): string => (i % 100 < 3 ? `gone${i % 100}` : `u${i % 40}`);
  for (let first = 0; first < rows; first += batch)
    await shell.append(
      (writer) => {
        for (let i = first; i < Math.min(rows, first + batch); i++) {
          const messageId = i % 200 === 1 ? `m${i}` : undefined;
          writeEvent(writer, {event: 'x', userId: userIdOf(i), messageId, timeMs: day + i, receivedMs: day});
        }
      },
      undefined,
      Math.min(batch, rows - first),
    );
  await shell.append((writer) => writeTick(writer, day, 1, 1));
  const {cache, partition} = shell.readable(0);
  const users = [0, 1, 2]; // In the order in which they came: gone0, gone1, gone2.
  const written = shell.written.length;
  const erasure = shell.erasureFor(cache);
  const {erased, chunks, open, userRuns} = await erasure.takeOut(users);
  const countOf = (user: number, step: number): number =>
    Array.from({length: rows}, (_, i) => i).filter((i) => i % step === user).length;
  expect(users.map((user) => erased.of(user).rows.length)).toEqual(users.map((user) => countOf(user, 100)));
  expect(users.map((user) => erased.of(user).fingerprints.length)).toEqual([0, countOf(1, 200), 0]);
  const ordinals = new Set(erased.of(2).rows.map(({ordinal}) => ordinal % 100));
  expect(ordinals).toEqual(new Set([2]));
  // The closed chunk's three parts and the block of records, whatever the number of users.
  expect([chunks.length, shell.written.length - written, userRuns.length]).toEqual([1, 4, 1]);
  const left = open!.rowsNow();
  expect(left.users.some((user) => user !== left.noUser && users.includes(user))).toBe(false);
  expect(partition.open.count).toBe(left.count);
});

describe('the open chunk', () => {
  const appendEvents = (shell: MemoryShell, count: number, userOf: (i: number) => string) =>
    shell.append(
      (writer) => {
        for (let i = 0; i < count; i++)
          writeEvent(writer, {event: 'x', userId: userOf(i), timeMs: day + i, receivedMs: day, properties: {i}});
      },
      undefined,
      count,
    );
  const erase = (shell: MemoryShell, userId: string, id = `del_0_${userId}`) =>
    shell.append((writer) => writeErase(writer, 'u', userId, id, day));

  test('stays open when users are erased who have no rows in it', async () => {
    const shell = new MemoryShell();
    await appendEvents(shell, chunkRowsMax, (i) => `old${i % 40}`);
    const written = shell.written.length;
    for (let i = 0; i < 40; i++) {
      await appendEvents(shell, 100, () => 'new');
      await erase(shell, `old${i}`);
    }
    const {layout, partition} = shell.readable(0);
    expect([...layout.chunks.values()]).toMatchObject([{chunk: 0, count: chunkRowsMax, live: 0}]);
    // Each erasure writes the parts of the closed chunk, and nothing of the open one.
    expect(shell.written.length - written).toBe(40 * 3);
    await shell.append((writer) => writeTick(writer, day, 1, 1));
    await (await shell.restarted()).state();
    expect(partition.open).toMatchObject({chunk: 1, count: 4_000});
    expect([...partition.deletions.values()].map(({eventsDeleted}) => eventsDeleted)).toEqual(
      Array.from({length: 40}, (_, i) => Math.floor(chunkRowsMax / 40) + (i < chunkRowsMax % 40 ? 1 : 0)),
    );
  });

  test('stays open without the rows of a user who has some in it', async () => {
    const shell = new MemoryShell();
    await appendEvents(shell, 300, (i) => (i === 299 ? 'carol' : `u${i % 7}`));
    const reader = shell.readable(0).partition.open;
    const blocks = () => [0, 1].map((block) => Buffer.from(reader.blockAt(block)).toString('hex'));
    const read = blocks();
    await erase(shell, 'carol');
    const {layout, partition} = shell.readable(0);
    expect([...layout.chunks.values()]).toEqual([]);
    expect(partition.open).toMatchObject({chunk: 0, baseOrdinal: 0, count: 300});
    expect(partition.deletions.get('del_0_carol')).toMatchObject({eventsDeleted: 1});
    expect(blocks()).toEqual(read); // Whoever began to read before the erasure goes on.
    await appendEvents(shell, 200, () => 'dave');
    await erase(shell, 'dave');
    await erase(shell, 'u3');
    await appendEvents(shell, chunkRowsMax - 499, () => 'eve');
    expect([...layout.chunks.values()]).toMatchObject([{chunk: 0, count: chunkRowsMax, live: chunkRowsMax - 244}]);
    expect(partition.open).toMatchObject({chunk: 1, baseOrdinal: chunkRowsMax, count: 1});
    expect(['dave', 'u3'].map((id) => partition.deletions.get(`del_0_${id}`)?.eventsDeleted)).toEqual([200, 43]);
  });

  test('says the same after erasures whether it was written, and restored, in between or not', async () => {
    const one = new MemoryShell();
    let other = new MemoryShell();
    /** Values of few and of many, properties that only the erased have, nested ones, and message ids. */
    const write = (shell: MemoryShell, from: number, count: number) =>
      shell.append(
        (writer) => {
          for (let i = from; i < from + count; i++) {
            const userId = `u${i % 11}`;
            const properties: Record<string, Json> = {session: `s${i * 7}`, plain: i % 3};
            if (i % 11 === 4) properties.only = `secret ${i}`;
            if (i % 5 === 0) properties.nested = {i};
            const event = i % 11 === 4 ? 'of the erased' : `name ${i % 2}`;
            const timeMs = day + i * 1_000 - (i % 50 === 0 ? 86_400_000 : 0);
            writeEvent(writer, {event, userId, timeMs, receivedMs: day + i, messageId: `m${i}`, properties});
          }
        },
        undefined,
        count,
      );
    const ticked = (shell: MemoryShell, at: number) =>
      shell.append((writer) => writeTick(writer, day + at * 60_000, 60_000, 1));
    for (const [at, userId] of ['u4', 'u5', 'nobody', 'u4', 'u6'].entries()) {
      for (const shell of [one, other]) {
        await write(shell, at * 400, 400);
        await ticked(shell, at);
        await erase(shell, userId, `del_0_${at}`);
      }
      await ticked(one, at);
      await ticked(other, at);
      other = await other.restarted();
    }
    for (const shell of [one, other]) await write(shell, 2_000, 100);
    const state = JSON.stringify(await one.state());
    expect(JSON.stringify(await other.state())).toBe(state);
    expect(state).toContain('secret 1643');
    expect(state).not.toContain('secret 15');
    expect(one.readable(0).layout.chunks.size).toBe(0);
    const [ofOne, ofOther] = [one, other].map((shell) => {
      const {open} = shell.readable(0).partition;
      return Buffer.concat([wholeBytes(inOrder(open.columnsView())), ...open.blocks()]);
    });
    expect(ofOne!.toString('latin1')).toContain('secret 1643');
    expect(ofOne!.toString('latin1')).not.toContain('secret 15');
    expect(ofOther!.toString('hex')).toBe(ofOne!.toString('hex'));
  });

  test('goes on where the dictionary has no room for what an erasure left: the rest is in bodies', async () => {
    const shell = new MemoryShell();
    const count = 8_000;
    const columns = [...'abcdefghijk'];
    // With carol's rows the values of a column are too alike for codes of their own, without them too many for these.
    const isOfCarol = (i: number) => i % 10 < 3;
    await shell.append(
      (writer) => {
        for (let i = 0; i < count; i++) {
          const properties = Object.fromEntries(columns.map((key) => [key, isOfCarol(i) ? 'same' : `${key}${i}`]));
          const userId = isOfCarol(i) ? 'carol' : 'dave';
          writeEvent(writer, {event: 'x', userId, timeMs: day + i, receivedMs: day, properties});
        }
      },
      undefined,
      count,
    );
    await erase(shell, 'carol');
    await appendEvents(shell, 1, () => 'eve');
    const {layout, partition} = shell.readable(0);
    expect(layout.chunks.size).toBe(0);
    expect(partition.open).toMatchObject({chunk: 0, baseOrdinal: 0, count: count + 1});
    const {columns: left} = inOrder(partition.open.columnsView());
    expect(left.some(({codes}) => codes.includes(codeInBody))).toBe(true);
    const {events} = (await shell.state()) as {readonly events: readonly string[]};
    const told = events.map((text) => JSON.parse(text.slice(text.indexOf('{'))));
    const isWhole = ({id, properties}: {id: string; properties: Readonly<Record<string, unknown>>}) =>
      columns.every((key) => properties[key] === `${key}${id.slice(2)}`);
    expect(told.filter((event) => !isWhole(event))).toMatchObject([{id: `0-${count}`, userId: 'eve'}]);
  });

  test('is closed without the rows of the user where it is half full', async () => {
    const shell = new MemoryShell();
    await appendEvents(shell, chunkRowsMax / 2, (i) => (i % 2 === 0 ? 'carol' : 'dave'));
    await erase(shell, 'carol');
    const {layout, partition} = shell.readable(0);
    expect([...layout.chunks.values()]).toMatchObject([{chunk: 0, count: chunkRowsMax / 2, live: chunkRowsMax / 4}]);
    expect(partition.open).toMatchObject({chunk: 1, baseOrdinal: chunkRowsMax / 2, count: 0});
    expect(partition.deletions.get('del_0_carol')).toMatchObject({eventsDeleted: chunkRowsMax / 4});
  });
});
