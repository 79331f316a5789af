// The forms of a timestamp, and the millisecond that is stored of each (docs/api/events.md).

import {expect, test} from 'vitest';
import {expectError, expectErrorValue} from '../support/http.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

const valid: readonly (readonly [string, string])[] = [
  ['1970-01-01', '1970-01-01T00:00:00.000Z'],
  ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  ['1970-01-01T00:30:00+00:30', '1970-01-01T00:00:00.000Z'],
  ['1969-12-31T23:59:00-00:01', '1970-01-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T23:59:59.999', '2000-02-29T23:59:59.999Z'],
  ['2024-01-31T10:20', '2024-01-31T10:20:00.000Z'],
  ['2024-01-31T10:20Z', '2024-01-31T10:20:00.000Z'],
  ['2024-01-31T10:20:30', '2024-01-31T10:20:30.000Z'],
  ['2024-01-31T10:20:30.4', '2024-01-31T10:20:30.400Z'],
  ['2024-01-31T10:20:30.45Z', '2024-01-31T10:20:30.450Z'],
  ['2024-01-31T10:20:30.4567Z', '2024-01-31T10:20:30.456Z'],
  ['2024-01-31T10:20:30.456999999Z', '2024-01-31T10:20:30.456Z'],
  ['2024-01-31T23:59:59.9999999+00:00', '2024-01-31T23:59:59.999Z'],
  ['2024-01-31t10:20:30z', '2024-01-31T10:20:30.000Z'],
  ['2024-01-31 10:20:30', '2024-01-31T10:20:30.000Z'],
  ['2024-01-31 10:20+05:30', '2024-01-31T04:50:00.000Z'],
  ['2024-01-31T10:20:30+0530', '2024-01-31T04:50:30.000Z'],
  ['2024-01-31T10:20:30-03:30', '2024-01-31T13:50:30.000Z'],
  ['2024-02-29T23:30:00-14:00', '2024-03-01T13:30:00.000Z'],
  ['2024-03-01T00:00:00+14:00', '2024-02-29T10:00:00.000Z'],
  ['2024-01-31T10:20:30-00:00', '2024-01-31T10:20:30.000Z'],
  ['2024-12-31T23:59:59.999+23:59', '2024-12-31T00:00:59.999Z'],
];

const invalid: readonly unknown[] = [
  '',
  ' ',
  'yesterday',
  '2024',
  '2024-01',
  '2024-1-01',
  '2024-01-1',
  '20240131',
  '2024-01-31T',
  '2024-01-31T10',
  '2024-01-31T10Z',
  '2024-01-31T1020',
  '2024-01-31T10:2',
  '2024-01-31T10:20:3',
  '2024-01-31T10:20:30.',
  '2024-01-31T10:20:30.Z',
  '2024-01-31T10:20:30,5Z',
  '2024-01-31T10:20.5',
  '2024-01-31T10:20:30+01',
  '2024-01-31T10:20:30+1:00',
  '2024-01-31T10:20:30+01:0',
  '2024-01-31T10:20:30+01:60',
  '2024-01-31T10:20:30+24:00',
  '2024-01-31T10:20:30 +01:00',
  '2024-01-31T10:20:30ZZ',
  '2024-01-31T10:20:30[UTC]',
  '2024-01-31T10:20:30\u221201:00',
  '2024-01-31  10:20:30',
  '2024-01-31_10:20:30',
  '2024-01-31Z',
  '2024-01-31+01:00',
  ' 2024-01-31',
  '2024-01-31 ',
  '2024-01-31\n',
  '2024-00-31',
  '2024-13-31',
  '2024-01-00',
  '2024-01-32',
  '2023-02-29',
  '1900-02-29',
  '2024-04-31',
  '2024-01-31T24:00:00Z',
  '2024-01-31T23:60:00Z',
  '2016-12-31T23:59:60Z',
  '+002024-01-31',
  '-2024-01-31',
  '2024-W05-3',
  '2024-031',
  'Wed, 31 Jan 2024 10:20:30 GMT',
  '\u0662\u0660\u0662\u0664-01-31',
  '1969-12-31',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00+00:01',
  '0000-01-01',
  '9999-12-31',
  1_706_696_430_000,
  true,
  {},
  ['2024-01-31'],
];

test('every valid form is stored as its millisecond in UTC', async () => {
  const userId = freshId();
  await under.trackAll(valid.map(([timestamp], at) => ({event: `form-${at}`, userId, timestamp})));
  const stored = new Map((await under.eventsOf(userId)).map((event) => [event.event, event.timestamp]));
  expect(valid.map(([timestamp], at) => [timestamp, stored.get(`form-${at}`)])).toEqual(valid);
});

test('anything else is refused with its index and field, and nothing of it is stored', async () => {
  const userId = freshId();
  const events = invalid.map((timestamp) => ({event: 'seen', userId, timestamp}));
  const answer = await under.write.post('/v1/events/batch', {events});
  const {errors} = answer.json<{errors: {index: number; code: string; message: string; field?: string}[]}>();
  const refused = new Set(errors.map((error) => error.index));
  expect(invalid.filter((_, at) => !refused.has(at))).toEqual([]);
  for (const {index: _, ...error} of errors) expectErrorValue(error, 'invalid_event', 'timestamp');
  expect(answer.status).toBe(400);
  expect(await under.eventsOf(userId)).toEqual([]);
});

test('the bounds of queries take the same forms', async () => {
  for (const [timestamp] of valid) {
    const text = encodeURIComponent(timestamp);
    for (const name of ['from', 'to'])
      expect((await under.read.get(`/v1/events?${name}=${text}`)).status, text).toBe(200);
  }
  const future = ['9999-12-31'];
  const never = invalid.filter(
    (one): one is string => typeof one === 'string' && one !== '' && !/^(19|0000)/.test(one),
  );
  for (const timestamp of never.filter((one) => !future.includes(one))) {
    const text = encodeURIComponent(timestamp);
    for (const name of ['from', 'to']) {
      expectError(await under.read.get(`/v1/events?${name}=${text}`), 400, 'invalid_request', name);
      const other = name === 'from' ? 'to' : 'from';
      const report = `/v1/reports/users?${name}=${text}&${other}=2024-01-31`;
      expectError(await under.read.get(report), 400, 'invalid_request', name);
    }
  }
});

test('an event that is more than 5 minutes ahead is stored, and its answer says by how much', async () => {
  const userId = freshId();
  const at = (aheadMs: number) => ({event: 'seen', userId, timestamp: new Date(Date.now() + aheadMs).toISOString()});
  const hour = 3_600_000;
  // A busy machine receives it later than it was sent.
  const near = (seconds: number) => (text: unknown) => Number(text) <= seconds && Number(text) > seconds - 60;
  const plain = await under.track(at(20 * hour));
  expect(plain.headers['event-time-ahead']).toSatisfy(near(72_000));
  expect(plain.headers['access-control-expose-headers']).toBe('Event-Time-Ahead');
  const parsed = await under.track({...at(hour), unknown: 1});
  expect(parsed.headers['event-time-ahead']).toSatisfy(near(3_600));
  expect(parsed.headers['access-control-expose-headers']).toBe('Ignored-Fields, Event-Time-Ahead');
  for (const odd of [{}, {unknown: 1}]) {
    const batch = await under.trackAll([at(0), {...at(2 * hour), ...odd}, at(hour), at(-hour)]);
    expect(batch.headers['event-time-ahead']).toSatisfy(near(7_200));
  }
  for (const body of [at(60_000), {event: 'seen', userId}, {...at(hour), sentAt: at(hour).timestamp}]) {
    const {headers} = await under.track(body);
    expect([headers['event-time-ahead'], headers['access-control-expose-headers']]).toEqual([undefined, undefined]);
  }
});

test('up to 24 hours in the future, to both sides of the bound', async () => {
  const userId = freshId();
  const ahead = (ms: number): string => new Date(Date.now() + 24 * 3_600_000 + ms).toISOString();
  await under.track({event: 'seen', userId, timestamp: ahead(-1_000)});
  const late = await under.write.post('/v1/events', {event: 'seen', userId, timestamp: ahead(60_000)});
  expectError(late, 400, 'invalid_event', 'timestamp');
  expect(await under.eventsOf(userId)).toHaveLength(1);
});

test('without a timestamp, or with null, the time of receipt is the time', async () => {
  const userId = freshId();
  const before = Date.now();
  await under.track({event: 'seen', userId});
  await under.track({event: 'seen', userId, timestamp: null});
  const after = Date.now();
  for (const event of await under.eventsOf(userId)) {
    for (const time of [event.timestamp, event.received_at]) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(time)).toBeLessThanOrEqual(after);
    }
  }
});
