// Calls of Segment and RudderStack as native entries: a table. Real clients: test/compatible-libraries.test.ts and test/browser.

import {describe, expect, test} from 'vitest';
import type {CallForm} from '../../../src/edge/compatible/translator.js';
import {
  entriesOf,
  entriesOfOne as entriesOfCall,
  type NativeEntry,
  read,
  readAll,
  receivedMs,
} from './native-entries.js';

const batch: CallForm = {vendor: 'segment'};
const ofKind = (kind: string): CallForm => ({vendor: 'segment', kind});
const one = (call: object, form: CallForm = batch) => readAll({batch: [call]}, form);
const entriesOfOne = (call: object) => entriesOfCall(call, batch);
const ada = {userId: 'ada'};

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  ['track', {type: 'track', event: 'a', ...ada}, [{event: 'a', ...ada}]],
  [
    'an integer as an id',
    {type: 'track', event: 'a', userId: 7, messageId: 9},
    [{event: 'a', userId: '7', messageId: '9'}],
  ],
  [
    'null and an empty text as absent ids',
    {type: 'track', event: 'a', userId: null, anonymousId: 'x', messageId: ''},
    [{event: 'a', anonymousId: 'x'}],
  ],
  [
    'timestamp before originalTimestamp',
    {type: 'track', event: 'a', ...ada, originalTimestamp: '2025-01-01', timestamp: '2026-01-01'},
    [{event: 'a', ...ada, time: '2026-01-01T00:00:00.000Z'}],
  ],
  [
    'seconds as a time',
    {type: 'track', event: 'a', ...ada, timestamp: 1_700_000_000.5},
    [{event: 'a', ...ada, time: '2023-11-14T22:13:20.500Z'}],
  ],
  [
    'milliseconds as a time',
    {type: 'track', event: 'a', ...ada, timestamp: 1_700_000_000_500},
    [{event: 'a', ...ada, time: '2023-11-14T22:13:20.500Z'}],
  ],
  [
    'a name that the properties have',
    {type: 'page', name: 'Home', category: '', ...ada, properties: {name: 'Own', n: 1}},
    [{event: 'page', ...ada, properties: {name: 'Own', n: 1}}],
  ],
  ['a page without anything', {type: 'page', ...ada}, [{event: 'page', ...ada}]],
  ['identify', {type: 'identify', ...ada, traits: {plan: 'pro'}}, [{...ada, traits: {plan: 'pro'}}]],
  [
    'traits in the context, as pages of RudderStack have them',
    {type: 'identify', ...ada, traits: {}, context: {traits: {plan: 'pro'}}},
    [{...ada, traits: {plan: 'pro'}}],
  ],
  [
    'identify without a userId',
    {type: 'identify', anonymousId: 'x', traits: {plan: 'pro'}, context: {locale: 'en'}},
    [{event: 'identify', anonymousId: 'x', properties: {traits: {plan: 'pro'}}, context: {locale: 'en'}}],
  ],
  [
    'group',
    {type: 'group', anonymousId: 'x', groupId: 5, groupType: 'team', traits: {n: 1}},
    [{event: 'group', anonymousId: 'x', properties: {groupId: '5', groupType: 'team', traits: {n: 1}}}],
  ],
  ['group of no person', {type: 'group', groupId: 'acme'}, []],
  [
    'alias',
    {type: 'alias', ...ada, previousId: 'x', messageId: 'm'},
    [{...ada, anonymousId: 'x', messageId: 'm', traits: {}}],
  ],
  [
    'alias with an anonymousId beside it',
    {type: 'alias', ...ada, previousId: 'x', anonymousId: 'y', messageId: 'm'},
    [
      {...ada, anonymousId: 'x', messageId: 'm', traits: {}},
      {...ada, anonymousId: 'y', messageId: 'm/2', traits: {}},
    ],
  ],
  [
    'alias of the anonymousId',
    {type: 'alias', ...ada, previousId: 'x', anonymousId: 'x'},
    [{...ada, anonymousId: 'x', traits: {}}],
  ],
])('%s', (_, call, expected) => {
  expect(entriesOfOne(call)).toEqual(expected);
  expect(one(call).refused).toEqual([]);
});

test.each<[string, unknown, object]>([
  ['no type', {event: 'a', ...ada}, {message: 'type must be one of track, page, screen, identify, group, alias'}],
  ['an unknown type', {type: 'delete', ...ada}, {code: 'invalid_event'}],
  ['no object', 7, {message: 'an event must be a JSON object'}],
  ['no name', {type: 'track', ...ada}, {field: 'event'}],
  ['no id', {type: 'track', event: 'a', userId: ''}, {field: 'userId'}],
  ['an id that a double changed', {type: 'track', event: 'a', userId: 2 ** 60}, {field: 'userId'}],
  ['an id that is a list', {type: 'identify', userId: ['a']}, {field: 'userId'}],
  ['a time that is none', {type: 'track', event: 'a', ...ada, timestamp: 'soon'}, {field: 'timestamp'}],
  ['a time that no date has', {type: 'track', event: 'a', ...ada, timestamp: 1e300}, {field: 'timestamp'}],
  ['properties that are no object', {type: 'page', name: 'n', ...ada, properties: 'p'}, {field: 'properties'}],
  ['traits that are no object', {type: 'identify', ...ada, traits: [1]}, {field: 'traits'}],
  ['a sentAt that is no time', {type: 'track', event: 'a', ...ada, sentAt: 'now'}, {field: 'sentAt'}],
  ['alias to nobody', {type: 'alias', previousId: 'x'}, {field: 'userId'}],
  ['alias of nobody', {type: 'alias', ...ada}, {message: 'alias needs a previousId or an anonymousId to join'}],
  ['too long', {type: 'track', event: 'a', ...ada, properties: {t: 'x'.repeat(70_000)}}, {code: 'event_too_large'}],
])('refused: %s', (_, call, refusal) => {
  const reading = readAll({batch: [{type: 'track', event: 'first', ...ada}, call]}, batch);
  expect(reading.refused).toMatchObject([{index: 1, refusal}]);
  expect(entriesOf(reading).map(({event}) => event)).toEqual(['first']);
});

test('what has no place is named and counted; the envelope is neither', () => {
  const call = {type: 'track', event: 'a', ...ada, traits: {n: 1}, integrations: {}, _metadata: {}, channel: 'web'};
  const reading = readAll({batch: [call, {type: 'group', groupId: 'g'}], context: {a: 1}, writeKey: 'k'}, batch);
  expect(reading.notes.ignoredNames).toEqual(['context', 'traits', 'groupId']);
  expect(reading.ignoredCalls).toEqual({track: 1, group: 1});
  expect(one({type: 'identify', ...ada, context: {library: {}}}).notes.ignoredNames).toEqual(['context']);
});

test('only a sentAt that is ahead moves times, all of a request by as much; an import is never moved', () => {
  const at = (ms: number): string => new Date(receivedMs + ms).toISOString();
  const hour = 3_600_000;
  const calls = [
    {type: 'track', event: 'a', ...ada, timestamp: at(hour), sentAt: at(-9 * hour)},
    {type: 'identify', ...ada, traits: {a: 1}, timestamp: at(hour)},
  ];
  const timesOf = (body: object, form = batch) => entriesOf(readAll(body, form)).map(({time}) => time);
  expect(timesOf({batch: calls, sentAt: at(hour)})).toEqual([at(0), at(0)]);
  expect(timesOf({batch: calls, sentAt: at(-5 * hour)})).toEqual([at(hour), at(hour)]);
  expect(timesOf({batch: calls, sentAt: at(hour)}, {...batch, isImport: true})).toEqual([at(hour), at(hour)]);
  const [moved] = entriesOf(readAll({...calls[0], sentAt: at(2 * hour)}, ofKind('track')));
  expect(moved).toMatchObject({time: at(-hour), context: {original_timestamp: at(hour)}});
});

describe('the bytes decide what a body is', () => {
  const call = {type: 'track', event: 'é+a', ...ada};
  const text = JSON.stringify(call);
  const base64 = Buffer.from(text).toString('base64');
  test.each([
    ['one call', text],
    ['a list', `[${text}]`],
    ['white space', ` \n{"batch" : [ ${text} ]}`],
    ['a form of JSON', `x=1&data=${encodeURIComponent(text)}`],
    ['a form of base64', `data=${encodeURIComponent(base64)}`],
    ['a form of base64 that is not encoded', `data=${base64}&v=1`],
  ])('%s', (_, body) => {
    expect(entriesOf(readAll(body, batch))).toMatchObject([{event: 'é+a', userId: 'ada'}]);
  });

  test.each([
    ['nothing', '', 'not_json'],
    ['null', 'null', 'no_object'],
    ['an open brace', '{', 'not_json'],
    ['a comma too many', '[1,]', 'not_json'],
    ['more after a list', '[] x', 'not_json'],
    ['base64 of no JSON', 'data=x', 'not_json'],
    ['a form without data', 'other=x', 'not_json'],
    ['a call that is no JSON', `{"batch":[${text},x]}`, 'not_json'],
    ['a call too many', `[${Array(1_001).fill(text)}]`, 'too_many'],
    [
      'an entry too many',
      JSON.stringify({batch: Array(501).fill({type: 'alias', ...ada, previousId: 'x', anonymousId: 'y'})}),
      'too_many',
    ],
  ])('not read: %s', (_, body, kind) => {
    expect(read(body, batch).kind).toBe(kind);
  });

  test('an empty batch is a batch', () => {
    expect(readAll({batch: []}, batch)).toMatchObject({eventCount: 0, refused: []});
  });

  test('the key is that of the body, else of its first call that has one', () => {
    expect(readAll({batch: [{...call, writeKey: 'b'}], writeKey: 'a'}, batch).key).toBe('a');
    expect(readAll({batch: [call, {...call, writeKey: 'b'}, {...call, writeKey: 'c'}]}, batch).key).toBe('b');
    expect(readAll({...call, writeKey: 'b'}, ofKind('track')).key).toBe('b');
    expect(readAll({batch: [call], writeKey: 7}, batch).key).toBeUndefined();
  });
});
