// How much of a batch is parsed, whatever it has; and that its fields are those that JSON.parse finds.
import {afterEach, expect, test, vi} from 'vitest';
import {batchBytesMax, eventBytesMax} from '../../actors/limits.js';
import {readBatch} from '../../src/ingest/batch.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const read = (text: string) => readBatch(Buffer.from(text), {receivedMs: 0}, 4);
const event = (more: string) => `{"event":"a","userId":"u"${more}}`;
const many = (item: string, bytes: number) => item.repeat(bytes / item.length);
const outcome = (reading: ReturnType<typeof read>): unknown =>
  reading.kind === 'read'
    ? [reading.eventCount, reading.refused.map(({refusal, event, messageId}) => [refusal.code, event, messageId])]
    : reading.kind;

test.each([
  ['millions of events', `{"events":[${many('{},', 9_000_000)}{}]}`, 'too_many'],
  ['millions of values beside them', `{"events":[${event('')}],"x":[${many('{},', 9_000_000)}{}]}`, [1, []]],
  ['a long sentAt', `{"events":[${event('')}],"sentAt":[${many('{},', 900_000)}{}]}`, 'no_sent_at'],
  [
    'one event with millions of values',
    `{"events":[{"messageId":"m",${event(`,"properties":{"a":[${many('[],', 9_000_000)}[]]}`).slice(1)}]}`,
    [1, [['event_too_large', 'a', 'm']]],
  ],
  [
    'one event that is a long array',
    `{"events":[[${many('[],', 900_000)}[]]]}`,
    [1, [['invalid_event', undefined, undefined]]],
  ],
  ['millions of fields', `{${many('"":0,', 1_600_000)}"events":[${event('')}]}`, 'too_many_fields'],
  ['no object', `[${many('{},', 900_000)}{}]`, 'no_object'],
  ['events that are no array', `{"events":{"a":[${many('{},', 900_000)}{}]}}`, 'no_events'],
])('%s: no text longer than an event is parsed', (_, text, expected) => {
  expect(text.length).toBeLessThanOrEqual(batchBytesMax);
  const parse = vi.spyOn(JSON, 'parse');
  expect(outcome(read(text))).toEqual(expected);
  const lengths = parse.mock.calls.map(([parsed]) => parsed.length);
  expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(eventBytesMax);
  expect(lengths.length).toBeLessThan(1_100);
});

test('an event of many values, as large as it may be, is parsed alone', () => {
  const large = event(`,"properties":{"a":[${many('[],', 60_000)}[]]}`);
  const parse = vi.spyOn(JSON, 'parse');
  expect(outcome(read(`{"events":[${Array(20).fill(large).join(',')}]}`))).toEqual([20, []]);
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBe(large.length);
});

test.each([
  ['the last of two lists counts', `{"events":[1],"events":[${event('')}]}`, [1, []]],
  ['a list that is replaced must be JSON', `{"events":[x],"events":[${event('')}]}`, 'not_json'],
  ['a list that is replaced by none', `{"events":[${event('')}],"events":1}`, 'no_events'],
  ['an escaped name', `{"\\u0065vents":[${event('')}]}`, [1, []]],
  ['an escaped fault', `{"\\x65vents":[${event('')}]}`, 'not_json'],
  ['a comma too many', `{"events":[${event('')},]}`, 'not_json'],
  ['a comma too many behind a field', `{"events":[${event('')}],}`, 'not_json'],
  ['no comma', `{"events":[${event('')} ${event('')}]}`, 'not_json'],
  ['a bracket of the other kind', `{"events":[${event('')}}`, 'not_json'],
  ['text behind it', `{"events":[${event('')}]} x`, 'not_json'],
  ['a fault in an ignored field', `{"events":[${event('')}],"x":[1,,2]}`, 'not_json'],
  ['a long ignored field with a fault', `{"events":[${event('')}],"x":[${many('1,', 10_000)}]}`, 'not_json'],
  ['a fault beside a wrong sentAt', `{"events":[x],"sentAt":1}`, 'not_json'],
  ['an empty list', '{"events":[ ]}', 'no_events'],
  ['nothing', '', 'not_json'],
  ['no field', ' {} ', 'no_events'],
])('%s', (_, text, expected) => {
  let isJson = true;
  try {
    JSON.parse(text);
  } catch {
    isJson = false;
  }
  expect(expected !== 'not_json').toBe(isJson);
  expect(outcome(read(text))).toEqual(expected);
});
