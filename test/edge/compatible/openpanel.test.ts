// Calls of OpenPanel as native entries: a table.

import {expect, test} from 'vitest';
import {entriesOf, type NativeEntry, read, readAll} from './native-entries.js';
import {entriesOfOne, fromVisitor, readOne, visitorOfTests, withoutSalt} from './visitors.js';

const anonymousId = visitorOfTests;
const track = (payload: object) => ({type: 'track', payload});
const ada = {profileId: 'ada'};

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  [
    'track of a profile',
    track({name: 'signup', ...ada, properties: {plan: 'pro', none: null}}),
    [{event: 'signup', userId: 'ada', properties: {plan: 'pro', none: null}}],
  ],
  ['track of nobody', track({name: 'signup', profileId: ''}), [{event: 'signup', anonymousId}]],
  ['an integer as a profile', track({name: 'a', profileId: 7}), [{event: 'a', userId: '7'}]],
  [
    'a screen view',
    track({
      name: 'screen_view',
      properties: {__path: 'https://shop.example/docs?a=1', __title: 'Docs', __referrer: 'https://other.example/'},
    }),
    [
      {
        event: 'page',
        anonymousId,
        properties: {__path: 'https://shop.example/docs?a=1', __title: 'Docs', __referrer: 'https://other.example/'},
        context: {
          page: {
            ...{url: 'https://shop.example/docs?a=1', path: '/docs', search: '?a=1', title: 'Docs'},
            referrer: 'https://other.example/',
          },
        },
      },
    ],
  ],
  [
    'a time, groups and a revenue',
    track({name: 'revenue', ...ada, groups: ['acme'], properties: {__timestamp: '2026-01-01', __revenue: 12}}),
    [
      {
        ...{event: 'revenue', userId: 'ada', time: '2026-01-01T00:00:00.000Z'},
        ...{properties: {__revenue: 12}, context: {groups: ['acme']}},
      },
    ],
  ],
  [
    'identify',
    {
      type: 'identify',
      payload: {...ada, firstName: 'Ada', email: 'a@example.com', properties: {plan: 'pro', email: 1}},
    },
    [{userId: 'ada', traits: {firstName: 'Ada', email: 'a@example.com', plan: 'pro'}}],
  ],
  [
    'identify of nobody',
    {type: 'identify', payload: {firstName: 'Ada'}},
    [{event: 'identify', anonymousId, properties: {traits: {firstName: 'Ada'}}}],
  ],
  ['alias', {type: 'alias', payload: {...ada, alias: 'device'}}, [{userId: 'ada', anonymousId: 'device', traits: {}}]],
  [
    'assign_group',
    {type: 'assign_group', payload: {...ada, groupIds: ['acme', 7]}},
    [
      {event: 'group', userId: 'ada', properties: {groupId: 'acme'}},
      {event: 'group', userId: 'ada', properties: {groupId: '7'}},
    ],
  ],
  ['assign_group of nobody', {type: 'assign_group', payload: {groupIds: ['acme']}}, []],
  ['group', {type: 'group', payload: {id: 'acme', type: 'company', name: 'ACME'}}, []],
  ['increment', {type: 'increment', payload: {...ada, property: 'n', value: 1}}, []],
  ['decrement', {type: 'decrement', payload: {...ada, property: 'n'}}, []],
  ['replay', {type: 'replay', payload: {chunk_index: 0}}, []],
])('%s', (_, call, expected) => {
  expect(entriesOfOne('openpanel', call)).toEqual(expected);
  expect(readOne('openpanel', call).refused).toEqual([]);
});

test.each<[string, unknown, object]>([
  ['no type', {payload: {name: 'a'}}, {message: expect.stringContaining('type must be one of track, identify')}],
  ['no payload', {type: 'track'}, {message: 'payload must be an object'}],
  ['no name', track({...ada}), {field: 'event'}],
  ['properties that are no object', track({name: 'a', ...ada, properties: 'p'}), {field: 'properties'}],
  ['a time that is none', track({name: 'a', properties: {__timestamp: 'soon'}}), {field: 'timestamp'}],
  ['traits that are no object', {type: 'identify', payload: {...ada, properties: [1]}}, {field: 'traits'}],
  ['alias of nobody', {type: 'alias', payload: {...ada}}, {message: 'alias needs an alias to join'}],
  ['alias to nobody', {type: 'alias', payload: {alias: 'x'}}, {field: 'userId'}],
  ['groups that are no list', {type: 'assign_group', payload: {...ada, groupIds: 'acme'}}, {code: 'invalid_event'}],
  ['a key __proto__', JSON.parse('{"type":"identify","payload":{"profileId":"a","__proto__":{}}}'), {field: 'traits'}],
])('refused: %s', (_, call, refusal) => {
  const reading = readAll([track({name: 'first'}), call], ...fromVisitor('openpanel'));
  expect(reading.refused).toMatchObject([{index: 1, refusal}]);
  expect(entriesOf(reading).map(({event}) => event)).toEqual(['first']);
});

test('what has no place is named and counted', () => {
  const calls = [
    track({name: 'a', more: 1}),
    {type: 'increment', payload: {...ada}},
    {type: 'assign_group', payload: {groupIds: ['acme']}},
    {type: 'identify', payload: {...ada, email: 'a@example.com'}},
  ];
  const reading = readAll(calls, ...fromVisitor('openpanel'));
  expect(reading.notes.ignoredNames).toEqual(['payload.more', 'payload']);
  expect(reading.ignoredCalls).toEqual({track: 1, increment: 1, assign_group: 1});
});

test('without a salt an event of nobody is not read', () => {
  expect(read(track({name: 'a'}), ...withoutSalt('openpanel'))).toMatchObject({kind: 'no_salt'});
  expect(read(track({name: 'a', ...ada}), ...withoutSalt('openpanel'))).toMatchObject({kind: 'read'});
});
