// Batches read from bytes against batches that are parsed: the same entries, bit for bit, and the same refusals.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../actors/codec/bytes.js';
import {partitionOfEntry, writeEvent} from '../../actors/codec/entries.js';
import {batchEventsMax, eventBytesMax} from '../../actors/limits.js';
import {readBatch, readCheapBatch} from '../../src/ingest/batch.js';
import {notJson, parseJson} from '../../src/ingest/json-text.js';
import {PlainEvent} from '../../src/ingest/plain-event.js';
import {EventDraft, isJsonObject, readEvent} from '../../src/ingest/validate.js';

const nowMs = Date.UTC(2024, 5, 15, 12);
const partitionCount = 4;

type Outcome = {kind: string; entries: string[]; refused: unknown[]};

function read(body: Buffer): Outcome {
  const entries: string[] = [];
  const reading = readBatch(body, nowMs, partitionCount, (bytes, start, end, partition, index) => {
    entries.push(`${index} ${partition} ${Buffer.from(bytes.subarray(start, end)).toString('hex')}`);
  });
  const refused = reading.kind === 'read' ? reading.refused.map(({index, refusal}) => [index, refusal]) : [];
  return {kind: reading.kind, entries, refused};
}

/** The slow, obvious way. */
function parsed(body: Buffer): Outcome {
  const value = parseJson(body);
  const nothing = {entries: [], refused: []};
  if (value === notJson) return {kind: 'not_json', ...nothing};
  if (!isJsonObject(value)) return {kind: 'no_object', ...nothing};
  const {events} = value;
  if (!Array.isArray(events) || events.length === 0) return {kind: 'no_events', ...nothing};
  if (events.length > batchEventsMax) return {kind: 'too_many', ...nothing};
  const outcome: Outcome = {kind: 'read', entries: [], refused: []};
  for (const [index, event] of events.entries()) {
    const draft = new EventDraft();
    const refusal = readEvent(event, nowMs, draft);
    if (refusal !== undefined) outcome.refused.push([index, refusal]);
    else outcome.entries.push(entryText(draft, index));
  }
  return outcome;
}

function entryText(draft: EventDraft, index: number): string {
  const writer = new ByteWriter(64);
  writeEvent(writer, draft);
  const bytes = writer.finish();
  return `${index} ${partitionOfEntry(bytes, 0, partitionCount)} ${Buffer.from(bytes).toString('hex')}`;
}

function expectSame(body: string | Buffer): void {
  const bytes = Buffer.from(body as string);
  expect(read(bytes)).toEqual(parsed(bytes));
}

function isPlain(text: string): boolean {
  const event = new PlainEvent();
  event.bytes = Buffer.from(text);
  return event.takeEvent(nowMs) && event.at === event.bytes.length;
}

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
    withProperties(''),
    withProperties('"a":1,"b":"x","c":true,"d":false,"e":null,"f":-1.5,"g":0,"h":-0,"i":123456789012345678901'),
    withProperties(`"url":"${'/a'.repeat(300)}"`),
  ])('%s', (text) => {
    expect(isPlain(text)).toBe(true);
    expectSame(`{"events":[${text}]}`);
  });
});

describe('what is not plain is parsed, and accepted or refused there', () => {
  test.each([
    event(',"extra":1'),
    event(',"event":"again"'),
    event(',"timestamp":"2024-02-30T00:00:00.000Z"'),
    event(',"timestamp":"2024-05-05T24:00:00.000Z"'),
    event(',"timestamp":"2031-01-01T00:00:00.000Z"'),
    event(',"timestamp":"1969-12-31T23:59:59.999Z"'),
    event(',"messageId":""'),
    event(`,"messageId":"${'m'.repeat(129)}"`),
    `{"event":"${'ü'.repeat(200)}","userId":"u"}`,
    '{"event":"view"}',
    '{"event":"view","userId":""}',
    '{"event":"view","userId":"."}',
    '{"event":"view","userId":"..a"}',
    '{"event":null,"userId":"a"}',
    '{"event":"a\\u0041","userId":"a"}',
    '{"event":"a\u007f","userId":"a"}',
    '{}',
    '[]',
    '7',
    '"text"',
    withProperties('"__proto__":1'),
    withProperties('"a":1,"b":2,"a":3'),
    withProperties('"b":1,"1":2,"0":3'),
    withProperties('"a":{"b":1}'),
    withProperties('"a":[1,[2]]'),
    withProperties('"a":"\\n"'),
    withProperties('"a":"\n"'),
    withProperties('"a\t":1'),
    withProperties('"a":1e5'),
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
    for (const number of [
      '01',
      '-',
      '-a',
      '1.',
      '.5',
      '+1',
      '1a',
      '--1',
      '1.5.2',
      'NaN',
      'tru',
      'nullx',
      '0x1',
      '- 1',
      '-true',
      '-null',
      '01true',
      '1.true',
      '1e5false',
    ]) {
      expectSame(`{"events":[${withProperties(`"a":${number}`)}]}`);
    }
  });
});

test.each([
  '',
  '{',
  '[]',
  '{}',
  'null',
  '{"events":[]}',
  '{"events":{}}',
  '{"events":null}',
  '{"events":[{"event":"a","userId":"u"}]',
  '{"events":[{"event":"a","userId":"u"}]}}',
  '{"events":[{"event":"a","userId":"u"},]}',
  '{"events":[,{"event":"a","userId":"u"}]}',
  '{"events":[{"event":"a","userId":"u"} {"event":"a","userId":"u"}]}',
  '{"events":[{"event":"a","userId":"u"}],"sentAt":1}',
  '{"events":[7],"events":[{"event":"a","userId":"u"}]}',
  ' \n{ "events" : [ {"event":"a","userId":"u"} ] } \r\n',
  '\ufeff{"events":[{"event":"a","userId":"u"}]}',
])('bodies of every kind: %s', (body) => {
  expectSame(body);
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

test('invalid UTF-8 is no JSON', () => {
  expectSame(
    Buffer.concat([Buffer.from('{"events":[{"event":"'), Buffer.from([0xff]), Buffer.from('","userId":"u"}]}')]),
  );
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
      member(fc.constantFrom('"messageId"', '"anonymousId"', '"timestamp"', '"properties"', '"other"'), leaf),
    ),
    {maxLength: 4},
  ),
);
const anyEvent = objectOf(fields.chain(([a, b, rest]) => fc.shuffledSubarray([a, b, ...rest], {minLength: 1})));
const anyBody = fc.array(anyEvent, {minLength: 1, maxLength: 5}).map((events) => `{"events":[${events.join(',')}]}`);

test('any batch: as if it had been parsed', () => {
  fc.assert(fc.property(anyBody, expectSame), {numRuns: 3_000});
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
    {numRuns: 3_000},
  );
});

describe('a thread that must not stall', () => {
  const cheap = (body: string, parseBytesMax: number): unknown =>
    readCheapBatch(Buffer.from(body), nowMs, partitionCount, parseBytesMax, () => {});
  const plainOnes = Array.from({length: 50}, () => event(''));
  const odd = withProperties('"a":{"b":1}');

  test('reads plain events whatever their length, and leaves alone what needs more parsing than it may do', () => {
    expect(cheap(`{"events":[${plainOnes}]}`, 100)).toMatchObject({kind: 'read', eventCount: 50});
    expect(cheap(`{"events":[${plainOnes},${odd}]}`, 100)).toMatchObject({kind: 'read', eventCount: 51});
    expect(cheap(`{"events":[${plainOnes},${odd},${odd}]}`, 100)).toBeUndefined();
    expect(cheap(`{"other":1,"events":[${plainOnes}]}`, 100)).toBeUndefined();
  });

  test('says the same as any other thread where it says anything', () => {
    for (const body of [`{"events":[${odd}]}`, '{"events":[]}', '[', '[]', `{"events":[${odd},0,${odd}]}`]) {
      expect(cheap(body, 1_000)).toEqual(readBatch(Buffer.from(body), nowMs, partitionCount, () => {}));
    }
  });

  test('appends nothing when it leaves a batch alone', () => {
    let appended = 0;
    const body = Buffer.from(`{"events":[${plainOnes},${odd},${odd}]}`);
    readCheapBatch(body, nowMs, partitionCount, 100, () => {
      appended += 1;
    });
    expect(appended).toBe(0);
  });
});
