// Order of what one client sends: a plain sort by the stored times, and by what each log has, gives the order of the requests.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {eventJson} from '../../actors/chunk/event-texts.js';
import {eventFlag} from '../../actors/log/entries.js';
import {contentHash} from '../../actors/log/entry-fingerprint.js';
import {EntryView} from '../../actors/log/entry-view.js';
import {AckedLinks} from '../../src/ingest/acked-links.js';
import {readParsed, readPlain} from '../../src/ingest/batch.js';
import {type BatchEntries, forEachStart, markEntries} from '../../src/ingest/batch-entries.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {LinkEncoder} from '../../src/ingest/link-encoder.js';
import {RequestOrder} from '../../src/ingest/request-order.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {runs} from '../support/runs.js';

const receivedMs = Date.UTC(2026, 4, 1, 12);
const partitions = 4;
const iso = (ms: number): string => new Date(receivedMs + ms).toISOString();

interface Sent {
  readonly event: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly timestamp?: string;
}

interface Stored {
  readonly index: number;
  readonly partition: number;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly timestamp: string;
  readonly context?: {readonly original_timestamp: string; readonly page?: string};
}

const newOrder = (): RequestOrder => new RequestOrder(7);

function ordered(
  events: readonly Sent[],
  {isParsed = false, mark = 0, acked}: {isParsed?: boolean; mark?: number; acked?: AckedLinks} = {},
): Stored[] {
  const body = Buffer.from(JSON.stringify({events}));
  const reading = isParsed ? readParsed(body, {receivedMs}, partitions) : readPlain(body, {receivedMs}, partitions);
  if (reading?.kind !== 'read') throw new Error('the batch is read');
  const {entries, eventCount} = reading;
  markEntries(entries, partitions, mark);
  return shown(newOrder().batch(entries, eventCount, partitions, acked));
}

/** In the order of the batch. */
function shown(entries: BatchEntries): Stored[] {
  const stored: Stored[] = [];
  let partition = 0;
  forEachStart(entries, partitions, (start, number) => {
    while (number >= entries.firsts[partition + 1]!) partition += 1;
    const view = new EntryView(entries.bytes);
    expect(view.moveTo(start)).toBe(entries.ends[number]);
    stored.push({...JSON.parse(eventJson(view, partition, number)), index: entries.indexes[number]!, partition});
  });
  return stored.sort((a, b) => a.index - b.index);
}

const timesOf = (stored: readonly Stored[]): number[] =>
  stored.map(({timestamp}) => Date.parse(timestamp) - receivedMs);

const visit = {event: 'visit', anonymousId: 'a'};
const signUp = {event: 'sign-up', userId: 'ada', anonymousId: 'a'};
const purchase = {event: 'purchase', userId: 'ada'};

const at = {timestamp: iso(-5_000)};

test('events without times: what follows an anonymousId under another id is a millisecond later', () => {
  const bob = {event: 'x', userId: 'bob'};
  for (const isParsed of [false, true]) {
    expect(timesOf(ordered([visit, visit, signUp, purchase], {isParsed}))).toEqual([0, 0, 1, 1]);
    expect(timesOf(ordered([purchase, visit, signUp, visit], {isParsed}))).toEqual([0, 0, 1, 1]);
    // Nobody knows yet whose the anonymousIds are.
    expect(timesOf(ordered([visit, bob, purchase, visit, {...visit, anonymousId: 'b'}], {isParsed}))).toEqual([
      0, 1, 1, 1, 2,
    ]);
    expect(timesOf(ordered([visit, {...bob, ...at}, purchase], {isParsed}))).toEqual([0, -5_000, 1]);
  }
});

test('a time that was sent moves as well, and stands in the context; retries have the same content', () => {
  const events = [
    {...visit, ...at},
    {...signUp, ...at, messageId: 'm', properties: {n: 1, nested: {a: [1]}}, context: {page: '/'}},
    {...purchase, ...at, properties: {n: 2}},
    {...purchase, timestamp: iso(-4_999)},
  ];
  const stored = ordered(events, {isParsed: true});
  expect(timesOf(stored)).toEqual([-5_000, -4_999, -4_999, -4_999]);
  expect(stored.map(({context}) => context)).toEqual([
    undefined,
    {page: '/', original_timestamp: at.timestamp},
    {original_timestamp: at.timestamp},
    undefined,
  ]);
  expect(stored[1]).toMatchObject({messageId: 'm', properties: {n: 1, nested: {a: [1]}}, userId: 'ada'});
  const draft = new EventDraft();
  const encoder = new EntryEncoder(partitions);
  expect(readEvent(events[1], {receivedMs}, draft)).toBeUndefined();
  encoder.event(draft);
  const alone = new EntryView(encoder.bytes);
  alone.moveTo(encoder.start);
  const moved = movedSingle(encoder);
  expect(contentHash(moved, 3)).toBe(contentHash(alone, 3));
  expect(moved.sentMs).toBe(alone.sentMs);
});

/** The newest event of the encoder, after one of its device at the same time. */
function movedSingle(encoder: EntryEncoder): EntryView {
  const order = newOrder();
  const device = new EntryEncoder(partitions);
  const draft = new EventDraft();
  readEvent({...visit, timestamp: iso(-5_000)}, {receivedMs}, draft);
  device.event(draft);
  device.keepOrder(order);
  const own = Object.assign(new EntryEncoder(partitions), {
    bytes: encoder.bytes.slice(),
    start: encoder.start,
    end: encoder.end,
  });
  own.keepOrder(order);
  const view = new EntryView(own.bytes);
  expect(view.moveTo(own.start)).toBe(own.end);
  expect(view.timeMs).toBe(receivedMs - 4_999);
  return view;
}

const sent = (events: readonly Sent[]): Sent[] => events.map((one) => ({...one, ...at}));
const movesOf = (stored: readonly Stored[]): number[] => timesOf(stored).map((ms) => ms + 5_000);

test('a time that was sent stays as it is of other persons, and of one id', () => {
  const others = [visit, {event: 'x', userId: 'bob'}, {event: 'y', userId: 'cyd'}, visit];
  expect(movesOf(ordered(sent(others)))).toEqual([0, 0, 0, 0]);
  expect(movesOf(ordered(sent([...others, signUp])))).toEqual([0, 0, 0, 0, 1]);
  expect(movesOf(ordered(sent([purchase, purchase, signUp])))).toEqual([0, 0, 0]);
  const apart = [visit, signUp, {event: 'x', userId: 'bob'}, {...visit, anonymousId: 'b'}];
  expect(movesOf(ordered(sent(apart), {mark: eventFlag.apart})), 'it joins nothing').toEqual([0, 0, 0, 0]);
});

test('ids are of one person by an earlier request, too, and not because a request has one of each', () => {
  const acked = new AckedLinks(Uint32Array.of(1, 2, 3));
  const pair = new LinkEncoder(acked, partitions).ofIds('ada', 'a', receivedMs)!;
  acked.acked(pair);
  const bob = {event: 'x', userId: 'bob'};
  expect(movesOf(ordered(sent([visit, bob, purchase]), {acked}))).toEqual([0, 0, 1]);
  expect(movesOf(ordered(sent([visit, bob, purchase])))).toEqual([0, 0, 0]);
});

test('ids are of one person where the request has one of each kind: a later one may join them', () => {
  expect(movesOf(ordered(sent([visit, purchase, purchase, visit])))).toEqual([0, 1, 1, 2]);
  const otherDevice = {...visit, anonymousId: 'b'};
  expect(movesOf(ordered(sent([visit, otherDevice, purchase])))).toEqual([0, 0, 0]);
});

test('a batch with many persons looks up each anonymousId with the userIds near to it', () => {
  const acked = new AckedLinks(Uint32Array.of(1, 2, 3));
  const encoder = new LinkEncoder(acked, partitions);
  for (const count of [9, 64, 500]) {
    const all = Array.from({length: count}, (_, n) => {
      const [userId, anonymousId] = [`user ${n}`, `device ${n}`];
      acked.acked(encoder.ofIds(userId, anonymousId, receivedMs) ?? acked);
      return [
        {event: 'visit', anonymousId},
        {event: 'purchase', userId},
      ];
    });
    expect(movesOf(ordered(sent(all.flat()), {acked})), `${count} persons`).toEqual(all.flatMap(() => [0, 1]));
  }
});

test('a device that several users share orders nothing between them', () => {
  const shared = {event: 'x', anonymousId: 'k'};
  const all = [{...shared, userId: 'bob'}, shared, {...shared, userId: 'cyd'}, {event: 'y', userId: 'cyd'}];
  expect(movesOf(ordered(sent(all)))).toEqual([0, 0, 0, 0]);
});

const ids = fc.constantFrom(
  {anonymousId: 'a'},
  {anonymousId: 'b'},
  {userId: 'ada'},
  {userId: 'ada', anonymousId: 'a'},
  {userId: 'ada', anonymousId: 'b'},
  {userId: 'bob'},
);
const event = fc
  .record({ids, at: fc.option(fc.integer({min: -2, max: 2}), {nil: undefined})})
  .map(({ids: of, at}): Sent => ({event: 'e', ...of, ...(at === undefined ? {} : {timestamp: iso(at)})}));

const personOf = ({userId}: Stored): string => (userId === 'bob' ? 'bob' : 'ada');
const keyOf = ({userId, anonymousId}: Stored): string => (userId === null ? `a${anonymousId}` : `u${userId}`);

test('events of one person that have one time keep the order of the batch, in whatever order the logs meet', () => {
  fc.assert(
    fc.property(fc.array(event, {minLength: 1, maxLength: 12}), fc.boolean(), (events, isParsed) => {
      // Both devices are ada's in every batch.
      const all: Sent[] = [...events, ...['a', 'b'].map((anonymousId) => ({event: 'e', userId: 'ada', anonymousId}))];
      const stored = ordered(all, {isParsed});
      expect(stored).toHaveLength(all.length);
      const sentMs = all.map(({timestamp}) => (timestamp === undefined ? receivedMs : Date.parse(timestamp)));
      for (const [i, one] of stored.entries()) {
        const storedMs = Date.parse(one.timestamp);
        const isTimed = all[i]!.timestamp !== undefined;
        expect(storedMs).toBeGreaterThanOrEqual(sentMs[i]!);
        if (personOf(one) === 'bob' && isTimed) expect(storedMs).toBe(sentMs[i]);
        const isMovedFromSent = isTimed && storedMs !== sentMs[i];
        expect(one.context?.original_timestamp).toBe(isMovedFromSent ? all[i]!.timestamp : undefined);
        for (const [j, later] of stored.entries()) {
          // Times of the client and times of receipt are of two clocks.
          const isOneClock = isTimed === (all[j]!.timestamp !== undefined);
          if (personOf(one) !== personOf(later) || !isOneClock) continue;
          const isBefore = sentMs[i]! < sentMs[j]! || (sentMs[i] === sentMs[j] && i < j);
          if (!isBefore) continue;
          // Of one log the order of entries decides, and what joins a user comes after the user's own; otherwise nothing but the time.
          const laterMs = Date.parse(later.timestamp);
          const isOrdered = keyOf(one) === keyOf(later) || (one.userId !== null && later.userId === null);
          if (isOrdered && i < j) expect(laterMs).toBeGreaterThanOrEqual(storedMs);
          else expect(laterMs).toBeGreaterThan(storedMs);
        }
      }
    }),
    {numRuns: runs(100)},
  );
});

test('events without times keep the order of their batch, whoever a later request joins', () => {
  const untimed = ids.map((of): Sent => ({event: 'e', ...of}));
  fc.assert(
    fc.property(fc.array(untimed, {minLength: 1, maxLength: 12}), fc.boolean(), (events, isParsed) => {
      const stored = ordered(events, {isParsed});
      for (const [i, one] of stored.entries())
        for (const later of stored.slice(i + 1)) {
          const [oneMs, laterMs] = [Date.parse(one.timestamp), Date.parse(later.timestamp)];
          expect(laterMs).toBeGreaterThanOrEqual(oneMs);
          if (one.userId === null && keyOf(one) !== keyOf(later)) expect(laterMs).toBeGreaterThan(oneMs);
        }
      expect(timesOf(stored).at(-1)).toBeLessThan(events.length);
    }),
    {numRuns: runs(100)},
  );
});

test('single requests that follow each other keep their order as a batch does', () => {
  fc.assert(
    fc.property(fc.array(event, {minLength: 1, maxLength: 12}), (events) => {
      const order = newOrder();
      const encoder = new EntryEncoder(partitions);
      const draft = new EventDraft();
      const linked = ['a', 'b'].map((anonymousId) => ({
        event: 'e',
        userId: 'ada',
        anonymousId,
        timestamp: iso(-9_000),
      }));
      const stored = [...linked, ...events].map((one): Stored & {sentMs: number} => {
        expect(readEvent(one, {receivedMs}, draft)).toBeUndefined();
        encoder.event(draft);
        encoder.keepOrder(order);
        const view = new EntryView(encoder.bytes);
        expect(view.moveTo(encoder.start)).toBe(encoder.end);
        const sentMs = one.timestamp === undefined ? receivedMs : Date.parse(one.timestamp);
        return {...JSON.parse(eventJson(view, 0, 0)), sentMs};
      });
      for (const [i, one] of stored.entries())
        for (const later of stored.slice(i + 1)) {
          if (personOf(one) !== personOf(later) || one.sentMs !== later.sentMs) continue;
          // An event of an older time may come between two of one time: those keep their order only where none did.
          const between = stored.slice(i + 1, stored.indexOf(later));
          if (between.some(({sentMs}) => sentMs !== one.sentMs)) continue;
          const [oneMs, laterMs] = [Date.parse(one.timestamp), Date.parse(later.timestamp)];
          if (keyOf(one) === keyOf(later)) expect(laterMs).toBeGreaterThanOrEqual(oneMs);
          else expect(laterMs).toBeGreaterThan(oneMs);
        }
    }),
    {numRuns: runs(100)},
  );
});
