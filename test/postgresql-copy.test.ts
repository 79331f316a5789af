// docs/postgresql.md as it stands: its files and its commands, against a service and a PostgreSQL of their own. The tables have what
// the service answers.
import {execFile} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isDeepStrictEqual, promisify} from 'node:util';
import {Client as Database} from 'pg';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {type PostgresCluster, postgresObstacle, startPostgres} from '../bench/peers/postgres/cluster.js';
import {freshId, useService} from './conformance/service-under-test.js';
import {until} from './support/until.js';

const run = promisify(execFile);
const page = readFileSync(new URL('../docs/postgresql.md', import.meta.url), 'utf8');
const files = [...page.matchAll(/`([a-z]+\.sql)`[^`]*\n\n```sql\n([\s\S]*?)```/g)];
const [createTables, follow, createViews, loadExport] = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, commands]) => commands!,
);

const [, perDay] = /```sql\n(SELECT date_trunc[^`]*)```/.exec(page)!;

const obstacle = postgresObstacle();
const under = useService({REPORT_REFRESH_SECONDS: '1'});
let cluster: PostgresCluster | undefined;
let database: Database;
const folder = mkdtempSync(join(tmpdir(), 'millrace-copy-'));

beforeEach((context) => {
  if (obstacle !== null) context.skip(obstacle);
});
beforeAll(async () => {
  if (obstacle !== null) return;
  cluster = await startPostgres();
  database = new Database(cluster.connection);
  await database.connect();
  for (const [, name, text] of files) writeFileSync(join(folder, name!), text!);
});
afterAll(async () => {
  rmSync(folder, {recursive: true});
  if (cluster === undefined) return;
  await database.end();
  await cluster.stop();
});

async function shell(commands: string): Promise<string> {
  const {host, user, database: name} = cluster!.connection;
  const {baseUrl, secretKey} = under.service;
  const env = {...process.env, PGHOST: host, PGUSER: user, PGDATABASE: name, BASE: baseUrl, SECRET_KEY: secretKey};
  const {stdout} = await run('sh', ['-c', commands], {cwd: folder, env});
  return stdout;
}

type Row = Readonly<Record<string, unknown>>;

/** Lines of a table, without what only changes have. */
async function linesOf(table: string): Promise<Row[]> {
  const {rows} = await database.query<{line: Row}>(`SELECT line FROM ${table} ORDER BY line->>'id'`);
  return rows.map(({line: {type: _, user_ref: __, event_ref: ___, ...line}}) => line);
}

/** Events as the service exports them to stores. */
async function exported(): Promise<Row[]> {
  const lines = (await under.read.get('/v1/export?text=utf8')).text.trim().split('\n');
  const events = lines.slice(0, -1).map((line) => JSON.parse(line) as Row);
  return events.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}

/** Follows the changes until the copy has what the service exports, and this holds of it. */
const copied = (what: string, isThere: (events: readonly Row[]) => boolean): Promise<unknown> =>
  until(what, async () => {
    await shell(follow!);
    const events = await linesOf('events');
    return isThere(events) && isDeepStrictEqual(events, await exported());
  });

test('the tables follow events, sign-ups and deletions', async () => {
  expect(files.map(([, name]) => name)).toEqual(['schema.sql', 'page.sql', 'views.sql', 'exported.sql', 'load.sql']);
  const [ada, bob, device] = [freshId('ada'), freshId('bob'), freshId('device')];
  await under.trackAll([
    {event: 'seen', anonymousId: device, properties: {path: '/', text: 'a "quote", a \\ and ü'}},
    {event: 'bought', userId: bob, properties: {amount: 1.5, list: [1, null, {deep: true}]}},
    {event: 'bought', userId: ada, timestamp: '2026-05-01T10:00:00Z'},
  ]);
  await under.identify(ada, {plan: 'pro'});
  await shell(createTables!);
  await copied('the first events are there', (events) => events.length === 3);
  await until('the profile is there', async () => {
    await shell(follow!);
    const {rows} = await database.query('SELECT user_id, line->$1 AS traits FROM profiles', ['traits']);
    return rows.some(({user_id: id, traits}) => id === ada && traits.plan === 'pro');
  });

  await shell(createViews!);
  const {rows: days} = await database.query(perDay!);
  const [first, ...others] = days.map(({day, plan, bought, amount, people}) => [day, plan, bought, amount, people]);
  expect(first).toEqual([new Date('2026-05-01T00:00:00Z'), 'pro', '1', null, '1']);
  expect(others).toEqual([[expect.any(Date), null, '1', '1.5', '1']]);

  await under.track({event: 'signed up', userId: ada, anonymousId: device});
  await copied('the events of the device are those of the user', (events) =>
    events.some(({event, userId, joined}) => event === 'seen' && userId === ada && joined === true),
  );

  expect((await under.read.delete(`/v1/users/${bob}`)).status).toBeLessThan(300);
  await copied('the deleted user is not there', (events) => events.every(({userId}) => userId !== bob));
  const {rows} = await database.query('SELECT id, event, user_id, at FROM events WHERE user_id = $1 ORDER BY at', [
    ada,
  ]);
  expect(rows[0]).toMatchObject({event: 'bought', at: new Date('2026-05-01T10:00:00Z')});
  expect(rows).toHaveLength(3);
});

test('hostile texts are copied and loaded: half an emoji in key and value, NUL, U+202E, a quote of the copy', async () => {
  const [event, userId] = [freshId('hostile'), freshId()];
  const properties = {
    'key \ud83d': 'half \ude00',
    'nul \0': ['a\0b', {'\udfff': '\ud83d\ude00'}],
    '\u202e': '\u202e\u2028 \u0001\u0002 \\. \\u0000 \\N',
  };
  await under.track({event, userId, properties});
  await under.identify(userId, properties);
  const stored = {
    'key \ufffd': 'half \ufffd',
    'nul \ufffd': ['a\ufffdb', {'\ufffd': '\ud83d\ude00'}],
    '\u202e': properties['\u202e'],
  };
  await copied('the event is there', (events) => events.some((one) => one.event === event));
  expect((await linesOf('events')).find((one) => one.event === event)).toMatchObject({properties: stored});
  await until('the profile is there', async () => {
    await shell(follow!);
    const {rows} = await database.query('SELECT line->$2 AS traits FROM profiles WHERE user_id = $1', [
      userId,
      'traits',
    ]);
    return rows.length === 1 && isDeepStrictEqual(rows[0].traits, stored);
  });
  await shell(loadExport!);
  expect((await linesOf('exported')).find((one) => one.event === event)).toMatchObject({properties: stored});
});

test('a page is applied once, also by two runs at a time', async () => {
  const event = freshId('event');
  await under.track({event, userId: freshId()});
  await copied('it is there', (events) => events.some((one) => one.event === event));
  const {rows} = await database.query('SELECT next FROM copied');
  const outdated = shell('psql -Xq -v ON_ERROR_STOP=1 -v after= --single-transaction -f page.sql');
  await expect(outdated).rejects.toThrow('another run has applied this page');
  expect((await database.query('SELECT next FROM copied')).rows).toEqual(rows);
});

test('an export is loaded, and loaded again; one that is cut is not', async () => {
  const event = freshId('event');
  await under.track({event, userId: freshId()});
  const whole = await until('an export has it', async () => {
    const events = await exported();
    return events.some((one) => one.event === event) && events;
  });
  for (let times = 0; times < 2; times++) {
    await shell(loadExport!);
    expect(await linesOf('exported')).toEqual(whole);
  }
  const check = loadExport!.split('\n').find((line) => line.startsWith('tail'))!;
  await expect(shell(`sed -i '$ d' events.ndjson; ${check}`)).rejects.toThrow();
});
