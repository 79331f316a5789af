// ADMIN_PORT: what operators ask has a port of its own. And what a trusted proxy says of where the service is.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {commit, version} from '../src/version.js';
import {ask} from '../tools/http-client.js';
import {Client} from './support/http.js';
import {type Service, startService} from './support/service.js';
import {until} from './support/until.js';

const keys = fileURLToPath(new URL('../dist/service/cli/keys.js', import.meta.url));
const ofOperators = ['/healthz', '/readyz', '/metrics', '/admin/v1/keys'];

let service: Service;
let client: Client;
let operator: Client;

beforeAll(async () => {
  service = await startService({env: {ADMIN_PORT: '0', TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'info'}});
  client = new Client(service.baseUrl, service.secretKey);
  operator = new Client(service.adminUrl, service.adminToken);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

test('they are two ports, and the log says where', async () => {
  expect(service.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(service.adminUrl).not.toBe(service.baseUrl);
  const said = `Health, metrics and admin routes: ${service.adminUrl}\n`;
  await until('the log says where', () => service.logs().includes(said));
});

/** The description is that of one port: what is moved away from here is not asked through the client that checks it. */
async function statusAt(url: string, key: string, path: string, method = 'GET'): Promise<number> {
  return (await ask(url + path, {method, key})).status;
}

test.each(ofOperators)('%s is on the port of operators alone', async (path) => {
  expect(await statusAt(service.baseUrl, service.adminToken, path)).toBe(404);
  expect((await operator.get(path)).status).toBe(200);
});

test('a key is revoked there alone, too', async () => {
  const path = '/admin/v1/keys/key_1';
  expect(await statusAt(service.baseUrl, service.adminToken, path, 'DELETE')).toBe(404);
  const {message} = (await operator.delete(path)).json<{error: {message: string}}>().error;
  expect(message).toContain('key');
});

test('what clients ask is not there', async () => {
  for (const path of ['/v1/events', '/v1/events/batch', '/docs', '/openapi.json', '/licenses', '/sdk.js'])
    expect(await statusAt(service.adminUrl, service.secretKey, path)).toBe(404);
  expect((await client.get('/v1/events')).status).toBe(200);
});

test('the pages are told where the API is: at the other port, or where only a proxy knows', async () => {
  const signIn = async (headers: Record<string, string>): Promise<unknown> => {
    const answer = await ask(`${service.adminUrl}/dashboard/api/session`, {
      method: 'POST',
      headers: {'X-Millrace': '1', Origin: service.adminUrl, ...headers},
      json: {token: service.adminToken},
    });
    return answer.json<{api: unknown}>().api;
  };
  expect(await signIn({})).toEqual({at: 'port', port: Number(new URL(service.baseUrl).port)});
  expect(await signIn({'X-Forwarded-For': '192.0.2.1'})).toEqual({at: 'elsewhere'});
});

test('the command line finds it', async () => {
  const env = {...process.env, DATA_DIR: service.dataDir};
  const {stdout} = await promisify(execFile)(process.execPath, [keys, 'list'], {env});
  expect(stdout).toContain('bootstrap');
});

test('the version and the commit stand on /healthz, in /metrics and in the log', async () => {
  expect((await operator.get('/healthz')).json()).toMatchObject({version, commit});
  expect((await operator.get('/metrics')).text).toContain(
    `millrace_build_info{version="${version}",commit="${commit}"} 1`,
  );
  const ready = service
    .logs()
    .split('\n')
    .find((line) => line.includes('"msg":"ready"'));
  expect(JSON.parse(ready!)).toMatchObject({version, commit});
});

test('behind a prefix the page and the description begin with it', async () => {
  const behind = {'x-forwarded-prefix': '/tools/analytics'};
  const page = (await client.get('/docs', behind)).text;
  expect(page).toContain('<span class="base">http://127.0.0.1:8080/tools/analytics</span>');
  expect(page).not.toMatch(/(?:href|src)="\//);
  const {servers} = (await client.get('/openapi.json', behind)).json<{servers: {url: string}[]}>();
  expect(servers.map(({url}) => url)).toEqual(['/tools/analytics']);
  const plain = (await client.get('/openapi.json')).json<{servers: {url: string}[]}>();
  expect(plain.servers.map(({url}) => url)).toEqual(['/']);
});
