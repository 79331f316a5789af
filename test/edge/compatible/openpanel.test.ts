// Calls of OpenPanel as native entries: a table, and random calls against a plain model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {runs} from '../../support/runs.js';
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

// ---- random calls against a plain model ----

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, {nil: undefined});
const object = fc.dictionary(fc.constantFrom('a', 'email'), fc.oneof(fc.nat(9), fc.constant(null)), {maxKeys: 2});
const calls = fc.array(
  fc.record({
    type: fc.constantFrom('track', 'identify', 'alias', 'assign_group', 'group', 'increment', 'replay', 'other'),
    name: maybe(fc.constantFrom('screen_view', 'e1', '')),
    profileId: maybe(fc.oneof(fc.constantFrom('u1', '', null), fc.nat(9))),
    email: maybe(fc.constantFrom('a@example.com')),
    alias: maybe(fc.constantFrom('d1', '', null)),
    groupIds: maybe(fc.array(fc.constantFrom('g1', 'g2'), {maxLength: 3})),
    properties: maybe(object),
    path: maybe(fc.constantFrom('/', '/a')),
    isTimed: fc.boolean(),
  }),
  {maxLength: 8},
);
type ModelCall = typeof calls extends fc.Arbitrary<readonly (infer Call)[]> ? Call : never;

const present = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function payloadOf({type, name, profileId, email, alias, groupIds, properties, path, isTimed}: ModelCall): object {
  switch (type) {
    case 'track':
      return {
        ...{name, profileId, groups: groupIds},
        properties: {...properties, __path: path, __timestamp: isTimed ? '2026-01-01T00:00:00Z' : undefined},
      };
    case 'identify':
      return {profileId, email, properties};
    case 'alias':
      return {profileId, alias};
    default:
      return {profileId, groupIds};
  }
}

function model(call: ModelCall): 'refused' | object[] {
  const {type, name, email, alias, groupIds, path} = call;
  const given = (value: unknown): string | undefined =>
    value === undefined || value === null || value === '' ? undefined : String(value);
  const userId = given(call.profileId);
  const person = userId === undefined ? {anonymousId} : {userId};
  switch (type) {
    case 'track': {
      if (given(name) === undefined) return 'refused';
      const properties = present({...call.properties, __path: path});
      const context = present({page: path && {url: path, path}, groups: groupIds});
      return [
        present({
          event: name === 'screen_view' ? 'page' : name,
          ...person,
          time: call.isTimed ? '2026-01-01T00:00:00.000Z' : undefined,
          properties: Object.keys(properties).length === 0 ? undefined : properties,
          context: Object.keys(context).length === 0 ? undefined : context,
        }),
      ];
    }
    case 'identify': {
      const traits = {...call.properties, ...present({email})};
      return userId === undefined ? [{event: 'identify', ...person, properties: {traits}}] : [{userId, traits}];
    }
    case 'alias':
      if (given(alias) === undefined || userId === undefined) return 'refused';
      return [{userId, anonymousId: alias, traits: {}}];
    case 'assign_group':
      if (userId === undefined) return [];
      return (groupIds ?? []).map((groupId) => ({event: 'group', userId, properties: {groupId}}));
    case 'other':
      return 'refused';
    default:
      return [];
  }
}

test('random calls become what a plain model makes of them, in their order', () => {
  fc.assert(
    fc.property(calls, (all) => {
      const sent = all.map((call) => ({type: call.type, payload: payloadOf(call)}));
      const reading = readAll(sent, ...fromVisitor('openpanel'));
      const outcomes = all.map(model);
      expect(reading.refused.map(({index}) => index)).toEqual(
        outcomes.flatMap((one, at) => (one === 'refused' ? [at] : [])),
      );
      const expected = outcomes.flatMap((one, call) =>
        one === 'refused' ? [] : one.map((entry) => ({call, ...entry})),
      );
      expect(entriesOf(reading)).toEqual(expected);
    }),
    {numRuns: runs(500)},
  );
});
