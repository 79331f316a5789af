// What reaches JSON.parse, and what a structure bomb leaves behind.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {eventDepthMax} from '../../actors/limits.js';
import {parseJson} from '../../src/ingest/json-text.js';
import {cutNesting, nestingMax, nestsTooDeep} from '../../src/ingest/nesting.js';
import {refusals} from '../../src/ingest/refusals.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('parseJson', () => {
  test('JSON of any content comes as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({maxDepth: 5}), (text) => {
        expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['nothing', bytes('')],
    ['half an object', bytes('{"a":')],
    ['a byte order mark', bytes('\ufeff{}')],
    ['a lone continuation byte', Buffer.from('7b2261223a228022 7d'.replace(' ', ''), 'hex')],
    ['an encoded surrogate', Buffer.from('22eda08022', 'hex')],
    ['an overlong form', Buffer.from('22c08022', 'hex')],
    ['two values', bytes('{}{}')],
  ])('%s is no JSON', (_, body) => {
    expect(parseJson(body)).toBe(undefined);
  });
});

describe('nesting', () => {
  const nest = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

  test('brackets in strings do not count, escaped quotes do not end strings', () => {
    const inString = bytes(JSON.stringify({a: '['.repeat(100), b: '"{{{{'.repeat(50), c: '\\'}));
    expect(nestsTooDeep(inString)).toBe(false);
    expect(cutNesting(inString).equals(inString)).toBe(true);
  });

  test('the bound is exact, and what is within it stays byte for byte', () => {
    const within = bytes(nest(nestingMax, '[', ']'));
    expect(nestsTooDeep(within)).toBe(false);
    expect(nestsTooDeep(bytes(nest(nestingMax + 1, '[', ']')))).toBe(true);
    expect(cutNesting(bytes(nest(5_000, '[', ']'))).equals(within)).toBe(true);
  });

  test('a bomb in one event of a batch leaves its neighbours as they were', () => {
    const good = '{"event":"a","userId":"u","properties":{"t":"]}"}}';
    const bomb = `{"event":"a","userId":"u","properties":{"x":${nest(100_000, '{"a":[', ']}')}}}`;
    const batch = parseJson(bytes(`{"events":[${good},${bomb},${good}]}`)) as {events: unknown[]};
    const deep = {code: 'invalid_event', field: 'properties', message: expect.stringMatching(/deeper than 10 levels$/)};
    const verdicts = batch.events.map((event) => readEvent(event, {receivedMs: 0}, new EventDraft()));
    expect(verdicts).toEqual([undefined, deep, undefined]);
    expect(batch.events[2]).toEqual(JSON.parse(good));
  });

  test('an unknown field that nests too deep is refused, in a batch too, and none is cut that may be accepted', () => {
    const text = (levels: number): string => `{"event":"a","userId":"u","more":${nest(levels - 1, '[', ']')}}`;
    const judge = (event: unknown): unknown => readEvent(event, {receivedMs: 0}, new EventDraft());
    for (const [levels, verdict] of [
      [eventDepthMax, undefined],
      [eventDepthMax + 1, refusals.depth],
      [nestingMax, refusals.depth],
      [1_000, refusals.depth],
    ] as const) {
      expect(judge(parseJson(bytes(text(levels))))).toBe(verdict);
      const {events} = parseJson(bytes(`{"events":[${text(levels)}]}`)) as {events: unknown[]};
      expect(judge(events[0])).toBe(verdict);
    }
  });

  test.each([
    ['words', 'not json'],
    ['a lone continuation byte', '"\x80"'],
    ['an unknown escape', '"\\q"'],
    ['a control character', '"\n"'],
    ['a bracket of the other kind', '[}'],
    ['two values without a comma', '1 2'],
    ['a leading zero', '01'],
  ])('%s deep down are no JSON', (_, inner) => {
    const deep = `${'['.repeat(40)}${inner}${']'.repeat(40)}`;
    for (const text of [deep, `{"events":[{"event":"a","userId":"u"}],"more":${deep}}`])
      expect(parseJson(Buffer.from(text, 'latin1'))).toBe(undefined);
  });

  test('unbalanced brackets are no JSON, however deep', () => {
    expect(parseJson(bytes('['.repeat(100_000)))).toBe(undefined);
    expect(parseJson(bytes(`${']'.repeat(40)}${'['.repeat(40)}`))).toBe(undefined);
  });
});
