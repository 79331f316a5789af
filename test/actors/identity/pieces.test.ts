// Moves of several messages, whoever appended them and whatever came between; and what erasures and rewritten chunks leave of moves.
import {expect, test} from 'vitest';
import {jsonOf} from '../../../actors/actor.js';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import {Moves, type MovesState} from '../../../actors/identity/moves.js';
import {hourMs} from '../../../actors/limits.js';
import {writeArrivedEvent} from '../../../actors/log/arrived-event.js';
import {
  beginMessage,
  sealMessage,
  writeArrive,
  writeErase,
  writeEvent,
  writeLeave,
  writeLink,
  writeTick,
} from '../../../actors/log/entries.js';
import {MessageCursor} from '../../../actors/log/entry-view.js';
import {Partition} from '../../../actors/partition.js';
import {loadRowKernel} from '../../../src/partition/row-kernel.js';
import {MemoryShell} from '../../support/memory-shell.js';

const first = 2 ** 32 + 1;
const day = Date.UTC(2026, 4, 1);

/** A message of a producer. */
function message(producer: number, write: (writer: ByteWriter) => number): Uint8Array {
  const writer = new ByteWriter(256);
  beginMessage(writer);
  const entries = write(writer);
  return sealMessage(writer, new Uint8Array(8).fill(producer), 1, day, entries).slice();
}

const filler = (producer: number): Uint8Array => message(producer, () => 0);

test('a move is of the pieces of one owner', () => {
  const moves = new Moves(1);
  const arrive = (piece: number, producer: number) =>
    moves.apply({arrival: {from: 0, n: first, piece, pieces: 2}, bytes: filler(producer)});
  expect([arrive(0, 1), arrive(0, 2), arrive(1, 1)]).toEqual(new Array(3).fill(undefined));
  expect(arrive(1, 2)).toEqual([filler(2), filler(2)]);
});

/** A piece of a move with an event of its own. */
function piece(number: number): (writer: ByteWriter) => void {
  const one = message(9, (writer) => {
    writeEvent(writer, {event: 'visit', anonymousId: 'd', timeMs: day + number, receivedMs: day});
    return 1;
  });
  const cursor = new MessageCursor(one);
  cursor.next();
  return (writer) => {
    writeArrive(writer, {from: 0, n: first, piece: number, pieces: 2});
    writeArrivedEvent(writer, cursor.entry, new TextEncoder().encode('uann'), `0-${number}`);
  };
}

test('a start from a snapshot between two pieces leads to what goes on without it', async () => {
  const shell = new MemoryShell();
  await shell.append(piece(0), undefined, 2);
  await shell.append((writer) => writeTick(writer, day, 1_000, 1));
  const restarted = await shell.restarted();
  for (const one of [shell, restarted]) {
    await one.append(piece(1), undefined, 2);
    await one.append((writer) => writeEvent(writer, {event: 'buy', userId: 'bob', timeMs: day, receivedMs: day}));
  }
  expect(restarted.partition.moves.receivedFrom(0)).toBe(first);
  expect(await shell.state()).toEqual(await restarted.state());
});

test('an erasure forgets the pieces before it', async () => {
  const shell = new MemoryShell();
  await shell.append(piece(0), undefined, 2);
  await shell.append((writer) => writeErase(writer, 'u', 'bob', 'del', day));
  await shell.append(piece(1), undefined, 2);
  const {arriving} = jsonOf<MovesState>(shell.partition.moves.freeze().at(-1)!.payload!);
  expect(arriving).toEqual([]);
  for (const number of [0, 1]) await shell.append(piece(number), undefined, 2);
  expect(shell.partition.moves.receivedFrom(0)).toBe(first);
});

test('an erased user of a move is in none of its cells and chunks', async () => {
  const shell = new MemoryShell();
  for (const device of ['d1', 'd2', 'd2'])
    await shell.append((writer) =>
      writeEvent(writer, {event: device, anonymousId: device, timeMs: day, receivedMs: day}),
    );
  await shell.append((writer) => writeLink(writer, 'd1', 'ann', day));
  await shell.append((writer) => writeLink(writer, 'd2', 'bob', day));
  await shell.append((writer) =>
    writeLeave(
      writer,
      [0, 1].map((user) => ({user, isTooLarge: false})),
    ),
  );
  await shell.append((writer) => writeTick(writer, day, 1_000, 1));
  const move = shell.partition.moves.pending[0]!;
  expect(move.contents?.chunks).toEqual([[0, 3]]);
  await shell.append((writer) => writeErase(writer, 'u', 'bob', 'del', day));
  expect(move).toMatchObject({users: [0], contents: {cells: [[day / hourMs, 0, 1]], chunks: [[0, 1]]}});
});

test('a name that only rows of users who left had is a new name when it comes again', () => {
  const partition = new Partition({
    partition: 0,
    partitions: 1,
    seeds: [1, 2, 3],
    dedupeBytesMax: 1024 * 1024,
    rowKernel: loadRowKernel(),
  });
  let sequence = 0;
  const fold = (userId: string) => {
    sequence += 1;
    const bytes = message(sequence, (writer) => {
      for (let i = 0; i < 2; i++) writeEvent(writer, {event: 'visit', userId, timeMs: day, receivedMs: day});
      return 2;
    });
    partition.fold(sequence, partition.openMessage(sequence, bytes)!);
  };
  fold('ann');
  partition.dropUncounted([0, 0].map((name) => ({timeMs: day, name, chunk: 0, ordinal: 0})));
  fold('bob');
  expect([...partition.open.columnsView().names.subarray(0, 4)]).toEqual([0, 0, 1, 1]);
});
