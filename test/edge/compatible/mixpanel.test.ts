// Calls of Mixpanel as native entries: a recording of a real client and a table.

import {expect, test} from 'vitest';
import type {CallForm} from '../../../src/edge/compatible/translator.js';
import {translators} from '../../../src/edge/compatible/translators.js';
import {
  entriesOf,
  entriesOfOne,
  type NativeEntry,
  readAll,
  receivedMs,
  recordedRequests,
  short,
} from './native-entries.js';

const ofKind = (kind: string): CallForm => ({vendor: 'mixpanel', kind});
const [track, engage, groups] = [ofKind('track'), ofKind('engage'), ofKind('groups')];
const kindOfPath: Readonly<Record<string, CallForm>> = {
  '/track': track,
  '/import': {...track, isImport: true},
  '/engage': engage,
  '/groups': groups,
};

test('a recording of mixpanel for node', () => {
  const entries: NativeEntry[] = [];
  const ignored = recordedRequests('mixpanel-node').map(({path, body, queryDecoded}) => {
    const reading = readAll(body ?? queryDecoded!.data, kindOfPath[path]!);
    expect(reading).toMatchObject({key: 'WRITE_KEY_EXAMPLE', refused: []});
    entries.push(...entriesOf(reading));
    return Object.keys(reading.ignoredCalls);
  });
  const own = {mp_lib: 'node', $lib_version: '0.24.0'};
  expect(entries.map(short)).toEqual([
    ['Order Completed', 'u-1', null, {revenue: 9.5, ...own}],
    ['A', 'u-1', null],
    ['B', 'u-1', 'a-1'],
    ['Old', 'u-1', null, own],
    ['Old', 'u-1', null],
    [{traits: {$email: 'x@example.com', plan: 'pro'}}, 'u-1', null],
    [{traits: {first: 'x'}}, 'u-1', null],
    [{traits: {}}, 'u-1', 'a-1'],
  ]);
  expect(entries[0]).toMatchObject({
    time: '2026-01-02T03:04:05.678Z',
    context: {library: {name: 'node', version: '0.24.0'}},
  });
  expect(entries[1]).toMatchObject({messageId: 'i-1', time: '2026-01-02T02:46:40.000Z'});
  expect(ignored.flat()).toEqual(['engage', 'engage', 'groups']);
});

const ofUser = {distinct_id: 'ada'};
const called = (event: unknown, properties: unknown) => ({event, properties});

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  ['a user', called('a', ofUser), [{event: 'a', userId: 'ada'}]],
  ['an integer as an id', called('a', {distinct_id: 7}), [{event: 'a', userId: '7'}]],
  ['a device', called('a', {distinct_id: '$device:x'}), [{event: 'a', anonymousId: 'x'}]],
  [
    'a device that has both fields',
    called('a', {distinct_id: '$device:x', $device_id: 'x'}),
    [{event: 'a', anonymousId: 'x'}],
  ],
  ['a device of an older library', called('a', {distinct_id: 'x', $device_id: 'x'}), [{event: 'a', anonymousId: 'x'}]],
  [
    'a user with a device',
    called('a', {distinct_id: 'ada', $user_id: 'ada', $device_id: 'x'}),
    [{event: 'a', userId: 'ada', anonymousId: 'x'}],
  ],
  [
    '$user_id, which wins',
    called('a', {distinct_id: '$device:x', $user_id: 'ada'}),
    [{event: 'a', userId: 'ada', anonymousId: 'x'}],
  ],
  [
    'properties without ids, time and key',
    called('a', {...ofUser, token: 'k', time: 1_700_000_000.5, $insert_id: 'm', n: 1}),
    [{event: 'a', userId: 'ada', messageId: 'm', time: '2023-11-14T22:13:20.500Z', properties: {n: 1}}],
  ],
  [
    '$identify',
    called('$identify', {distinct_id: 'ada', $anon_distinct_id: '$device:x', $insert_id: 'm'}),
    [{userId: 'ada', anonymousId: 'x', messageId: 'm', traits: {}}],
  ],
  [
    '$identify in the older words',
    called('$identify', {$identified_id: 'ada', $anon_id: 'x'}),
    [{userId: 'ada', anonymousId: 'x', traits: {}}],
  ],
  [
    '$create_alias of a server',
    called('$create_alias', {distinct_id: 'ada', alias: 'x'}),
    [{userId: 'ada', anonymousId: 'x', traits: {}}],
  ],
  [
    '$create_alias of a page, whose visitor is not known yet',
    called('$create_alias', {distinct_id: '$device:x', alias: 'ada'}),
    [{userId: 'ada', anonymousId: 'x', traits: {}}],
  ],
  [
    'what it knows about the page',
    called('$mp_web_page_view', {...ofUser, $current_url: 'https://a.example/p', $referrer: 'https://b.example/'}),
    [
      {
        event: '$mp_web_page_view',
        userId: 'ada',
        properties: {$current_url: 'https://a.example/p', $referrer: 'https://b.example/'},
        context: {page: {path: '/p', url: 'https://a.example/p', referrer: 'https://b.example/'}},
      },
    ],
  ],
])('%s', (_, call, expected) => {
  expect(entriesOfOne(call, track)).toEqual(expected);
  expect(readAll([call], track).refused).toEqual([]);
});

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  [
    '$set and $set_once',
    {$distinct_id: 'ada', $set: {plan: 'pro'}, $set_once: {first: 'x', no: null}, $time: 1_700_000_000},
    [
      {userId: 'ada', time: '2023-11-14T22:13:20.000Z', traits: {plan: 'pro'}},
      {userId: 'ada', time: '2023-11-14T22:13:20.000Z', traits: {first: 'x'}, isOnce: true},
    ],
  ],
  [
    'a user with a device',
    {$distinct_id: 'ada', $user_id: 'ada', $device_id: 'x', $set: {a: 1}},
    [{userId: 'ada', anonymousId: 'x', traits: {a: 1}}],
  ],
  [
    'a device',
    {$distinct_id: '$device:x', $set: {a: 1}, $set_once: {a: 2, b: 2}},
    [{event: 'identify', anonymousId: 'x', properties: {traits: {a: 1, b: 2}}}],
  ],
  ['an operation without a place', {$distinct_id: 'ada', $add: {n: 1}}, []],
])('a profile: %s', (_, call, expected) => {
  expect(entriesOfOne(call, engage)).toEqual(expected);
  expect(readAll([call], engage).refused).toEqual([]);
});

test.each<[string, CallForm, unknown, object]>([
  ['no object', track, 7, {message: 'an event must be a JSON object'}],
  ['no name', track, called(undefined, ofUser), {field: 'event'}],
  ['no id', track, called('a', {}), {field: 'userId'}],
  ['a device without an id', track, called('a', {distinct_id: '$device:'}), {field: 'userId'}],
  ['a time that is none', track, called('a', {...ofUser, time: 'soon'}), {field: 'timestamp'}],
  ['properties that are no object', track, called('a', 'p'), {field: 'properties'}],
  ['$identify of nobody', track, called('$identify', {$anon_distinct_id: 'x'}), {field: 'userId'}],
  ['alias of nobody', track, called('$create_alias', ofUser), {code: 'invalid_event'}],
  ['traits that are no object', engage, {$distinct_id: 'ada', $set: [1]}, {field: 'traits'}],
  ['traits that are set once and no object', engage, {$distinct_id: 'ada', $set_once: 'x'}, {field: 'traitsOnce'}],
  ['a profile of nobody', engage, {$set: {a: 1}}, {field: 'userId'}],
])('refused: %s', (_, form, call, refusal) => {
  expect(readAll([call], form).refused).toMatchObject([{index: 0, refusal}]);
});

test('what has no place is named and counted; the envelope is neither', () => {
  const events = readAll(
    [{...called('a', ofUser), more: 1}, called('$identify', {...ofUser, mp_lib: 'web', own: 1})],
    track,
  );
  expect(events.notes.ignoredNames).toEqual(['more', 'own']);
  expect(events.ignoredCalls).toEqual({track: 1, identify: 1});
  const profiles = readAll(
    [
      {$token: 'k', $distinct_id: 'ada', $ip: '0', $ignore_time: true, $set: {a: 1}, $append: {b: 1}},
      {$distinct_id: 'ada', $delete: ''},
    ],
    engage,
  );
  expect(profiles.notes.ignoredNames).toEqual(['$append', '$delete']);
  expect(profiles.ignoredCalls).toEqual({engage: 2});
  const companies = readAll({$token: 'k', $group_key: 'company', $group_id: 'acme', $set: {a: 1}}, groups);
  expect(companies).toMatchObject({key: 'k', eventCount: 0, ignoredCalls: {groups: 1}});
  expect(companies.notes.ignoredNames).toEqual(['$set']);
});

test('the answer is 1, or an object if the query asks for it', () => {
  const {taken} = translators.get('mixpanel')!;
  const answered = (query: string) =>
    taken({kind: 'track', parameters: query, callCount: 1, bodyBytes: 1, nowMs: receivedMs}).body;
  expect(answered('ip=0&verbose=0')).toBe('1');
  expect(answered('')).toBe('1');
  expect(answered('verbose=1&ip=1')).toBe('{"status":1,"error":null}');
});
