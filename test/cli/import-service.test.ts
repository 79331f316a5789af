// The import against the real service: real events, a key of its own, and a service that is killed on the way.

import {type ChildProcess, spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {isDeepStrictEqual} from 'node:util';
import {gunzipSync, gzipSync} from 'node:zlib';
import {afterAll, expect, test} from 'vitest';
import {freePort} from '../../tools/chaos/free-port.js';
import {Client, query} from '../support/http.js';
import {until} from '../support/reports.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';

const programs = new URL('../../dist/service/cli/', import.meta.url);
const examples = fileURLToPath(new URL('../../examples/commits.ndjson.gz', import.meta.url));
const commits = gunzipSync(readFileSync(examples)).toString().trimEnd().split('\n');

const folder = temporaryFolder();
const children = new Set<ChildProcess>();
let service: Service | undefined;

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service?.stop();
});

const runImport = (dataDir: string, path: string, ...options: string[]) => run('import', dataDir, path, ...options);

function run(
  name: 'import' | 'export',
  dataDir: string,
  path: string,
  ...options: string[]
): Promise<{code: number | null; output: string}> {
  const program = fileURLToPath(new URL(`${name}.js`, programs));
  const env = {PATH: process.env.PATH, DATA_DIR: dataDir};
  const child = spawn(process.execPath, [program, path, ...options], {env, stdio: ['ignore', 'pipe', 'pipe']});
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({code, output});
    });
  });
}

async function total(client: Client, event: string): Promise<number> {
  const range = {event, from: '2019-01-01', to: '2027-01-01', interval: 'month'};
  return (await client.get(`/v1/reports/events?${query(range)}`)).json<{total: number}>().total;
}

function countsByName(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const {event} = JSON.parse(line) as {event: string};
    counts.set(event, (counts.get(event) ?? 0) + 1);
  }
  return counts;
}

async function expectCounts(client: Client, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [event, count] of counts) {
    const counted = await until(
      () => total(client, event),
      (value) => value >= count,
      `${count} of ${event} are counted`,
    );
    expect([event, counted]).toEqual([event, count]);
  }
}

test('real events, through a service that is killed on the way and an import that is repeated, count once', async () => {
  // No messageId of their own: the import has to make them, and the same ones each time.
  const lines = commits.map((line) => line.replace(/"messageId":"[^"]*",/, ''));
  const path = join(folder, 'commits.ndjson.gz');
  writeFileSync(path, gzipSync(lines.join('\n')));
  const env = {PORT: String(await freePort())};
  service = await startService({env});
  const {dataDir, baseUrl} = service;
  const importing = runImport(dataDir, path, '--batch', '50');
  const client = new Client(baseUrl, service.secretKey);
  await until(
    () => client.get('/v1/events?limit=1'),
    (answer) => (answer.json<{data?: unknown[]}>().data ?? []).length > 0,
    'the first events are stored',
  );
  await service.kill();
  service = await startService({dataDir, env});
  const {code, output} = await importing;
  expect([code, output]).toEqual([0, expect.stringMatching(/accepted {3}6,150\n/)]);

  const again = await runImport(dataDir, path, '--again');
  expect([again.code, again.output]).toEqual([0, expect.stringMatching(/accepted {3}6,150\n/)]);
  await expectCounts(new Client(service.baseUrl, service.secretKey), countsByName(lines));
});

test('the service and the summary agree on what was refused', async () => {
  service ??= await startService();
  const path = join(folder, 'mixed.ndjson');
  const good = {event: 'mixed', userId: 'u', timestamp: '2024-05-05'};
  const lines = [
    good,
    {...good, userId: '.'},
    {...good, timestamp: '2024-02-30'},
    {...good, properties: {deep: JSON.parse('['.repeat(40) + ']'.repeat(40))}},
    {...good, properties: {blob: 'x'.repeat(70_000)}},
    {...good, messageId: 'm'},
    {...good, messageId: 'm'},
  ];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  const {code, output} = await runImport(service.dataDir, path);
  expect(code).toBe(2);
  expect(output).toMatch(/accepted {3}3\n {2}duplicate {2}1 within the file/);
  expect([...output.matchAll(/line (\d+): (\w+)(?: \((\w+)\))?/g)].map((match) => match.slice(1))).toEqual([
    ['2', 'invalid_event', 'userId'],
    ['3', 'invalid_event', 'timestamp'],
    ['4', 'invalid_event', 'properties'],
    ['5', 'event_too_large', undefined],
  ]);
  await expectCounts(new Client(service.baseUrl, service.secretKey), new Map([['mixed', 2]]));
});

test('the key that the import made for itself is revoked', async () => {
  const headers = {authorization: `Bearer ${service!.adminToken}`};
  const {keys} = (await new Client(service!.baseUrl).get('/admin/v1/keys', headers)).json<{
    keys: {name: string; revoked_at: string | null}[];
  }>();
  const own = keys.filter(({name}) => name === 'import');
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({revoked_at}) => revoked_at === null)).toEqual([]);
});

/** One story in the form of each service's export: a visit, a signup of the same device's user, and her plan. */
const storyOf: Readonly<Record<string, (user: string, device: string, names: readonly [string, string]) => object[]>> =
  {
    segment: (userId, anonymousId, [visit, signup]) => [
      {type: 'track', anonymousId, userId: null, event: visit, messageId: 's1', timestamp: '2024-03-01T10:00:00.000Z'},
      {
        type: 'identify',
        anonymousId,
        userId,
        traits: {plan: 'pro'},
        messageId: 's2',
        timestamp: '2024-03-01T10:01:00Z',
      },
      {
        type: 'track',
        userId,
        event: signup,
        messageId: 's3',
        timestamp: '2024-03-01T10:02:00.000Z',
        properties: {n: 1},
      },
    ],
    mixpanel: (user, device, [visit, signup]) => [
      {event: visit, properties: {time: 1709287200, distinct_id: `$device:${device}`, $insert_id: 'm1'}},
      {
        event: signup,
        properties: {time: 1709287320000, distinct_id: user, $device_id: device, $insert_id: 'm2', n: 1},
      },
    ],
    amplitude: (user, device, [visit, signup]) => [
      {event_type: visit, device_id: device, user_id: null, uuid: 'a1', event_time: '2024-03-01 10:00:00.000000'},
      {
        event_type: signup,
        device_id: device,
        user_id: user,
        uuid: 'a2',
        event_time: '2024-03-01 10:02:00.000000',
        event_properties: {n: 1},
        user_properties: {plan: 'pro', team: 'EMPTY'},
      },
    ],
    posthog: (user, device, [visit, signup]) => [
      {
        ...{uuid: 'p1', event: visit, distinct_id: device, timestamp: '2024-03-01T10:00:00.000123+00:00'},
        properties: {$is_identified: false},
      },
      {
        ...{uuid: 'p2', event: '$identify', distinct_id: user, timestamp: '2024-03-01T10:01:00.000123+00:00'},
        properties: {$anon_distinct_id: device, $set: {plan: 'pro'}},
      },
      {
        ...{uuid: 'p3', event: signup, distinct_id: user, timestamp: '2024-03-01T10:02:00.000123+00:00'},
        properties: {n: 1},
      },
    ],
  };

test.each(Object.entries(storyOf))(
  'the export of %s tells the same story as that of the others',
  async (from, linesOf) => {
    service ??= await startService();
    const path = join(folder, `${from}.json.gz`);
    const [user, visit, signup] = [`${from}-ada`, `${from}-visit`, `${from}-signup`];
    const text = linesOf(user, `${from}-device`, [visit, signup]).map((line) => JSON.stringify(line));
    writeFileSync(path, gzipSync(text.join('\n')));
    expect(await runImport(service.dataDir, path)).toMatchObject({
      code: 1,
      output: expect.stringMatching(`--from ${from}`),
    });
    expect((await runImport(service.dataDir, path, '--from', from)).code).toBe(0);
    const client = new Client(service.baseUrl, service.secretKey);
    const steps = `/v1/reports/funnel?steps[]=${visit}&steps[]=${signup}&from=2024-03-01&to=2024-03-02`;
    const funnel = await until(
      async () => (await client.get(steps)).json<{steps?: {count: number}[]}>().steps ?? [],
      (there) => there[1]?.count === 1,
      'the visit and the signup are of one user',
    );
    expect(funnel.map(({count}) => count)).toEqual([1, 1]);
    const {traits, events} = (await client.get(`/v1/user?${query({userId: user})}`)).json<{
      traits: object;
      events: {event: string; timestamp: string; properties?: {n?: number}}[];
    }>();
    expect(traits).toEqual(from === 'mixpanel' ? {} : {plan: 'pro'}); // Its export has events alone.
    expect(events.map(({event, timestamp, properties}) => [event, timestamp, properties?.n])).toEqual([
      [signup, '2024-03-01T10:02:00.000Z', 1],
      [visit, '2024-03-01T10:00:00.000Z', undefined],
    ]);
  },
);

test('an export is the way into another version: events, joins and traits are the same behind it', async () => {
  const from = service!;
  const client = new Client(from.baseUrl, from.secretKey);
  const time = '2024-01-01T00:00:00.000Z';
  for (const [userId, traits] of Object.entries({ada: {plan: 'pro', odd: 'a "quoted" text'}, eve: {}}))
    await client.post('/v1/users/identify', {userId, traits, timestamp: time});
  const events = [
    {event: 'visit', anonymousId: 'device', timestamp: time},
    {event: 'signup', userId: 'ada', anonymousId: 'device', timestamp: time, properties: {n: 1.5}},
  ];
  await client.post('/v1/events/batch', {events});
  await until(
    async () => [await exported(client), await usersOf(client)] as const,
    ([lines, users]) => users.length >= 2 && lines.filter(({userId}) => userId === 'ada').length === 2,
    'the visit is joined in reports',
  );
  const path = join(folder, 'all.ndjson.gz');
  expect(await run('export', from.dataDir, path)).toMatchObject({code: 0, output: expect.stringMatching(/^Exported /)});
  expect((await run('export', from.dataDir, path)).output).toMatch(/exists: name a new file/);

  service = await startService();
  const into = new Client(service.baseUrl, service.secretKey);
  expect((await runImport(service.dataDir, path)).code).toBe(0);
  const [wantedEvents, wantedUsers] = [await exported(client), await usersOf(client)];
  const isWhole = await until(
    async () => [await exported(into), await usersOf(into)],
    (there) => isDeepStrictEqual(there, [wantedEvents, wantedUsers]),
    'events and users are the same',
  );
  expect(isWhole).toEqual([wantedEvents, wantedUsers]);
  await from.stop();
});

interface ExportedEvent {
  readonly event: string;
  readonly userId?: string;
  readonly timestamp: string;
}

/** Events without what a service makes itself, in an order of their own. */
async function exported(client: Client): Promise<ExportedEvent[]> {
  const lines = (await client.get('/v1/export')).text.trimEnd().split('\n').slice(0, -1);
  return lines
    .map((line) => {
      const {id: _, received_at: _at, messageId: _id, joined: _joined, ...event} = JSON.parse(line);
      return JSON.stringify(event);
    })
    .sort()
    .map((line) => JSON.parse(line) as ExportedEvent);
}

async function usersOf(client: Client): Promise<unknown[]> {
  const {data} = (await client.get('/v1/users?limit=1000')).json<{data?: {id: string; kind: string}[]}>();
  return (data ?? []).filter(({kind}) => kind === 'user').sort((a, b) => (a.id < b.id ? -1 : 1));
}
