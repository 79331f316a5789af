// Two edges on one NATS: what one of them does to a key is effective on the other within a second.
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Answer, Client, expectError, expectJson} from '../support/http.js';
import {startTestNats, type TestNats} from '../support/nats.js';
import {type Service, startService, testAdminToken} from '../support/service.js';
import {shortestMs, until} from '../support/until.js';

const effectiveMsMax = 1_000;
let nats: TestNats;
const edges: Service[] = [];

beforeAll(async () => {
  nats = await startTestNats(1);
  const {servers, token} = nats.nats.address;
  const env = {NATS_URL: [servers].flat().join(','), NATS_TOKEN: token!, PARTITIONS: '1'};
  edges.push(await startService({env}));
  edges.push(await startService({env: {...env, ROLES: 'edge'}}));
});

afterAll(async () => {
  for (const edge of edges.reverse()) expect(await edge.stop()).toBe(0);
  await nats.stop();
});

test.each([
  [0, 1],
  [1, 0],
])('a key created and revoked on edge %i works and is refused on edge %i within a second', async (here, there) => {
  const slowestMs = await shortestMs(effectiveMsMax, () => createAndRevoke(edges[here], edges[there]));
  expect(slowestMs).toBeLessThan(effectiveMsMax);
});

test('options that are set on one edge hold on the other within a second', async () => {
  const [here, there] = edges;
  const admin = new Client(here.baseUrl, testAdminToken);
  const {id, key} = (await admin.post('/admin/v1/keys', {kind: 'write', name: 'web'})).json<{
    id: string;
    key: string;
  }>();
  const elsewhere = new Client(there.baseUrl, key);
  const untilStatus = (status: number) =>
    until(
      `it is ${status} there`,
      async () => (await elsewhere.post('/v1/users/identify', {userId: 'everywhere'})).status === status,
    );
  await untilStatus(200);
  const slowestMs = await shortestMs(effectiveMsMax, async () => {
    const startMs = performance.now();
    expectJson(await admin.post(`/admin/v1/key?id=${id}`, {identify: false}), 200);
    await untilStatus(403);
    const tookMs = performance.now() - startMs;
    expectJson(await admin.post(`/admin/v1/key?id=${id}`, {}), 200);
    await untilStatus(200);
    return tookMs;
  });
  expect(slowestMs).toBeLessThan(effectiveMsMax);
});

/** Returns the longer of the two times until the other edge knew, in ms. */
async function createAndRevoke(here: Service, there: Service): Promise<number> {
  const admin = new Client(here.baseUrl, testAdminToken);
  const {id, key} = (await admin.post('/admin/v1/keys', {kind: 'secret', name: 'everywhere'})).json<{
    id: string;
    key: string;
  }>();
  const elsewhere = new Client(there.baseUrl, key);
  const ask = (): Promise<Answer> => elsewhere.get('/v1/events?limit=1');
  const untilStatus = async (status: number): Promise<number> => {
    const startMs = performance.now();
    await until(`it is ${status} there`, async () => (await ask()).status === status);
    return performance.now() - startMs;
  };
  const createdMs = await untilStatus(200);
  expectJson(await admin.delete(`/admin/v1/keys/${id}`), 200);
  const revokedMs = await untilStatus(401);
  expectError(await ask(), 401, 'invalid_key');
  return Math.max(createdMs, revokedMs);
}
