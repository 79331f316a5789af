// Events and identify calls of one request: links, order and names see both kinds for what they are.
import {expect, test} from 'vitest';
import {EntryView} from '../../actors/log/entry-view.js';
import {AckedLinks} from '../../src/ingest/acked-links.js';
import type {BatchRead} from '../../src/ingest/batch.js';
import {type BatchEntries, forEachStart} from '../../src/ingest/batch-entries.js';
import {LinkEncoder} from '../../src/ingest/link-encoder.js';
import {MixedEntries, type NativeCall} from '../../src/ingest/mixed-entries.js';
import {RequestOrder} from '../../src/ingest/request-order.js';
import {anyNames} from '../support/any-names.js';

const receivedMs = Date.UTC(2026, 4, 1, 12);
const partitions = 4;

function read(...calls: readonly (readonly [NativeCall['kind'], object])[]): BatchRead {
  const entries = new MixedEntries();
  for (const [index, [kind, value]] of calls.entries())
    expect(entries.add({kind, value: value as NativeCall['value']}, index, {receivedMs})).toBe(true);
  return entries.read(partitions);
}

/** Key, time after the receipt, and text of each entry, by its index. */
function shown(entries: BatchEntries): [string, number, string][] {
  const all: [string, number, string][] = [];
  const view = new EntryView(entries.bytes);
  forEachStart(entries, partitions, (start, entry) => {
    view.moveTo(start);
    all[entries.indexes[entry]!] = [view.userKey(), view.timeMs - receivedMs, view.text()];
  });
  return all;
}

/** Traits whose length takes one, two and three bytes. */
test.each([1, 200, 20_000])('an identify call with %i characters of traits joins as an event does', (characters) => {
  const traits = {text: 'x'.repeat(characters)};
  const {entries} = read(
    ['identify', {userId: 'ada', anonymousId: 'a', traits, messageId: 'm'}],
    ['event', {event: 'e', userId: 'ada', anonymousId: 'a'}],
    ['identify', {userId: 'bob', anonymousId: 'b', traits}],
    ['identify', {userId: 'cyd', traits}],
  );
  const encoder = new LinkEncoder(new AckedLinks(new Uint32Array(3)), partitions);
  const {links, entries: linkEntries} = encoder.ofBatch(entries)!;
  expect(links.map(({events}) => events)).toEqual([[0, 1], [2]]);
  expect(shown(linkEntries)).toEqual([
    ['aa', 0, 'uada'],
    ['ab', 0, 'ubob'],
  ]);
});

test('an identify call says whose the events around it are, and keeps its own time', () => {
  const {entries, eventCount} = read(
    ['event', {event: 'before', anonymousId: 'a'}],
    ['identify', {userId: 'ada', anonymousId: 'a', traitsOnce: {n: 1}, traits: {n: 2}}],
    ['event', {event: 'after', userId: 'ada'}],
  );
  expect(shown(new RequestOrder(7).batch(entries, eventCount, partitions, undefined))).toEqual([
    ['aa', 0, 'before'],
    ['uada', 0, '{"n":2}'],
    ['uada', -2 * receivedMs, '{"n":1}'],
    ['uada', 1, 'after'],
  ]);
});

test('a key that may not identify loses identify calls alone, by the index of their call', () => {
  const reading = read(
    ['event', {event: 'e', userId: 'ada'}],
    ['identify', {userId: 'ada', traits: {a: 1}, traitsOnce: {b: 1}}],
    ['event', {event: 7, userId: 'ada'}],
    ['identify', {userId: ''}],
    ['event', {event: 'f', userId: 'ada'}],
  );
  const names = anyNames(partitions);
  expect(names.ofBatch(reading, partitions, false)).toBe(reading);
  const admitted = names.ofBatch(reading, partitions, false, false) as BatchRead;
  expect(shown(admitted.entries).filter(Boolean)).toEqual([
    ['uada', 0, 'e'],
    ['uada', 0, 'f'],
  ]);
  expect(admitted.refused.map(({index, refusal, isIdentify}) => [index, refusal.field, isIdentify])).toEqual([
    [2, 'event', undefined],
    [3, 'userId', true],
    [1, 'traits', true],
  ]);
  expect(names.names.count).toBe(2);
});
