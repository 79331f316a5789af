// GET /v1/properties, /v1/traits and their values: the sentences of docs/api/lists.md one by one.

import {beforeAll, describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson, query} from '../support/http.js';
import {reportCovering, until} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

type Parameters = Readonly<Record<string, string>>;

const event = freshId('lists');
const trait = freshId('trait');
const may = {from: '2024-05-01', to: '2024-05-31'};
const [ada, bob] = [freshId(), freshId()];
const end = {has_more: false, next_cursor: null};

async function covered(path: string, parameters: Parameters): Promise<Answer> {
  const answer = await reportCovering(under.read, `/v1/${path}?${query(parameters)}`, under.positions);
  expectJson(answer, 200);
  return answer;
}

beforeAll(async () => {
  const track = (userId: string, date: string, properties: object) => ({
    event,
    userId,
    properties,
    context: {page: {path: '/home'}},
    timestamp: `${date}T12:00:00Z`,
  });
  await under.trackAll([
    track(ada, '2024-05-01', {plan: 'pro', amount: 1, tags: ['a'], cart: {total: 5}}),
    track(ada, '2024-05-02', {plan: 'pro', amount: '1', mine: null}),
    track(bob, '2024-05-03', {plan: 'free', amount: true}),
    track(bob, '2024-05-04', {}),
    track(bob, '2024-07-01', {later: 1}),
  ]);
  for (const [userId, traits] of [
    [ada, {[trait]: 'x', [`${trait} 2`]: {a: 1}}],
    [bob, {[trait]: 7}],
  ] as const) {
    const answer = await under.write.post('/v1/users/identify', {userId, traits});
    under.positions.add(String(answer.headers['log-position']));
  }
});

describe('users', () => {
  const prefix = freshId('person');
  const [old, young, known] = [`${prefix}-1`, `${prefix}-2`, `${prefix}-3`];
  const device = `${prefix}-device`;
  const nobody = `${prefix}-nobody`;
  const noon = (date: string): string => `${date}T12:00:00.000Z`;

  beforeAll(async () => {
    await under.trackAll([
      {event, userId: old, timestamp: noon('2024-04-01')},
      {event: `${event} x`, userId: old, timestamp: noon('2024-04-03')},
      {event, userId: young, timestamp: noon('2024-04-05')},
      {event, anonymousId: nobody, timestamp: noon('2024-04-02')},
      {event, anonymousId: device, timestamp: noon('2024-04-04')},
      {event, userId: known, anonymousId: device, timestamp: noon('2024-04-04')},
    ]);
    for (const userId of [young, old]) {
      const answer = await under.write.post('/v1/users/identify', {userId, traits: {[trait]: userId, city: 'Rome'}});
      under.positions.add(String(answer.headers['log-position']));
    }
  });

  const idsOf = (answer: Answer): string[] => answer.json<{data: {id: string}[]}>().data.map(({id}) => id);

  test('are listed, the last seen first, without devices that are a known user', async () => {
    // What was sent with the userId is a millisecond later; the event of the device joins soon.
    const answer = await until(
      () => covered('users', {prefix}),
      (seen) => seen.text.includes(noon('2024-04-04')),
      'the event of the device is that of its user',
    );
    expect(answer.json()).toEqual({
      data: [
        [young, 'user', noon('2024-04-05'), noon('2024-04-05'), {[trait]: young, city: 'Rome'}],
        [known, 'user', noon('2024-04-04'), '2024-04-04T12:00:00.001Z', {}],
        [old, 'user', noon('2024-04-01'), noon('2024-04-03'), {[trait]: old, city: 'Rome'}],
        [nobody, 'anonymous', noon('2024-04-02'), noon('2024-04-02'), {}],
      ].map(([id, kind, created_at, last_seen, traits]) => ({id, kind, created_at, last_seen, traits})),
      ...end,
    });
  });

  test('are not listed once they are deleted', async () => {
    const deleted = await under.read.delete(`/v1/user?${query({userId: young})}`);
    under.positions.add(deleted.json<{deletion: {log_position: string}}>().deletion.log_position);
    expect(idsOf(await covered('users', {prefix}))).toEqual([known, old, nobody]);
  });
});

describe('names', () => {
  test('and properties are hidden from lists, and nothing else is', async () => {
    const put = (path: string, json: object, client = under.read) => client.send('PUT', `/v1/${path}/hidden`, {json});
    const never = freshId();
    const hidden = await put('names', {names: [event, never, event]});
    expect([hidden.status, hidden.json()]).toEqual([200, {names: [event, never]}]);
    expect((await put('properties', {properties: ['plan', 'p x']})).json()).toEqual({properties: ['plan', 'p x']});
    expect((await under.read.get('/v1/names/hidden')).json()).toEqual({names: [event, never]});
    expect((await under.read.get('/v1/properties/hidden')).json()).toEqual({properties: ['plan', 'p x']});
    expect((await covered('names', {prefix: event, ...may})).json()).toMatchObject({data: []});
    const shown = await covered('names', {prefix: event, ...may, hidden: 'true'});
    expect(shown.json()).toMatchObject({data: [{name: event, count: 4, hidden: true}]});
    const properties = await covered('properties', {event, ...may, limit: '1'});
    expect(properties.json()).toMatchObject({data: [{property: 'amount'}], has_more: true});
    const marked = await covered('properties', {event, ...may, limit: '2', hidden: 'true'});
    expect(marked.json()).toMatchObject({data: [{property: 'amount'}, {property: 'plan', hidden: true}]});
    const asked = await covered('reports/events', {event, ...may, filter: 'plan=pro'});
    expect(asked.json()).toMatchObject({total: 2});
    expect(asked.headers['report-hint']).toBe(
      `event "${event}" is hidden from lists; property "plan" is hidden from lists`,
    );
    expect((await put('names', {names: []})).json()).toEqual({names: []});
    expect((await put('properties', {properties: []})).json()).toEqual({properties: []});
    expect((await covered('names', {prefix: event, ...may})).json()).toMatchObject({data: [{name: event}]});
  });

  test('a hidden list is replaced only as it was read, if the client says so', async () => {
    const put = (names: readonly string[], ifMatch?: string) =>
      under.read.send('PUT', '/v1/names/hidden', {json: {names}, ...(ifMatch && {headers: {'If-Match': ifMatch}})});
    const [mine, theirs] = [freshId(), freshId()];
    const {etag} = (await under.read.get('/v1/names/hidden')).headers;
    const first = await put([theirs], etag);
    expect([first.status, first.json()]).toEqual([200, {names: [theirs]}]);
    const late = await put([mine], etag);
    expect([late.status, late.headers.etag]).toEqual([412, first.headers.etag]);
    expect(late.json()).toMatchObject({error: {code: 'changed_meanwhile'}, names: [theirs]});
    expect((await put([mine, theirs], late.headers.etag)).json()).toEqual({names: [mine, theirs]});
    expect((await put([])).json()).toEqual({names: []});
  });

  test('hidden lists are refused unless they are lists of names', async () => {
    const put = (path: string, json: object) => under.read.send('PUT', `/v1/${path}/hidden`, {json});
    for (const names of [[''], ['a\u0000']]) {
      expect((await put('names', {names})).json()).toMatchObject({error: {code: 'invalid_request'}});
    }
    // What UTF-8 cannot say would be another name when it is read again.
    expectError(await put('properties', {properties: ['a\ud800']}), 400, 'invalid_request', 'properties.0');
  });
});

test('lists come as CSV, page after page', async () => {
  const asked = {event, ...may, limit: '1', format: 'csv'};
  const path = (more: Parameters) => `/v1/properties?${query({...asked, ...more})}`;
  const first = await reportCovering(under.read, path({}), under.positions);
  expect([first.status, first.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(first.text).toBe('property,share,string,number,boolean,null,object,array\r\namount,0.75,1,1,1,0,0,0\r\n');
  const cursor = String(first.headers['next-cursor']);
  const second = await under.read.get(path({cursor, limit: '100'}));
  expect(second.text.split('\r\n')[1]).toBe('plan,0.75,3,0,0,0,0,0');
  expect(second.headers['next-cursor']).toBeUndefined();
  const users = await reportCovering(under.read, `/v1/users?${query({prefix: ada, format: 'csv'})}`, under.positions);
  expect(users.text).toMatch(/^id,kind,created_at,last_seen,traits\r\n[^\r]+,user,2024-05-01T[^\r]+\r\n$/);
  const names = await reportCovering(
    under.read,
    `/v1/names?${query({prefix: event, ...may, format: 'csv'})}`,
    under.positions,
  );
  expect(names.text).toContain(`\r\n${event},4,`);
});

test('what a deleted user alone had leaves all lists in the same snapshot', async () => {
  const deleted = await under.read.delete(`/v1/user?${query({userId: ada})}`);
  expect([200, 202]).toContain(deleted.status); // A busy machine answers before the receipt is there.
  under.positions.add(deleted.json<{deletion: {log_position: string}}>().deletion.log_position);
  expect((await covered('properties', {event, ...may})).json()).toEqual({
    data: [
      {property: 'amount', share: 0.5, types: {boolean: 1}},
      {property: 'plan', share: 0.5, types: {string: 1}},
    ],
    ...end,
  });
  expect((await covered('properties/values', {event, property: 'plan', ...may})).json()).toMatchObject({
    data: [{value: 'free'}, {kind: 'missing'}],
    distinct: 1,
  });
  expect((await covered('traits', {prefix: trait})).json()).toMatchObject({data: [{trait, types: {number: 1}}]});
  expect((await covered('traits/values', {trait, prefix: 'x'})).json()).toMatchObject({data: [], distinct: 0});
});
