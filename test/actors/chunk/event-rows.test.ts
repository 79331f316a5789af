// Rows made by the kernel against rows made one by one (the twin): every chunk is the same, byte for byte, whatever the log
// has; and what an erased user left in the kernel's memory is overwritten.

import {isDeepStrictEqual} from 'node:util';
import {crc32} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import {type ChunkInMemory, inOrder} from '../../../actors/chunk/chunk.js';
import {
  bodyBlockRows,
  chunkCodesMax,
  chunkColumnsMax,
  chunkRowsMax,
  dictionaryValueBytesMax,
} from '../../../actors/limits.js';
import {
  type AcceptedEvent,
  beginMessage,
  entryKind,
  sealMessage,
  writeErase,
  writeEvent,
  writeFiller,
  writeIdentify,
  writeTick,
} from '../../../actors/log/entries.js';
import {type EntryView, MessageCursor} from '../../../actors/log/entry-view.js';
import {Partition} from '../../../actors/partition.js';
import {InternedTable} from '../../../actors/table/interned.js';
import {Profile} from '../../../actors/user/profile.js';
import {loadRowKernel} from '../../../src/partition/row-kernel.js';
import {Random} from '../../../tools/random.js';
import {MemoryShell} from '../../support/memory-shell.js';
import {mixedKeys, mixedValue} from '../../support/mixed-properties.js';
import {OpenChunk} from '../../twins/open-chunk.js';

type Event = Partial<AcceptedEvent>;
type Entry = {event: Event} | {identify: string} | {erase: string} | {filler: number} | {raw: Uint8Array};

const start = Date.UTC(2026, 1, 28, 22);
const kernel = loadRowKernel();

/** Log messages of these entries, in order. */
class Log {
  readonly messages: Uint8Array[] = [];
  private readonly writer = new ByteWriter(1_024);

  add(...entries: readonly Entry[]): this {
    beginMessage(this.writer);
    for (const [i, entry] of entries.entries()) this.write(entry, i);
    return this.seal(entries.length);
  }

  tick(): this {
    beginMessage(this.writer);
    writeTick(this.writer, start + this.messages.length, 240_000, 1);
    return this.seal(1);
  }

  private seal(count: number): this {
    const number = this.messages.length + 1;
    this.messages.push(sealMessage(this.writer, new Uint8Array(8), number, start, count).slice());
    return this;
  }

  private write(entry: Entry, place: number): void {
    const {writer} = this;
    if ('event' in entry) {
      writeEvent(writer, {event: 'e', userId: 'u', timeMs: start, receivedMs: start, ...entry.event});
    } else if ('identify' in entry) writeIdentify(writer, entry.identify, JSON.stringify({place}), start + place);
    else if ('erase' in entry) writeErase(writer, 'u', entry.erase, `del_0_${this.messages.length}_${place}`, start);
    else if ('filler' in entry) writeFiller(writer, entry.filler);
    else writer.raw(entry.raw);
  }
}

/** A message id is its user's own. */
const idOf = (entry: EntryView): string => `${entry.userKey()} ${entry.messageId()}`;

/** What the events of a log come to, made one by one. */
class Twin {
  readonly users = new InternedTable();
  private readonly names = new InternedTable();
  private readonly ids = new Set<string>();
  readonly closed: OpenChunk[] = [];
  open = new OpenChunk(0, 0);

  fold(bytes: Uint8Array): void {
    const cursor = new MessageCursor(bytes);
    while (cursor.next()) {
      const {entry} = cursor;
      const isEvent = entry.kind === entryKind.event;
      if (isEvent && entry.hasMessageId && this.ids.has(idOf(entry))) continue;
      if (!isEvent && entry.kind !== entryKind.identify) continue;
      const user = this.users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
      if (isEvent) this.append(entry, user);
    }
  }

  private append(entry: EntryView, user: number): void {
    if (entry.hasMessageId) this.ids.add(idOf(entry));
    this.open.append(entry, user, this.names.intern(entry.bytes, entry.textStart, entry.textEnd));
    if (!this.open.isFull) return;
    this.closed.push(this.open);
    this.open = new OpenChunk(this.open.chunk + 1, this.open.baseOrdinal + this.open.count);
  }
}

const newPartition = (): Partition =>
  new Partition({partition: 0, partitions: 1, seeds: [1, 2, 3], dedupeBytesMax: 1024 * 1024, rowKernel: kernel});

/** Without profiles: their loading is the shell's. @returns the chunks that were closed. */
function fold(partition: Partition, sequence: number, bytes: Uint8Array): ChunkInMemory[] {
  const cursor = partition.openMessage(sequence, bytes)!;
  for (let stop = partition.fold(sequence, cursor); stop.kind !== 'done'; ) {
    if (stop.kind === 'profile') partition.users.activate(stop.user, new Profile());
    stop = partition.fold(sequence, cursor, stop.kind === 'profile');
  }
  return partition.takeClosedChunks();
}

/** The same chunks out of both. */
function expectSame({messages}: Log): [Twin, Partition] {
  const [twin, partition] = [new Twin(), newPartition()];
  for (const [i, bytes] of messages.entries()) {
    twin.fold(bytes);
    const closed = fold(partition, i + 1, bytes);
    expect(closed.map(sumsOf)).toEqual(twin.closed.splice(0).map(sumsOf));
    expect(sumsOf(partition.open)).toEqual(sumsOf(twin.open));
  }
  expect(partition.events.tally.counted).toBeGreaterThan(0);
  return [twin, partition];
}

/** A process that starts in the midst goes on as one that does not. */
async function expectRestarts(log: Log, restartBefore: number): Promise<[MemoryShell, MemoryShell]> {
  const {messages} = log;
  const whole = new MemoryShell();
  let restarted = new MemoryShell();
  for (let sequence = 1; sequence <= messages.length; sequence++) {
    if (sequence - 1 === restartBefore) {
      restarted = await restarted.restarted();
      for (let again = 1; again < sequence; again++) await restarted.fold(again, messages[again - 1]!); // P1 (partition.ts)
    }
    await whole.fold(sequence, messages[sequence - 1]!);
    await restarted.fold(sequence, messages[sequence - 1]!);
  }
  expectEqual(await restarted.state(), await whole.state());
  return [whole, restarted];
}

/** Tens of thousands of values are compared the quick way first; vitest says where they differ. */
function expectEqual(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

/** Checksums of a chunk, column by column. */
function sumsOf(open: ChunkInMemory): unknown {
  const {times, users, names, order, columns, keysInBody} = inOrder(open.columnsView());
  const now = open.rowsNow();
  const sumOf = (array: ArrayBufferView) => crc32(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return {
    rows: [times, users, names, order].map(sumOf),
    rowsNow: [now.times, now.users, now.names].map(sumOf),
    columns: columns.map(({key, codes}) => [Buffer.from(key).toString('hex'), sumOf(codes)]),
    values: columns
      .slice(0, 1)
      .map(({values}) => [values.count, sumOf(values.stored), values.offsets && sumOf(values.offsets)]),
    blocks: open.blocks().map(sumOf),
    keysInBody,
  };
}

const events = (count: number, eventOf: (i: number) => Event): Entry[] =>
  Array.from({length: count}, (_, i) => ({event: eventOf(i)}));

/** In messages of so many. */
function logOf(entries: readonly Entry[], messageEntries = 500): Log {
  const log = new Log();
  for (let at = 0; at < entries.length; at += messageEntries) log.add(...entries.slice(at, at + messageEntries));
  return log;
}

describe('the kernel and its twin', () => {
  test('fields, values and keys of every kind', async () => {
    const odd: Event[] = [
      {event: 'seen', userId: 'ada', properties: {plan: 'pro', n: 3, half: 0.5, on: true, off: false, none: null}},
      {event: 'seen', userId: 'bo', properties: {n: 4, plan: 'pro'}, receivedMs: start + 70_000, timeMs: start - 9},
      {event: 'bare', anonymousId: 'x', userId: undefined, receivedMs: start - 70_000},
      {anonymousId: 'x', messageId: 'm-1', properties: {nested: {a: [1, {b: 2}]}, long: 'x'.repeat(300)}},
      {messageId: 'm'.repeat(128), properties: {'': '', ключ: 'значение', '\ud800': '\udfff'}},
      {messageId: 'm-1', anonymousId: 'x', properties: {nested: 'again'}},
      {anonymousId: 'y', properties: {after: 'an anonymous id'}},
      {properties: {}},
      {timeMs: start - 1, sentMs: start - 1, properties: {plan: 'pro'}, context: {page: {path: '/a'}}},
      {timeMs: start - 2, sentMs: start, messageId: 'm-2', anonymousId: 'x', context: {}},
      {context: {library: 'x'.repeat(300)}, properties: {context: 'own'}},
      {properties: {context: {page: 'own'}, plan: 'pro'}, timeMs: start, sentMs: start + 5},
      {receivedMs: start + 0.5, properties: {plan: 'half a millisecond'}},
      {receivedMs: 0, timeMs: 0, properties: {plan: 'pro', zero: 0, minus: -0, least: -(2 ** 31), most: 2 ** 31 - 1}},
      {receivedMs: 2 ** 52, properties: {plan: 'far'}},
      {event: '😀'.repeat(256), userId: '😀'.repeat(255), properties: {['😀'.repeat(256)]: '😀'.repeat(16_000)}},
      {event: 'n'.repeat(64), properties: {['k'.repeat(15)]: 1, ['k'.repeat(16)]: 2, ['k'.repeat(17)]: 3}},
      {event: 'n'.repeat(65), properties: {['k'.repeat(17)]: 3, ['k'.repeat(16)]: 2, ['k'.repeat(15)]: 1}},
      ...[-3, -2, -1, 0].map((more) => ({properties: {edge: 'v'.repeat(dictionaryValueBytesMax + more)}})),
      ...Array.from({length: 40}, (_, i) => ({properties: {short: 'v'.repeat(i), other: 'v'.repeat(39 - i)}})),
    ];
    const twice = [...odd, ...odd.toReversed(), ...odd].map((event) => ({event}));
    expectSame(logOf(twice, 7).tick());
    expectSame(logOf(twice, 1_000).tick());
  });

  test('more columns than there are, and a property that stands twice', async () => {
    const many = (from: number) =>
      Object.fromEntries(Array.from({length: chunkColumnsMax - 10}, (_, i) => [`p${from + i}`, `${i}`.repeat(i)]));
    const entries: Entry[] = [
      ...events(3, (i) => ({event: 'a', properties: many(i)})),
      {raw: doubled('p1')},
      ...events(600, (i) => ({event: `e${i % 3}`, properties: many((i * 7) % 30)})),
      {raw: doubled('beyond')},
      {raw: doubled('p1')},
      {event: {properties: Object.fromEntries(Array.from({length: 256}, (_, i) => [`q${i}`, i]))}},
    ];
    expectSame(logOf(entries, 50).tick());
  });

  test('more values than there are codes, and more bytes than a dictionary holds', async () => {
    const codes = events(chunkRowsMax + 100, (i) => ({
      userId: `u${i % 99}`,
      properties: {a: `a${i}`, b: `b${i}`, c: i, d: `d${i >> 1}`, e: i % 7, f: i < 9_000 ? 'early' : 'late'},
    }));
    expect(codes.length * 4.5).toBeGreaterThan(chunkCodesMax);
    expectSame(logOf(codes, 1_000).tick());
    const bytes = events(9_000, (i) => ({properties: {a: `${i}`.repeat(20), b: `${i % 300}`.repeat(40), c: i % 9}}));
    expectSame(logOf(bytes, 1_000).tick());
    // As many values as D1 does not hold of, all in one dictionary.
    const shared = events(chunkRowsMax, (i) => ({
      properties: Object.fromEntries(Array.from({length: 8}, (_, at) => [`p${at}`, `v${(i * 5) >> 3}`])),
    }));
    expectSame(logOf(shared, 1_000).tick());
  });

  test('bodies that close a chunk early, larger than the window of the kernel together', async () => {
    const entries = events(400, (i) => ({
      userId: `u${i}`,
      event: `e${i % 5}`,
      properties: {large: 'x'.repeat(i % 11 === 0 ? 60_000 : 900), plan: `p${i % 3}`, nested: {i}},
    }));
    expectSame(logOf([...entries, {filler: 900_000}, ...entries.toReversed(), {filler: 10}], 13).tick());
    expectSame(logOf([...entries.slice(0, 40), {filler: 600_000}, ...entries.slice(0, 4)], 45).tick());
  });

  test('more event names than the kernel knows', async () => {
    const entries = events(6_000, (i) => ({event: `name ${i % 2_500}`, properties: {i: i % 9, [`k${i % 4}`]: 'v'}}));
    expectSame(logOf(entries, 1_000).tick());
  });

  test('more users than the kernel knows, and keys longer than it keeps', async () => {
    const entries = events(40_000, (i) => ({
      userId: i % 50 < 9 ? 'k'.repeat(1 + (i % 99)) : `u${(i * 7_919) % 34_000}`,
      timeMs: start + i * 9_000,
    }));
    const [twin, partition] = expectSame(logOf(entries, 2_000).tick());
    const idsOf = (users: InternedTable) => Array.from({length: users.count}, (_, user) => users.text(user));
    expect(idsOf(twin.users)).toHaveLength(27_979);
    expectEqual(idsOf(partition.tables.users), idsOf(twin.users));
  });

  test('a start in the midst of a chunk and of a block, and goes on over its end', async () => {
    const eventOf = (i: number): Event => ({userId: `u${i % 400}`, properties: {session: `s${i}`, plan: `p${i % 3}`}});
    const log = logOf(events(bodyBlockRows + 77, eventOf)).tick();
    for (let i = 0; i < 35; i++) log.add(...events(500, (at) => eventOf(i * 500 + at)));
    log.tick();
    const [whole, restarted] = await expectRestarts(log, 3);
    expect(sumsOf(restarted.partition.open)).toEqual(sumsOf(whole.partition.open));
    expect(restarted.written.slice(-2)).toEqual(whole.written.slice(-2));
  });

  test.each([1, 2])('seed %i: any mixture, with deletions and starts', async (seed) => {
    const random = new Random(seed);
    const log = new Log();
    const entries = mixedEntries(random.between(500, 4_000), random);
    for (let at = 0; at < entries.length; ) {
      const count = random.between(1, random.pick([2, 20, 300]));
      log.add(...entries.slice(at, at + count));
      at += count;
      if (random.chance(0.03)) log.tick();
    }
    await expectRestarts(log.tick(), random.between(0, log.messages.length));
    expectSame(logOf(mixedEntries(random.between(500, 4_000), random).filter((entry) => !('erase' in entry))));
  });

  test('a property that ends behind its entry is refused', async () => {
    const log = new Log().add({event: {event: 'known', properties: {plan: 'pro'}}});
    const broken = new Log().add(
      {event: {event: 'known', properties: {plan: 'pro'}}},
      {event: {event: 'known', properties: {plan: 'broken'}}},
    ).messages[0]!;
    broken[Buffer.from(broken).indexOf('broken') - 1] = 0x7f;
    const shell = new MemoryShell(kernel);
    await shell.fold(1, log.messages[0]!);
    broken.set(new Uint8Array(new Float64Array([2]).buffer), 10);
    await expect(shell.fold(2, broken)).rejects.toThrow(/^log: /);
  });
});

test('an erased user is nowhere in the memory of the kernel', async () => {
  const secrets = [
    'user-of-whom-nothing-stays',
    'a name that only it has',
    'a-key-of-its-own',
    'a value of it',
    'in a body',
  ];
  const [userId, event, key, value, nested] = secrets as [string, string, string, string, string];
  const shell = new MemoryShell(kernel);
  const log = new Log()
    .add(...events(300, (i) => ({userId: `u${i}`, properties: {plan: `p${i % 3}`}})))
    .add(
      {event: {userId, event, properties: {[key]: value, nested: {nested}}}},
      {event: {}},
      {erase: userId},
      {event: {}},
    )
    .tick();
  const found = () => secrets.filter((text) => Buffer.from(kernel.memory.buffer as ArrayBuffer).includes(text));
  await shell.fold(1, log.messages[0]!);
  const before = new Log().add({event: {userId, event, properties: {[key]: value, nested: {nested}}}}).messages[0]!;
  before.set(new Uint8Array(new Float64Array([2]).buffer), 10);
  await shell.fold(2, before);
  expect(found()).toEqual(secrets);
  const erase = new Log().add({erase: userId}, {event: {userId: 'another'}}).messages[0]!;
  erase.set(new Uint8Array(new Float64Array([3]).buffer), 10);
  await shell.fold(3, erase);
  expect(found()).toEqual([]);
});

/** An entry that the edge never writes: two values of one property. */
function doubled(key: string): Uint8Array {
  const writer = new ByteWriter(1_024);
  writeEvent(writer, {
    event: 'e',
    userId: 'u',
    timeMs: 1,
    receivedMs: 2,
    properties: {[key]: 'a', ['z'.repeat(key.length)]: {b: 1}},
  });
  const bytes = writer.finish();
  bytes.set(Buffer.from(key), Buffer.from(bytes).indexOf('z'.repeat(key.length)));
  return bytes;
}

function mixedEntries(count: number, random: Random): Entry[] {
  const below = (n: number) => random.between(0, n - 1);
  const keysOf = mixedKeys(random);
  return Array.from({length: count}, (_, i): Entry => {
    if (random.chance(0.01)) return {identify: `u${below(40)}`};
    if (random.chance(0.003)) return {erase: `u${below(40)}`};
    if (random.chance(0.003)) return {filler: below(2) * 300_000};
    const name = below(keysOf.length);
    const keys = random.chance(0.1) ? keysOf[name]!.toReversed() : [...keysOf[name]!];
    if (random.chance(0.02)) keys.push(`rare${below(60)}`);
    const event: Event = {
      event: `event ${name}`,
      ...(random.chance(0.25) ? {userId: undefined, anonymousId: `a${below(9)}`} : {userId: `u${below(40)}`}),
      ...(random.chance(0.1) ? {messageId: `m${below(i + 1)}`} : {}),
      timeMs: start + i * 1_000_000 - below(100_000_000),
      receivedMs: start + i * 10 + (random.chance(0.01) ? below(2 ** 31) - 2 ** 30 : 0),
      properties: Object.fromEntries([...new Set(keys)].map((key) => [key, mixedValue(random, i)])),
    };
    return {event};
  });
}
