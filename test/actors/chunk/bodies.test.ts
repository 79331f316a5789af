// Columns and bodies together give the bytes of every entry again; the entry itself is the oracle.
import {gunzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import {BodyBlock, bodiesHeadBytes, bodiesLayout, joinBodies, withoutBodies} from '../../../actors/chunk/bodies.js';
import {inOrder} from '../../../actors/chunk/chunk.js';
import {EventTexts, eventJson} from '../../../actors/chunk/event-texts.js';
import type {WholeRows} from '../../../actors/chunk/property-columns.js';
import {eraseRows} from '../../../actors/chunk/row-erasure.js';
import {bodyBlockRows, chunkColumnsMax} from '../../../actors/limits.js';
import {type AcceptedEvent, beginMessage, sealMessage, writeEvent} from '../../../actors/log/entries.js';
import {type EntryView, MessageCursor, type PropertyCursor} from '../../../actors/log/entry-view.js';
import {InternedTable} from '../../../actors/table/interned.js';
import {compressBlock} from '../../../src/partition/snapshot/chunk-parts.js';
import {Random} from '../../../tools/random.js';
import {mixedKeys, mixedValue} from '../../support/mixed-properties.js';
import {recoded} from '../../support/whole-rows.js';
import {OpenChunk} from '../../twins/open-chunk.js';

const start = Date.UTC(2026, 1, 28, 22);
type Event = Partial<AcceptedEvent>;

/** A chunk of these events, and what it was made of. */
class Story {
  readonly users = new InternedTable();
  readonly names = new InternedTable();
  readonly payloads: Uint8Array[] = [];
  chunk = new OpenChunk(0, 0);

  constructor(events: readonly Event[] = []) {
    this.append(events);
  }

  append(events: readonly Event[]): this {
    const writer = new ByteWriter(1_024);
    for (let at = 0; at < events.length; at += 100) {
      const some = events.slice(at, at + 100);
      beginMessage(writer);
      for (const event of some) {
        writeEvent(writer, {event: 'e', userId: 'u', timeMs: start, receivedMs: start, ...event});
      }
      this.appendMessage(sealMessage(writer, new Uint8Array(8), 1, 0, some.length).slice());
    }
    return this;
  }

  appendMessage(bytes: Uint8Array): void {
    const cursor = new MessageCursor(bytes);
    while (cursor.next()) {
      const {entry} = cursor;
      this.payloads.push(payloadOf(entry));
      const user = this.users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
      this.chunk.append(entry, user, this.names.intern(entry.bytes, entry.textStart, entry.textEnd));
    }
  }

  /** What comes out of these parts, row by row. */
  read(rows: WholeRows = inOrder(this.chunk.columnsView()), blocks: readonly Uint8Array[] = this.chunk.blocks()) {
    return Array.from({length: rows.count}, (_, row) => {
      const block = new BodyBlock(blocks[Math.floor(row / bodyBlockRows)], rows);
      const entry = block.entry(row, this.users, this.names);
      return entry === undefined ? undefined : payloadOf(entry);
    });
  }

  /** Texts of the rows, block by block: from their entries, and from what rows share. */
  texts(): readonly (readonly [ofEntry: string, ofRow: string | undefined])[] {
    const {chunk, users, names} = this;
    const rows = inOrder(chunk.columnsView());
    return chunk.blocks().flatMap((bytes, number) => {
      const entries = new BodyBlock(bytes, rows);
      const texts = new EventTexts(3, users, names).open(new BodyBlock(bytes, rows));
      const first = number * bodyBlockRows;
      return Array.from({length: Math.min(bodyBlockRows, rows.count - first)}, (_, at) => {
        const row = first + at;
        const entry = entries.entry(row, users, names)!;
        return [eventJson(entry, 3, 7 + row), textOf(texts, row)] as const;
      });
    });
  }
}

/** Its text as it is shown. Writers that are nearly full make room. */
function textOf(texts: EventTexts, row: number): string | undefined {
  const writer = new ByteWriter(8);
  writer.string('{');
  return texts.write(row, 7 + row, writer)
    ? Buffer.from(writer.bytes.subarray(1, writer.position)).toString()
    : undefined;
}

const payloadOf = (entry: EntryView): Uint8Array => entry.bytes.slice(entry.payloadStart, entry.payloadEnd);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function propertiesOf(cursor: PropertyCursor): [string, string][] {
  cursor.passOwn();
  const found: [string, string][] = [];
  while (cursor.next()) found.push([cursor.key(), cursor.valueJson()]);
  return found;
}

const story: Event[] = [
  {event: 'seen', userId: 'ada', properties: {plan: 'pro', n: 3, half: 0.5, on: true, off: false, none: null}},
  {event: 'seen', userId: 'bo', properties: {n: 4, plan: 'pro'}, receivedMs: start + 70_000, timeMs: start - 9},
  {event: 'bare', anonymousId: 'x', userId: undefined, receivedMs: start - 70_000},
  {userId: 'ada', anonymousId: 'x', messageId: 'm-1', properties: {nested: {a: [1, {b: 2}]}, long: 'x'.repeat(300)}},
  {messageId: 'm'.repeat(128), properties: {'': '', ключ: 'значение', '\ud800': '\udfff'}},
  {properties: {}},
  {timeMs: start - 1, sentMs: start - 1, properties: {plan: 'pro'}, context: {page: {path: '/a'}}},
  {timeMs: start - 2, sentMs: start, messageId: 'm-2', anonymousId: 'x', context: {}},
  {receivedMs: start + 0.5, properties: {plan: 'half a millisecond'}},
  {receivedMs: 0, timeMs: 0, properties: {plan: 'pro'}},
  {receivedMs: 2 ** 52, properties: {plan: 'far'}},
];

describe('texts of events', () => {
  test.each([
    ['a story of all kinds of events', story],
    ['mixed events', mixedEvents(2_000, 7)],
    [
      'properties past the column bound',
      [{properties: Object.fromEntries(Array.from({length: chunkColumnsMax + 5}, (_, i) => [`p${i}`, `v${i}`]))}],
    ],
  ])('%s: from what rows share as from their entries', (_, events) => {
    const texts = new Story(events).texts();
    expect(texts).toHaveLength(events.length);
    for (const [ofEntry, ofRow] of texts) expect(ofRow).toBe(ofEntry);
    for (const [text] of texts) expect(() => JSON.parse(text)).not.toThrow();
  });
});

describe('bodies', () => {
  test('columns and bodies give the bytes of every entry', () => {
    const told = new Story(story);
    expect(told.read().map((bytes) => hex(bytes!))).toEqual(told.payloads.map(hex));
  });

  test('golden: version 2 stays readable', () => {
    const told = new Story(story.slice(0, 4));
    expect(told.chunk.blocks().map(hex)).toMatchInlineSnapshot(`
      [
        "0000003064ca79420306000102030405020100020607050480fc07000504e0c110010300df49cd020780fc0702036d2d31017806117b2261223a5b312c7b2262223a327d5d7d05ac02787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878",
      ]
    `);
    expect(hex(joinBodies([Uint8Array.of(7, 8), Uint8Array.of(9)]))).toBe('0200000202000000030000000708' + '09');
  });

  test('properties past the column bound, and one that stands twice', () => {
    const many = Object.fromEntries(Array.from({length: chunkColumnsMax + 5}, (_, i) => [`p${i}`, i]));
    const told = new Story([{properties: many}, {properties: {p50: 'late', p1: {x: 1}}}, {properties: many}]);
    told.appendMessage(doubled('p1'));
    expect(told.read().map((bytes) => hex(bytes!))).toEqual(told.payloads.map(hex));
  });

  test('properties alone are read without the tables', () => {
    const told = new Story(story);
    const rows = inOrder(told.chunk.columnsView());
    const block = new BodyBlock(told.chunk.blocks()[0], rows);
    const read = Array.from({length: rows.count}, (_, row) => propertiesOf(block.properties(row)));
    const wanted = story.map(({properties = {}}) =>
      Object.entries(properties).map(([key, value]) => [key, JSON.stringify(value)]),
    );
    expect(read).toEqual(wanted);
  });

  test('erased bodies are empty, the others where they were', () => {
    const told = new Story(story);
    const rows = inOrder(told.chunk.columnsView());
    const [block] = told.chunk.blocks();
    const left = withoutBodies(block, new Set([0, 3]));
    const read = told.read(eraseRows(rows, [0, 3]), [left]);
    expect(read.map((bytes) => bytes && hex(bytes))).toEqual(
      told.payloads.map((bytes, row) => (row === 0 || row === 3 ? undefined : hex(bytes))),
    );
    expect(Buffer.from(left).toString('latin1')).not.toMatch(/m-1|xxx|nested/);
    expect(told.read(rows, [left])[3]).toBeUndefined();
    told.users.remove(rows.users[1]);
    expect(told.read(rows, [block])[1]).toBeUndefined();
  });

  test('the head of a part says where its members are, and which version they are of', () => {
    const part = joinBodies([Uint8Array.of(7, 8), Uint8Array.of(9)]);
    expect(bodiesLayout(part)).toEqual({starts: Uint32Array.of(12, 14), ends: Uint32Array.of(14, 15)});
    expect(bodiesHeadBytes(part)).toBe(12);
    part[3] = 3;
    expect(() => bodiesLayout(part)).toThrow(/version 3 is unknown/);
  });

  test.each([1, 2])('seed %i: any mixture of events comes back, also from a member of a part', (seed) => {
    const told = new Story(mixedEvents(2_000, seed));
    const rows = recoded(inOrder(told.chunk.columnsView()));
    const blocks = told.chunk.blocks().map((block) => gunzipSync(compressBlock(block)));
    expect(told.read(rows, blocks).map((bytes) => hex(bytes!))).toEqual(told.payloads.map(hex));
  });
});

/** An entry that the edge never writes: two values of one property. */
function doubled(key: string): Uint8Array {
  const writer = new ByteWriter(1_024);
  beginMessage(writer);
  writeEvent(writer, {event: 'e', userId: 'u', timeMs: 1, receivedMs: 2, properties: {[key]: 'a', zz: 'b'}});
  const bytes = sealMessage(writer, new Uint8Array(8), 1, 0, 1).slice();
  const at = Buffer.from(bytes).indexOf('zz');
  bytes.set(Buffer.from(key), at);
  return bytes;
}

function mixedEvents(count: number, seed: number): Event[] {
  const random = new Random(seed);
  const below = (n: number) => random.between(0, n - 1);
  const keysOf = mixedKeys(random);
  return Array.from({length: count}, (_, i) => {
    const name = below(keysOf.length);
    const keys = below(10) === 0 ? keysOf[name].toReversed() : keysOf[name];
    if (below(50) === 0) keys.push(`rare${below(60)}`);
    return {
      event: `event ${name}`,
      ...(below(4) === 0 ? {userId: undefined, anonymousId: `a${below(9)}`} : {userId: `u${below(40)}`}),
      ...(below(3) === 0 ? {messageId: `m${i}`} : {}),
      timeMs: start + i * 10 - below(1_000),
      receivedMs: start + i * 10 + (below(100) === 0 ? below(2 ** 31) - 2 ** 30 : 0),
      properties: Object.fromEntries([...new Set(keys)].map((key) => [key, mixedValue(random, i)])),
    };
  });
}
