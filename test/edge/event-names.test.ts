// Names of events of a running service: how many there may be, what a key may use, and the deletion of a name.
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Answer, Client, expectError, expectJson} from '../support/http.js';
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

/** On a busy machine the log may take its time. */
const store = (event: string) => until(`${event} is stored`, async () => (await send(event)).status === 200);

/** KN3 (src/ingest/known-names.ts): until then it is 503. */
const whenNamesAreRead = (ask: () => Promise<Answer>): Promise<Answer> =>
  until('the names are read', async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  });

interface Receipt {
  readonly id: string;
  readonly status: string;
  readonly events_deleted: number;
}

/** Deletes a name. Resolves once the receipt is complete, and the edge knows that the name is gone. */
async function deleteName(event: string): Promise<Receipt> {
  const answer = await secret.delete(`/v1/name?event=${encodeURIComponent(event)}`);
  expect([200, 202]).toContain(answer.status);
  expect(answer.json()).toMatchObject({event});
  const {id} = answer.json<{deletion: Receipt}>().deletion;
  const {deletion} = await until('the deletion is completed', async () => {
    const read = (await secret.get(`/v1/deletion?id=${id}`)).json<{deletion?: Receipt}>();
    return read.deletion?.status === 'completed' && {deletion: read.deletion};
  });
  return deletion;
}

test('a new name past the bound is refused, and listed; known names pass; an alarm comes before', async () => {
  for (let i = 0; i < 10; i++) await store(`name ${i}`);
  const refused = await whenNamesAreRead(() => send('name 10'));
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

/** All that can be asked of the data, without what says when it was asked. */
async function everything(): Promise<(readonly [status: number, text: string])[]> {
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
  return answers.map(({status, text}) => [status, text] as const);
}

test('a deleted name leaves every answer as if its events had never been there, and makes room', async () => {
  const at = (day: number) => `2026-05-${String(day).padStart(2, '0')}T12:00:00Z`;
  const track = async (events: readonly object[]) => expectJson(await writer.post('/v1/events/batch', {events}), 200);
  await Promise.all([7, 8, 9].map((i) => deleteName(`name ${i}`)));
  await until(
    'there is room for three other names',
    async () => (await scrape(service.baseUrl)).sum('millrace_event_names_known') === 7,
  );
  await track([
    {event: 'visit', anonymousId: 'device', timestamp: at(4)},
    {event: 'visit', userId: 'grace', timestamp: at(5)},
    {event: 'buy', userId: 'grace', timestamp: at(7), properties: {price: 5}},
    {event: 'visit', userId: 'joined', anonymousId: 'device', timestamp: at(8)},
  ]);
  const settled = await until('the device is joined, in reports as well', async () => {
    const seen = await everything();
    const [names, exported] = [seen[0]![1], seen[7]![1]];
    const isSettled = names.includes('"visit","count":3,"users":2') && exported.includes('"joined":true');
    return isSettled && JSON.stringify(seen) === JSON.stringify(await everything()) && {seen};
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
  await until('reports have it', async () => JSON.stringify(await everything()).includes('only here'));
  const deletion = await deleteName('junk');
  expect(deletion.events_deleted).toBe(5);
  await expect.poll(everything, {timeout: 60_000, interval: 500}).toEqual(before);
  const again = await secret.delete('/v1/name?event=junk');
  expect(again.status).toBe(404);
  expect(again.json()).toMatchObject({error: {code: 'not_found'}, deletion});
  // A late copy is known; the name may be used again.
  await track([{...junk, userId: 'grace', timestamp: at(1), messageId: 'j1'}]);
  expect(JSON.stringify((await secret.get('/v1/events')).json())).not.toContain('junk');
  expectError(await secret.delete('/v1/name'), 400, 'invalid_request', 'event');
  expectError(await writer.delete('/v1/name?event=visit'), 403, 'insufficient_permissions');
});
