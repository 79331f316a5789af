// Benchmarks in a real browser: the numbers are those of the API, keys are enough, and what is taken away is whole.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Browser, Locator, Page} from 'playwright-core';
import {beforeAll, expect, test} from 'vitest';
import {writeResult} from '../../../bench/results.js';
import {type BenchRun, type Figure, type ListedRun, type RunList, runId} from '../../../src/bench-run.js';
import {benchRunOf, figureOf} from '../../support/bench-runs.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {type Service, startService, temporaryFolder} from '../../support/service.js';
import {cellsOf} from '../table-cells.js';

/** A bench of its own: the project's history has none of it. */
const bench = 'story';
const days = 14;
const oddName = 'Ack p99 of <b>odd</b> | names';
const otherHost = {...benchRunOf().host, cpu: 'Another processor'};
const dayMs = 86_400_000;
/** All of them are weeks old. */
const timeOf = (day: number): string => new Date(Date.now() - (40 - day) * dayMs).toISOString();

let service: Service;
let browser: Browser;
let dashboard: DashboardPage;
let page: Page;
let own: readonly ListedRun[];

const five = (median: number): number[] =>
  [0.99, 0.995, 1, 1.005, 1.01].map((part) => Number((median * part).toFixed(4)));
const points = [
  [0.5, 1.5],
  [0.9, 3],
  [0.99, 8],
  [0.999, 21],
] as const;

/** The last run is slower, and better in one figure; the second one is of another machine, the ninth has other options. */
function runOf(day: number): BenchRun {
  const isLast = day === days - 1;
  const figures: Figure[] = [
    figureOf({id: 'ratio', name: 'CPU of F2 / CPU of ours', samples: five(isLast ? 0.5 : 0.6), reach: 0.7, limit: 0.8}),
    figureOf({id: 'rate', name: 'Events a second', unit: 'events/s', samples: five(isLast ? 60_000 : 50_000)}),
    figureOf({
      id: 'ack',
      name: oddName,
      unit: 'ms',
      better: 'less',
      samples: five(8),
      reach: 20,
      curve: {name: 'half', points},
    }),
    figureOf({id: 'once', name: 'Bytes of a user', unit: 'B', better: 'less', samples: [41.3]}),
  ];
  return benchRunOf({
    bench,
    time: timeOf(day),
    figures,
    host: day < 2 ? otherHost : benchRunOf().host,
    options: {...benchRunOf().options, partitions: day === 8 ? 1 : 4},
    versions: {...benchRunOf().versions, changed: isLast ? ' M src/edge/server.ts' : ''},
    rounds: [
      {
        name: 'single events',
        foreignShares: [0.01, 0.04],
        voided: isLast ? [{round: 2, reason: 'the generator was late'}] : [],
      },
    ],
  });
}

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  const resultsFolder = join(temporaryFolder(), 'results');
  mkdirSync(resultsFolder);
  for (let day = 0; day < days; day++) writeResult(runOf(day), {day}, {resultsFolder});
  writeFileSync(join(resultsFolder, `${runId(runOf(days))}.json`), 'no JSON');
  [service, browser] = await Promise.all([
    startService({env: {...seldomRefreshed, BENCH_RESULTS_DIR: resultsFolder}}),
    openBrowser(),
  ]);
  dashboard = await DashboardPage.open(browser, service);
  page = dashboard.page;
  await dashboard.signIn(service.adminToken);
  const answer = await page.request.get(`${service.baseUrl}/dashboard/api/bench/runs`);
  own = ((await answer.json()) as RunList).runs.filter((run) => run.bench === bench);
  expect(own).toHaveLength(days);
});

browserTests(() => ({service, browser}));

const card = (name: string): Locator => page.getByRole('region', {name, exact: true});
const medianOf = (run: ListedRun, id: string): number => {
  const sorted = [...run.figures.find((figure) => figure.id === id)!.samples].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
};
const numberText = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString('en-US') : String(value.toPrecision(3));
async function download(button: Locator): Promise<string> {
  const begun = page.waitForEvent('download');
  await button.click();
  return readFileSync(await (await begun).path(), 'utf8');
}

test('History: medians, what is short, breaks and damage; a run is opened by keys', async () => {
  await dashboard.goto(`/benchmarks?bench=${bench}`);
  const story = card(bench);
  await story.getByRole('button', {name: 'Show the numbers as a table'}).waitFor();
  const newest = own.at(-1)!;
  const ids = ['ratio', 'rate', 'ack', 'once'];
  expect(await story.locator('.figure-now b').allInnerTexts()).toEqual(
    ids.map((id) => numberText(medianOf(newest, id))),
  );
  const [short] = await cellsOf(card('Short of the target'));
  expect(short!.slice(0, 7)).toEqual([
    'CPU of F2 / CPU of ours',
    '29\u2009% short',
    '0.500',
    '0.7',
    '0.8',
    '0.495 – 0.505',
    bench,
  ]);
  expect(await page.getByText('One run was not read').count()).toBe(1);
  // Twelve points are shown: without the two of another host, and with both sides of the run of other options.
  expect(await story.locator('.figure-chart').first().locator('line.break').count()).toBe(2);
  await dashboard.expectSoundOnPhone();

  await story.getByRole('button', {name: 'Show the numbers as a table'}).click();
  expect((await cellsOf(story)).map((row) => row.slice(2))).toEqual(
    [...own].reverse().map((run) => ids.map((id) => numberText(medianOf(run, id)))),
  );
  await story.getByRole('button', {name: 'Show the numbers as a table'}).click();

  const links = story.locator('.figure-chart').first().locator('a');
  await links.last().focus();
  await page.keyboard.press('ArrowLeft');
  await story.getByText(/^\d{1,2} \w{3}.*: 0\.600, 0\.594 – 0\.606$/).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/benchmarks?show=run&run=${own.at(-2)!.id}`);
});

test('a run: every round, latencies by percentile, void rounds, changed files, the whole JSON', async () => {
  const run = own.at(-1)!;
  await dashboard.goto(`/benchmarks?show=run&run=${run.id}`);
  await card('Figures').getByRole('row').nth(4).waitFor();
  const rows = await cellsOf(card('Figures'));
  expect(rows.map(([name, median]) => [name!.split('\n')[0], median])).toEqual(
    run.figures.map(({id, name, unit}) => [
      name,
      unit === 'ratio' ? numberText(medianOf(run, id)) : `${numberText(medianOf(run, id))} ${unit}`,
    ]),
  );
  const dots = card('Figures').locator('tbody tr').first().locator('circle');
  expect(await dots.count()).toBe(run.figures[0]!.samples.length);
  expect(await cellsOf(card('Latency by percentile'))).toEqual([['half', ...points.map(([, ms]) => numberText(ms))]]);
  await card('Rounds').getByText('Round 2 was void: the generator was late').waitFor();
  await card('What it ran on, and with').getByText('M src/edge/server.ts').waitFor();
  await dashboard.expectSoundOnPhone();
  await card('JSON').getByText('Show it').click();
  await card('JSON').getByText('"day": 13').waitFor();
  await dashboard.expectSound();
  const whole = await download(card('JSON').getByRole('button', {name: 'Download'}));
  expect(JSON.parse(whole)).toMatchObject({bench, time: run.time, report: {day: days - 1}});
});

test('Compare: the newest pair of one host, verdicts, order, and what is taken away', async () => {
  await dashboard.goto(`/benchmarks?show=compare&bench=${bench}`);
  const result = card('1 worse, 1 better, 1 no difference seen, 1 with too few rounds');
  await result.waitFor();
  const [a, b] = [own.at(-2)!, own.at(-1)!];
  expect(await page.getByLabel('A, before').inputValue()).toBe(a.id);
  const rows = await cellsOf(result.locator('table').first());
  expect(rows.map(([name, , , , change, , verdict]) => [name!.split('\n')[0], change, verdict])).toEqual([
    ['CPU of F2 / CPU of ours', '−16.7\u2009%', 'worse'],
    ['Events a second', '+20.0\u2009%', 'better'],
    ['Bytes of a user', '0.0\u2009%', 'too few rounds'],
  ]);
  await result.getByText('1 figure without a difference').click();
  await result.getByText(oddName).waitFor();
  await dashboard.expectSoundOnPhone();

  const html = await download(result.getByRole('button', {name: 'HTML'}));
  expect(html).toContain('&lt;b&gt;odd&lt;/b&gt;');
  const alone = await dashboard.context.newPage();
  await alone.setContent(html);
  expect(await alone.locator('tbody tr').count()).toBe(4);
  expect(await alone.locator('td.worse').innerText()).toBe('worse');
  await alone.close();

  await page.getByLabel('A, before').selectOption(own[0]!.id);
  await page.waitForURL(new RegExp(`a=${own[0]!.id}&b=${b.id}`));
  await page.getByText('Different hosts: cpu Another processor → AMD EPYC').waitFor();
  await card('1 worse, 0 better, 0 no difference seen, 3 not judged on another host').waitFor();
  await dashboard.expectSound();
  await page.goBack();
  await result.waitFor();
});

test('without a run the page says how to make one; an unknown run leads back', async () => {
  await dashboard.goto('/benchmarks?show=run&run=story-2020-01-01T00-00-00-000Z');
  await page.getByText('There is no run').waitFor();
  await dashboard.expectSound();
  await page.route('**/dashboard/api/bench/runs', (route) =>
    route.fulfill({contentType: 'application/json', body: '{"runs":[],"left_off":0,"problems":[]}'}),
  );
  await dashboard.goto('/benchmarks');
  await page.getByText('npm run bench -- ingest --keep', {exact: true}).waitFor();
  await dashboard.expectSoundOnPhone();
});
