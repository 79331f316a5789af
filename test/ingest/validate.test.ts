// The validator of the hot path against the zod schemas, on JSON texts (so that __proto__, 1e999 and lone surrogates
// arrive as a client sends them), and the bounds of docs/api/events.md one by one.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {eventBytesMax, eventDepthMax} from '../../actors/limits.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {refusals} from '../../src/ingest/refusals.js';
import {eventSchema, identifySchema} from '../../src/ingest/schemas.js';
import {EventDraft, readEvent, readIdentify} from '../../src/ingest/validate.js';
import {runs} from '../support/runs.js';
import {generally, issuesOf} from './body-issues.js';

const nowMs = Date.UTC(2024, 5, 15, 12);
const schema = eventSchema(() => nowMs);

function judge(value: unknown): {field: string | undefined; message: string} | 'accepted' {
  const refusal = readEvent(value, {receivedMs: nowMs}, new EventDraft());
  return refusal === undefined ? 'accepted' : {field: refusal.field, message: refusal.message};
}

const id = fc.oneof(
  fc.constantFrom('a/../b', 'a\\..', './a', 'a//b', 'a/.b', '..a', 'a/b..', 'a/...', 'a..b'),
  fc.constantFrom('ada', 'ü😀', '.', '..', '', 'a\u0000', '\u007f', 'x\ud800', '\udc00', 'x'.repeat(256)),
  fc.constantFrom('x'.repeat(257), '😀'.repeat(256), '😀'.repeat(257), 'ä'.repeat(256)),
  fc.string(),
);
const leaf = fc.oneof(
  fc.constantFrom('null', 'true', '1', '-0', '1e20', '1e999', '-1e400', '"\\ud800"', '"x"', '12345678901234567890'),
  fc.double({noNaN: true, noDefaultInfinity: true}).map(String),
  fc.string().map((text) => JSON.stringify(text)),
);
const key = fc.oneof(
  {weight: 20, arbitrary: fc.string({maxLength: 6}).map((text) => JSON.stringify(text))},
  {weight: 1, arbitrary: fc.constantFrom('"__proto__"', '"__pro\\u0074o__"', `"${'k'.repeat(257)}"`, '"constructor"')},
);
const {tree} = fc.letrec<{tree: string}>((tie) => ({
  tree: fc.oneof(
    {depthSize: 'medium'},
    leaf,
    fc.array(tie('tree'), {maxLength: 3}).map((items) => `[${items.join(',')}]`),
    fc.array(fc.tuple(key, tie('tree')), {maxLength: 3}).map((pairs) => `{${pairs.map((pair) => pair.join(':'))}}`),
  ),
}));
const many = fc
  .tuple(fc.constantFrom(255, 256, 257), fc.nat(2))
  .map(([count]) => `{${Array.from({length: count}, (_, i) => `"k${i}":${i}`)}}`);
const deep = fc
  .tuple(fc.integer({min: 8, max: 12}), fc.boolean())
  .map(([depth, isArray]) => (isArray ? `{"a":${nest(depth - 1, '[', ']')}}` : nest(depth, '{"a":', '}', '{}')));
const tooDeep = fc
  .tuple(fc.integer({min: eventDepthMax - 2, max: eventDepthMax + 1}), leaf)
  .map(([depth, inner]) => nest(depth, '[', ']', `[${inner}]`));
const big = fc
  .tuple(fc.integer({min: -80, max: 0}), fc.constantFrom('x', 'ä', '😀', '\\u0001'))
  .map(([less, char]) => `{"t":"${char.repeat(Math.floor((eventBytesMax + less) / bytesOf(char)))}"}`);

function nest(depth: number, open: string, close: string, inner = open + close): string {
  return depth <= 1 ? inner : open + nest(depth - 1, open, close, inner) + close;
}
const bytesOf = (char: string): number => (char === '\\u0001' ? 6 : Buffer.byteLength(char));

const objectText = fc.oneof({weight: 6, arbitrary: tree}, many, deep, big);
const field = (value: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> =>
  fc.option(fc.oneof({weight: 20, arbitrary: value}, leaf, fc.constant('[]')), {nil: undefined, freq: 4});
const asJson = fc.oneof(
  {weight: 5, arbitrary: fc.constantFrom('"ada"', '"view"')},
  id.map((text) => JSON.stringify(text)),
);
const timestamp = fc.oneof(
  fc.constantFrom('"2024-01-01"', '"1969-12-31T23:59:59Z"', '"2024-06-16T12:00:00Z"', '"2024-06-16T12:00:00.001Z"'),
  fc.constantFrom('"2024-02-30"', '""', '"1970-01-01T00:00:00+00:01"', '1718452800000'),
);
/** Received, 5 minutes ahead, by the last ms that is not corrected and by one more, and days ahead. */
const sentAt = fc.constantFrom(
  '"2024-06-15T12:00:00Z"',
  '"2024-06-15T12:05:00Z"',
  '"2024-06-15T12:05:00.001Z"',
  '"2024-06-18T12:00:00Z"',
  '"now"',
);
const body = fc
  .record({
    event: field(asJson),
    userId: field(asJson),
    anonymousId: field(asJson),
    messageId: field(
      fc.oneof(
        fc.constantFrom(
          '"m"',
          '" m"',
          '" "',
          '"\\u3000\\t\\ufeff"',
          '"\\u3000"',
          '"a\\u0001"',
          '"\\u007f"',
          '"\\ud800"',
        ),
        fc.constantFrom(`"${'m'.repeat(128)}"`, `"${'m'.repeat(129)}"`, `"${'😀'.repeat(128)}"`),
      ),
    ),
    properties: field(objectText),
    timestamp: field(timestamp),
    sentAt: fc.option(fc.oneof({weight: 9, arbitrary: sentAt}, leaf), {nil: undefined, freq: 1}),
    context: fc.option(fc.oneof({weight: 4, arbitrary: fc.constant('{"a":{}}')}, objectText, leaf), {nil: undefined}),
    traits: field(objectText),
    traitsOnce: field(objectText),
    extra: field(fc.oneof({weight: 8, arbitrary: objectText}, {weight: 1, arbitrary: tooDeep})),
  })
  .map((fields) => {
    const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
    return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`;
  });

describe('validator and schema agree', () => {
  test('on events', () => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(body, (text) => {
        const value = JSON.parse(text) as unknown;
        const verdict = judge(value);
        const findings = issuesOf(schema, ['properties', 'context'], value);
        if (verdict === 'accepted') {
          acceptedCount += 1;
          expect(findings).toEqual([]);
        } else expect(findings).toContainEqual(generally(verdict));
      }),
      {numRuns: 1_500},
    );
    expect(acceptedCount).toBeGreaterThan(30);
  });

  test('on identify bodies', () => {
    fc.assert(
      fc.property(body, (text) => {
        const value = JSON.parse(text) as Record<string, unknown>;
        const read = readIdentify(value, {receivedMs: nowMs});
        const findings = issuesOf(
          identifySchema(() => nowMs),
          ['traits', 'traitsOnce'],
          value,
        );
        if ('code' in read) expect(findings).toContainEqual(generally({field: read.field, message: read.message}));
        else {
          expect(findings).toEqual([]);
          const {timestamp: sent, sentAt} = value;
          const aheadMs = typeof sentAt === 'string' ? parseTimestamp(sentAt) - nowMs : 0;
          const known = ['userId', 'anonymousId', 'traits', 'traitsOnce', 'messageId', 'timestamp', 'sentAt'];
          const once = JSON.stringify(value.traitsOnce ?? {});
          expect(read).toEqual({
            userId: value.userId,
            anonymousId: value.anonymousId ?? undefined,
            traitsJson: JSON.stringify(value.traits ?? {}),
            traitsOnceJson: once === '{}' ? undefined : once,
            messageId: value.messageId ?? undefined,
            sentMs: typeof sent === 'string' ? parseTimestamp(sent) - (aheadMs > 300_000 ? aheadMs : 0) : undefined,
            ignored: Object.keys(value).filter((name) => !known.includes(name)),
          });
        }
      }),
      {numRuns: runs(2_000)},
    );
  });

  test('on what is no object', () => {
    for (const value of [null, 1, 'x', true, [], [{}]]) {
      expect(judge(value)).toEqual({field: undefined, message: refusals.object.message});
      expect(issuesOf(schema, ['properties', 'context'], value)).toContainEqual({
        field: undefined,
        message: refusals.object.message,
      });
    }
  });
});

test.each([
  [{event: 'e', userId: 5}, 'userId must be a string, and is a number'],
  [{event: 'e', anonymousId: {}}, 'anonymousId must be a string, and is an object'],
  [{event: ['e'], userId: 'u'}, 'event must be a string, and is an array'],
  [{event: 'e', userId: 'u', messageId: true}, 'messageId must be a string, and is a boolean'],
  [{userId: 'u'}, refusals.event.message],
])('a text that is none is refused with what it is: %j', (value, message) => {
  expect(judge(value)).toMatchObject({message});
});

describe('events', () => {
  test('every field is taken verbatim, null is absent, unknown fields are named', () => {
    const draft = new EventDraft();
    const value = JSON.parse(
      '{"event":" View ","userId":"ada","anonymousId":null,"messageId":"m","properties":{"a":[1,null]},' +
        '"timestamp":"2024-01-01T00:00:00.123456+01:00","extra":{"b":1e999}}',
    ) as unknown;
    expect(readEvent(value, {receivedMs: nowMs}, draft)).toBeUndefined();
    expect({...draft}).toEqual({
      event: ' View ',
      userId: 'ada',
      anonymousId: undefined,
      messageId: 'm',
      properties: {a: [1, null]},
      timeMs: Date.UTC(2023, 11, 31, 23) + 123,
      receivedMs: nowMs,
      sentMs: Date.UTC(2023, 11, 31, 23) + 123,
      context: undefined,
      ignored: ['extra'],
    });
  });

  test.each(String.raw`. .. a/../victim ../a a/.. a/. ./a a\..\b a\. a/b\../c /victim //victim \victim /`.split(' '))(
    'an id that paths lose something of would name somebody else behind a proxy: %s',
    (id) => {
      const {userId, anonymousId} = refusals;
      expect(judge({event: 'e', userId: id})).toEqual({field: 'userId', message: userId.message});
      const anonymous = {event: 'e', userId: 'u', anonymousId: id};
      expect(judge(anonymous)).toEqual({field: 'anonymousId', message: anonymousId.message});
      expect(readIdentify({userId: id}, {receivedMs: nowMs})).toEqual(userId);
    },
  );

  test.each(['...', '.a', 'a/.b', 'a//b', 'org/1', 'a..b', 'a/b..', 'a.', 'a/', 'a/...'])(
    'other ids stay: %s',
    (id) => {
      expect(judge({event: 'e', userId: id, anonymousId: id})).toBe('accepted');
    },
  );

  const hour = 3_600_000;
  test.each([
    ['a clock that is right', 0, 0, 0],
    ['one that is 5 minutes ahead', 300_000, 0, 0],
    ['one that is a little more ahead', 300_001, 0, 300_001],
    ['one that is days ahead: before the bound of 24 hours', 72 * hour, 71 * hour, 72 * hour],
    ['one that is behind, or a request that waited', -72 * hour, -72 * hour, 0],
  ])('sentAt corrects clocks that are ahead: %s', (_, aheadMs, eventMs, backMs) => {
    const draft = new EventDraft();
    const iso = (ms: number) => new Date(nowMs + ms).toISOString();
    const value = {event: 'e', userId: 'u', timestamp: iso(eventMs)};
    const expected = {timeMs: nowMs + eventMs - backMs, sentMs: nowMs + eventMs, receivedMs: nowMs};
    expect(readEvent({...value, sentAt: iso(aheadMs)}, {receivedMs: nowMs}, draft)).toBeUndefined();
    expect(draft).toMatchObject(expected);
    // The batch's is as good, and an event's own wins.
    expect(readEvent(value, {receivedMs: nowMs, sentAtMs: nowMs + aheadMs}, draft)).toBeUndefined();
    expect(draft).toMatchObject(expected);
    const other = {receivedMs: nowMs, sentAtMs: nowMs + 999 * hour};
    expect(readEvent({...value, sentAt: iso(aheadMs)}, other, draft)).toBeUndefined();
    expect(draft).toMatchObject(expected);
  });

  test('an event without a time has that of its receipt, whatever sentAt says; one before 1970 is refused', () => {
    const draft = new EventDraft();
    expect(readEvent({event: 'e', userId: 'u', sentAt: '2099-01-01'}, {receivedMs: nowMs}, draft)).toBeUndefined();
    expect(draft).toMatchObject({timeMs: nowMs, sentMs: undefined});
    const early = {event: 'e', userId: 'u', sentAt: '2099-01-01', timestamp: '1980-01-01'};
    expect(judge(early)).toEqual({field: 'timestamp', message: refusals.corrected.message});
    expect(judge({event: 'e', userId: 'u', sentAt: 1})).toEqual({field: 'sentAt', message: refusals.sentAt.message});
  });

  const object = (count: number) => Object.fromEntries(Array.from({length: count}, (_, i) => [`k${i}`, i]));
  test.each([
    ['properties', [1], 'properties must be a JSON object, and is an array'],
    ['properties', 'x', 'properties must be a JSON object, and is a string'],
    ['context', 1, 'context must be a JSON object, and is a number'],
    ['properties', object(257), 'properties has more than 256 keys'],
    ['properties', {a: [0, {b: object(257)}]}, 'properties.a[1].b has more than 256 keys'],
    ['properties', {a: {['k'.repeat(257)]: 1}}, `a key is longer than 256 characters: properties.a.${'k'.repeat(40)}…`],
    ['context', JSON.parse('{"a":{"__proto__":1}}'), 'context.a has a key __proto__'],
    ['properties', JSON.parse('{"a":[1,1e999]}'), 'properties.a[1] is a number too large for a double'],
    [
      'properties',
      JSON.parse(`{"a":${'['.repeat(10)}${']'.repeat(10)}}`),
      `properties.a${'[0]'.repeat(9)} is nested deeper than 10 levels`,
    ],
    ['properties', {'\u001b[31m\u202e': object(257)}, 'properties.?[31m? has more than 256 keys'],
  ])('a %s that is out of bounds is refused with the bound and the place', (field, content, message) => {
    expect(judge({event: 'e', userId: 'u', [field]: content})).toEqual({field, message});
  });

  test('the size bound is exact in bytes of compact JSON, numbers as JavaScript prints them', () => {
    const sized = (bytes: number): unknown => {
      const empty = {event: 'e', userId: 'u', properties: {n: [1e20], t: ''}};
      return {...empty, properties: {...empty.properties, t: 'x'.repeat(bytes - JSON.stringify(empty).length)}};
    };
    expect(judge(sized(eventBytesMax))).toBe('accepted');
    expect(judge(sized(eventBytesMax + 1))).toEqual({field: undefined, message: refusals.size.message});
  });

  test('an oversized event is too large whatever else is wrong with it', () => {
    const value = JSON.parse(`{"event":"","__proto__":1,"properties":{"a":"${'x'.repeat(eventBytesMax)}"}}`) as unknown;
    expect(judge(value)).toEqual({field: undefined, message: refusals.size.message});
  });
});
