// A single event read from bytes against one that is parsed: what is taken as plain makes the same entry, bit for bit.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {parseJson} from '../../src/ingest/json-text.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';

const nowMs = Date.UTC(2024, 5, 15, 12);
const encoder = new EntryEncoder(4);

const entry = (): string =>
  `${encoder.partition} ${Buffer.from(encoder.bytes.subarray(0, encoder.length)).toString('hex')}`;

const plain = (body: Buffer): string | undefined => (encoder.plainEvent(body, nowMs) ? entry() : undefined);

/** The slow, obvious way; undefined when the body is refused. */
function parsed(body: Buffer): string | undefined {
  const draft = new EventDraft();
  if (readEvent(parseJson(body), nowMs, draft) !== undefined) return undefined;
  encoder.event(draft);
  return entry();
}

const full =
  '{"event":"view","userId":"Jürgen 😀","anonymousId":"a","messageId":"m1","timestamp":"2024-05-05T10:11:12.345Z",' +
  '"properties":{"price":12.5,"plan":"pro","isNew":true,"none":null}}';

test.each(['{"event":"view","userId":"ada"}', full, ` \n${full}\t `])('plain: %s', (text) => {
  const body = Buffer.from(text);
  expect(plain(body)).toBeDefined();
  expect(plain(body)).toBe(parsed(body));
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
    {seed: 5, numRuns: 5_000},
  );
});
