// docs/grafana.md: the queries of its panels, sent as Grafana's Infinity data source sends them, and their rows taken as it takes them.
import {readFileSync} from 'node:fs';
import {beforeAll, expect, test} from 'vitest';
import {reportCovering} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

interface Target {
  readonly url: string;
  readonly url_options: {readonly method: string; readonly body_content_type: string; readonly data: string};
  readonly root_selector: string;
  readonly columns: readonly {readonly selector: string; readonly text: string; readonly type: string}[];
}

const page = readFileSync('docs/grafana.md', 'utf8');
const targets = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!) as Target);

const [ordered, signedUp] = [freshId('ordered'), freshId('signed_up')];
const [fromMs, toMs] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 3) - 1];

beforeAll(async () => {
  const at = (day: number): string => new Date(fromMs + day * 24 * 60 * 60 * 1_000).toISOString();
  const today = new Date().toISOString();
  await under.trackAll([
    {event: signedUp, userId: 'ada', timestamp: at(0)},
    {event: signedUp, userId: 'bob', timestamp: at(0)},
    {event: ordered, userId: 'ada', timestamp: at(1)},
    {event: ordered, userId: 'ada', timestamp: today, properties: {currency: 'EUR'}},
    {event: ordered, userId: 'bob', timestamp: today, properties: {currency: 'EUR'}},
    {event: ordered, userId: 'bob', timestamp: today, properties: {currency: 'USD'}},
  ]);
  await reportCovering(under.read, '/v1/names', under.positions);
});

/** What Grafana puts in place of variables, and what this file's events are called. */
const filledIn = (data: string): string =>
  data
    .replaceAll(/\$\{__(from|to):date:iso\}/g, (_, end) => new Date(end === 'from' ? fromMs : toMs).toISOString())
    .replaceAll('"ordered"', JSON.stringify(ordered))
    .replaceAll('"signed_up"', JSON.stringify(signedUp));

/** A path of names, which means the same in JSONata. */
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce((of, name) => (of as Record<string, unknown>)[name], value);

const cellOf = (value: unknown, type: string): unknown => (type === 'timestamp' ? Date.parse(value as string) : value);

/** pkg/infinity/request.go and headers.go of the plugin; Go's client accepts gzip. */
async function rowsOf({url, url_options: options, root_selector: root, columns}: Target): Promise<unknown[][]> {
  const answer = await fetch(under.service.baseUrl + url, {
    method: options.method,
    headers: {
      Accept: 'application/json;q=0.9,text/plain',
      'Accept-Encoding': 'gzip',
      Authorization: `Bearer ${under.service.secretKey}`,
      'Content-Type': options.body_content_type,
      'User-Agent': 'Grafana/12.0.0',
    },
    body: filledIn(options.data),
  });
  expect(answer.status).toBe(200);
  const rows = at(await answer.json(), root) as Record<string, unknown>[];
  return rows.map((row) => columns.map(({selector, type}) => cellOf(at(row, selector), type)));
}

test('a line by day, values of a property, and a funnel have their rows where the panels look', async () => {
  expect(targets).toHaveLength(3);
  const [line, values, funnel] = await Promise.all(targets.map(rowsOf));
  expect(line).toEqual([
    [fromMs, 0],
    [fromMs + 24 * 60 * 60 * 1_000, 1],
  ]);
  expect(values!.filter(([value]) => value !== undefined)).toEqual([
    ['EUR', 2],
    ['USD', 1],
  ]);
  expect(funnel).toEqual([
    [signedUp, 2],
    [ordered, 1],
  ]);
});
