// Names of events of a running service: how many there may be, what a key may use, and the deletion of a name.
import {afterAll, beforeAll, expect, test} from 'vitest';
import {Client, expectError, expectJson} from '../support/http.js';
import {scrape} from '../support/metrics.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

let service: Service;
let writer: Client;
let secret: Client;

beforeAll(async () => {
  service = await startService({env: {PARTITIONS: '2', EVENT_NAMES_MAX: '10', REPORT_REFRESH_SECONDS: '0.5'}});
  writer = new Client(service.baseUrl, service.writeKey);
  secret = new Client(service.baseUrl, service.secretKey);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const send = (event: string, client = writer) => client.post('/v1/events', {event, userId: `u-${event}`});

test('a new name past the bound is refused, and listed; known names pass; an alarm comes before', async () => {
  for (let i = 0; i < 10; i++) expectJson(await send(`name ${i}`), 200);
  const refused = await send('name 10');
  expectError(refused, 400, 'too_many_names', 'event');
  expectJson(await send('name 3'), 200);
  const events = [0, 11, 5, 12].map((i) => ({event: `name ${i}`, userId: 'ada', messageId: `m${i}`}));
  const batch = await writer.post('/v1/events/batch', {events});
  expect(batch.status).toBe(207);
  expect(batch.json()).toMatchObject({
    received: 2,
    errors: [
      {index: 1, code: 'too_many_names', field: 'event', messageId: 'm11'},
      {index: 3, code: 'too_many_names', field: 'event', messageId: 'm12'},
    ],
  });
  const {data} = (await secret.get('/v1/rejected?code=too_many_names')).json<{data: {event: string}[]}>();
  expect(data.map(({event}) => event)).toEqual(['name 12', 'name 11', 'name 10']);
  await until('the alarm', async () => {
    const metrics = await scrape(service.baseUrl);
    return (
      metrics.sum('millrace_alarm', {kind: 'event_names'}) === 1 && metrics.sum('millrace_event_names_known') === 10
    );
  });
});

test('a key with names "known" uses only those', async () => {
  const admin = new Client(service.baseUrl, service.adminToken);
  const created = await admin.post('/admin/v1/keys', {kind: 'write', name: 'page', options: {names: 'known'}});
  const client = new Client(service.baseUrl, created.json<{key: string}>().key);
  expectJson(await send('name 1', client), 200);
  expectError(await send('another', client), 400, 'unknown_name', 'event');
  const events = [{event: 'another', userId: 'ada'}];
  const answer = await client.post('/v1/events/batch', {events});
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({errors: [{index: 0, code: 'unknown_name', field: 'event'}]});
});

/** All that can be asked of the data, without what says when it was asked. */
async function everything(): Promise<unknown> {
  const range = 'from=2026-05-01&to=2026-05-31';
  const asked = [
    '/v1/names?from=2026-01-01&include=users',
    '/v1/properties?from=2026-01-01',
    `/v1/reports/events?event=visit&${range}`,
    `/v1/reports/users?${range}&metric=wau`,
    `/v1/reports/funnel?${range}&steps=visit&steps=buy`.replaceAll('steps=', 'steps[]='),
    '/v1/users?limit=50',
    '/v1/events?limit=100',
    '/v1/export',
    '/v1/user?userId=grace',
    '/v1/user?userId=joined',
  ];
  const answers = await Promise.all(asked.map((path) => secret.get(path)));
  return answers.map(({status, text}) => [status, text]);
}

test('a deleted name leaves every answer as if its events had never been there, and makes room', async () => {
  const at = (day: number) => `2026-05-${String(day).padStart(2, '0')}T12:00:00Z`;
  const track = async (events: readonly object[]) => expectJson(await writer.post('/v1/events/batch', {events}), 200);
  for (const i of [7, 8, 9]) expectJson(await secret.delete(`/v1/name?event=name%20${i}`), 200); // Room for three others.
  await track([
    {event: 'visit', anonymousId: 'device', timestamp: at(4)},
    {event: 'visit', userId: 'grace', timestamp: at(5)},
    {event: 'buy', userId: 'grace', timestamp: at(7), properties: {price: 5}},
    {event: 'visit', userId: 'joined', anonymousId: 'device', timestamp: at(8)},
  ]);
  const settled = await until('the device is joined, and reports are as of that', async () => {
    const {data: users} = (await secret.get('/v1/users?limit=50')).json<{data: {kind: string}[]}>();
    const {data: names} = (await secret.get('/v1/names?from=2026-01-01')).json<{
      data: {name: string; count: number}[];
    }>();
    const counts = ['visit', 'buy'].map((event) => names.find(({name}) => name === event)?.count);
    const joined = (await secret.get('/v1/user?userId=joined')).json<{events?: object[]}>();
    const isJoined = joined.events?.length === 2 && users.every(({kind}) => kind === 'user');
    return isJoined && counts.join() === '3,1' && {seen: await everything()};
  });
  const before = settled.seen;
  const junk = {event: 'junk', properties: {odd: 'only here', price: 9}};
  await track([
    {...junk, userId: 'grace', timestamp: at(1), messageId: 'j1'},
    {...junk, userId: 'grace', timestamp: at(20), messageId: 'j2'},
    {...junk, userId: 'nobody else', timestamp: at(6)},
    {...junk, anonymousId: 'device', timestamp: at(9)},
    {...junk, anonymousId: 'another device', timestamp: at(9)},
  ]);
  await until('reports have it', async () => JSON.stringify((await everything()) as object).includes('only here'));
  const deleted = await secret.delete('/v1/name?event=junk');
  expect(deleted.status).toBe(200);
  expect(deleted.json()).toMatchObject({
    status: 'deleted',
    event: 'junk',
    deletion: {status: 'completed', events_deleted: 5},
  });
  const {id} = deleted.json<{deletion: {id: string}}>().deletion;
  expect((await secret.get(`/v1/deletion?id=${id}`)).json()).toEqual({
    deletion: deleted.json<{deletion: object}>().deletion,
  });
  await until('all answers are as before', async () => JSON.stringify(await everything()) === JSON.stringify(before));
  const again = await secret.delete('/v1/name?event=junk');
  expect(again.status).toBe(404);
  expect(again.json()).toMatchObject({error: {code: 'not_found'}, deletion: {id, status: 'completed'}});
  // A late copy is known; the name may be used again.
  await track([{...junk, userId: 'grace', timestamp: at(1), messageId: 'j1'}]);
  expect(JSON.stringify((await secret.get('/v1/events')).json())).not.toContain('junk');
  expectError(await secret.delete('/v1/name'), 400, 'invalid_request', 'event');
  expectError(await writer.delete('/v1/name?event=visit'), 403, 'insufficient_permissions');
});
