// A single event read from bytes by the kernel, against one that is parsed: what is taken as plain makes the same entry, bit for bit.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {eventBytesMax} from '../../actors/limits.js';
import {type AcceptedEvent, partitionOfEntry, writeEvent} from '../../actors/log/entries.js';
import {canonical, workloadEvents} from '../../bench/workload/events.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {parseJson} from '../../src/ingest/json-text.js';
import {clockAheadMsMin, EventDraft, readEvent} from '../../src/ingest/validate.js';
import {runs} from '../support/runs.js';

const nowMs = Date.UTC(2024, 5, 15, 12);
const partitionCount = 4;
const encoder = new EntryEncoder(partitionCount);

const entryText = (partition: number, bytes: Uint8Array): string =>
  `${partition} ${Buffer.from(bytes).toString('hex')}`;

function writtenText(event: AcceptedEvent): string {
  const writer = new ByteWriter(64);
  writeEvent(writer, event);
  const bytes = writer.finish();
  return entryText(partitionOfEntry(bytes, 0, partitionCount), bytes);
}

/** What the kernel says; undefined: nothing. */
function plain(body: Buffer): string | undefined {
  const isPlain = encoder.plainEvent(body, nowMs);
  const {partition, bytes, start, end} = encoder;
  return isPlain ? entryText(partition, bytes.subarray(start, end)) : undefined;
}

/** The slow, obvious way; undefined when the body is refused. */
function parsed(body: Buffer): string | undefined {
  const draft = new EventDraft();
  return readEvent(parseJson(body), {receivedMs: nowMs}, draft) === undefined ? writtenText(draft) : undefined;
}

const full =
  '{"event":"view","userId":"Jürgen 😀","anonymousId":"a","messageId":"m1","timestamp":"2024-05-05T10:11:12.345Z",' +
  '"properties":{"price":12.5,"plan":"pro","isNew":true,"none":null}}';

test.each(['{"event":"view","userId":"ada"}', full, ` \n${full}\t `])('plain: %s', (text) => {
  const body = Buffer.from(text);
  expect(plain(body)).toBeDefined();
  expect(plain(body)).toBe(parsed(body));
});
test('a time ahead of the receipt is told', () => {
  const aheadBy = (ms: number): boolean => {
    const timestamp = new Date(nowMs + ms).toISOString();
    expect(plain(Buffer.from(JSON.stringify({event: 'e', userId: 'u', timestamp})))).toBeDefined();
    return encoder.isAhead;
  };
  expect([0, clockAheadMsMin, clockAheadMsMin + 1].map(aheadBy)).toEqual([false, false, true]);
});
test.each([
  `${full}x`,
  `${full}{}`,
  `[${full}]`,
  full.slice(0, -1),
  full.slice(1),
  `\ufeff${full}`,
  '{"event":"view"}',
  '{"event":"view","userId":"a","more":1}',
  '{"event":"\\u0076iew","userId":"a"}',
  '{"event":"view","userId":"a","properties":{"a":{"b":1}}}',
  '{"event":"view","userId":"a"}\0',
  '{"event":"view","userId":"a\0"}',
  '{"events":[{"event":"view","userId":"a"}]}',
  '',
])('left to the parser: %s', (text) => {
  expect(plain(Buffer.from(text))).toBeUndefined();
});

test('bytes that are no UTF-8 are left to the parser, wherever they stand', () => {
  for (const at of ['view', 'Jürgen', 'pro']) {
    const body = Buffer.from(full);
    body[body.indexOf(at) + 1] = 0xff;
    expect(plain(body)).toBeUndefined();
  }
});

test('any damage to a body: left to the parser, or as if it had been parsed', () => {
  const bytes = Buffer.from(full);
  const damage = fc.record({at: fc.nat(bytes.length - 1), drop: fc.nat(2), put: fc.uint8Array({maxLength: 2})});
  fc.assert(
    fc.property(damage, ({at, drop, put}) => {
      const body = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + drop)]);
      const read = plain(body);
      if (read !== undefined) expect(read).toBe(parsed(body));
    }),
    {seed: 5, numRuns: runs(2_000)},
  );
});

test('the canonical workload is plain, in any order of bodies', () => {
  for (const {json} of workloadEvents({...canonical, eventCount: 2_000})) {
    const body = Buffer.from(json);
    expect(plain(body)).toBe(parsed(body));
    expect(plain(body.subarray(0, body.length - 1))).toBeUndefined();
  }
});

test('an event of the largest size is read, and nothing of it is left for the next one', () => {
  const large = (bytes: number): Buffer => {
    const head = '{"event":"e","userId":"u","properties":{"a":"';
    return Buffer.from(`${head}${'x'.repeat(bytes - head.length - 3)}"}}`);
  };
  expect(plain(large(eventBytesMax))).toBe(parsed(large(eventBytesMax)));
  for (const body of ['{"event":"e","userId":"u"', '{"event":"e","userId":"u","properties":{"a":"']) {
    expect(plain(Buffer.from(body))).toBeUndefined();
  }
});

test('characters of every width, at every place of a vector', () => {
  for (const character of ['x', 'ü', '€', '😀']) {
    for (let before = 0; before < 20; before++) {
      const body = Buffer.from(`{"event":"e","userId":"u","properties":{"a":"${'x'.repeat(before)}${character}"}}`);
      expect(plain(body)).toBe(parsed(body));
      const at = body.indexOf(character);
      if (character === 'x') continue;
      body[at] = 0x80; // A byte that begins no character.
      expect(plain(body)).toBeUndefined();
    }
  }
});
