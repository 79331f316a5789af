// POST /v1/events/batch: one outcome per item, whole answers.

import {describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson} from '../support/http.js';
import {until} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

interface BatchBody {
  readonly status: string;
  readonly received: number;
  readonly rejected: number;
  readonly errors: {index: number; code: string; message: string; field?: string; messageId?: string}[];
  readonly ignored_fields?: readonly string[];
  readonly error?: {code: string; message: string; field?: string};
}

const post = (events: unknown): Promise<Answer> => under.write.post('/v1/events/batch', {events});

function expectRejections(body: BatchBody, expected: readonly Record<string, unknown>[]): void {
  for (const {message} of body.errors) expect(message).toMatch(/\S/);
  expect(body.errors.map(({message: _, ...rest}) => rest)).toEqual(expected);
}

test('all valid: 200, and all are read back in their order', async () => {
  const userId = freshId();
  const events = ['a', 'b', 'c'].map((event) => ({event, userId, timestamp: '2024-01-01T00:00:00Z'}));
  const answer = await post(events);
  expectJson(answer, 200);
  expect(answer.json()).toEqual({status: 'ok', received: 3, rejected: 0, errors: []});
  expect(answer.headers['log-position']).toMatch(/^\d+:\d+\.\d+(,\d+:\d+\.\d+)*$/);
  expect((await under.eventsOf(userId)).map((event) => event.event)).toEqual(['c', 'b', 'a']);
});

test('an event with the messageId of another one before is received, not counted, and named; a retry is not', async () => {
  const userId = freshId();
  // The list has the conflicts of other tests, too.
  const [one, another] = [`first of ${userId}`, `second of ${userId}`];
  const first = {event: one, userId, messageId: 'undefined', timestamp: '2024-01-01'};
  const events = [first, {...first, event: another}, first, {event: 'other', userId}, {...first, properties: {a: 1}}];
  const answer = await post(events);
  expectJson(answer, 200);
  expect(answer.json()).toEqual({status: 'ok', received: 5, rejected: 0, errors: [], conflicts: [1, 4]});
  const some = await post([first, '', {...first, event: another}]);
  expectJson(some, 207);
  expect(some.json()).toMatchObject({received: 2, conflicts: [2]});
  expect((await under.eventsOf(userId)).map((event) => event.event).sort()).toEqual([one, 'other']);
  const listed = await until(
    async () =>
      (await under.read.get('/v1/rejected?code=conflict&limit=1000'))
        .json<{data: {at: string; event: string}[]}>()
        .data.filter(({event}) => event === one || event === another),
    (data) => data.length >= 3,
    'the conflicts are folded',
  );
  const ofEdges = {code: 'conflict', field: 'messageId', index: null, key_id: null};
  expect(listed.map(({at: _, ...rest}) => rest)).toEqual([another, one, another].map((event) => ({...ofEdges, event})));
  for (const messageId of [' ', '\u3000', 'a\u0000']) {
    expectError(await under.write.post('/v1/events', {...first, messageId}), 400, 'invalid_event', 'messageId');
    const identify = {userId, messageId};
    expectError(await under.write.post('/v1/users/identify', identify), 400, 'invalid_request', 'messageId');
  }
});

test('some valid: 207, the valid ones are stored, each refusal has its index, code, field and messageId', async () => {
  const userId = freshId();
  const answer = await post([
    {event: 'first', userId},
    {event: '', userId, messageId: 'm-1'},
    'no object',
    {event: 'second', userId, messageId: 'm-2'},
    {event: 'third', userId, properties: {a: 'x'.repeat(64 * 1024)}, messageId: 'm-3'},
    {event: 'fourth', userId, timestamp: 'never'},
    null,
  ]);
  expectJson(answer, 207);
  expect(answer.headers['log-position']).toMatch(/^\d+:\d+\.\d+$/);
  const body = answer.json<BatchBody>();
  expect(Object.keys(body).sort()).toEqual(['errors', 'received', 'rejected', 'status']);
  expect(body).toMatchObject({status: 'partial', received: 2, rejected: 5});
  expectRejections(body, [
    {index: 1, code: 'invalid_event', field: 'event', messageId: 'm-1'},
    {index: 2, code: 'invalid_event'},
    {index: 4, code: 'event_too_large', messageId: 'm-3'},
    {index: 5, code: 'invalid_event', field: 'timestamp'},
    {index: 6, code: 'invalid_event'},
  ]);
  expect((await under.eventsOf(userId)).map((event) => event.event).sort()).toEqual(['first', 'second']);
});

test('known duplicates count as received: a retry gets the same answer, and stores nothing', async () => {
  const userId = freshId();
  const events = [
    {event: 'a', userId, messageId: '1'},
    {event: 'b', userId, messageId: '2'},
    {event: 'a again', userId, messageId: '1'},
    {event: 'bad', userId, messageId: '3', timestamp: 0},
  ];
  const [first, second] = [await post(events), await post(events)];
  expectJson(first, 207);
  expectJson(second, 207);
  expect(second.json()).toEqual(first.json());
  expect(first.json()).toMatchObject({received: 3, rejected: 1});
  expect((await under.eventsOf(userId)).map((event) => event.event).sort()).toEqual(['a', 'b']);
});

describe('the envelope', () => {
  test('unknown fields are named, those beside `events` too', async () => {
    const events = [
      {event: 'seen', userId: freshId(), time: 1},
      {event: 'seen', userId: freshId()},
      {event: '', ts: 1},
    ];
    const answer = await under.write.post('/v1/events/batch', {events, writeKey: 1, 'ü, x': 2});
    expectJson(answer, 207);
    expect(answer.json<BatchBody>().ignored_fields).toEqual(['time', 'writeKey', 'ü, x']);
    expect(answer.headers['ignored-fields']).toBe('time,writeKey,%C3%BC%2C%20x');
    expect(answer.headers['access-control-expose-headers']).toBe('Ignored-Fields');
  });

  test('broken JSON is told by its place and its event', async () => {
    const body = '{"events":[{"event":"a","userId":"u"},{"event":"b","userId":"u","properties":{"n":NaN}}]}';
    const headers = {'content-type': 'application/json'};
    const answer = await under.write.send('POST', '/v1/events/batch', {body, headers});
    expectError(answer, 400, 'invalid_json');
    const place = `unexpected NaN at byte offset ${body.indexOf('NaN')}, in event 1`;
    expect(answer.json<BatchBody>().error?.message).toBe(`the body is not JSON in UTF-8: ${place}`);
  });
});
