// A store several times as large as the cache (MEMORY_CACHE_MIB): everything in it is still answered, exactly, before and
// after a kill -9. One partition and the smallest cache there is, with texts that gzip cannot make small.

import {createHash} from 'node:crypto';
import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {activeUsersOf} from '../tools/model/active-users.js';
import {eventCountsOf} from '../tools/model/event-counts.js';
import {funnelOf} from '../tools/model/funnel.js';
import {type EventBody, Model, receivedAt} from '../tools/model/model.js';
import {Client, type EventAnswer, expectJson, type HistoryAnswer, type ProfileBody, query} from './support/http.js';
import {Positions, reportCovering} from './support/reports.js';
import {type Service, startService} from './support/service.js';

const cacheMib = 8;
const batches = 16;
const batchEvents = 1_000;
const users = 500;
const names = ['open', 'search', 'buy', 'leave', 'return'];
const range = {from: '2024-03-01', to: '2024-03-20'};
const env = {
  PARTITIONS: '1',
  MEMORY_CACHE_MIB: String(cacheMib),
  RATE_LIMIT_EVENTS_PER_SECOND: '0',
  RATE_LIMIT_READS_PER_MINUTE: '0',
};

const eventNumber = (n: number) => ({
  event: names[(n * 7 + Math.floor(n / 911)) % names.length]!,
  userId: `user-${(n * 7_919) % users}`,
  timestamp: new Date(Date.UTC(2024, 2, 1) + ((n * 104_729) % 1_700_000) * 1_000).toISOString(),
  properties: {n, bucket: `b${n % 997}`, text: randomText(n)},
});

/** 2,000 characters that only this number has. */
function randomText(n: number): string {
  return createHash('shake256', {outputLength: 1_500}).update(String(n)).digest('base64');
}

function bytesUnder(folder: string): number {
  const files = readdirSync(folder, {recursive: true, withFileTypes: true}).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

async function fill(service: Service, model: Model): Promise<Positions> {
  const client = new Client(service.baseUrl, service.writeKey);
  const positions = new Positions();
  for (let batch = 0; batch < batches; batch++) {
    const events = Array.from({length: batchEvents}, (_, i) => eventNumber(batch * batchEvents + i));
    const answer = await client.post('/v1/events/batch', {events});
    expectJson(answer, 200);
    positions.note(answer);
    model.batch(events as EventBody[], receivedAt(0));
  }
  return positions;
}

async function checkReports(reader: Client, model: Model, positions: Positions): Promise<void> {
  const expected: [string, unknown][] = [
    ...names.map((event): [string, unknown] => [
      `events?${query({event, ...range})}`,
      eventCountsOf(model, {event, ...range}),
    ]),
    ...['bucket=b17', 'n=4242', `text=${randomText(21_337)}`].map((filter): [string, unknown] => [
      `events?${query({event: eventNumber(21_337).event, ...range, filter})}`,
      eventCountsOf(model, {event: eventNumber(21_337).event, ...range, filter}),
    ]),
    [
      `users?${query({metric: 'dau', interval: 'day', ...range})}`,
      activeUsersOf(model, {metric: 'dau', interval: 'day', ...range}),
    ],
    [
      `funnel?${query({'steps[]': names, ...range, window: '2d'})}`,
      funnelOf(model, {steps: names, ...range, window: '2d'}),
    ],
  ];
  for (const [path, json] of expected) {
    const report = await reportCovering(reader, `/v1/reports/${path}`, positions, 60_000);
    expect(report.json(), path).toEqual(json);
  }
}

const textOf = (event: EventAnswer): string => JSON.stringify([event.event, event.timestamp, event.properties]);

/** All pages of a history, newest first. */
async function pagesOf(reader: Client, parameters: Readonly<Record<string, string>>): Promise<string[]> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.get(`/v1/events?${query({...parameters, limit: 1_000, cursor})}`);
    expectJson(page, 200);
    const {data, next_cursor} = page.json<HistoryAnswer>();
    lines.push(...data.map(textOf));
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return lines;
}

async function checkHistory(reader: Client, model: Model): Promise<void> {
  const linesOf = (keeps: (body: {name: string; userId: string | null}) => boolean) =>
    model
      .inOrder(model.events.filter(keeps))
      .reverse()
      .map(({name, timeMs, properties}) => JSON.stringify([name, new Date(timeMs).toISOString(), properties]));
  for (const userId of ['user-0', 'user-250', 'user-499']) {
    const expected = linesOf((event) => event.userId === userId);
    expect(await pagesOf(reader, {userId})).toEqual(expected);
    const profile = await reader.get(`/v1/users/${userId}`);
    expect(profile.json<ProfileBody>().events.map(textOf)).toEqual(expected.slice(0, 100));
  }
  expect(await pagesOf(reader, {event: 'buy'})).toEqual(linesOf((event) => event.name === 'buy'));
}

test('a store far larger than the cache answers everything, also after kill -9', async () => {
  const model = new Model();
  const service = await startService({env});
  const positions = await fill(service, model);
  await checkReports(new Client(service.baseUrl, service.secretKey), model, positions);
  await checkHistory(new Client(service.baseUrl, service.secretKey), model);
  await service.kill();

  const again = await startService({env, dataDir: service.dataDir});
  expect(bytesUnder(join(again.dataDir, 'nats'))).toBeGreaterThan(4 * cacheMib * 1_048_576);
  const reader = new Client(again.baseUrl, again.secretKey);
  await checkReports(reader, model, positions);
  await checkHistory(reader, model);
  expect(await again.stop()).toBe(0);
}, 240_000);
