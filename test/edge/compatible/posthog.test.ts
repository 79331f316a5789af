// Calls of PostHog as native entries: a recording of a real client and a table.
import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import type {CallForm} from '../../../src/edge/compatible/translator.js';
import {
  entriesOf,
  entriesOfOne,
  type NativeEntry,
  read,
  readAll,
  receivedMs,
  recordedRequests,
  short,
} from './native-entries.js';

const batch: CallForm = {vendor: 'posthog'};

test('a recording of posthog-node', () => {
  const entries: NativeEntry[] = [];
  const readings = recordedRequests('posthog-node').map(({body}) => {
    const reading = readAll(body!, batch);
    entries.push(...entriesOf(reading));
    return reading;
  });
  expect(readings.flatMap(({refused}) => refused)).toEqual([]);
  expect(readings.map(({key}) => key)).toEqual(['WRITE_KEY_EXAMPLE', 'WRITE_KEY_EXAMPLE']);
  const own = {$lib: 'posthog-node', $lib_version: '5.70.0', $is_server: true, $geoip_disable: true};
  expect(entries.map(short)).toEqual([
    ['Immediate', 'u-1', null, own],
    ['Order Completed', 'u-1', null, {revenue: 9.5, ...own}],
    ['$pageview', 'a-1', null, {$current_url: 'https://example.com/', ...own}],
    [{traits: {plan: 'pro'}}, 'u-1', null],
    [{traits: {first: 'x'}}, 'u-1', null],
    ['With set', 'u-1', null, {$groups: {company: 'g-1'}, ...own}],
    [{traits: {email: 'x@example.com'}}, 'u-1', 'a-1'],
    [{traits: {a: 1}}, 'u-1', 'a-1'],
    [{traits: {}}, 'u-1', 'a-1'],
  ]);
  expect(entries[2]).toEqual({
    call: 1,
    event: '$pageview',
    userId: 'a-1',
    messageId: '00000000-0000-4000-8000-000000000003',
    time: '2026-01-02T03:04:05.678Z',
    properties: {$current_url: 'https://example.com/', ...own},
    context: {
      page: {path: '/', url: 'https://example.com/'},
      library: {name: 'posthog-node', version: '5.70.0'},
    },
  });
  // The group has no person.
  expect(readings.map(({ignoredCalls}) => ignoredCalls)).toEqual([{}, {group: 1}]);
});

const ofUser = {distinct_id: 'ada'};
const anonymous = {distinct_id: 'x', properties: {$is_identified: false}};
const shown = {properties: {$is_identified: false}};

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  ['an event', {event: 'a', ...ofUser}, [{event: 'a', userId: 'ada'}]],
  ['an integer as an id', {event: 'a', distinct_id: 7, uuid: 9}, [{event: 'a', userId: '7', messageId: '9'}]],
  [
    'ids, key and traits that are properties',
    {event: 'a', properties: {distinct_id: 'ada', token: 'k', $user_id: 'ada', $device_id: 'd', $set: {}, n: 1}},
    [{event: 'a', userId: 'ada', properties: {$device_id: 'd', n: 1}}],
  ],
  ['an anonymous person', {event: 'a', ...anonymous}, [{event: 'a', anonymousId: 'x', ...shown}]],
  [
    'a person without a profile',
    {event: 'a', distinct_id: 'x', properties: {$process_person_profile: false}},
    [{event: 'a', anonymousId: 'x', properties: {$process_person_profile: false}}],
  ],
  [
    'milliseconds as a time',
    {event: 'a', ...ofUser, timestamp: 1_700_000_000_500},
    [{event: 'a', userId: 'ada', time: '2023-11-14T22:13:20.500Z'}],
  ],
  [
    'traits in the properties and beside them',
    {event: 'a', ...ofUser, properties: {$set: {a: 1, b: 1}, $set_once: {c: null, d: 1}}, $set: {b: 2}, uuid: 'm'},
    [
      {userId: 'ada', messageId: 'm', traits: {a: 1, b: 2}},
      {userId: 'ada', messageId: 'm', traits: {d: 1}, isOnce: true},
      {event: 'a', userId: 'ada', messageId: 'm'},
    ],
  ],
  [
    'traits of an anonymous person, which are left out',
    {event: 'a', ...anonymous, $set: {a: 1}},
    [{event: 'a', anonymousId: 'x', ...shown}],
  ],
  [
    '$identify',
    {event: '$identify', ...ofUser, properties: {$anon_distinct_id: 'x', $device_id: 'd'}, $set: {plan: 'pro'}},
    [{userId: 'ada', anonymousId: 'x', traits: {plan: 'pro'}}],
  ],
  [
    '$identify that says that nobody is identified yet',
    {event: '$identify', ...ofUser, properties: {$anon_distinct_id: 'x', $is_identified: false}},
    [{userId: 'ada', anonymousId: 'x', traits: {}}],
  ],
  ['$set', {event: '$set', ...ofUser, $set: {a: 1}}, [{userId: 'ada', traits: {a: 1}}]],
  [
    '$set of an anonymous person',
    {event: '$set', ...anonymous, $set: {a: 1}, $set_once: {a: 2, b: 2}},
    [{event: 'identify', anonymousId: 'x', properties: {traits: {a: 1, b: 2}}}],
  ],
  [
    '$create_alias of a server',
    {event: '$create_alias', ...ofUser, properties: {alias: 'x'}, uuid: 'm'},
    [{userId: 'ada', anonymousId: 'x', messageId: 'm', traits: {}}],
  ],
  [
    '$create_alias of a page, whose visitor is not known yet',
    {event: '$create_alias', distinct_id: 'x', properties: {alias: 'ada', $is_identified: false}},
    [{userId: 'ada', anonymousId: 'x', traits: {}}],
  ],
  [
    '$groupidentify of a person',
    {
      event: '$groupidentify',
      ...ofUser,
      properties: {$group_type: 'company', $group_key: 5, $group_set: {n: 1}},
    },
    [{event: 'group', userId: 'ada', properties: {groupId: '5', groupType: 'company', traits: {n: 1}}}],
  ],
  [
    '$groupidentify of no person',
    {event: '$groupidentify', distinct_id: '$company_5', properties: {$group_type: 'company', $group_key: '5'}},
    [],
  ],
  ['replay', {event: '$snapshot', ...ofUser, properties: {$snapshot_data: []}}, []],
  [
    'what it knows about the page',
    {
      event: '$pageview',
      ...ofUser,
      properties: {
        $current_url: 'https://a.example/p?q',
        $pathname: '/p',
        title: 'T',
        $referrer: '$direct',
        $lib: 'web',
      },
    },
    [
      {
        event: '$pageview',
        userId: 'ada',
        properties: {
          $current_url: 'https://a.example/p?q',
          $pathname: '/p',
          title: 'T',
          $referrer: '$direct',
          $lib: 'web',
        },
        context: {page: {path: '/p', url: 'https://a.example/p?q', title: 'T'}, library: {name: 'web'}},
      },
    ],
  ],
])('%s', (_, call, expected) => {
  expect(entriesOfOne(call, batch)).toEqual(expected);
  expect(readAll([call], batch).refused).toEqual([]);
});

test.each<[string, unknown, object]>([
  ['no object', 7, {message: 'an event must be a JSON object'}],
  ['no name', {...ofUser}, {field: 'event'}],
  ['no id', {event: 'a', distinct_id: ''}, {field: 'userId'}],
  ['an id that is a list', {event: 'a', distinct_id: ['a']}, {field: 'userId'}],
  ['a time that is none', {event: 'a', ...ofUser, timestamp: 'soon'}, {field: 'timestamp'}],
  ['properties that are no object', {event: 'a', ...ofUser, properties: 'p'}, {field: 'properties'}],
  ['traits that are no object', {event: '$identify', ...ofUser, $set: [1]}, {field: 'traits'}],
  ['$identify of nobody', {event: '$identify', properties: {$anon_distinct_id: 'x'}}, {field: 'userId'}],
  ['alias of nobody', {event: '$create_alias', ...ofUser}, {message: /^\$create_alias needs an alias/}],
  ['too long', {event: 'a', ...ofUser, properties: {t: 'x'.repeat(70_000)}}, {code: 'event_too_large'}],
])('refused: %s', (_, call, refusal) => {
  const reading = readAll({batch: [{event: 'first', ...ofUser}, call]}, batch);
  const {message} = refusal as {message?: unknown};
  const expected = message instanceof RegExp ? {message: expect.stringMatching(message)} : refusal;
  expect(reading.refused).toMatchObject([{index: 1, refusal: expected}]);
  expect(entriesOf(reading).map(({event}) => event)).toEqual(['first']);
});

test('traits that are refused leave their event', () => {
  const reading = readAll([{event: 'a', ...ofUser, $set: 'x'}], batch);
  expect(reading.refused).toMatchObject([{index: 0, refusal: {field: 'traits'}, isIdentify: true}]);
  expect(entriesOf(reading)).toMatchObject([{event: 'a', userId: 'ada'}]);
});

test('what has no place is named and counted; the envelope is neither', () => {
  const reading = readAll(
    {
      api_key: 'k',
      sent_at: '2026-01-01',
      more: 1,
      batch: [
        {event: 'a', ...ofUser, type: 'capture', library: 'posthog-python', library_version: '1'},
        {event: 'a', ...ofUser, offset: 5, properties: {$unset: ['b']}},
        {event: 'a', ...anonymous, $set_once: {a: 1}},
        {event: '$identify', ...ofUser, properties: {$lib: 'web', title: 'T', own: 1}},
        {event: '$snapshot', ...ofUser},
      ],
    },
    batch,
  );
  expect(reading.notes.ignoredNames).toEqual(['more', 'offset', '$unset', '$set', 'own', '$snapshot']);
  expect(reading.ignoredCalls).toEqual({capture: 2, identify: 1, replay: 1});
});

test('a request for flags stores nothing', () => {
  const reading = readAll({token: 'k', distinct_id: 'x', person_properties: {a: 1}}, {...batch, kind: 'flags'});
  expect(reading).toMatchObject({key: 'k', eventCount: 0, refused: [], ignoredCalls: {}});
});

test('sent_at of a request moves times that are ahead; one of past events moves none', () => {
  const at = (ms: number): string => new Date(receivedMs + ms).toISOString();
  const hour = 3_600_000;
  const calls = [{event: 'a', ...ofUser, timestamp: at(hour)}];
  const timesOf = (body: object) => entriesOf(readAll(body, batch)).map(({time}) => time);
  expect(timesOf({batch: calls, sent_at: at(hour)})).toEqual([at(0)]);
  expect(timesOf({batch: calls, sent_at: at(-hour)})).toEqual([at(hour)]);
  expect(timesOf({batch: calls, sent_at: at(hour), historical_migration: true})).toEqual([at(hour)]);
  expect(timesOf([{...calls[0], sent_at: at(hour)}])).toEqual([at(0)]);
});

describe('the forms of the library for pages', () => {
  const call = {event: 'é+a', distinct_id: 'ada', properties: {token: 'k'}};
  const text = JSON.stringify(call);
  test.each([
    ['one call', text],
    ['a list', `[${text}]`],
    ['base64 in a form', `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`],
  ])('%s', (_, body) => {
    const reading = readAll(body, batch);
    expect(reading.key).toBe('k');
    expect(entriesOf(reading)).toMatchObject([{event: 'é+a', userId: 'ada'}]);
  });

  test('gzip is undone before', () => {
    expect(read(gzipSync(text), batch).kind).toBe('not_json');
  });

  test('the key may be in a call that is too long', () => {
    const long = {...call, properties: {...call.properties, t: 'x'.repeat(70_000)}};
    expect(readAll(long, batch)).toMatchObject({key: 'k', eventCount: 0, refused: [{index: 0}]});
  });
});
