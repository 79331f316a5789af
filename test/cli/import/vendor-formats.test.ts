// Lines as the services write them, with invented people.
import {expect, test} from 'vitest';
import {assertColumns, type CsvColumns} from '../../../src/cli/import/csv-export.js';
import {assertForm} from '../../../src/cli/import/detection.js';
import {type LineMeaning, readLine} from '../../../src/cli/import/source-event.js';
import {formatOf, type VendorName, vendorOf} from '../../../src/cli/import/vendor-formats.js';
import {zoneOf} from '../../../src/zone.js';

const read = (from: VendorName, line: object | string, number = 1): LineMeaning =>
  readLine(
    {number, bytes: Buffer.from(typeof line === 'string' ? line : JSON.stringify(line))},
    'head',
    formatOf(from),
  );

/** What is sent for a line: the request, and its body. */
function sent(from: VendorName, line: object | string, number = 1): readonly (readonly [string, unknown])[] {
  const meaning = read(from, line, number);
  if (meaning.kind !== 'sent') throw new Error(JSON.stringify(meaning));
  return meaning.entries.map(({call, json}) => [call, JSON.parse(json.toString())]);
}

const segmentTrack = {
  anonymousId: 'anon-7',
  channel: 'client',
  context: {page: {path: '/pricing'}, library: {name: 'analytics.js', version: '2.11.1'}},
  event: 'Signed Up',
  integrations: {},
  messageId: 'ajs-next-1700000000000-7f1c2d3e-0000-4000-8000-1234567890ab',
  originalTimestamp: '2024-03-01T10:00:09.500Z',
  projectId: 'p',
  properties: {plan: 'pro'},
  receivedAt: '2024-03-01T10:00:01.200Z',
  sentAt: '2024-03-01T10:00:09.700Z',
  timestamp: '2024-03-01T10:00:01.000Z',
  type: 'track',
  userId: null,
  version: 2,
};

test('Segment: the corrected time counts, null is no id, and sentAt corrects nothing again', () => {
  expect(sent('segment', segmentTrack)).toEqual([
    [
      'event',
      {
        event: 'Signed Up',
        anonymousId: 'anon-7',
        messageId: segmentTrack.messageId,
        timestamp: '2024-03-01T10:00:01.000Z',
        properties: {plan: 'pro'},
        context: segmentTrack.context,
      },
    ],
  ]);
});

test('Segment: identify and alias lines between the events set traits and join', () => {
  const common = {messageId: 'm', timestamp: '2024-03-01T10:00:02.000Z'};
  const identify = {...common, type: 'identify', userId: 'ada', anonymousId: 'anon-7', traits: {plan: 'pro'}};
  expect(sent('segment', identify)).toEqual([
    ['identify', {...common, userId: 'ada', anonymousId: 'anon-7', traits: {plan: 'pro'}}],
  ]);
  expect(sent('segment', {...common, type: 'alias', userId: 'ada', previousId: 'anon-6'})).toEqual([
    ['identify', {...common, userId: 'ada', anonymousId: 'anon-6'}],
  ]);
  expect(read('segment', {...common, type: 'group', groupId: 'acme'})).toEqual({
    kind: 'left_out',
    call: 'group',
    ignored: ['groupId'],
  });
});

const mixpanelTrack = {
  event: 'Signed Up',
  properties: {
    time: 1709287201,
    distinct_id: 'ada',
    $device_id: 'dev-7',
    $user_id: 'ada',
    $insert_id: 'aZ09bcde',
    $browser: 'Firefox',
    mp_processing_time_ms: 1709287203123,
    plan: 'pro',
  },
};

test('Mixpanel: times are seconds, or milliseconds, and the insert id is the message id', () => {
  const expected = {
    event: 'Signed Up',
    userId: 'ada',
    anonymousId: 'dev-7',
    messageId: 'aZ09bcde',
    timestamp: '2024-03-01T10:00:01.000Z',
    properties: {$browser: 'Firefox', mp_processing_time_ms: 1709287203123, plan: 'pro'},
  };
  expect(sent('mixpanel', mixpanelTrack)).toEqual([['event', expected]]);
  const inMs = {...mixpanelTrack, properties: {...mixpanelTrack.properties, time: 1709287201250}};
  expect(sent('mixpanel', inMs)).toEqual([['event', {...expected, timestamp: '2024-03-01T10:00:01.250Z'}]]);
});

test.each<[string, object, object]>([
  ['a device alone', {distinct_id: '$device:dev-7', $device_id: 'dev-7'}, {anonymousId: 'dev-7'}],
  [
    'before a login',
    {distinct_id: 'ada', $distinct_id_before_identity: '$device:d'},
    {userId: 'ada', anonymousId: 'd'},
  ],
  ['a user all along', {distinct_id: 'ada', $distinct_id_before_identity: 'ada'}, {userId: 'ada'}],
])('Mixpanel: ids of %s', (_, ids, expected) => {
  expect(sent('mixpanel', {event: 'e', properties: {time: 1709287201, $insert_id: 'i', ...ids}})).toEqual([
    ['event', {event: 'e', messageId: 'i', timestamp: '2024-03-01T10:00:01.000Z', properties: {}, ...expected}],
  ]);
});

const amplitudeEvent = `{"$insert_id":"5f0adeff-6668-4427-8d02-57d803a2b841","$insert_key":"00ab","$schema":null,
"amplitude_attribution_ids":null,"amplitude_event_type":null,"amplitude_id":1004511497868091234,"app":187520,
"city":"Berlin","client_event_time":"2024-03-01 10:00:09.123000","client_upload_time":"2024-03-01 10:00:10.001000",
"country":"Germany","data":{"path":"/2/httpapi"},"device_id":"dev-7","event_id":3,"event_properties":{"plan":"pro"},
"event_time":"2024-03-01 10:00:01.123456","event_type":"Signed Up","groups":{},"group_properties":{},
"is_attribution_event":false,"library":"amplitude-ts/2.4.0","os_name":"Firefox","platform":"Web",
"server_received_time":"2024-03-01 10:00:02.000000","server_upload_time":"2024-03-01 10:00:02.100000",
"session_id":1709287200000,"user_id":"ada","user_properties":{"plan":"pro","initial_gclid":"EMPTY","team":null},
"uuid":"b8bd9bc4-0a3d-11ef-9f5c-0242ac120002","version_name":null}`.replaceAll('\n', '');

test('Amplitude: times are texts in UTC, EMPTY is nothing, and its own 64-bit id refuses no line', () => {
  const common = {
    userId: 'ada',
    anonymousId: 'dev-7',
    messageId: '5f0adeff-6668-4427-8d02-57d803a2b841',
    timestamp: '2024-03-01 10:00:01.123456',
  };
  const context = {
    city: 'Berlin',
    country: 'Germany',
    event_id: 3,
    os_name: 'Firefox',
    platform: 'Web',
    session_id: 1709287200000,
    library: {name: 'amplitude-ts', version: '2.4.0'},
  };
  const {anonymousId: _, ...ofTraits} = common; // The event joins.
  expect(sent('amplitude', amplitudeEvent)).toEqual([
    ['identify', {...ofTraits, traits: {plan: 'pro'}}],
    ['event', {event: 'Signed Up', ...common, properties: {plan: 'pro'}, context}],
  ]);
  const anonymous = amplitudeEvent.replace('"user_id":"ada"', '"user_id":null').replace('$insert_id', '$no');
  expect(sent('amplitude', anonymous)).toMatchObject([
    ['event', {anonymousId: 'dev-7', messageId: 'b8bd9bc4-0a3d-11ef-9f5c-0242ac120002'}],
  ]);
});

const posthogCapture = {
  uuid: '018df9a2-0000-7000-8000-1234567890ab',
  event: 'Signed Up',
  properties: {plan: 'pro', $is_identified: true, $device_id: 'dev-7', $set: {plan: 'pro'}, $set_once: {from: 'ad'}},
  distinct_id: 'ada',
  team_id: 1,
  timestamp: '2024-03-01T10:00:01.123456+00:00',
  created_at: '2024-03-01T10:00:02.000000+00:00',
  person_id: '018df9a2-0000-0000-8000-1234567890ab',
  person_properties: {plan: 'pro', account: 1},
};

test('PostHog: microseconds, traits with the time of their line, and properties as an object or as a text', () => {
  const common = {
    userId: 'ada',
    messageId: posthogCapture.uuid,
    timestamp: '2024-03-01T10:00:01.123456+00:00',
  };
  const {$set: traits, $set_once: traitsOnce, ...properties} = posthogCapture.properties;
  const expected = [
    ['identify', {...common, traits, traitsOnce}],
    ['event', {event: 'Signed Up', ...common, properties}],
  ];
  expect(sent('posthog', posthogCapture)).toEqual(expected);
  expect(sent('posthog', {...posthogCapture, properties: JSON.stringify(posthogCapture.properties)})).toEqual(expected);
  const apart = {...posthogCapture, properties, set: JSON.stringify(traits), set_once: traitsOnce};
  expect(sent('posthog', apart)).toEqual(expected);
});

test('PostHog: flags say who is anonymous, and $identify joins', () => {
  const anonymous = {...posthogCapture, distinct_id: 'dev-7', properties: {$is_identified: false}};
  expect(sent('posthog', anonymous)).toMatchObject([['event', {anonymousId: 'dev-7'}]]);
  const identify = {...posthogCapture, event: '$identify', properties: {$anon_distinct_id: 'dev-7'}};
  expect(sent('posthog', identify)).toEqual([
    [
      'identify',
      {userId: 'ada', anonymousId: 'dev-7', messageId: posthogCapture.uuid, timestamp: posthogCapture.timestamp},
    ],
  ]);
});

const ga4Row = {
  event_date: '20240301',
  event_timestamp: '1709287201123456',
  event_name: 'purchase',
  event_params: [
    {key: 'page_location', value: {string_value: 'https://shop.example.com/thanks?x=1'}},
    {key: 'ga_session_id', value: {int_value: '1709287200'}},
    {key: 'value', value: {double_value: 49.9}},
    {key: 'long', value: {int_value: '9007199254740993'}},
  ],
  event_bundle_sequence_id: '7',
  batch_event_index: '2',
  user_id: 'ada',
  user_pseudo_id: '123.456',
  user_properties: [{key: 'plan', value: {string_value: 'pro', set_timestamp_micros: '1709287200000000'}}],
  device: {category: 'mobile', operating_system: 'iOS', language: 'de-de', web_info: {browser: 'Safari'}},
  geo: {country: 'Germany'},
  items: [{item_id: 'shoes-1'}],
};

test('Google Analytics 4: microseconds, parameters by their types, and the traits of a known user', () => {
  const [identify, event] = sent('ga4', ga4Row) as readonly [[string, object], [string, {messageId: string}]];
  const {messageId} = event[1];
  const common = {userId: 'ada', messageId, timestamp: '2024-03-01T10:00:01.123Z'};
  expect(identify).toEqual(['identify', {...common, traits: {plan: 'pro'}}]);
  const [page_location, properties] = ['https://shop.example.com/thanks?x=1', {ga_session_id: 1709287200, value: 49.9}];
  const {category, operating_system, language, web_info} = ga4Row.device;
  expect(event).toEqual([
    'event',
    {
      ...{event: 'purchase', ...common, anonymousId: '123.456'},
      properties: {page_location, ...properties, long: '9007199254740993', items: ga4Row.items},
      context: {
        page: {url: page_location, path: '/thanks', search: '?x=1'},
        device: {category, operating_system, language, web_info, type: 'mobile'},
        ...{os: {name: 'iOS'}, browser: {name: 'Safari'}, locale: 'de-de', geo: ga4Row.geo},
      },
    },
  ]);
  expect(read('ga4', {...ga4Row, user_id: null, user_pseudo_id: undefined})).toMatchObject({kind: 'left_out'});
});

test('Google Analytics 4: a row has the same id in each file, and rows that are equal in everything are apart', () => {
  const {batch_event_index: _, ...older} = ga4Row;
  const idsOf = (...rows: object[]): string[] => {
    const format = formatOf('ga4');
    return rows.map((row) => {
      const translation = format.translate(row as Readonly<Record<string, unknown>>);
      return 'native' in translation ? String(translation.native.at(-1)!.value.messageId) : '';
    });
  };
  const [first, second, other] = idsOf(older, older, {...older, event_params: []});
  expect(new Set([first, second, other]).size).toBe(3);
  expect(idsOf(older, {...older, event_params: []}, older)).toEqual([first, other, second]);
  // What says its place is the same event however often a file has it, and wherever.
  const [placed] = idsOf(ga4Row);
  expect(idsOf({...ga4Row, batch_event_index: '3'}, ga4Row, {...ga4Row, geo: {}})).toEqual([
    expect.not.stringContaining(placed!),
    placed,
    placed,
  ]);
});

const columns: CsvColumns = new Map([
  ['event', 'name'],
  ['userId', 'customer'],
  ['timestamp', 'at'],
]);
const readCsv = (row: object, zone?: string): LineMeaning =>
  readLine(
    {number: 2, bytes: Buffer.from(JSON.stringify(row))},
    'head',
    formatOf('csv', {columns, zone: zone === undefined ? undefined : zoneOf(zone)}),
  );
const bodyOf = (meaning: LineMeaning): unknown =>
  meaning.kind === 'sent' ? JSON.parse(meaning.entries[0]!.json.toString()) : meaning;

test('CSV: columns by name, plain values as JSON writes them, and times in the zone that is said', () => {
  const row = {name: 'order', customer: '00042', at: '2024-03-01 10:00:00', price: '12.50', count: '3', isNew: 'true'};
  expect(bodyOf(readCsv({...row, messageId: 'm1'}, 'Europe/Berlin'))).toEqual({
    event: 'order',
    userId: '00042',
    messageId: 'm1',
    timestamp: '2024-03-01T09:00:00.000Z',
    properties: {price: '12.50', count: 3, isNew: true},
  });
});

test.each([
  ['2024-03-01T10:00:00Z', '2024-03-01T10:00:00Z'],
  ['2024-03-01 10:00:00.123456+00', '2024-03-01 10:00:00.123456+00:00'],
  ['2024-03-01 10:00:00 UTC', '2024-03-01 10:00:00Z'],
  ['1709287200', '2024-03-01T10:00:00.000Z'],
  ['1709287200123', '2024-03-01T10:00:00.123Z'],
])('CSV: a time that needs no zone is taken as it is: %s', (at, timestamp) => {
  expect(bodyOf(readCsv({name: 'e', customer: 'u', at}))).toMatchObject({timestamp});
});

test('a time without a zone is refused with a sentence, and never guessed', () => {
  const row = {name: 'e', customer: 'u', at: '2024-03-31 02:30:00'};
  expect(() => readCsv(row)).toThrow(/^at has times without a zone \(2024-03-31 02:30:00\): --timezone says which one/);
  expect(() => readCsv({...row, at: '2024-03-31'})).toThrow(/without a zone/);
  // Clocks go forward: the end of the gap. They go back: the first of two.
  expect(bodyOf(readCsv(row, 'Europe/Berlin'))).toMatchObject({timestamp: '2024-03-31T01:00:00.000Z'});
  const twice = {...row, at: '2024-10-27 02:30:00'};
  expect(bodyOf(readCsv(twice, 'Europe/Berlin'))).toMatchObject({timestamp: '2024-10-27T00:30:00.000Z'});
  expect(readCsv({...row, at: 'yesterday'})).toMatchObject({kind: 'refused', refusal: {field: 'timestamp'}});
});

test('CSV: a table without a column that every event needs is refused before anything is sent', () => {
  const header = ['name', 'at', 'customer'];
  expect(() => assertColumns(header, columns)).not.toThrow();
  expect(() => assertColumns(header, new Map())).toThrow(
    /which column is event\? Say --map event=COLUMN; .* name, at, cust/,
  );
  expect(() => assertColumns(['name', 'at'], new Map([...columns, ['userId', 'id']]))).toThrow(
    /no column is named "id"/,
  );
  expect(() => assertColumns(['event', 'timestamp'], new Map())).toThrow(/which column is the person/);
});

test('Mixpanel: a project with times of its zone', () => {
  const format = formatOf('mixpanel', {zone: zoneOf('America/New_York')});
  const meaning = readLine({number: 1, bytes: Buffer.from(JSON.stringify(mixpanelTrack))}, 'head', format);
  expect(bodyOf(meaning)).toMatchObject({timestamp: '2024-03-01T15:00:01.000Z'});
});

test('equal traits of one user are known as such, and calls that join keep their place', () => {
  const traitsOf = (from: VendorName, line: object | string): unknown => {
    const meaning = read(from, line);
    return meaning.kind === 'sent' ? meaning.entries.map(({traits}) => traits) : meaning;
  };
  const atTime = {key: '["ada",{"plan":"pro"},null]', timeMs: Date.UTC(2024, 2, 1, 10, 0, 1, 123)};
  expect(traitsOf('amplitude', amplitudeEvent)).toEqual([atTime, undefined]);
  const common = {type: 'identify', userId: 'ada', traits: {plan: 'pro'}, timestamp: '2024-03-01T10:00:01.123Z'};
  expect(traitsOf('segment', common)).toEqual([atTime]);
  expect(traitsOf('segment', {...common, anonymousId: 'dev-7'})).toEqual([undefined]);
});

test.each<[VendorName, object]>([
  ['segment', {...segmentTrack, timestamp: undefined, originalTimestamp: null}],
  ['segment', {...segmentTrack, timestamp: 'yesterday'}],
  ['mixpanel', {...mixpanelTrack, properties: {...mixpanelTrack.properties, time: '1709287201'}}],
  ['mixpanel', {...mixpanelTrack, properties: {...mixpanelTrack.properties, time: undefined}}],
  ['amplitude', {...JSON.parse(amplitudeEvent), amplitude_id: 1, event_time: '01.03.2024 10:00'}],
  ['posthog', {...posthogCapture, timestamp: ''}],
])('%s: a line without a time that can be read is refused, never given the present one', (from, line) => {
  expect(read(from, line)).toEqual({
    kind: 'refused',
    refusal: {code: 'invalid_event', message: 'the line has no time that can be read', field: 'timestamp'},
  });
});

test('a number that a double does not hold refuses its line, also within a text of properties', () => {
  const refusal = {code: 'invalid_event'};
  const text = '{"event":"e","distinct_id":"u","uuid":"i","timestamp":"2024-03-01T10:00:01Z","properties":';
  expect(read('posthog', `${text}{"n":12345678901234567890}}`)).toMatchObject({kind: 'refused', refusal});
  expect(read('posthog', `${text}"{\\"n\\":12345678901234567890}"}`)).toMatchObject({kind: 'refused'});
});

test('a line without an id of its own gets the same one each time, and each of its entries another one', () => {
  const line = {type: 'alias', userId: 'ada', anonymousId: 'a', previousId: 'b', timestamp: '2024-03-01T10:00:01Z'};
  const idsOf = (number: number): string[] =>
    sent('segment', line, number).map(([, body]) => (body as {messageId: string}).messageId);
  expect(idsOf(1)).toEqual([expect.stringMatching(/^import-/), expect.stringMatching(/^import-/)]);
  expect(new Set([...idsOf(1), ...idsOf(1), ...idsOf(2)]).size).toBe(4);
});

test('the first line tells whose export a file is', async () => {
  const ours = {event: 'Signed Up', userId: 'ada', timestamp: '2024-03-01', messageId: 'm', properties: {time: 1}};
  const ofGa4 = {event_date: '20240301', event_timestamp: '1709287201000000', event_name: 'e', event_params: []};
  const lines = [
    segmentTrack,
    mixpanelTrack,
    JSON.parse(amplitudeEvent),
    posthogCapture,
    ours,
    ofGa4,
    {profile: {}},
    7,
  ];
  const expected = ['segment', 'mixpanel', 'amplitude', 'posthog', undefined, 'ga4', undefined, undefined];
  expect(lines.map(vendorOf)).toEqual(expected);

  const head = (line: object): Buffer => Buffer.from(`\ufeff\n${JSON.stringify(line)}\n{"cut`);
  const asked = (line: object | string, from: VendorName | undefined, name = 'a'): Promise<void> =>
    assertForm(typeof line === 'string' ? Buffer.from(line) : head(line), {from}, name);
  await expect(asked(mixpanelTrack, undefined)).rejects.toThrow('a looks like Mixpanel: add --from mixpanel.');
  await expect(asked(mixpanelTrack, 'posthog')).rejects.toThrow(
    'a looks like Mixpanel, not PostHog: say --from mixpanel.',
  );
  await expect(asked(ofGa4, 'posthog')).rejects.toThrow(/Google Analytics 4, not PostHog: say --from ga4/);
  await expect(asked('event,time\n', undefined, 'a.csv.gz')).rejects.toThrow(/a table: add --from csv, and --map/);
  await expect(asked('date,visitors\n', 'csv', 'imported_visitors_2024.csv')).rejects.toThrow(/no events/);
  for (const [line, from] of [
    [mixpanelTrack, 'mixpanel'],
    [ours, undefined],
    [{}, 'amplitude'],
  ] as const)
    await expect(asked(line, from)).resolves.toBeUndefined();
});
