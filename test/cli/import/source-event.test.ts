import {expect, test} from 'vitest';
import {lineBytesMax} from '../../../src/cli/import/line.js';
import {type LineMeaning, readLine} from '../../../src/cli/import/source-event.js';

function read(text: string, number = 1, fileHead = 'head'): LineMeaning {
  return readLine({number, bytes: Buffer.from(text)}, fileHead);
}

function sentMessageId(text: string, number = 1, fileHead = 'head'): unknown {
  const meaning = read(text, number, fileHead);
  if (meaning.kind !== 'sent') throw new Error(meaning.kind);
  return (JSON.parse(meaning.entries[0]!.json.toString()) as {messageId: unknown}).messageId;
}

test.each([
  ['', 'blank'],
  ['  \t ', 'blank'],
  ['{"event":"a"', 'invalid_json'],
  ['not json', 'invalid_json'],
  ['[1]', 'invalid_event'],
  ['null', 'invalid_event'],
  ['"text"', 'invalid_event'],
])('a line that is no event: %s is %s', (text, outcome) => {
  const meaning = read(text);
  expect(meaning.kind === 'refused' ? meaning.refusal.code : meaning.kind).toBe(outcome);
});

test('a line that is too long or no UTF-8 is refused without being sent', () => {
  expect(readLine({number: 1, bytes: null}, '')).toEqual({
    kind: 'refused',
    refusal: {code: 'event_too_large', message: `the line is longer than ${lineBytesMax} bytes`},
  });
  expect(readLine({number: 1, bytes: Buffer.from([0x7b, 0xff, 0x7d])}, '')).toMatchObject({
    refusal: {code: 'invalid_json'},
  });
});

test('the bytes of a line travel as they are', () => {
  const text = '{"event":"a","userId":"u","messageId":"m","properties":{"n":1.10,"big":12345678901234567890}}';
  expect(read(`  ${text} `)).toEqual({
    kind: 'sent',
    call: 'event',
    entries: [{call: 'event', line: 1, userKey: 'u:u', messageId: 'm', json: Buffer.from(text)}],
    ignored: [],
  });
});

test.each(['"messageId":"m",', '', '"messageId":null,'])('the clock of a line does not count: %s', (more) => {
  const meaning = read(`{"event":"a",${more}"sentAt":"2099-01-01T00:00:00Z","timestamp":"2026-01-01"}`);
  if (meaning.kind !== 'sent') throw new Error(meaning.kind);
  expect(JSON.parse(meaning.entries[0]!.json.toString())).toMatchObject({sentAt: null, timestamp: '2026-01-01'});
});

test('an anonymous user is another user than one of the same id', () => {
  const keys = ['{"userId":"x"}', '{"anonymousId":"x"}', '{"userId":"x","anonymousId":"y"}', '{}'].map((text) => {
    const meaning = read(text);
    return meaning.kind === 'sent' ? meaning.entries[0]!.userKey : meaning.kind;
  });
  expect(keys).toEqual(['u:x', 'a:x', 'u:x', '']);
});

test.each(['{}', '{"event":"a"}', '{"messageId":null,"event":"a"}', '{"event":"a" }'])(
  'a line without messageId gets one that the JSON parser sees: %s',
  (text) => {
    expect(sentMessageId(text)).toMatch(/^import-[\w-]{22}$/);
  },
);

test('the derived messageId is stable, and tells lines and contents apart', () => {
  const text = '{"event":"a","timestamp":"2024-01-01"}';
  const id = sentMessageId(text);
  expect(sentMessageId(text)).toBe(id);
  expect(sentMessageId(text, 2)).not.toBe(id);
  expect(sentMessageId('{"event":"b","timestamp":"2024-01-01"}')).not.toBe(id);
});

test('the head of the file tells lines without a time apart, and only those', () => {
  for (const untimed of ['{"event":"a"}', '{"event":"a","timestamp":null}'])
    expect(sentMessageId(untimed, 1, 'one')).not.toBe(sentMessageId(untimed, 1, 'two'));
  const timed = '{"event":"a","timestamp":"2024-01-01"}';
  expect(sentMessageId(timed, 1, 'one')).toBe(sentMessageId(timed, 1, 'two'));
});

test('a messageId of a wrong type is left to the service to refuse', () => {
  expect(sentMessageId('{"event":"a","messageId":7}')).toBe(7);
});

test('lines of an export are taken back: a profile is an identify call as of its first time, the end is no event', () => {
  const profile = {
    id: 'u',
    kind: 'user',
    created_at: '2026-01-01T00:00:00.000Z',
    last_seen: '2026-02-01T00:00:00.000Z',
  };
  const meaning = read(JSON.stringify({profile: {...profile, traits: {plan: 'pro'}}}));
  expect(meaning).toMatchObject({kind: 'sent', entries: [{call: 'identify', userKey: 'u:u', messageId: null}]});
  if (meaning.kind !== 'sent') throw new Error(meaning.kind);
  expect(JSON.parse(meaning.entries[0]!.json.toString())).toEqual({
    userId: 'u',
    traits: {plan: 'pro'},
    timestamp: profile.created_at,
    messageId: expect.stringMatching(/^import-/),
  });
  expect(read('{"end":true,"events":2}').kind).toBe('blank');
  expect(read(JSON.stringify({profile: {...profile, kind: 'anonymous', traits: {}}})).kind).toBe('blank');
  expect(read('{"event":"a","end":true,"profile":{"id":"u"}}')).toMatchObject({call: 'event'});
});
