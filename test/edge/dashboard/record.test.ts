// The record over restarts of a service: read in pages, without ids of people who were deleted, and without secrets.
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {RecordAnswer, RecordLine} from '../../../src/edge/dashboard/answers/record.js';
import {BrowserClient} from '../../support/browser-client.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

const api = '/dashboard/api';
let service: Service;
let admin: BrowserClient;

async function begin(dataDir?: string): Promise<void> {
  service = await startService(dataDir === undefined ? {} : {dataDir});
  admin = new BrowserClient(service.baseUrl);
  expect((await admin.signIn({token: service.adminToken})).status).toBe(200);
}

beforeAll(() => begin());

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const read = async (before?: number | null): Promise<RecordAnswer> =>
  (await admin.get(`${api}/record${before == null ? '' : `?before=${before}`}`)).json<RecordAnswer>();
const whats = (record: readonly RecordLine[]): string[] => record.map(({what}) => what);

test('it survives a stop and a kill, names who did what, and has neither a deleted id nor a secret', async () => {
  const keeper = new Client(service.baseUrl, service.secretKey);
  const user = 'zq-ada@example.com';
  expect((await keeper.post('/v1/events', {event: 'signup', userId: user})).status).toBe(200);
  const made = await admin.post(`${api}/people`, {name: 'Grace', role: 'analyst'});
  const {id, token} = made.json<{id: string; token: string}>();
  // A receipt may take longer than a DELETE waits: then it is 202.
  expect([200, 202]).toContain((await admin.delete(`${api}/v1/user?userId=${encodeURIComponent(user)}`)).status);
  expect((await new Client(service.baseUrl, 'sk_live_zqwrong').get('/v1/events')).status).toBe(401);
  await until('the refusal is in the record', async () => whats((await read()).record).includes('key.refused'));
  const {record} = await read();
  expect(await service.stop()).toBe(0);

  await begin(service.dataDir);
  const later = (await read()).record;
  // A sign-in of this test comes first.
  expect(later.slice(1)).toEqual(record);
  expect(later.find(({subject}) => subject === id)).toMatchObject({what: 'key.created', by: 'admin', name: 'Grace'});
  expect(later.find(({what}) => what === 'user.deleted')).toMatchObject({
    by: 'admin',
    subject: expect.stringMatching(/^del_/),
    name: null,
  });
  expect(later.find(({what}) => what === 'key.refused')).toMatchObject({address: null, by: null, subject: null});
  const text = JSON.stringify(later);
  for (const secret of [user, 'zqwrong', token, service.adminToken, service.secretKey])
    expect([secret, text.includes(secret)]).toEqual([secret, false]);

  await until('it is stored', async () => (await read()).record.length === later.length);
  await service.kill();
  await begin(service.dataDir);
  expect((await read()).record.slice(1)).toEqual(later);
});
