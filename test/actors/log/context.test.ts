import {describe, expect, test} from 'vitest';
import {ByteWriter, wtf8} from '../../../actors/bytes/bytes.js';
import {writeArrivedEvent} from '../../../actors/log/arrived-event.js';
import {type Context, contextMembers, joinContext, splitContext} from '../../../actors/log/context.js';
import {type AcceptedEvent, writeEvent} from '../../../actors/log/entries.js';
import {EntryView, propertiesJson} from '../../../actors/log/entry-view.js';
import type {Json} from '../../../actors/log/json.js';
import {writeMovedEvent} from '../../../actors/log/rewritten-event.js';
import {Random} from '../../../tools/random.js';
import {randomContext} from '../../support/random-context.js';
import {runs} from '../../support/runs.js';

const pathOf = (key: Uint8Array): string => Buffer.from(key.subarray(1)).toString();

const rejoined = (context: Context): Json => {
  const {rest, members} = splitContext(context);
  const named = members.map(([key, value]): [string, Json] => [pathOf(key), value]);
  return JSON.parse(joinContext(rest && JSON.stringify(rest), named)) as Json;
};

describe('pieces of a context', () => {
  test.each([
    [{}, [], {}],
    [{page: {}}, [], {page: {}}],
    [{page: {path: '/a'}}, ['page.path'], undefined],
    [{page: {path: {a: 1}, url: 'u'}, bot: null}, ['page.path', 'bot'], {page: {url: 'u'}}],
    [{page: '/a', locale: ['de'], campaign: null}, ['locale'], {page: '/a', campaign: null}],
    [{'page.path': '/a', os: [{name: 'x'}]}, [], {'page.path': '/a', os: [{name: 'x'}]}],
  ])('%j has pairs of %j, and the rest %j', (context, paths, rest) => {
    const pieces = splitContext(context as Context);
    expect(pieces.members.map(([key]) => pathOf(key))).toEqual(paths);
    expect(pieces.rest).toEqual(rest);
    expect(rejoined(context as Context)).toEqual(context);
  });

  test('any context comes back as it was sent, also of an event that moves in time or to its owner', () => {
    const random = new Random(52);
    const met = new Set<string>();
    for (let left = runs(600); left > 0; left--) {
      const context = randomContext(random);
      expect(rejoined(context)).toEqual(context);
      for (const [key] of splitContext(context).members) met.add(pathOf(key));
      const properties = random.chance(0.5) ? {a: 1, context: 'own'} : undefined;
      const event = {event: 'e', anonymousId: 'd', timeMs: 5, receivedMs: 9, sentMs: 5, context, properties};
      const entry = entryOf((writer) => writeEvent(writer, event as AcceptedEvent));
      expectContext(entry, context, properties);
      const moved = entryOf((writer) => writeMovedEvent(writer, entry, 7));
      expectContext(moved, {...context, original_timestamp: '1970-01-01T00:00:00.005Z'}, properties);
      expect([moved.sentMs, moved.timeMs]).toEqual([5, 7]);
      const arrived = entryOf((writer) => writeArrivedEvent(writer, moved, wtf8('uada'), '3-17'));
      expectContext(arrived, {...context, original_timestamp: '1970-01-01T00:00:00.005Z'}, properties);
      expect(arrived.origin()).toBe('3-17');
    }
    expect([...met].sort()).toEqual([...contextMembers].sort());
  });
});

function entryOf(write: (writer: ByteWriter) => void): EntryView {
  const writer = new ByteWriter(1_024);
  write(writer);
  const entry = new EntryView(writer.finish());
  entry.moveTo(0);
  return entry;
}

function expectContext(entry: EntryView, context: Context, properties: Context = {}): void {
  expect(JSON.parse(entry.contextJson()!)).toEqual(context);
  expect(JSON.parse(propertiesJson(entry.bytes, entry.propertiesStart))).toEqual(properties);
}
