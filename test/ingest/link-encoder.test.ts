// Link entries of what has both ids: the same for single events, for plain batches and for parsed ones, as plain code says.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {entryKind, partitionOfEntry} from '../../actors/log/entries.js';
import {EntryView} from '../../actors/log/entry-view.js';
import {AckedLinks} from '../../src/ingest/acked-links.js';
import {readParsed, readPlain} from '../../src/ingest/batch.js';
import {type BatchEntries, copyOf} from '../../src/ingest/batch-entries.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {type BatchLinks, LinkEncoder} from '../../src/ingest/link-encoder.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {runs} from '../support/runs.js';

const receivedMs = Date.UTC(2026, 4, 1);

const ids = fc.constantFrom('ada', 'bob', 'é', '日本', 'x'.repeat(200));
const event = fc.record(
  {
    event: fc.constantFrom('view', 'n'.repeat(150)),
    userId: ids,
    anonymousId: ids,
    messageId: fc.constantFrom('m', 'é'),
    properties: fc.constantFrom({}, {a: 1}, {nested: {a: [1]}}),
  },
  {requiredKeys: ['event', 'anonymousId']},
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const encoderOf = (partitionCount: number): LinkEncoder =>
  new LinkEncoder(new AckedLinks(Uint32Array.of(1, 2, 3)), partitionCount);

/** `<anonymousId> <userId>` of the link entry at `start`, which is checked. */
function linkAt(bytes: Uint8Array, start: number, end: number, partition: number, partitionCount: number): string {
  const entry = new EntryView(bytes);
  expect(entry.moveTo(start)).toBe(end);
  expect(entry).toMatchObject({kind: entryKind.link, flags: 0, timeMs: receivedMs, receivedMs});
  expect(partitionOfEntry(bytes, start, partitionCount)).toBe(partition);
  const [key, owner] = [entry.userKey(), entry.text()];
  expect([key[0], owner[0]]).toEqual(['a', 'u']);
  return `${key.slice(1)} ${owner.slice(1)}`;
}

/** Each link of a batch and the events that need it, ascending. */
function shown(needed: BatchLinks | undefined, partitionCount: number): Record<string, number[]> {
  if (needed === undefined) return {};
  const {bytes, firsts, starts, ends, indexes} = needed.entries;
  const found: Record<string, number[]> = {};
  for (let partition = 0; partition < partitionCount; partition++) {
    let start = starts[partition]!;
    let before = -1;
    for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
      const link = linkAt(bytes, start, ends[entry]!, partition, partitionCount);
      expect(found[link]).toBeUndefined();
      found[link] = [...needed.links[indexes[entry]!]!.events].sort((a, b) => a - b);
      expect(found[link][0]).toBeGreaterThan(before); // LE3
      before = found[link][0]!;
    }
  }
  expect(Object.keys(found)).toHaveLength(needed.links.length);
  return found;
}

function expected(events: readonly Event[]): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const [index, {userId, anonymousId}] of events.entries()) {
    if (userId !== undefined) (found[`${anonymousId} ${userId}`] ??= []).push(index);
  }
  return found;
}

function entriesOf(events: readonly Event[], partitionCount: number, isParsed: boolean): BatchEntries {
  const body = Buffer.from(JSON.stringify({events}));
  const reading = isParsed
    ? readParsed(body, {receivedMs}, partitionCount)
    : readPlain(body, {receivedMs}, partitionCount);
  if (reading?.kind !== 'read') throw new Error('the batch is read');
  expect(reading.refused).toEqual([]);
  return reading.entries;
}

test('a batch needs one link a pair, whichever reader took it', () => {
  fc.assert(
    fc.property(fc.array(event, {minLength: 1, maxLength: 40}), fc.constantFrom(1, 2, 7), (events, partitionCount) => {
      const wanted = expected(events);
      for (const isParsed of [false, true]) {
        const entries = entriesOf(events, partitionCount, isParsed);
        expect(shown(encoderOf(partitionCount).ofBatch(entries), partitionCount)).toEqual(wanted);
        // As the thread for large bodies hands them over.
        const copy = copyOf(entries, partitionCount);
        expect(shown(encoderOf(partitionCount).ofBatch(copy), partitionCount)).toEqual(wanted);
      }
    }),
    {numRuns: runs(200)},
  );
});

test('a single event needs the link of its pair, plain or parsed, and an identify that of its ids', () => {
  fc.assert(
    fc.property(event, fc.constantFrom(1, 2, 7), (one, partitionCount) => {
      const encoder = new EntryEncoder(partitionCount);
      const links = encoderOf(partitionCount);
      const read = (): string | undefined => {
        const pair = links.ofEvent(encoder.bytes, encoder.start);
        return pair && linkAt(links.bytes, 0, links.end, links.partition, partitionCount);
      };
      const wanted = Object.keys(expected([one]))[0];
      if (encoder.plainEvent(Buffer.from(JSON.stringify(one)), receivedMs)) expect(read()).toBe(wanted);
      const draft = new EventDraft();
      expect(readEvent(one, {receivedMs}, draft)).toBeUndefined();
      encoder.event(draft);
      expect(read()).toBe(wanted);
      const {userId, anonymousId} = one;
      if (userId === undefined) return;
      const pair = links.ofEvent(encoder.bytes, encoder.start);
      expect(links.ofIds(userId, anonymousId, receivedMs)).toEqual(pair);
      expect(linkAt(links.bytes, 0, links.end, links.partition, partitionCount)).toBe(wanted);
    }),
    {numRuns: runs(300)},
  );
});

test('nobody needs a link that was acked', () => {
  const partitionCount = 2;
  const links = encoderOf(partitionCount);
  const events: Event[] = ['x', 'y', 'z'].map((anonymousId) => ({event: 'view', userId: 'ada', anonymousId}));
  const first = links.ofBatch(entriesOf(events, partitionCount, false))!;
  links.acked.acked(first.links[1]!.pair);
  expect(Object.values(shown(links.ofBatch(entriesOf(events, partitionCount, true)), partitionCount))).toHaveLength(2);
  for (const {pair} of first.links) links.acked.acked(pair);
  expect(links.ofBatch(entriesOf(events, partitionCount, false))).toBeUndefined();
  expect(links.ofIds('ada', 'x', receivedMs)).toBeUndefined();
  const encoder = new EntryEncoder(partitionCount);
  expect(encoder.plainEvent(Buffer.from(JSON.stringify(events[0])), receivedMs)).toBe(true);
  expect(links.ofEvent(encoder.bytes, encoder.start)).toBeUndefined();
});

test('a full batch of new pairs with the longest ids', () => {
  const partitionCount = 4;
  const events: Event[] = Array.from({length: 1_000}, (_, n) => ({
    event: 'e',
    userId: `${n}`.padEnd(256, '日'),
    anonymousId: `${n}`.padEnd(256, '語'),
  }));
  const needed = encoderOf(partitionCount).ofBatch(entriesOf(events, partitionCount, true));
  expect(shown(needed, partitionCount)).toEqual(expected(events));
});
