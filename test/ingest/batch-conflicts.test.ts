// Which events of a batch are no retries of those before them with their messageId, against a plain Map; in plain bodies, and
// in those that are parsed.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readBatch} from '../../src/ingest/batch.js';
import {runs} from '../support/runs.js';

const receivedMs = Date.UTC(2026, 4, 1);

const event = fc.record(
  {
    event: fc.constantFrom('view', 'buy'),
    userId: fc.constantFrom('ada', 'bob'),
    anonymousId: fc.constantFrom('x', 'y'),
    messageId: fc.constantFrom('undefined', 'm', 'é', 'n'.repeat(128)),
    timestamp: fc.constantFrom('2026-04-30T12:00:00Z', '2026-04-30T12:00:00.001Z'),
    properties: fc.constantFrom({}, {a: 1}, {a: 1, b: 'x'}, {b: 'x', a: 1}, {nested: {a: [1]}}),
  },
  {requiredKeys: ['event', 'userId', 'messageId']},
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function expected(events: readonly Event[]): number[] {
  const firsts = new Map<string, string>();
  return events.flatMap(({messageId, properties = {}, ...rest}, index) => {
    const id = JSON.stringify([rest.userId, messageId]);
    const content = JSON.stringify([rest.event, rest.anonymousId, rest.timestamp, properties]);
    const first = firsts.get(id);
    if (first === undefined) firsts.set(id, content);
    return first === undefined || first === content ? [] : [index];
  });
}

const conflictsIn = (body: string, partitionCount: number) => {
  const reading = readBatch(Buffer.from(body), receivedMs, partitionCount);
  if (reading.kind !== 'read') throw new Error(reading.kind);
  expect(reading.refused).toEqual([]);
  return reading.conflicts;
};

test('later copies with other content are told, retries and other ids are not', () => {
  fc.assert(
    fc.property(fc.array(event, {minLength: 1, maxLength: 40}), fc.constantFrom(1, 2, 7), (events, partitionCount) => {
      const conflicts = expected(events);
      const wanted = conflicts.length === 0 ? undefined : conflicts;
      expect(conflictsIn(JSON.stringify({events}), partitionCount)).toEqual(wanted);
      expect(conflictsIn(JSON.stringify({other: 1, events}), partitionCount)).toEqual(wanted);
    }),
    {numRuns: runs(300)},
  );
});

test('a full batch of one id, and one of a thousand', () => {
  const events = Array.from({length: 1_000}, (_, n) => ({
    event: 'e',
    userId: 'u',
    messageId: 'undefined',
    properties: {n},
  }));
  expect(conflictsIn(JSON.stringify({events}), 4)).toEqual(events.slice(1).map(({properties}) => properties.n));
  const others = events.map((one, n) => ({...one, messageId: `m${n}`}));
  expect(conflictsIn(JSON.stringify({events: others}), 4)).toBeUndefined();
  const none = events.map(({event: name, userId}) => ({event: name, userId}));
  expect(conflictsIn(JSON.stringify({events: none}), 4)).toBeUndefined();
});
