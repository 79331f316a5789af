// Calls of Jitsu as native entries: a table, and random calls, which are those of Segment but for the group of the person.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {CallForm} from '../../../src/edge/compatible/translator.js';
import {runs} from '../../support/runs.js';
import {entriesOf, type NativeEntry, readAll} from './native-entries.js';

const ofKind = (kind: string): CallForm => ({vendor: 'jitsu', kind});
const envelope = {
  requestIp: '192.0.2.1',
  receivedAt: '2026-01-01',
  writeKey: 'name:***',
  sentAt: '2026-01-01T00:00:00Z',
};

test.each<[string, string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  [
    'track',
    'track',
    {
      ...{type: 'track', event: 'signup', userId: null, anonymousId: 'a', groupId: null, messageId: 'm'},
      ...{properties: {plan: 'pro'}, context: {locale: 'en'}, ...envelope},
    },
    [{event: 'signup', anonymousId: 'a', messageId: 'm', properties: {plan: 'pro'}, context: {locale: 'en'}}],
  ],
  [
    'both ids, and the group of the person',
    'track',
    {event: 'signup', userId: 'ada', anonymousId: 'a', groupId: 'acme', context: {locale: 'en'}},
    [{event: 'signup', userId: 'ada', anonymousId: 'a', context: {locale: 'en', groupId: 'acme'}}],
  ],
  [
    'page',
    'page',
    {name: 'Home', userId: 'ada', groupId: 'acme', properties: {path: '/'}},
    [{event: 'page', userId: 'ada', properties: {path: '/', name: 'Home'}, context: {groupId: 'acme'}}],
  ],
  [
    'identify',
    'identify',
    {userId: 'ada', anonymousId: 'a', traits: {plan: 'pro'}, ...envelope},
    [{userId: 'ada', anonymousId: 'a', traits: {plan: 'pro'}}],
  ],
  [
    'group',
    'group',
    {userId: 'ada', groupId: 'acme', traits: {size: 3}},
    [{event: 'group', userId: 'ada', properties: {groupId: 'acme', traits: {size: 3}}}],
  ],
  ['the kind of the path wins', 'page', {type: 'track', userId: 'ada'}, [{event: 'page', userId: 'ada'}]],
])('%s', (_, kind, call, expected) => {
  const reading = readAll(call, ofKind(kind));
  expect(entriesOf(reading).map(({call: _call, ...entry}) => entry)).toEqual(expected);
  expect([reading.refused, reading.ignoredCalls, reading.key]).toEqual([[], {}, undefined]);
});

test.each<[string, string, object, object]>([
  ['no id', 'track', {event: 'a'}, {field: 'userId'}],
  ['no name', 'track', {userId: 'ada'}, {field: 'event'}],
  ['a context that is no object', 'track', {event: 'a', userId: 'ada', groupId: 'g', context: 'c'}, {field: 'context'}],
])('refused: %s', (_, kind, call, refusal) => {
  expect(readAll(call, ofKind(kind)).refused).toMatchObject([{index: 0, refusal}]);
});

test('what has no place is named and counted', () => {
  const reading = readAll({event: 'a', userId: 'ada', traits: {n: 1}, more: 1}, ofKind('track'));
  expect(reading.notes.ignoredNames).toEqual(['traits', 'more']);
  expect(reading.ignoredCalls).toEqual({track: 1});
});

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, {nil: undefined});
const id = fc.constantFrom('u1', 'u2', '', null);
const calls = fc.array(
  fc.record({
    type: fc.constantFrom('track', 'page', 'screen', 'identify', 'group', 'alias', 'other'),
    event: maybe(fc.constantFrom('e1', '')),
    userId: maybe(id),
    anonymousId: maybe(id),
    previousId: maybe(id),
    groupId: maybe(fc.constantFrom('g1', '', null)),
    messageId: maybe(fc.constantFrom('m1', null)),
    properties: maybe(fc.dictionary(fc.constantFrom('a', 'name'), fc.nat(9))),
    traits: maybe(fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(9))),
    context: maybe(fc.record({locale: fc.constant('en')})),
    requestIp: maybe(fc.constant('192.0.2.1')),
  }),
  {maxLength: 8},
);

test('random calls become what the same calls of Segment become, with the group in the context', () => {
  fc.assert(
    fc.property(calls, (all) => {
      const here = readAll(all, {vendor: 'jitsu'});
      const entries = entriesOf(here); // They are valid until the next reading.
      const there = readAll(
        all.map(({requestIp: _, ...call}) => call),
        {vendor: 'segment'},
      );
      const indexes = ({refused}: typeof here): number[] => refused.map(({index}) => index);
      expect(indexes(here)).toEqual(indexes(there));
      const expected = entriesOf(there).map((entry) => {
        const {type, groupId} = all[entry.call]!;
        const isGrouped = entry.event !== undefined && type !== 'group' && groupId;
        return isGrouped ? {...entry, context: {...(entry.context as object), groupId}} : entry;
      });
      expect(entries).toEqual(expected);
      expect(JSON.stringify(entries)).not.toContain('192.0.2.1');
    }),
    {numRuns: runs(500)},
  );
});
