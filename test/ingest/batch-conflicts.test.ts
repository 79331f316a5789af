// Which events of a batch are no retries of those before them with their messageId, against a plain Map; in plain bodies, and
// in those that are parsed.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {hashBytes} from '../../actors/bytes/hash.js';
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
  const reading = readBatch(Buffer.from(body), {receivedMs}, partitionCount);
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

/** Pairs of texts after any of which, one pair after the other, the hash of a messageId of the user `u` is the same. */
const collidingPairs = [
  ['0000feq9', '0001005p'],
  ['0000zbic', '000100h0'],
  ['00003wth', '000102ix'],
  ['00009sye', '0001014n'],
  ['00004sgz', '000101zn'],
  ['0000y635', '0001009p'],
  ['0000klbj', '000101c4'],
  ['0000caow', '0001029v'],
  ['0000gk2h', '0001004j'],
  ['00002j1p', '000106ud'],
] as const;

test('a thousand ids that were made to have one hash cost no more than others do (BC3)', () => {
  const colliding = Array.from({length: 1_000}, (_, n) => collidingPairs.map((pair, i) => pair[(n >> i) & 1]).join(''));
  const hashOf = (text: string): number =>
    hashBytes(Buffer.from(text), 0, text.length, hashBytes(Buffer.from('uu'), 0, 2, 0));
  expect([new Set(colliding).size, new Set(colliding.map(hashOf)).size]).toEqual([1_000, 1]);
  const bodyOf = (ids: readonly string[]) =>
    JSON.stringify({events: ids.map((messageId) => ({event: 'e', userId: 'u', messageId}))});
  const msOf = (body: string): number => {
    const startMs = performance.now();
    expect(conflictsIn(body, 4)).toBeUndefined();
    return performance.now() - startMs;
  };
  const shortest = (body: string) => Math.min(...Array.from({length: 15}, () => msOf(body)));
  // Each compared with each before, they took 300 to 800 ms; others take 0.3 ms.
  expect(shortest(bodyOf(colliding))).toBeLessThan(100 * shortest(bodyOf(colliding.map((id, n) => `${id}${n}`))) + 20);
  // The first of them are still told from their retries.
  const [first] = colliding;
  const copies = [...colliding, first].map((messageId, n) => ({event: `e${n}`, userId: 'u', messageId}));
  expect(conflictsIn(JSON.stringify({events: copies.slice(1)}), 4)).toBeUndefined();
  expect(conflictsIn(JSON.stringify({events: [copies[0], ...copies.slice(2)]}), 4)).toEqual([999]);
});
