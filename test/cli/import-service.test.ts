// The import against the real service: real events, a key of its own, a service and an import that are killed on the way.

import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {isDeepStrictEqual} from 'node:util';
import {gunzipSync, gzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {freePort} from '../../tools/chaos/free-port.js';
import {Player} from '../../tools/demo/player.js';
import {Random} from '../../tools/random.js';
import {ShopAnswers} from '../../tools/shop/answers.js';
import type {ShopEntry} from '../../tools/shop/entry.js';
import {Shop} from '../../tools/shop/shop.js';
import {ShopTruth} from '../../tools/shop/truth.js';
import {Client, query} from '../support/http.js';
import {until} from '../support/reports.js';
import {playsAll} from '../support/runs.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';
import {until as untilSo} from '../support/until.js';
import {copyOf, entriesOf, exportForms, type Told} from '../support/vendor-exports.js';

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

/** Kills an import some moment after it began to send. @returns whether it was on its way */
async function killedImport(dataDir: string, path: string, random: Random, ...options: string[]): Promise<boolean> {
  const importing = runImport(dataDir, path, ...options);
  const [child] = [...children].slice(-1);
  await untilSo('it sends', () => existsSync(`${path}.import-state.json`) || child!.exitCode !== null);
  await pause(random.between(0, playsAll ? 2_000 : 300));
  child!.kill('SIGKILL');
  return (await importing).code === null;
}

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

describe("a shop's life in the form of each service's export", () => {
  const dayMs = 86_400_000;
  const days = playsAll ? 30 : 14;
  const people = playsAll ? 20_000 : 100;
  /** A Monday before all that other tests store. */
  const startMs = Date.UTC(2010, 0, 4);
  /** From one copy to the next: more than the 30 days that active users of a month look back. */
  const shiftMs = 84 * dayMs;
  const forms = Object.entries(exportForms);
  const copies = ['native', ...forms.map(([name]) => name)];
  const shop = (): Iterable<ShopEntry> =>
    new Shop({seed: 5, people, days, startMs}).entriesUntil(startMs + days * dayMs);
  const toldAs = (name: string): Told[] => copyOf(shop(), name, copies.indexOf(name) * shiftMs);
  const random = new Random(Date.now());
  /** A small file takes longer than the moment in which it is killed. */
  const slowly = ['--batch', '2', '--concurrency', '1'];
  let killsLeft = playsAll ? 10 : forms.length;
  /** Imports that were killed before they had ended. */
  let hits = 0;
  let client: Client;
  let original: readonly string[];

  /** Answers to the questions about a copy, its times and ids as those of the first one. */
  async function answersOf(name: string): Promise<readonly string[]> {
    const [shift, prefix] = [copies.indexOf(name) * shiftMs, new RegExp(`"${name}-`, 'g')];
    const dateOf = (day: number): string => new Date(startMs + shift + day * dayMs).toISOString().slice(0, 10);
    const questions = shopQuestions({from: dateOf(0), to: dateOf(days - 1)});
    const answer = await client.post('/v1/query', {questions});
    const {answers} = answer.json<{answers?: {answer?: unknown; error?: unknown}[]}>();
    return (answers ?? []).map(({answer: one, error}) =>
      JSON.stringify(one ?? error)
        .replace(prefix, '"')
        .replace(/\d{4}-\d\d-\d\d/g, (date) => new Date(Date.parse(date) - shift).toISOString().slice(0, 10)),
    );
  }

  beforeAll(async () => {
    service ??= await startService();
    client = new Client(service.baseUrl, service.secretKey);
    const truth = new ShopTruth();
    const entries = entriesOf(toldAs('native'));
    for (const entry of entries) truth.note(entry);
    const player = new Player({
      ...{baseUrls: [service.baseUrl], key: service.writeKey},
      sleep: async (ms) => void (await pause(ms)),
    });
    await player.play(entries.values());
    player.close();
    const range = {fromMs: startMs, toMs: startMs + days * dayMs - 1};
    const wanted = [truth.activeByDay(range, 7), new ShopAnswers(truth, range).activeByWeekOn(['plus', 'pro'])];
    const counted = async (): Promise<unknown> => {
      original = await answersOf('native');
      return [original.at(6)!, original.at(-1)!].map((answer) =>
        (JSON.parse(answer) as {data?: {count: number}[]}).data?.map(({count}) => count),
      );
    };
    const isWhole = (there: unknown): boolean =>
      isDeepStrictEqual(there, wanted) && original[0]!.includes(`"total":${truth.eventCount}`);
    expect(await until(counted, isWhole, 'reports have the original')).toEqual(wanted);
  });

  test.each(forms)(
    '%s: killed on the way, it answers as the original does',
    async (name, {options, hasTraits, write}) => {
      const home = join(folder, `export-of-${name}`);
      mkdirSync(home);
      const path = write(toldAs(name), home);
      for (let kills = Math.min(killsLeft, playsAll ? 2 : 1); kills > 0; kills--, killsLeft--)
        hits += Number(await killedImport(service!.dataDir, path, random, ...options, ...(playsAll ? [] : slowly)));
      // Again: on a machine that is busy it may have ended before it was killed.
      const {code, output} = await runImport(service!.dataDir, path, ...options, '--again');
      expect([code, output]).toEqual([0, expect.stringMatching(/refused {4}0\n/)]);
      const told = async (): Promise<readonly string[]> => (await answersOf(name)).slice(0, hasTraits ? undefined : -1);
      const wanted = original.slice(0, hasTraits ? undefined : -1);
      const isEqual = (there: readonly string[]): boolean => isDeepStrictEqual(there, wanted);
      expect(await until(told, isEqual, `reports have the copy of ${name}`).catch(told)).toEqual(wanted);
    },
  );

  test('imports were killed on the way', () => {
    expect(hits).toBeGreaterThan(0);
  });
});

interface AskedRange {
  readonly from: string;
  readonly to: string;
}

/** Twelve, and one about the traits of users. */
function shopQuestions(range: AskedRange): object[] {
  const orders = [{event: 'order_placed'}];
  const large = [{event: 'order_placed', where: ['value gte 5000', 'payment ne invoice']}];
  const counts = {report: 'counts', range};
  const funnel = {report: 'funnel', range};
  return [
    counts,
    {...counts, events: orders, measure: {of: 'sum', property: 'value'}},
    {...counts, events: orders, measure: {of: 'users'}, interval: 'week'},
    {...counts, events: [{event: 'page'}], breakdown: [{property: 'path', limit: 5}], interval: 'week'},
    {...counts, events: large, interval: 'week'},
    {...counts, events: orders, timezone: '+02:00'},
    {report: 'active', metric: 'wau', range},
    {...funnel, steps: [{event: 'page'}, {event: 'signup'}, {event: 'order_placed'}]},
    {...funnel, steps: [{event: 'product_viewed'}, {event: 'order_placed'}], breakdown: [{property: 'device'}]},
    {report: 'retention', start: {event: 'signup'}, interval: 'week', periods: 3, range},
    {report: 'lifecycle', events: [{event: 'product_viewed'}], interval: 'week', range},
    {report: 'paths', start: {event: 'signup'}, range},
    {report: 'active', metric: 'wau', interval: 'week', users: {where: ['plan in plus,pro']}, range},
  ];
}
