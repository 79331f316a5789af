// Calls of Amplitude as native entries: a recording of a real client and a table.

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

const form: CallForm = {vendor: 'amplitude'};

test('a recording of @amplitude/analytics-node', () => {
  const [request] = recordedRequests('amplitude-analytics-node');
  const reading = readAll(request!.body!, form);
  expect(reading).toMatchObject({key: 'WRITE_KEY_EXAMPLE', refused: [], callCount: 6});
  const entries = entriesOf(reading);
  expect(entries.map(short)).toEqual([
    ['Order Completed', 'u-1', null, {revenue: 9.5}],
    ['Viewed', null, 'a-1'],
    [{traits: {plan: 'pro'}}, 'u-1', 'a-1'],
    [{traits: {first: 'x'}}, 'u-1', 'a-1'],
    ['group', 'u-1', null, {groupId: 'g-1', groupType: 'company', traits: {name: 'ACME'}}],
    ['revenue_amount', 'u-1', null, {$productId: 'p', $quantity: 3, $price: 2}],
    [{traits: {company: 'g-1'}}, 'u-1', null],
  ]);
  expect(entries[1]).toEqual({
    call: 1,
    event: 'Viewed',
    anonymousId: 'a-1',
    messageId: '00000000-0000-4000-8000-000000000002',
    time: '2026-01-02T03:04:05.678Z',
    context: {event_id: 1, library: {name: 'amplitude-node-ts', version: '1.5.73'}},
  });
  expect(reading.ignoredCalls).toEqual({identify: 2});
  expect(reading.notes.ignoredNames).toEqual(['$add', 'groups']);
});

const ofUser = {user_id: 'ada'};

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  ['both ids, as sent', {event_type: 'a', ...ofUser, device_id: 'd'}, [{event: 'a', userId: 'ada', anonymousId: 'd'}]],
  ['a device', {event_type: 'a', user_id: null, device_id: 'd'}, [{event: 'a', anonymousId: 'd'}]],
  [
    'time and insert_id',
    {event_type: 'a', ...ofUser, time: 1_700_000_000_500, insert_id: 'm'},
    [{event: 'a', userId: 'ada', messageId: 'm', time: '2023-11-14T22:13:20.500Z'}],
  ],
  [
    'other members, which go to the context',
    {event_type: 'a', ...ofUser, session_id: 5, ip: '$remote', platform: 'Web', groups: {team: 'x'}, language: null},
    [{event: 'a', userId: 'ada', context: {session_id: 5, platform: 'Web', groups: {team: 'x'}}}],
  ],
  [
    'a page that was viewed',
    {
      event_type: '[Amplitude] Page Viewed',
      ...ofUser,
      event_properties: {'[Amplitude] Page Location': 'https://a.example/p', '[Amplitude] Page Title': 'T'},
    },
    [
      {
        event: '[Amplitude] Page Viewed',
        userId: 'ada',
        properties: {'[Amplitude] Page Location': 'https://a.example/p', '[Amplitude] Page Title': 'T'},
        context: {page: {path: '/p', url: 'https://a.example/p', title: 'T'}},
      },
    ],
  ],
  [
    'plain traits of an event',
    {event_type: 'a', ...ofUser, device_id: 'd', user_properties: {plan: 'pro'}, insert_id: 'm'},
    [
      {userId: 'ada', anonymousId: 'd', messageId: 'm', traits: {plan: 'pro'}},
      {event: 'a', userId: 'ada', anonymousId: 'd', messageId: 'm'},
    ],
  ],
  [
    'traits of a device, which are left out',
    {event_type: 'a', device_id: 'd', user_properties: {plan: 'pro'}},
    [{event: 'a', anonymousId: 'd'}],
  ],
  [
    '$identify',
    {
      event_type: '$identify',
      ...ofUser,
      user_properties: {
        $set: {plan: 'pro'},
        $setOnce: {first: 'x', no: null, empty: 'EMPTY'},
        $unset: {utm: '-'},
        more: 1,
      },
    },
    [
      {userId: 'ada', traits: {more: 1, plan: 'pro'}},
      {userId: 'ada', traits: {first: 'x'}, isOnce: true},
    ],
  ],
  [
    '$identify that joins',
    {event_type: '$identify', ...ofUser, device_id: 'd'},
    [{userId: 'ada', anonymousId: 'd', traits: {}}],
  ],
  [
    '$identify of a device',
    {event_type: '$identify', device_id: 'd', user_properties: {$set: {a: 1}, $setOnce: {a: 2, b: 2}}},
    [{event: 'identify', anonymousId: 'd', properties: {traits: {a: 1, b: 2}}}],
  ],
  [
    '$identify of a device that knows nothing, as pages send it at their start',
    {event_type: '$identify', device_id: 'd', user_properties: {$setOnce: {a: 'EMPTY'}, $unset: {b: '-'}}},
    [],
  ],
  [
    'several groups',
    {
      event_type: '$groupidentify',
      ...ofUser,
      insert_id: 'm',
      groups: {team: ['a', 7], company: 'c'},
      group_properties: {$set: {n: 1}},
    },
    [
      {event: 'group', userId: 'ada', messageId: 'm', properties: {groupId: 'a', groupType: 'team', traits: {n: 1}}},
      {event: 'group', userId: 'ada', messageId: 'm/2', properties: {groupId: '7', groupType: 'team', traits: {n: 1}}},
      {
        event: 'group',
        userId: 'ada',
        messageId: 'm/3',
        properties: {groupId: 'c', groupType: 'company', traits: {n: 1}},
      },
    ],
  ],
  ['a group of no person', {event_type: '$groupidentify', groups: {team: 'a'}}, []],
])('%s', (_, call, expected) => {
  expect(entriesOfOne(call, form)).toEqual(expected);
  expect(readAll({events: [call]}, form).refused).toEqual([]);
});

test.each<[string, unknown, object]>([
  ['no object', 7, {message: 'an event must be a JSON object'}],
  ['no name', {...ofUser}, {field: 'event'}],
  ['no id', {event_type: 'a'}, {field: 'userId'}],
  ['$identify of nobody', {event_type: '$identify'}, {field: 'userId'}],
  ['a time that is none', {event_type: 'a', ...ofUser, time: 'soon'}, {field: 'timestamp'}],
  ['properties that are no object', {event_type: 'a', ...ofUser, event_properties: 'p'}, {field: 'properties'}],
  ['traits that are no object', {event_type: '$identify', ...ofUser, user_properties: [1]}, {field: 'traits'}],
  ['$set that is no object', {event_type: '$identify', ...ofUser, user_properties: {$set: 'x'}}, {field: 'traits'}],
  [
    '$setOnce that is no object',
    {event_type: '$identify', ...ofUser, user_properties: {$setOnce: 'x'}},
    {field: 'traitsOnce'},
  ],
  ['a group without a name', {event_type: '$groupidentify', ...ofUser, groups: {team: ''}}, {code: 'invalid_event'}],
])('refused: %s', (_, call, refusal) => {
  const reading = readAll({events: [{event_type: 'first', ...ofUser}, call]}, form);
  expect(reading.refused).toMatchObject([{index: 1, refusal}]);
  expect(entriesOf(reading).map(({event}) => event)).toEqual(['first']);
});

test('what has no place is named and counted; the envelope is neither', () => {
  const reading = readAll(
    {
      api_key: 'k',
      options: {min_id_length: 1},
      request_metadata: {sdk: {}},
      more: 1,
      events: [
        {event_type: 'a', ...ofUser, user_properties: {$add: {n: 1}}},
        {event_type: 'a', device_id: 'd', user_properties: {n: 1}},
        {
          event_type: '$identify',
          ...ofUser,
          event_id: 1,
          session_id: 2,
          library: 'x/1',
          ip: '$remote',
          platform: 'Web',
        },
        {event_type: '$identify', device_id: 'd', user_properties: {$unset: {a: '-'}}},
        {event_type: '$groupidentify', groups: {team: 'a'}},
      ],
    },
    form,
  );
  expect(reading.notes.ignoredNames).toEqual(['more', '$add', 'user_properties', 'platform', '$unset', 'groups']);
  expect(reading.ignoredCalls).toEqual({event: 2, identify: 2, group: 1});
});

test('client_upload_time moves times that are ahead', () => {
  const at = (ms: number): string => new Date(receivedMs + ms).toISOString();
  const hour = 3_600_000;
  const events = [{event_type: 'a', ...ofUser, time: receivedMs + hour}];
  const timesOf = (body: object) => entriesOf(readAll(body, form)).map(({time}) => time);
  expect(timesOf({events, client_upload_time: at(hour)})).toEqual([at(0)]);
  expect(timesOf({events, client_upload_time: at(-hour)})).toEqual([at(hour)]);
  expect(timesOf({events, client_upload_time: receivedMs + hour})).toEqual([at(0)]);
});

test('answers have their code in the body; a key that is wrong is 400', () => {
  const {taken, refusalForm} = translators.get('amplitude')!;
  const answer = taken({kind: undefined, parameters: '', callCount: 2, bodyBytes: 30, nowMs: 5});
  expect(JSON.parse(answer.body)).toEqual({
    code: 200,
    events_ingested: 2,
    payload_size_bytes: 30,
    server_upload_time: 5,
  });
  const message = 'a sentence';
  const wrongKey = {status: '400 Bad Request', body: {code: 400, error: 'Invalid API key'}};
  expect(refusalForm!({code: 'invalid_key', message})).toEqual(wrongKey);
  expect(refusalForm!({code: 'missing_key', message})).toEqual(wrongKey);
  for (const [code, status] of [
    ['invalid_json', 400],
    ['origin_not_allowed', 403],
    ['payload_too_large', 413],
    ['rate_limited', 429],
    ['unavailable', 503],
  ] as const) {
    const form = refusalForm!({code, message});
    expect(form.body).toEqual({code: status, error: message});
    expect(form.status.startsWith(`${status} `)).toBe(true);
  }
});
