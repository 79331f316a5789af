// Keys and the admin token are nowhere but where they must be: not in a file, a log line, an error or a metric.
import {statSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {filesUnder, searchDisk} from '../../tools/disk-search.js';
import {type Answer, Client} from '../support/http.js';
import {type Service, startService} from '../support/service.js';

let service: Service;
let adminToken: string;
/** Of the operator, and made by the admin routes. */
const keys: string[] = [];
const answers: Answer[] = [];

const start = async (dataDir?: string): Promise<void> => {
  // The token is made by the service: then it is in a file for the command line, by design.
  const env = {LOG_LEVEL: 'trace', ADMIN_TOKEN: ''};
  service = await startService(dataDir === undefined ? {env} : {env, dataDir});
  adminToken = (await readFile(join(service.dataDir, 'admin-token'), 'utf8')).trim();
};

beforeAll(async () => {
  await start();
  keys.push(service.writeKey, service.secretKey);
  for (const kind of ['write', 'secret']) {
    const created = await new Client(service.baseUrl, adminToken).post('/admin/v1/keys', {kind, name: kind});
    keys.push(created.json<{key: string}>().key);
  }
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** Everything that a careless client does with a key. */
async function useCarelessly(key: string): Promise<void> {
  const nobody = new Client(service.baseUrl);
  const withHeader = (authorization: string, method: string, path: string, json?: unknown): Promise<Answer> =>
    nobody.send(method, path, {headers: {authorization}, ...(json === undefined ? {} : {json})});
  const event = {event: 'seen', userId: 'ada'};
  answers.push(
    await withHeader(`Bearer ${key}`, 'POST', '/v1/events', event),
    await withHeader(`Bearer ${key}`, 'POST', '/v1/events', {event: 7}),
    await withHeader(`Bearer ${key}`, 'GET', '/v1/events?limit=0'),
    await withHeader(`Bearer ${key}`, 'GET', '/admin/v1/keys'),
    await withHeader(`Bearer ${key}${key}`, 'GET', '/v1/events'),
    await withHeader(key, 'GET', '/v1/events'),
    await withHeader(`Basic ${key}`, 'DELETE', '/v1/users/ada'),
    await nobody.post(`/v1/events?write_key=${key}`, event),
    await nobody.post(`/v1/events?write_key=${key}&write_key=${key}`, event),
    await nobody.get(`/v1/events?api_key=${key}`),
    await nobody.get(`/${key}`),
    await withHeader(`Bearer ${adminToken}`, 'DELETE', `/admin/v1/keys/${key}`),
    await withHeader(`Bearer ${adminToken}`, 'POST', '/admin/v1/keys', {kind: key, name: 'x'}),
  );
}

test('no answer repeats a key', async () => {
  for (const key of [...keys, adminToken]) await useCarelessly(key);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/licenses', '/sdk.js']) {
    answers.push(await new Client(service.baseUrl).get(path));
  }
  answers.push(await new Client(service.baseUrl, adminToken).get('/admin/v1/keys'));
  const statuses = new Set(answers.map(({status}) => status));
  for (const status of [200, 400, 401, 403, 404]) expect(statuses).toContain(status);
  const repeating = answers.filter(({text, headers}) =>
    [...keys, adminToken].some((secret) => (text + JSON.stringify(headers)).includes(secret)),
  );
  expect(repeating.map(({text}) => text)).toEqual([]);
});

test('what a killed service leaves behind for the command line opens nothing at the next start', async () => {
  const tokenOf = async (): Promise<string> =>
    (JSON.parse(await readFile(join(service.dataDir, 'service.json'), 'utf8')) as {token: string}).token;
  const statusOf = async (token: string): Promise<number> =>
    (await new Client(service.baseUrl, token).get('/admin/v1/keys')).status;
  const before = await tokenOf();
  expect(await statusOf(before)).toBe(200);
  await service.kill();
  expect(await tokenOf()).toBe(before);
  await start(service.dataDir);
  expect([await statusOf(before), await statusOf(await tokenOf())]).toEqual([401, 200]);
});

test('no log line has one, at the finest level', () => {
  expect(service.logs()).toMatch(/"level":(10|20|30)/);
  for (const secret of [...keys, adminToken]) expect(service.logs()).not.toContain(secret);
});

test('no file has a key; the admin token is in the one that keeps it, for its owner alone', async () => {
  const holding = (): string[] => {
    const found = searchDisk(service.dataDir, [...keys, adminToken]);
    expect(found.filter(({marker}) => marker !== adminToken)).toEqual([]);
    return [...new Set(found.map(({file}) => basename(file)))].sort();
  };
  expect(holding()).toEqual(['admin-token']);
  for (const name of ['admin-token', 'service.json']) {
    expect(statSync(join(service.dataDir, name)).mode & 0o777).toBe(0o600);
  }
  expect(await service.stop()).toBe(0);
  expect(filesUnder(service.dataDir).length).toBeGreaterThan(3);
  expect(holding()).toEqual(['admin-token']);
});
