// First start, second start, ends of every kind, and a nats-server that dies meanwhile: of the whole program.

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {folderIdentity} from '../src/folder-identity.js';
import {isRunning} from '../src/process-life.js';
import {Client, type HistoryAnswer} from './support/http.js';
import {hasOwnNats, natsServerPid, type Service, type ServiceOptions, startService} from './support/service.js';
import {until} from './support/until.js';

const started: Service[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) if (isRunning(service.pid)) await service.kill();
});

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  started.push(service);
  return service;
}

/** Empty variables count as unset: keys and token are created as on an operator's first start. */
const asOperator = {BOOTSTRAP_WRITE_KEY: '', BOOTSTRAP_SECRET_KEY: '', ADMIN_TOKEN: ''};

/** The curl commands of the welcome, as requests. */
function pastedCurls(output: string): {url: string; init: RequestInit}[] {
  const commands = output.replaceAll('\\\n', ' ').match(/^ *curl .*$/gm) ?? [];
  return commands.map((command) => {
    const quoted = (option: string) =>
      [...command.matchAll(new RegExp(`${option} '([^']*)'`, 'g'))].map((match) => match[1]!);
    const headers = Object.fromEntries(quoted('-H').map((line) => line.split(': ', 2)));
    const body = quoted('-d')[0];
    const url = /'(http[^']*)'/.exec(command)![1]!;
    return {url, init: {method: body === undefined ? 'GET' : 'POST', headers, ...(body === undefined ? {} : {body})}};
  });
}

async function track(service: Service, userId: string): Promise<number> {
  const response = await fetch(`${service.baseUrl}/v1/events`, {
    method: 'POST',
    headers: {Authorization: `Bearer ${service.writeKey}`, 'Content-Type': 'application/json'},
    body: JSON.stringify({event: 'e', userId, messageId: userId}),
  });
  await response.text();
  return response.status;
}

async function countOf(service: Service): Promise<number> {
  const answer = await new Client(service.baseUrl, service.secretKey).get('/v1/events?event=e&limit=1000');
  return answer.json<Partial<HistoryAnswer>>().data?.length ?? -1;
}

test('the first start shows keys in curl lines that work; later starts show no key', async () => {
  const service = await start({env: asOperator});
  // It may be ready before its words are here.
  await until('it says where it listens', () => service.logs().includes(`Millrace listens on ${service.baseUrl}`));
  await until('it shows its commands', () => pastedCurls(service.logs()).length === 2);
  const [eventIn, reportOut] = pastedCurls(service.logs()) as [
    {url: string; init: RequestInit},
    {url: string; init: RequestInit},
  ];
  const stored = await fetch(eventIn.url, eventIn.init);
  expect([stored.status, await stored.json()]).toEqual([200, {status: 'ok', received: 1}]);
  const report = await until('the event is in the report', async () => {
    const answer = (await (await fetch(reportOut.url, reportOut.init)).json()) as {total: number};
    return answer.total > 0 && answer;
  });
  expect(report).toMatchObject({event: 'signup', total: 1});

  expect(await service.stop()).toBe(0);
  const again = await start({dataDir: service.dataDir, env: asOperator});
  expect(again.logs()).not.toMatch(/sk_(write|live)_/);
  // The keys of the first start still work.
  const sameReport = await fetch(reportOut.url.replace(service.baseUrl, again.baseUrl), reportOut.init);
  expect(await sameReport.json()).toEqual(report);
});

test('a key that the operator fixed is not shown beside the one that is created', async () => {
  const fixed = 'sk_live_fixedByTheOperator01';
  const service = await start({env: {...asOperator, BOOTSTRAP_SECRET_KEY: fixed}});
  await until('it shows its commands', () => pastedCurls(service.logs()).length === 2);
  expect(service.logs()).toMatch(/A key was created\.[\s\S]*sk_write_/);
  expect(service.logs()).toContain('-H "Authorization: Bearer $SECRET_KEY"');
  expect(service.logs()).not.toContain(fixed);
});

test('while it runs, a note for the tools of this machine lies in DATA_DIR, for the owner only', async () => {
  const service = await start();
  const path = join(service.dataDir, 'service.json');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    baseUrl: service.baseUrl,
    pid: service.pid,
    adminToken: service.adminToken,
    folder: folderIdentity(service.dataDir),
  });
  expect(await service.stop()).toBe(0);
  expect(existsSync(path)).toBe(false);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s: finishes, ends with 0, leaves no process', async (signal) => {
  const service = await start();
  expect(await track(service, 'ada')).toBe(200);
  const server = natsServerPid(service);
  expect(await service.stop(signal)).toBe(0);
  expect(server === undefined || !isRunning(server)).toBe(true);
  const again = await start({dataDir: service.dataDir});
  expect(await countOf(again)).toBe(1);
});

test('the same signal once more at once, as npm sends it on, is the same wish', async () => {
  const service = await start({env: {LOG_LEVEL: 'info'}});
  expect(await track(service, 'ada')).toBe(200);
  for (let sent = 0; sent < 3; sent++) process.kill(service.pid, 'SIGINT');
  expect(await service.stop('SIGINT')).toBe(0);
  expect(service.logs().match(/"draining"/g)).toHaveLength(1);
  const again = await start({dataDir: service.dataDir});
  expect(await countOf(again)).toBe(1);
});

test.skipIf(!hasOwnNats)('kill -9 leaves no nats-server, and the next start has everything', async () => {
  const service = await start();
  for (const user of ['ada', 'bob', 'eve']) expect(await track(service, user)).toBe(200);
  const server = natsServerPid(service)!;
  await service.kill();
  await until('the orphan is gone', () => !isRunning(server));
  const again = await start({dataDir: service.dataDir});
  expect(await countOf(again)).toBe(3);
});

test.skipIf(!hasOwnNats)(
  'when its nats-server is killed it goes on by itself: refused for a moment, nothing lost',
  async () => {
    const service = await start();
    expect(await track(service, 'before')).toBe(200);
    process.kill(natsServerPid(service)!, 'SIGKILL');
    await until('writes are taken again', async () => (await track(service, 'after')) === 200);
    await until('reads are answered again', async () => (await countOf(service)) === 2);
    await until('it is ready again', async () => (await fetch(`${service.baseUrl}/readyz`)).status === 200);
    await until('it has said so', () => service.logs().includes('nats-server died: starting it again'));
    expect(await service.stop()).toBe(0);
  },
);
