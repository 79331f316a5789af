// Bytes of the log: what is written comes back, and version 1 stays readable (E1).
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ByteReader, ByteWriter, readWtf8, wtf8} from '../../../actors/bytes/bytes.js';
import {partitionOf} from '../../../actors/bytes/hash.js';
import {
  type AcceptedEvent,
  beginMessage,
  type Completion,
  entryKind,
  partitionOfEntry,
  sealMessage,
  writeComplete,
  writeErase,
  writeEvent,
  writeFiller,
  writeIdentify,
  writeTick,
} from '../../../actors/log/entries.js';
import {MessageCursor, propertiesJson} from '../../../actors/log/entry-view.js';
import type {Json} from '../../../actors/log/json.js';
import {runs} from '../../support/runs.js';

const anyString = fc.oneof(
  fc.string({maxLength: 200, unit: 'binary'}),
  fc.constantFrom('', 'ä', '\ud800', 'a\udc00b', '😀', 'x'.repeat(127), 'x'.repeat(128), 'é'.repeat(100), '\u0000'),
  fc.array(fc.integer({min: 0, max: 0xffff}), {maxLength: 300}).map((units) => String.fromCharCode(...units)),
);

function message(write: (writer: ByteWriter) => number): Uint8Array {
  const writer = new ByteWriter(64);
  beginMessage(writer);
  const count = write(writer);
  return sealMessage(writer, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 42, 1_700_000_000_123, count).slice();
}

describe('bytes', () => {
  test('every JavaScript string comes back, lone surrogates included', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const bytes = wtf8(text);
        expect(readWtf8(bytes, 0, bytes.length)).toBe(text);
        if (text.isWellFormed()) expect(Buffer.from(bytes).toString('utf8')).toBe(text);
      }),
      {numRuns: runs(500)},
    );
  });

  test('varints of every width come back', () => {
    for (const value of [0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 40, 2 ** 53 - 1]) {
      const writer = new ByteWriter(1);
      writer.varint(value);
      expect(new ByteReader(writer.finish()).varint()).toBe(value);
    }
  });

  test('reading past the end is a broken invariant, not garbage', () => {
    expect(() => new ByteReader(Uint8Array.of(5, 1)).string()).toThrow(/within bounds/);
  });
});

describe('log messages', () => {
  const json = fc.letrec<{value: Json}>((tie) => ({
    value: fc.oneof(
      {depthSize: 'small'},
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({noNaN: true, noDefaultInfinity: true}),
      anyString,
      fc.array(tie('value'), {maxLength: 3}),
      fc.dictionary(
        anyString.filter((key) => key !== '__proto__'),
        tie('value'),
        {maxKeys: 3},
      ),
    ),
  })).value;

  test('a complete entry comes back with all of its users', () => {
    const completions: Completion[] = [
      {stage: 'before', funnel: 'fn_1', users: [0, 1, 500, 70_000]},
      {stage: 'begin', funnel: 'fn_1', users: []},
      {stage: 'now', funnel: 'fn_2', users: [2 ** 31]},
      {stage: 'removed', funnel: '', users: []},
    ];
    const cursor = new MessageCursor(
      message((writer) => {
        for (const completion of completions) writeComplete(writer, completion);
        return completions.length;
      }),
    );
    const read = completions.map(() => {
      cursor.next();
      return [cursor.entry.kind, cursor.entry.completion()];
    });
    expect(read).toEqual(completions.map((completion) => [entryKind.complete, completion]));
  });

  test('context, time as sent and properties of an event are told apart', () => {
    const sent = Date.UTC(2026, 4, 1);
    const events: AcceptedEvent[] = [
      {event: 'e', userId: 'u', timeMs: 5, receivedMs: 5},
      {event: 'e', userId: 'u', timeMs: 5, receivedMs: 5, sentMs: 5, properties: {a: 1}},
      {event: 'e', userId: 'u', timeMs: 5, receivedMs: 5, sentMs: 5, context: {b: {c: 2}}},
      {event: 'e', userId: 'u', timeMs: 5, receivedMs: 5, sentMs: sent, properties: {a: 1}, context: {b: 1}},
      {event: 'e', userId: 'u', timeMs: 5, receivedMs: 5, sentMs: sent},
    ];
    const cursor = new MessageCursor(
      message((writer) => {
        for (const event of events) writeEvent(writer, event);
        return events.length;
      }),
    );
    const {entry} = cursor;
    const read = events.map(() => {
      cursor.next();
      const pairs = entry.bytes.slice(entry.pairsStart, entry.payloadEnd);
      const properties = propertiesJson(entry.bytes, entry.propertiesStart);
      return [entry.sentMs, entry.contextJson(), properties, Buffer.from(pairs).toString('hex')];
    });
    const a = '0161' + '0302'; // Key and value of {a: 1}.
    expect(read).toEqual([
      [undefined, undefined, '{}', ''],
      [5, undefined, '{"a":1}', a],
      [5, '{"b":{"c":2}}', '{}', ''],
      [sent, '{"b":1,"original_timestamp":"2026-05-01T00:00:00.000Z"}', '{"a":1}', a],
      [sent, '{"original_timestamp":"2026-05-01T00:00:00.000Z"}', '{}', ''],
    ]);
  });

  test('an event comes back with every field and its properties as JSON', () => {
    fc.assert(
      fc.property(
        anyString,
        fc.option(anyString, {nil: undefined}),
        fc.option(anyString, {nil: undefined}),
        fc.dictionary(
          anyString.filter((key) => key !== '__proto__'),
          json,
          {maxKeys: 6},
        ),
        fc.double({noNaN: true}),
        (id, otherId, messageId, properties, timeMs) => {
          const event: AcceptedEvent = {
            event: id,
            userId: id,
            anonymousId: otherId,
            messageId,
            properties,
            timeMs,
            receivedMs: 7,
          };
          const bytes = message((writer) => {
            writeEvent(writer, event);
            writeEvent(writer, {event: 'e', anonymousId: id, timeMs: 1, receivedMs: 2});
            return 2;
          });
          const cursor = new MessageCursor(bytes);
          expect(cursor.next()).toBe(true);
          const entry = cursor.entry;
          expect([entry.kind, entry.userKey(), entry.text(), entry.receivedMs]).toEqual([1, 'u' + id, id, 7]);
          expect(entry.timeMs).toBe(timeMs);
          expect(entry.hasMessageId ? entry.messageId() : undefined).toBe(messageId);
          expect(entry.anonymousIdEnd > 0 ? entry.anonymousId() : undefined).toBe(otherId);
          expect(propertiesJson(bytes, entry.propertiesStart)).toBe(JSON.stringify(properties));
          expect(cursor.next()).toBe(true);
          expect(cursor.entry.userKey()).toBe('a' + id);
          expect(cursor.next()).toBe(false);
        },
      ),
      {numRuns: runs(300)},
    );
  });

  test('the partition of an entry is that of its user key, whatever the key length', () => {
    for (const id of ['a', 'x'.repeat(126), 'x'.repeat(127), 'x'.repeat(256), '😀'.repeat(256)]) {
      const bytes = message((writer) => {
        writeEvent(writer, {event: 'e', userId: id, timeMs: 1, receivedMs: 2});
        return 1;
      });
      const key = wtf8('u' + id);
      expect(partitionOfEntry(bytes, 30, 7)).toBe(partitionOf(key, 0, key.length, 7));
    }
  });

  test('an erase entry says where its deletion goes on', () => {
    const bytes = message((writer) => {
      writeErase(writer, 'u', 'ann', 'del_3_ff', 2, [0, 200, 3, 3]);
      writeErase(writer, 'u', 'ann', 'del_3_ff', 2);
      return 2;
    });
    const cursor = new MessageCursor(bytes);
    const read: unknown[] = [];
    while (cursor.next()) read.push([cursor.entry.userKey(), cursor.entry.text(), cursor.entry.onward()]);
    expect(read).toEqual([
      ['uann', 'del_3_ff', [0, 200, 3, 3]],
      ['uann', 'del_3_ff', []],
    ]);
  });

  test('golden: version 2 stays readable', () => {
    const bytes = message((writer) => {
      writeEvent(writer, {
        event: 'order',
        userId: 'ä',
        messageId: 'm1',
        properties: {n: 4, s: 'ä', x: true, j: [1], d: 0.5},
        timeMs: 125,
        receivedMs: 128,
      });
      writeIdentify(writer, 'bob', '{"plan":"pro"}', 1);
      writeErase(writer, 'a', 'bob', 'del_0_ff', 2);
      writeTick(writer, 3, 240_000, 1);
      writeFiller(writer, 3);
      return 5;
    });
    expect(Buffer.from(bytes).toString('hex')).toMatchInlineSnapshot(
      `"4d020102030405060708000000000000454000b08756febc784205000000013e000000050000000000405f4000000000000060400375c3a4056f72646572026d3105016e030801730502c3a4017802016a06035b315d016404000000000000e03f022500000000000000000000f03f000000000000f03f0475626f620e7b22706c616e223a2270726f227d031f00000000000000000000004000000000000000400461626f620864656c5f305f66660411000000000000000000084000000000004c0d41010503000000000000"`,
    );
    const cursor = new MessageCursor(bytes);
    expect([cursor.producer, cursor.n, cursor.logTimeMs, cursor.count]).toEqual([
      '0102030405060708',
      42,
      1_700_000_000_123,
      5,
    ]);
    const kinds: number[] = [];
    while (cursor.next()) kinds.push(cursor.entry.kind);
    expect(kinds).toEqual([entryKind.event, entryKind.identify, entryKind.erase, entryKind.tick, entryKind.filler]);
  });

  test('an unknown version stops the reader', () => {
    const bytes = message(() => 0);
    bytes[1] = 9;
    expect(() => new MessageCursor(bytes)).toThrow(/version 9 is unknown/);
  });
});
