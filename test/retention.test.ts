// RETENTION_DAYS on a whole service: older events leave every answer and every file, and what is new stays.
import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {searchDisk} from '../tools/disk-search.js';
import {Client, type HistoryAnswer, type ProfileBody} from './support/http.js';
import {scrape} from './support/metrics.js';
import {Positions, reportCovering, until} from './support/reports.js';
import {type Service, startService} from './support/service.js';

const dayMs = 86_400_000;
const keptDays = 7;
const todayMs = Math.floor(Date.now() / dayMs) * dayMs;
const daysAgo = (days: number): string => new Date(todayMs - days * dayMs + 3_600_000).toISOString();
const old = {event: 'oldest_event_9f41c7', property: 'expired-value-5d2f9e8b31', messageId: 'expired-message-7c61'};
const keptFrom = new Date(todayMs - keptDays * dayMs).toISOString();
const markers = [old.event, old.property, old.messageId];

const range = `from=${daysAgo(30).slice(0, 10)}&to=${daysAgo(-1).slice(0, 10)}`;
const paths = {
  counts: `/v1/reports/events?event=visit&${range}`,
  hours: `/v1/reports/events?event=visit&interval=hour&${range}`,
  filtered: `/v1/reports/events?event=visit&filter=note=${old.property}&${range}`,
  broken: `/v1/reports/events?event=visit&breakdown=note&${range}`,
  users: `/v1/reports/users?${range}`,
  funnel: `/v1/reports/funnel?steps[]=visit&steps[]=visit&${range}`,
  retention: `/v1/reports/retention?start=visit&return=visit&${range}`,
  names: `/v1/names?${range}`,
  properties: `/v1/properties?event=visit&${range}`,
  values: `/v1/properties/values?event=visit&property=note&${range}`,
};

const program = fileURLToPath(new URL('../dist/service/cli/retention.js', import.meta.url));
const retention = (dataDir: string, ...words: readonly string[]): string =>
  execFileSync(process.execPath, [program, ...words], {env: {...process.env, DATA_DIR: dataDir}, encoding: 'utf8'});

/** Adds the old events, and those that stay. */
async function fill(service: Service): Promise<Positions> {
  const client = new Client(service.baseUrl, service.secretKey);
  const positions = new Positions();
  const sent = async (path: string, body: object): Promise<void> => {
    const answer = await client.post(path, body);
    expect(answer.status, answer.text).toBe(200);
    positions.note(answer);
  };
  for (const userId of ['ada', 'bob', 'eve']) {
    const properties = {note: old.property};
    const messageId = `${old.messageId}-${userId}`;
    await sent('/v1/events', {event: 'visit', userId, timestamp: daysAgo(12), messageId, properties});
    await sent('/v1/events', {event: old.event, userId, timestamp: daysAgo(keptDays + 1)});
    if (userId !== 'eve')
      await sent('/v1/events', {event: 'visit', userId, timestamp: daysAgo(keptDays), properties: {note: 'new'}});
  }
  await sent('/v1/users/identify', {userId: 'ada', traits: {plan: 'pro'}});
  return positions;
}

test('older events leave every answer and every file', {timeout: 240_000}, async () => {
  const env = {PARTITIONS: '2'};
  const before = await startService({env});
  const positions = await fill(before);
  const first = await reportCovering(new Client(before.baseUrl, before.secretKey), paths.counts, positions);
  expect(first.json()).toMatchObject({total: 5});
  expect(first.headers['report-retained-from']).toBe(undefined);
  expect(searchDisk(before.dataDir, markers).length).toBeGreaterThan(0);
  expect(retention(before.dataDir, '--days', String(keptDays))).toBe(
    `No event has expired.\n6 events are from before ${keptFrom.slice(0, 10)}: they expire with RETENTION_DAYS=${keptDays}.\n`,
  );
  expect(await before.stop()).toBe(0);

  const service = await startService({env: {...env, RETENTION_DAYS: String(keptDays)}, dataDir: before.dataDir});
  const client = new Client(service.baseUrl, service.secretKey);
  const counts = await until(
    () => client.get(paths.counts),
    ({headers}) => headers['report-retained-from'] === keptFrom,
    'the older events expire',
  );
  expect(counts.json()).toMatchObject({total: 2});
  expect(retention(service.dataDir)).toBe(`Events are kept from ${keptFrom} on.\n`);
  expect(counts.json<{data: {count: number}[]}>().data).toHaveLength(32);
  for (const path of Object.values(paths)) {
    const answer = await client.get(path);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['report-retained-from'], path).toBe(keptFrom);
    for (const marker of markers)
      expect(answer.text.includes(marker) && !answer.text.includes('filter'), path).toBe(false);
  }
  expect((await client.get(paths.filtered)).json()).toMatchObject({total: 0});
  expect((await client.get(paths.funnel)).json()).toMatchObject({steps: [{count: 2}, {count: 0}]});
  const near = await client.get(`/v1/reports/events?event=visit&from=${keptFrom}&to=${daysAgo(0).slice(0, 10)}`);
  expect(near.headers['report-retained-from']).toBe(undefined);

  const history = (await client.get('/v1/events?limit=100')).json<HistoryAnswer>().data;
  expect(history.map(({userId, event}) => `${userId} ${event}`).sort()).toEqual(['ada visit', 'bob visit']);
  const profile = (await client.get('/v1/users/ada')).json<ProfileBody & {created_at: string; events: unknown[]}>();
  expect(profile).toMatchObject({traits: {plan: 'pro'}, created_at: daysAgo(12)});
  expect(profile.events).toHaveLength(1);
  expect((await client.get('/v1/users/eve')).json()).toMatchObject({created_at: daysAgo(12), events: []});
  const exported = await client.get('/v1/export');
  expect(exported.text.match(/"event":"[^"]*"/g)).toEqual(['"event":"visit"', '"event":"visit"']);

  await until(
    async () => searchDisk(service.dataDir, markers),
    (found) => found.length === 0,
    'no file has anything of them',
  );
  const metrics = await scrape(service.baseUrl);
  expect(metrics.sum('millrace_expired_bytes_pending')).toBe(0);

  // One that comes late is taken, and makes no row.
  const late = await client.post('/v1/events', {event: 'visit', userId: 'ada', timestamp: daysAgo(keptDays + 1)});
  expect(late.json()).toEqual({status: 'ok', received: 1});
  const folded = await until(
    () => scrape(service.baseUrl),
    (seen) => seen.sum('millrace_events_folded_total', {outcome: 'expired'}) === 1,
    'the late event is folded',
  );
  expect(folded.sum('millrace_events_folded_total', {outcome: 'counted'})).toBe(0);
  expect((await client.get('/v1/events?limit=100')).json<HistoryAnswer>().data).toHaveLength(2);

  // All of it is so after a start, too.
  const answer = (await client.get(paths.counts)).json();
  await service.kill();
  const again = await startService({env: {...env, RETENTION_DAYS: String(keptDays)}, dataDir: before.dataDir});
  expect((await new Client(again.baseUrl, again.secretKey).get(paths.counts)).json()).toEqual(answer);
});
