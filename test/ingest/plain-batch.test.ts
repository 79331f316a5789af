// Batches read from bytes by the kernel, against batches that are parsed: the same entries, bit for bit, and the same refusals.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchBytesMax, batchEventsMax, eventBytesMax} from '../../actors/limits.js';
import {partitionOfEntry, writeEvent} from '../../actors/log/entries.js';
import {canonical, workloadEvents} from '../../bench/workload/events.js';
import {type BatchReading, readBatch, readCheapBatch, readPlain} from '../../src/ingest/batch.js';
import {copyOf} from '../../src/ingest/batch-entries.js';
import {threadKernel as kernel, kernelFor, type PlainReader} from '../../src/ingest/batch-kernel.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {type EventNotes, NoteTaker} from '../../src/ingest/event-notes.js';
import {inexactNumbers} from '../../src/ingest/inexact-numbers.js';
import {parseJson} from '../../src/ingest/json-text.js';
import {EventDraft, isJsonObject, readEvent, readSentAt} from '../../src/ingest/validate.js';
import {runs} from '../support/runs.js';

const nowMs = Date.UTC(2024, 5, 15, 12);
const partitionCount = 4;
const mib = 1024 * 1024;

type Outcome = {kind: string; entries: string[]; refused: unknown[]; notes: EventNotes | undefined};

function read(body: Buffer): Outcome {
  return outcomeOf(readBatch(body, {receivedMs: nowMs}, partitionCount));
}

/** Entries in the order of their events. */
function outcomeOf(reading: BatchReading): Outcome {
  if (reading.kind !== 'read') return {kind: reading.kind, entries: [], refused: [], notes: undefined};
  const {bytes, firsts, starts, ends, indexes} = reading.entries;
  const entries: [number, string][] = [];
  for (let partition = 0; partition < partitionCount; partition++) {
    let start = starts[partition]!;
    for (let at = firsts[partition]!; at < firsts[partition + 1]!; at++) {
      const text = Buffer.from(bytes.subarray(start, ends[at])).toString('hex');
      entries.push([indexes[at]!, `${indexes[at]} ${partition} ${text}`]);
      start = ends[at]!;
    }
  }
  const refused = reading.refused.map(({index, refusal}) => [index, refusal]);
  return {
    kind: 'read',
    entries: entries.sort(([a], [b]) => a - b).map(([, text]) => text),
    refused,
    notes: reading.notes,
  };
}

/** What the kernel says; null: nothing. */
function plainly(body: Buffer, reader: PlainReader): Outcome | null {
  const reading = readPlain(body, {receivedMs: nowMs}, partitionCount, Number.POSITIVE_INFINITY, reader);
  return reading === undefined ? null : outcomeOf(reading);
}

/** The slow, obvious way. */
function parsed(body: Buffer): Outcome {
  const value = parseJson(body);
  const nothing = {entries: [], refused: [], notes: undefined};
  if (value === undefined) return {kind: 'not_json', ...nothing};
  if (!isJsonObject(value)) return {kind: 'no_object', ...nothing};
  const {events, sentAt, ...ignored} = value;
  if (!Array.isArray(events) || events.length === 0) return {kind: 'no_events', ...nothing};
  if (events.length > batchEventsMax) return {kind: 'too_many', ...nothing};
  const sentAtMs = readSentAt(sentAt);
  if (Number.isNaN(sentAtMs)) return {kind: 'no_sent_at', ...nothing};
  const taker = new NoteTaker();
  const entries: string[] = [];
  const refused: unknown[] = [];
  const inexact = inexactNumbers(body);
  for (const [index, event] of events.entries()) {
    const draft = new EventDraft();
    const refusal = readEvent(event, {receivedMs: nowMs, sentAtMs, inexact: inexact.get(index)}, draft);
    if (refusal !== undefined) refused.push([index, refusal]);
    else {
      entries.push(entryText(draft, index));
      taker.take(draft);
    }
  }
  for (const name of Object.keys(ignored)) taker.takeIgnored(name);
  return {kind: 'read', entries, refused, notes: taker.notes()};
}

function entryText(draft: EventDraft, index: number): string {
  const writer = new ByteWriter(64);
  writeEvent(writer, draft);
  const bytes = writer.finish();
  return `${index} ${partitionOfEntry(bytes, 0, partitionCount)} ${Buffer.from(bytes).toString('hex')}`;
}

function expectSame(body: string | Buffer): void {
  const bytes = Buffer.from(body as string);
  const expected = parsed(bytes);
  expect(read(bytes)).toEqual(expected);
  expect(plainly(bytes, kernelFor(bytes.length)) ?? expected).toEqual(expected);
}

const encoder = new EntryEncoder(partitionCount);
const isPlain = (text: string): boolean => encoder.plainEvent(Buffer.from(text), nowMs);

const event = (fields: string): string => `{"event":"view","userId":"ada"${fields}}`;
const withProperties = (text: string): string => event(`,"properties":{${text}}`);

describe('what is plain', () => {
  test.each([
    event(''),
    event(',"timestamp":"2024-05-05T10:11:12.345Z"'),
    event(',"timestamp":"2024-05-05"'),
    event(',"timestamp":"2024-05-05T10:11:12+02:00"'),
    event(',"messageId":"m","anonymousId":null,"timestamp":null,"properties":null'),
    '{"anonymousId":"a","event":"view"}',
    event(',"anonymousId":"b"'),
    '{ "event" : "view" ,\n\t"userId" : "Jürgen 😀" }',
    '{"event":"view","userId":"org/1","anonymousId":"a//b..c"}',
    `{"event":"view","userId":"${'x'.repeat(15)}/","anonymousId":"${'y'.repeat(16)}/a."}`,
    withProperties(''),
    withProperties(
      '"a":1,"b":"x","c":true,"d":false,"e":null,"f":-1.5,"g":0,"h":-0,"i":9007199254740991,"j":-9007199254740991,"k":0.12345678901234567890',
    ),
    withProperties(`"url":"${'/a'.repeat(300)}"`),
  ])('%s', (text) => {
    expect(isPlain(text)).toBe(true);
    expectSame(`{"events":[${text}]}`);
  });
});

describe('what is not plain is parsed, and accepted or refused there', () => {
  test.each([
    event(',"event":"again"'),
    event(',"timestamp":"2031-01-01T00:00:00.000Z"'),
    event(',"timestamp":"1969-12-31T23:59:59.999Z"'),
    `{"event":"${'ü'.repeat(200)}","userId":"u"}`,
    '{"event":"view"}',
    '{"event":"view","userId":""}',
    '{"event":"view","userId":"."}',
    '{"event":"view","userId":"a/../victim"}',
    ...[13, 14, 15, 16, 17, 31, 200].map((n) => `{"event":"view","userId":"${'x'.repeat(n)}/.."}`),
    '{"event":"a\\u0041","userId":"a"}',
    '{"event":"a\u007f","userId":"a"}',
    withProperties('"__proto__":1'),
    withProperties('"a":1,"b":2,"a":3'),
    withProperties('"b":1,"1":2,"0":3'),
    withProperties('"a":{"b":1}'),
    withProperties('"a":[1,[2]]'),
    withProperties('"a":"\\n"'),
    withProperties('"a":"\n"'),
    withProperties('"a\t":1'),
    withProperties('"a":1e5'),
    withProperties('"a":123456789012345678901234'),
    event(',"sentAt":"2024-06-18T12:00:00Z","timestamp":"2024-06-18T11:00:00Z"'),
    event(',"context":{"page":{"path":"/"},"n":1234567890123456789}'),
    withProperties('"a":1e999'),
    withProperties(`"a":${'9'.repeat(400)}`),
    withProperties(`"${'k'.repeat(257)}":1`),
    withProperties(`"a":"${'x'.repeat(eventBytesMax)}"`),
    withProperties(Array.from({length: 40}, (_, i) => `"k${i}":${i}`).join()),
    withProperties(`"a":${'['.repeat(50)}${']'.repeat(50)}`),
  ])('%s', (text) => {
    expect(isPlain(text)).toBe(false);
    expectSame(`{"events":[${text}]}`);
    expectSame(`{"events":[${event('')},${text} , ${event('')}]}`);
  });

  test('numbers that are none', () => {
    const numbers = '01|-|-a|1.|.5|+1|1a|--1|1.5.2|NaN|tru|nullx|0x1|- 1|-true|-null|01true|1.true|1e5false';
    for (const number of numbers.split('|')) {
      expectSame(`{"events":[${withProperties(`"a":${number}`)}]}`);
    }
  });
});

test('the bounds of a batch', () => {
  for (const count of [1, batchEventsMax, batchEventsMax + 1]) {
    expectSame(`{"events":[${Array(count).fill(event('')).join()}]}`);
  }
  // So many odd ones that the whole body is parsed, and so many that it is not.
  for (const odd of [3, 300]) {
    const events = Array.from({length: 900}, (_, i) => (i % 900 < odd ? event(',"odd":"\\t"') : event('')));
    expectSame(`{"events":[${events.join()}]}`);
  }
});

const spacing = fc.constantFrom('', '', '', '', ' ', '\n ', '\t');
const text = fc.oneof(
  {weight: 6, arbitrary: fc.constantFrom('ada', 'view', 'Jürgen', '😀', 'x'.repeat(130), 'x'.repeat(256), '/a?b=c')},
  fc.constantFrom('', '.', '..', '__proto__', '0', '12', 'a"b', 'a\\b', '\u0001', '\u007f', '\ud800', 'x'.repeat(257)),
  fc.string(),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({min: -(10n ** 19n), max: 10n ** 19n}).map(String),
  fc.double({noNaN: true, noDefaultInfinity: true}).map(String),
  fc.constantFrom(
    '-0',
    '0.10',
    '1e3',
    '9007199254740993',
    '123456789012345678901234567890',
    '2147483648',
    '-2147483649',
  ),
);
const leaf = fc.oneof(
  {weight: 4, arbitrary: text.map((value) => JSON.stringify(value))},
  {weight: 4, arbitrary: number},
  fc.constantFrom('true', 'false', 'null', '[]', '{}', '[1,{"a":"]}"}]', '{"a":[{"b":"\\""}]}'),
);
const time = fc.constantFrom(
  '"2024-05-05T10:11:12.345Z"',
  '"2024-02-29T00:00:00.000Z"',
  '"2023-02-29T00:00:00.000Z"',
  '"2024-05-05T10:11:12.34Z"',
  '"2024-05-05 10:11"',
  '"2024-05-05T10:1a:12.345Z"',
  '"2024-05-05T10:11:12.3-5Z"',
);
const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(spacing, key, spacing, spacing, value, spacing).map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`);
const objectOf = (members: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
  fc.tuple(members, spacing).map(([all, space]) => `{${space}${all.join(',')}}`);
const properties = objectOf(
  fc.array(
    member(
      text.map((key) => JSON.stringify(key)),
      leaf,
    ),
    {maxLength: 6},
  ),
);
const fields = fc.tuple(
  member(fc.constant('"event"'), fc.oneof({weight: 9, arbitrary: text.map((value) => JSON.stringify(value))}, leaf)),
  member(
    fc.constantFrom('"userId"', '"anonymousId"'),
    text.map((value) => JSON.stringify(value)),
  ),
  fc.array(
    fc.oneof(
      member(fc.constant('"timestamp"'), time),
      member(fc.constant('"properties"'), properties),
      member(
        fc.constantFrom(
          '"messageId"',
          '"anonymousId"',
          '"timestamp"',
          '"properties"',
          '"other"',
          '"context"',
          '"sentAt"',
        ),
        leaf,
      ),
    ),
    {maxLength: 4},
  ),
);
const anyEvent = objectOf(fields.chain(([a, b, rest]) => fc.shuffledSubarray([a, b, ...rest], {minLength: 1})));
const anyBody = fc.array(anyEvent, {minLength: 1, maxLength: 5}).map((events) => `{"events":[${events.join(',')}]}`);

test('any batch: as if it had been parsed', () => {
  fc.assert(fc.property(anyBody, expectSame), {numRuns: runs(1_000)});
});

test('any damage to a batch: as if it had been parsed', () => {
  const damage = fc.tuple(
    anyBody,
    fc.nat(),
    fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '0', ' ', '', 'ü'),
  );
  fc.assert(
    fc.property(damage, ([body, place, replacement]) => {
      const at = place % body.length;
      expectSame(body.slice(0, at) + replacement + body.slice(at + 1));
    }),
    {numRuns: runs(1_000)},
  );
});

describe('a thread that must not stall', () => {
  const cheap = (body: string, parseBytesMax: number): Outcome | undefined => {
    const reading = readCheapBatch(Buffer.from(body), {receivedMs: nowMs}, partitionCount, parseBytesMax);
    return reading && outcomeOf(reading);
  };
  const plainOnes = Array.from({length: 50}, () => event(''));
  const odd = withProperties('"a":{"b":1}');

  test('reads plain events whatever their length, and leaves alone what needs more parsing than it may do', () => {
    expect(cheap(`{"events":[${plainOnes}]}`, 100)?.entries.length).toBe(50);
    expect(cheap(`{"events":[${plainOnes},${odd}]}`, 100)?.entries.length).toBe(51);
    expect(cheap(`{"events":[${plainOnes},${odd},${odd}]}`, 100)).toBeUndefined();
    expect(cheap(`{"other":1,"events":[${plainOnes}]}`, 100)).toBeUndefined();
  });

  test('says the same as any other thread where it says anything', () => {
    for (const body of [`{"events":[${odd}]}`, '{"events":[]}', '[', '[]', `{"events":[${odd},0,${odd}]}`]) {
      expect(cheap(body, 1_000)).toEqual(read(Buffer.from(body)));
    }
  });
});

describe('vectors of 16 bytes: where strings end, and what stands in them', () => {
  const marked = ['"', '\\', '\u0000', '\u001f', '\u007f', '\u0080', 'ÿ', '😀', ' ', '~', '\n'];

  test.each([0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 127, 128, 129, 255, 256, 257])('%d bytes', (length) => {
    const value = 'x'.repeat(length);
    for (const shift of ['', ' ', '  ', '       ']) {
      expectSame(`{"events":[${shift}${event(`,"properties":{"${value}":"${value}"}`)}]}`);
      expectSame(`{"events":[${shift}{"event":"${value}","anonymousId":"${value}","messageId":"${value}"}]}`);
    }
    for (const mark of marked) {
      for (const at of [0, length >> 1, length]) {
        const text = value.slice(0, at) + mark + value.slice(at);
        expectSame(`{"events":[${withProperties(`"k":"${text}"`)}]}`);
        expectSame(`{"events":[${withProperties(`"${text}":1`)}]}`);
        expectSame(`{"events":[{"event":"${text}","userId":"u"}]}`);
      }
    }
  });

  test('keys that differ, or not, in their last byte alone', () => {
    for (let length = 1; length < 40; length++) {
      const key = 'k'.repeat(length);
      for (const other of [key, `${key.slice(1)}j`, `${key}k`]) {
        for (const space of ['', ' ']) expectSame(`{"events":[${withProperties(`"${key}" :1,"${other}"${space}:2`)}]}`);
      }
    }
    for (const name of ['__proto__', '__proto_', '__proto___', '__proto_x', '']) {
      expectSame(`{"events":[${withProperties(`"${name}":1,"a":2,"${name}":3`)}]}`);
    }
  });

  test('keys that are those of the event before, for a while', () => {
    const names = ['a', 'b', 'ab', 'ba', '', 'ü', '1', ...[14, 15, 16].map((length) => 'x'.repeat(length))];
    const odd = ['__proto__', 'a\\u0062'];
    const keys = fc.array(fc.constantFrom(...names), {maxLength: 5});
    const oddOnes = fc.array(fc.constantFrom(...names, ...odd), {maxLength: 5});
    const several = fc.array(fc.oneof({weight: 3, arbitrary: keys}, oddOnes), {minLength: 2, maxLength: 6});
    fc.assert(
      fc.property(several, fc.constantFrom(':', ' :', ': '), (all, colon) => {
        // Each set of keys twice, with and without one that came before: the second may know the first, and still err.
        const events = all.flatMap((one) => [one, one, [...one, one[0] ?? 'z'], one.slice(1)]);
        const texts = events.map((one) => withProperties(one.map((key, i) => `"${key}"${colon}${i}`).join()));
        expectSame(`{"events":[${texts.join()}]}`);
      }),
      {numRuns: runs(500)},
    );
  });

  test('names of fields that are nearly ours', () => {
    for (const name of ['event', 'userId', 'anonymousId', 'messageId', 'timestamp', 'properties', 'events']) {
      for (const near of [name, name.slice(1), name.slice(0, -1), `${name}x`, name.toUpperCase(), ` ${name}`]) {
        expectSame(`{"events":[${event(`,"${near}":"2024-05-05"`)}]}`);
        expectSame(`{"${near}":[${event('')}]}`);
      }
    }
  });
});

describe('numbers and times', () => {
  const oneValue = (text: string): void => expectSame(`{"events":[${withProperties(`"a":${text}`)}]}`);

  test('of up to 25 digits, with a point anywhere', () => {
    const digits = fc.array(fc.integer({min: 0, max: 9}), {minLength: 1, maxLength: 25}).map((all) => all.join(''));
    const decimals = fc.tuple(fc.constantFrom('', '-'), digits, digits, fc.constantFrom('', '', '', 'e2', 'E', '.'));
    fc.assert(
      fc.property(decimals, ([sign, whole, fraction, tail]) => {
        oneValue(`${sign}${whole}${tail}`);
        oneValue(`${sign}${whole}.${fraction}${tail}`);
        oneValue(`${sign}${Number(whole)}.${fraction}`);
        oneValue(`${sign}0.${fraction}`);
      }),
      {numRuns: runs(1_000)},
    );
  });

  test('as programs print them', () => {
    for (const edge of [2 ** 31, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, 2 ** 53 + 2, 1e15, 1e15 - 1]) {
      oneValue(String(edge));
      oneValue(`${edge}.0`);
    }
    for (const text of ['-0', '-0.0', '0.0', '0.1', '0.30000000000000004', '5e-324', '0.000000000000001', '1e999'])
      oneValue(text);
  });

  test('times of every day from 1969 to 2024, and what is none', () => {
    const time = fc.date({min: new Date(-1e10), max: new Date(nowMs + 2e8), noInvalidDate: true});
    fc.assert(
      fc.property(time, fc.nat(23), fc.constantFrom('9', '0', '/', ':', '-', 'T', ' ', 'Z', '.'), (date, at, mark) => {
        const text = date.toISOString();
        expectSame(`{"events":[${event(`,"timestamp":"${text}"`)}]}`);
        expectSame(`{"events":[${event(`,"timestamp":"${text.slice(0, at)}${mark}${text.slice(at + 1)}"`)}]}`);
      }),
      {numRuns: runs(500)},
    );
    for (const day of '2023-02-29 2024-02-29 1900-02-29 2024-04-31 2024-13-01 2024-00-10 2024-01-00'.split(' '))
      expectSame(`{"events":[${event(`,"timestamp":"${day}T00:00:00.000Z"`)}]}`);
  });
});

describe('real batches', () => {
  const canonicalBody = (eventCount: number): string => {
    const events = [...workloadEvents({...canonical, eventCount})].map(({json}) => json);
    return `{"events":[${events.join(',')}]}`;
  };
  const body = Buffer.from(canonicalBody(12));

  test('the canonical workload, compact and with white space', () => {
    const whole = canonicalBody(1_000);
    expect(plainly(Buffer.from(whole), kernel)?.entries.length).toBe(1_000);
    expectSame(whole);
    for (const indent of [1, '\t', 4]) expectSame(JSON.stringify(JSON.parse(whole), null, indent));
    expectSame(whole.replaceAll(',', ', ').replaceAll(':', ' : '));
  });

  test('cut off anywhere, also behind a longer one', () => {
    for (let length = 0; length < 600; length++) {
      plainly(body, kernel);
      expectSame(body.subarray(0, length));
    }
  });

  test('with up to three bytes replaced, removed or put in', () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[]:,0-.eEtfn\n')));
    const edit = fc.tuple(fc.nat(body.length - 1), fc.nat(2), fc.option(byte, {nil: null}));
    fc.assert(
      fc.property(fc.array(edit, {minLength: 1, maxLength: 3}), (edits) => {
        let damaged = body;
        for (const [at, removed, put] of edits) {
          const middle = put === null ? [] : [put];
          damaged = Buffer.concat([damaged.subarray(0, at), Buffer.from(middle), damaged.subarray(at + removed)]);
        }
        expectSame(damaged);
      }),
      {numRuns: runs(1_000)},
    );
  });
});

describe('the memory of the kernel', () => {
  test('has room for entries that are longer than their events', () => {
    const properties = Array.from({length: 32}, (_, i) => `"${String.fromCharCode(97 + (i >> 1))}${i}":-0`).join();
    for (const one of [withProperties(properties), withProperties('"a":-0'), '{"event":"e","userId":"u"}']) {
      const body = `{"events":[${Array(batchEventsMax).fill(one).join()}]}`;
      expect(plainly(Buffer.from(body), kernel)?.entries.length).toBe(batchEventsMax);
      expectSame(body);
    }
    const long = Array.from({length: 32}, (_, i) => `"${'k'.repeat(200)}${i}":-0`).join();
    const body = `{"events":[${Array(150).fill(withProperties(long)).join()}]}`;
    expect(plainly(Buffer.from(body), kernel)?.entries.length).toBe(150);
    expectSame(body);
  });

  test('is another one from 1 MiB on, for bodies as long as they may be', () => {
    expect(kernelFor(mib)).toBe(kernel);
    expect(kernelFor(mib + 1)).not.toBe(kernel);
    expect(kernelFor(batchBytesMax)).toBe(kernelFor(mib + 1));
  });

  test.each([mib, mib + 1, batchBytesMax])('takes a body of %s bytes', (bytes) => {
    const head = '{"events":[{"event":"e","userId":"u"}';
    const full = Buffer.from(`${head}${' '.repeat(bytes - head.length - 2)}]}`);
    expect(plainly(full, kernelFor(bytes))?.entries.length).toBe(1);
    expectSame(full);
    // A string that never ends, one event that is longer than any may be, and as many large ones as fit.
    expectSame(`{"events":[{"event":"e","userId":"${'u'.repeat(bytes - 40)}`);
    expectSame(`{"events":[${withProperties(`"a":"${'x'.repeat(bytes - 100)}"`)}]}`);
    const large = withProperties(`"a":"${'x'.repeat(15_000)}"`);
    const body = Buffer.from(
      `{"events":[${Array(Math.floor(bytes / (large.length + 1)) - 1)
        .fill(large)
        .join()}]}`,
    );
    expect(plainly(body, kernelFor(body.length))?.entries.length).toBeGreaterThan(bytes / 16_000);
    expectSame(body);
  });

  test('leaves a batch to the parsers where odd entries do not fit', () => {
    // In JSON 1e20 takes four bytes, in an entry 21: just below what one event may be.
    const odd = withProperties(`"a":[${Array(2_900).fill('1e20').join()}]`);
    const body = Buffer.from(`{"events":[${Array(60).fill(odd).join()}]}`);
    expect(plainly(body, kernel)).toBeNull();
    expect(read(body)).toEqual(parsed(body));
    expect(read(body).entries.length).toBe(60);
  });
});

test('a copy of entries holds the same entries, and little more', () => {
  for (const events of [[event('')], [event(''), '{}', '{"event":"e","userId":"bob"}'], ['{}']]) {
    const body = Buffer.from(`{"events":[${events.join()}]}`);
    const reading = readPlain(body, {receivedMs: nowMs}, partitionCount)!;
    const expected = outcomeOf(reading);
    const entries = copyOf(reading.entries, partitionCount);
    plainly(Buffer.from(`{"events":[${withProperties('"other":"one"')}]}`), kernel);
    expect(outcomeOf({...reading, entries})).toEqual(expected);
    const entryBytes = expected.entries.map((text) => text.split(' ')[2]!.length / 2);
    const total = entryBytes.reduce((sum, length) => sum + length, 0);
    expect(entries.bytes.buffer.byteLength).toBeLessThanOrEqual(total + 16 * partitionCount);
  }
});
