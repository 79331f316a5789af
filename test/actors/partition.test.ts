// The partition actor: any split of the log gives equal state; a snapshot and the rest of the log equal a whole fold;
// redelivery changes nothing; every event is counted, a duplicate, or dropped after an erasure.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {inOrder} from '../../actors/chunk/chunk.js';
import {dayMs} from '../../actors/limits.js';
import {
  beginMessage,
  sealMessage,
  writeErase,
  writeEvent,
  writeFiller,
  writeIdentify,
  writeTick,
} from '../../actors/log/entries.js';
import type {SnapshotDelta} from '../../actors/manifest.js';
import {Partition} from '../../actors/partition.js';
import {Profile} from '../../actors/user/profile.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {type ChunkImage, imageOf} from '../../src/partition/snapshot/chunk-parts.js';
import {MemoryShell} from '../support/memory-shell.js';
import {runs} from '../support/runs.js';
import {wholeBytes} from '../support/whole-rows.js';

type Entry =
  | {kind: 'event'; user: number; name: number; timeMs: number; messageId: number | undefined; text: string}
  | {
      kind: 'identify';
      user: number;
      traits: Record<string, number | null>;
      timeMs: number;
      sentMs?: number | undefined;
      messageId?: number | undefined;
      isOnce?: boolean | undefined;
    }
  | {kind: 'erase'; user: number}
  | {kind: 'tick'; stepMs: number}
  | {kind: 'filler'};

const base = Date.UTC(2026, 0, 31);
const user = fc.integer({min: 0, max: 5});
const entry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      user,
      name: fc.integer({min: 0, max: 3}),
      timeMs: fc.integer({min: 0, max: 40}).map((hours) => base + hours * 3_600_000),
      messageId: fc.option(fc.integer({min: 0, max: 8}), {nil: undefined}),
      text: fc.string({maxLength: 10}),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('identify' as const),
      user,
      traits: fc.dictionary(fc.constantFrom('b', 'a', '1', 'c'), fc.option(fc.integer()), {maxKeys: 3}),
      timeMs: fc.integer({min: 0, max: 99}).map((ms) => base + ms),
      sentMs: fc.option(
        fc.integer({min: -9, max: 120}).map((ms) => base + ms),
        {nil: undefined},
      ),
      messageId: fc.option(fc.integer({min: 0, max: 8}), {nil: undefined}),
      isOnce: fc.boolean(),
    }),
  },
  {weight: 1, arbitrary: fc.record({kind: fc.constant('erase' as const), user})},
  {
    weight: 2,
    arbitrary: fc.record({kind: fc.constant('tick' as const), stepMs: fc.integer({min: -1_000, max: 500_000})}),
  },
  {weight: 1, arbitrary: fc.record({kind: fc.constant('filler' as const)})},
);

function write(writer: ByteWriter, one: Exclude<Entry, {kind: 'tick'}>, at: number): void {
  switch (one.kind) {
    case 'event':
      writeEvent(writer, {
        event: `e${one.name}`,
        // Every third user is anonymous, with an id that a named user has too.
        ...(one.user % 3 === 2 ? {anonymousId: 'u1'} : {userId: `u${one.user}`}),
        messageId: one.messageId === undefined ? undefined : `m${one.messageId}`,
        timeMs: one.timeMs,
        receivedMs: base,
        properties: {at, text: one.text},
      });
      return;
    case 'identify':
      writeIdentify(writer, `u${one.user}`, JSON.stringify(one.traits), one.timeMs, {
        messageId: one.messageId === undefined ? undefined : `m${one.messageId}`,
        sentMs: one.sentMs,
        isOnce: one.isOnce === true,
      });
      return;
    case 'erase':
      writeErase(writer, 'u', `u${one.user}`, `del_0_${at}`, base);
      return;
    case 'filler':
      writeFiller(writer, 40);
  }
}

/** Log messages of the entries; `cutsAt` says after which entries a message ends. A tick has a message of its own. */
function messages(entries: readonly Entry[], cutsAt: ReadonlySet<number>): Uint8Array[] {
  const all: Uint8Array[] = [];
  const writer = new ByteWriter(256);
  let count = 0;
  let timeMs = base;
  beginMessage(writer);
  const leave = () => {
    if (count > 0) all.push(sealMessage(writer, new Uint8Array(8), all.length + 1, base, count).slice());
    beginMessage(writer);
    count = 0;
  };
  entries.forEach((one, at) => {
    if (one.kind === 'tick') {
      leave();
      timeMs += one.stepMs;
      writeTick(writer, timeMs, 240_000, 1);
      count = 1;
      leave();
      return;
    }
    write(writer, one, at);
    count += 1;
    if (cutsAt.has(at)) leave();
  });
  leave();
  return all;
}

const log = fc.array(entry, {minLength: 1, maxLength: 80});
const cuts = fc.array(fc.integer({min: 0, max: 79}), {maxLength: 40}).map((at) => new Set(at));

async function folded(all: readonly Uint8Array[]): Promise<MemoryShell> {
  const shell = new MemoryShell();
  for (const [i, bytes] of all.entries()) await shell.fold(i + 1, bytes);
  return shell;
}

/** A message in which nobody is erased. */
function fold(partition: Partition, sequence: number, bytes: Uint8Array): void {
  const cursor = partition.openMessage(sequence, bytes)!;
  for (let stop = partition.fold(sequence, cursor); stop.kind !== 'done'; ) {
    const isProfile = stop.kind === 'profile';
    if (stop.kind === 'profile')
      partition.users.activate(stop.user, partition.users.profiles.get(stop.user) ?? new Profile());
    stop = partition.fold(sequence, cursor, isProfile);
  }
}

interface Taken {
  readonly partition: Partition;
  readonly cut: SnapshotDelta;
  readonly image: ChunkImage;
}

/** All bytes that a snapshot writes of them. */
function encoded({parts, windowBlocks, userBlocks, ...rest}: SnapshotDelta, image: ChunkImage): unknown {
  return {
    rest,
    parts: parts.map((frozen) => [...frozen]),
    windowBlocks: [...windowBlocks],
    userBlocks: [...userBlocks],
    rows: wholeBytes(inOrder(image.columns)),
    bodies: image.blocks,
  };
}

describe('partition', () => {
  test('a cut says what stood at it, however much is folded before it is encoded (manifest.ts P7)', () => {
    const isNoErasure = ({kind}: Entry) => kind !== 'erase';
    fc.assert(
      fc.property(log, log, cuts, (before, after, split) => {
        const start = messages(before.filter(isNoErasure), split);
        const all = messages([...before, ...after].filter(isNoErasure), split);
        const [atOnce, later] = Array.from({length: 2}, () => {
          const partition = new Partition({
            partition: 0,
            partitions: 1,
            seeds: [1, 2, 3],
            dedupeBytesMax: 1024 * 1024,
            rowKernel: loadRowKernel(),
          });
          for (const [i, bytes] of start.entries()) fold(partition, i + 1, bytes);
          return {image: imageOf(partition.open), cut: partition.freeze(), partition};
        }) as [Taken, Taken];
        const expected = encoded(atOnce.cut, atOnce.image);
        for (const [i, bytes] of all.slice(start.length).entries()) fold(later.partition, start.length + i + 1, bytes);
        expect(encoded(later.cut, later.image)).toEqual(expected);
      }),
      {numRuns: runs(90)},
    );
  });

  test('any split of the log into messages gives equal state', async () => {
    await fc.assert(
      fc.asyncProperty(log, cuts, cuts, async (entries, one, other) => {
        const a = await folded(messages(entries, one));
        const b = await folded(messages(entries, other));
        expect(await b.state()).toEqual(await a.state());
      }),
      {numRuns: runs(90)},
    );
  });

  test('a snapshot and the log after it equal the whole log', async () => {
    await fc.assert(
      fc.asyncProperty(log, cuts, fc.nat(), async (entries, split, pick) => {
        const all = messages([...entries, {kind: 'tick', stepMs: 1}], split);
        const whole = await folded(all);
        const half = await folded(all.slice(0, 1 + (pick % all.length)));
        const recovered = await half.restarted();
        for (const [i, bytes] of all.entries()) await recovered.fold(i + 1, bytes);
        expect(await recovered.state()).toEqual(await whole.state());
      }),
      {numRuns: runs(90)},
    );
  });

  test('messages that come again, by sequence or by producer and number, change nothing', async () => {
    await fc.assert(
      fc.asyncProperty(log, cuts, async (entries, split) => {
        const all = messages(entries, split);
        const once = await folded(all);
        const twice = await folded(all);
        for (const [i, bytes] of all.entries()) await twice.fold(i + 1, bytes);
        for (const [i, bytes] of all.entries()) await twice.fold(all.length + i + 1, bytes);
        expect(await twice.state()).toEqual(await once.state());
      }),
      {numRuns: runs(90)},
    );
  });

  test('received = counted + duplicate + dropped after an erasure (P8)', async () => {
    await fc.assert(
      fc.asyncProperty(log, cuts, async (entries, split) => {
        const shell = await folded(messages(entries, split));
        const all = ({counted, duplicate, tombstoned}: typeof shell.partition.events.identifies) =>
          counted + duplicate + tombstoned;
        const {tally, identifies} = shell.partition.events;
        expect(all(tally)).toBe(entries.filter((one) => one.kind === 'event').length);
        expect(all(identifies)).toBe(entries.filter((one) => one.kind === 'identify').length);
      }),
      {numRuns: runs(90)},
    );
  });

  test('a wrong clock expires no message id: logical time takes one period a tick', async () => {
    const shell = new MemoryShell();
    const tick = (timeMs: number) => (writer: ByteWriter) => writeTick(writer, timeMs, 240_000, 1);
    const event = (writer: ByteWriter) =>
      writeEvent(writer, {event: 'e', userId: 'u', messageId: 'm', timeMs: base, receivedMs: base});
    await shell.append(event);
    for (const timeMs of [base, base + 400 * dayMs, base - 400 * dayMs, base + 900 * dayMs])
      await shell.append(tick(timeMs));
    await shell.append(event);
    expect(shell.partition.events.tally).toMatchObject({counted: 1, duplicate: 1});
  });

  test('a tick of an owner that has a successor is filler, also after a restart', async () => {
    const tick = (days: number, epoch: number) => (writer: ByteWriter) =>
      writeTick(writer, base + days * dayMs, dayMs, epoch);
    const event = (writer: ByteWriter) =>
      writeEvent(writer, {event: 'e', userId: 'u', messageId: 'm', timeMs: base, receivedMs: base});
    const after = async (late: readonly number[]): Promise<unknown> => {
      let shell = new MemoryShell();
      for (const one of [tick(0, 4), event, tick(1, 6)]) await shell.append(one);
      for (const days of late) await shell.append(tick(days, 5));
      shell = await shell.restarted();
      for (const days of late) await shell.append(tick(days, 5));
      await shell.append(event);
      await shell.append(tick(2, 6));
      expect(shell.partition.events.tally).toMatchObject({counted: 0, duplicate: 1});
      return shell.state();
    };
    expect(await after([1, 2, 40, 80])).toEqual(await after([]));
  });

  test('an identify whose message id was there is not applied; an event with the same one is no copy of it', async () => {
    const shell = new MemoryShell();
    const options = {messageId: 'm'};
    await shell.append((writer) => writeIdentify(writer, 'u', '{"plan":"free"}', base, options));
    await shell.append((writer) => writeIdentify(writer, 'u', '{"plan":"pro"}', base + 1));
    await shell.append((writer) => writeIdentify(writer, 'u', '{"plan":"free"}', base + 2, options));
    await shell.append((writer) => writeIdentify(writer, 'other', '{}', base + 3, options));
    await shell.append((writer) =>
      writeEvent(writer, {event: 'e', userId: 'u', messageId: 'm', timeMs: base, receivedMs: base}),
    );
    expect(shell.partition.events.identifies).toEqual({counted: 3, duplicate: 1, tombstoned: 0});
    expect(shell.partition.events.tally).toMatchObject({counted: 1, duplicate: 0});
    expect(shell.partition.users.profiles.get(0)?.json()).toBe('{"plan":"pro"}');
  });

  test('traits that are set once yield to any set, and to an earlier set-once, in any order; the user was seen at their real time', async () => {
    const once = (traits: string, receivedMs: number, sentMs?: number) => (writer: ByteWriter) =>
      writeIdentify(writer, 'u', traits, receivedMs, {sentMs, isOnce: true});
    const all = [
      once('{"plan":"first","source":"late"}', base + 5, base - 3),
      (writer: ByteWriter) => writeIdentify(writer, 'u', '{"plan":"pro"}', base + 6, {sentMs: base - 9}),
      once('{"source":"early","ahead":1}', base + 7, base - 4),
      once('{"source":"by receipt","ahead":2}', base + 2),
      once('{"ahead":3}', base + 1, base + 900),
    ];
    for (const order of [all, all.toReversed(), [...all.slice(2), ...all.slice(0, 2)]]) {
      const shell = new MemoryShell();
      for (const one of order) await shell.append(one);
      const traits = JSON.parse(shell.partition.users.profiles.get(0)!.json());
      expect(traits, 'a time ahead of its receipt counts as the receipt').toEqual({
        plan: 'pro',
        source: 'early',
        ahead: 1,
      });
      expect(shell.partition.users.deltas.record(0, undefined)).toMatchObject({
        createdMs: base - 9,
        firstIdentifyMs: base - 9,
        lastIdentifyMs: base + 2,
      });
    }
  });

  test.each(['at once', 'behind the days for which ids are remembered'])(
    'a retry of an identify brings back nothing of a user that was deleted, also after restarts: %s',
    async (when) => {
      const period = dayMs;
      let shell = new MemoryShell();
      let days = 0;
      const tick = () => shell.append((writer) => writeTick(writer, base + days++ * dayMs, period, 1));
      const identify = (id: string, sentMs?: number) => (writer: ByteWriter) =>
        writeIdentify(writer, 'u', '{"email":"ada@example.org"}', base, {messageId: id, sentMs});
      await tick();
      await shell.append(identify('1'));
      await tick();
      shell = await shell.restarted();
      await shell.append(identify('2', base - 1));
      await shell.append(identify('2', base - 1));
      await shell.append((writer) => writeErase(writer, 'u', 'u', 'del_0_1', base));
      for (let n = 0; n < (when === 'at once' ? 1 : 20); n++) await tick();
      shell = await shell.restarted();
      for (const id of ['1', '2', '1']) await shell.append(identify(id));
      expect(shell.partition.users.table.live).toBe(0);
      expect(shell.partition.events.identifies).toEqual({counted: 0, duplicate: 0, tombstoned: 3});
      expect(shell.partition.deletions.hasErasedInLog, 'the log is cleaned of them').toBe(true);
      await shell.append(identify('3'));
      expect(shell.partition.users.table.live, 'another one starts a fresh user').toBe(1);
    },
  );

  test('a producer that skips a number is noticed', async () => {
    const shell = new MemoryShell();
    const event = (writer: ByteWriter) => writeEvent(writer, {event: 'e', userId: 'u', timeMs: base, receivedMs: base});
    await shell.append(event);
    await shell.append(event, 3);
    await shell.append((writer) => writeTick(writer, base, 1, 1), 4);
    expect(shell.gaps).toBe(1);
  });

  test.each([
    ['a refresh of five minutes', 240_000, Math.floor(dayMs / 240_000)],
    ['a refresh of a day', 0.8 * dayMs, 3],
  ])('with %s a producer is known for as long as its messages are in the log', async (_refresh, periodMs, ticks) => {
    const shell = new MemoryShell();
    const message = (producer: number, n: number, write: (writer: ByteWriter) => void): Uint8Array => {
      const writer = new ByteWriter(256);
      beginMessage(writer);
      write(writer);
      return sealMessage(writer, new Uint8Array(8).fill(producer), n, base, 1).slice();
    };
    const event = message(1, 1, (writer) =>
      writeEvent(writer, {event: 'e', userId: 'u', timeMs: base, receivedMs: base}),
    );
    const tick = (n: number) => message(2, n, (writer) => writeTick(writer, base + n * periodMs, periodMs, 1));
    await shell.fold(1, tick(1));
    await shell.fold(2, event);
    for (let n = 2; n <= 1 + ticks; n++) await shell.fold(n + 1, tick(n));
    const again = ticks + 3;
    await shell.fold(again, event);
    expect(shell.partition.events.tally).toMatchObject({counted: 1, redelivered: 1});
    for (let n = 2 + ticks; n <= 3 + ticks; n++) await shell.fold(again + n, tick(n));
    await shell.fold(again + ticks + 4, event);
    expect(shell.partition.events.tally, 'forgotten in the end').toMatchObject({counted: 2, redelivered: 1});
  });
});
