// Names of events of a running service: how many there may be, and what a key may use.
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
