// Overview, Trends, Funnels, Active users and People in a real browser: their numbers are the API's.
import {readFileSync} from 'node:fs';
import type {Browser, Locator, Page, Request} from 'playwright-core';
import {beforeAll, expect, test} from 'vitest';
import {pinKey} from '../../../dashboard/src/service/board-tiles.js';
import {pinsOf, readBoards, setPins} from '../../support/board.js';
import {BrowserClient} from '../../support/browser-client.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {Client, query} from '../../support/http.js';
import {keptAt} from '../../support/kept-report.js';
import {Positions, reportCovering} from '../../support/reports.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';
import {cellsOf} from '../table-cells.js';

const dayMs = 86_400_000;
/** A name that a CSV has to quote, and that is text and not markup everywhere. */
const oddName = 'page, "<img src=x onerror=alert(1)>"';
const users = 24;
const days = 12;

let service: Service;
let browser: Browser;
let secret: Client;
let dashboard: DashboardPage;
let page: Page;
/** Beside the page, as another browser. */
let admin: BrowserClient;
/** All days of the story, none of which is today: nothing moves while it is looked at. */
let from: string;
let to: string;

interface Bucket {
  readonly date: string;
  readonly count: number;
}
interface Counted {
  readonly data: readonly Bucket[];
  readonly total: number;
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const text = (value: number): string => value.toLocaleString('en-US');
const ask = async <Answer>(path: string, parameters: Parameters<typeof query>[0]): Promise<Answer> =>
  (await secret.get(`${path}?${query(parameters)}`)).json<Answer>();
const counts = (event: string, more: Record<string, string> = {}): Promise<Counted> =>
  ask('/v1/reports/events', {event, from, to, ...more});

/** Every user signs up; two of three create a project, one of three subscribes; all look at pages. */
function story(startMs: number): object[] {
  return Array.from({length: users}, (_, u) => {
    const atMs = startMs + (u % days) * dayMs + u * 60_000;
    const event = (name: string, laterMs: number) => ({
      event: name,
      userId: `u${u}`,
      timestamp: new Date(atMs + laterMs).toISOString(),
      properties: {plan: u % 2 === 0 ? 'pro' : 'free'},
    });
    return [
      event('signup', 0),
      ...Array.from({length: 1 + (u % 5)}, (_, at) => event(oddName, (at + 1) * 3_600_000)),
      ...(u % 3 === 0 ? [] : [event('project_created', 600_000)]),
      ...(u % 3 === 1 ? [event('subscribed', 3 * 3_600_000)] : []),
    ];
  })
    .flat()
    .filter(({timestamp}) => Date.parse(timestamp) < startMs + days * dayMs);
}

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser] = await Promise.all([startService({env: seldomRefreshed}), openBrowser()]);
  secret = new Client(service.baseUrl, service.secretKey);
  const startMs = Math.floor(Date.now() / dayMs) * dayMs - (days + 1) * dayMs;
  [from, to] = [dateOf(startMs), dateOf(startMs + (days - 1) * dayMs)];
  const written = new Positions();
  written.note(await secret.post('/v1/events/batch', {events: story(startMs)}));
  written.note(await secret.post('/v1/users/identify', {userId: 'u3', traits: {name: '<b>Ada</b>', seats: 3}}));
  await reportCovering(secret, `/v1/names?${query({from, to})}`, written);
  dashboard = await DashboardPage.open(browser, service);
  page = dashboard.page;
  await dashboard.signIn(service.adminToken);
  admin = new BrowserClient(service.baseUrl);
  await until('signed in beside it', async () => (await admin.signIn({token: service.adminToken})).status === 200);
});

browserTests(() => ({service, browser}));

const card = (name: string): Locator => page.getByRole('region', {name, exact: true});
const range = (): string => `range=${from}..${to}`;
test('Trends: chart, table, CSV and curl say what the API says', async () => {
  const events = ['signup', oddName];
  const [signup, odd, pro] = await Promise.all([
    counts('signup'),
    counts(oddName),
    counts('signup', {where: 'plan eq pro'}),
  ]);
  const address = new URLSearchParams([
    ...[...events, 'signup'].map((event): [string, string] => ['event', event]),
    ['where', '3:plan eq pro'],
  ]);
  await dashboard.follow(`/trends?${address}&${range()}`);
  const numbers = card('In numbers');
  await numbers.getByRole('row').nth(3).waitFor();
  const byFunnel = await ask<{total: number}>('/v1/reports/funnel', {'steps[]': oddName, from, to});
  const rows = await cellsOf(numbers);
  expect(rows.map((row) => row.slice(0, 2))).toEqual([
    ['signup', text(signup.total)],
    [oddName, text(odd.total)],
    ['signup, plan is pro', text(pro.total)],
  ]);
  expect(rows[1]![2]).toBe(text(byFunnel.total));
  expect(rows[0]![4]).toBe(text(signup.data.at(-1)!.count));

  await dashboard.expectSoundOnPhone();
  const trend = card('Trend');
  await trend.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await trend.getByRole('table').waitFor();
  const table = await cellsOf(trend);
  expect(table.map((row) => row.slice(1))).toEqual(
    signup.data.map(({count}, at) => [count, odd.data[at]!.count, pro.data[at]!.count].map(text)),
  );
  expect(await dashboard.csvOf(trend)).toEqual([
    'date,signup,"page, ""<img src=x onerror=alert(1)>""","signup, plan is pro"',
    ...signup.data.map(({date, count}, at) => `${date},${count},${odd.data[at]!.count},${pro.data[at]!.count}`),
    '',
  ]);

  await trend.getByRole('button', {name: 'More', exact: true}).click();
  const commands = await trend.locator('pre').innerText();
  const urls = [...commands.matchAll(/'(http[^']+)'/g)].map(([, url]) => url!);
  const answers = await Promise.all(urls.map((url) => secret.get(url.slice(service.baseUrl.length))));
  // The pages are of UTC, whatever the zone of the service.
  const inUtc = [signup, odd, pro].map((answer) => ({...answer, timezone: 'UTC'}));
  expect(answers.map((answer) => answer.json())).toEqual(inUtc);
  await page.keyboard.press('Escape');
  await dashboard.expectSound();
});

test('Trends: opens with the most frequent event; measures, filters and breakdowns are chosen by hand', async () => {
  const names = await ask<{data: {name: string}[]}>('/v1/names', {from, to});
  await dashboard.follow(`/trends?${range()}`);
  await card('In numbers').getByRole('row').nth(1).waitFor();
  expect(await page.getByLabel('Event 1', {exact: true}).inputValue()).toBe(names.data[0]!.name);

  await page.getByLabel('Shown of event 1').selectOption('Distinct users');
  await page.waitForURL(/measure=1:users/);
  await page.getByRole('button', {name: '+ Filter of event 1'}).click();
  await page.getByRole('combobox', {name: 'Property of event 1, filter 1'}).click();
  await page.getByRole('option', {name: /^plan 100\.0/}).click();
  await page.getByRole('combobox', {name: 'Value of event 1, filter 1'}).click();
  await page.getByRole('option', {name: /^pro /}).click();
  await page.waitForURL(/where=1:plan\+eq\+pro/);
  const users = await ask<{total_value: number}>('/v1/reports/events', {
    event: names.data[0]!.name,
    where: 'plan eq pro',
    measure: 'users',
    from,
    to,
  });
  const first = card('In numbers').getByRole('row').nth(1);
  await first.getByText('plan is pro').waitFor();
  await until('the users are those of the API', async () =>
    (await cellsOf(card('In numbers')))[0]!.slice(1, 3).every((cell) => cell === text(users.total_value)),
  );
  await dashboard.expectSoundOnPhone();

  await first
    .getByRole('button', {name: /users of .*what is behind it/})
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${users.total_value} people`).waitFor();
  await dashboard.expectSound();
  const link = dialog.getByRole('link').first();
  expect(await link.getAttribute('href')).toContain('/people?user=u');
  await page.keyboard.press('Escape');

  await dashboard.follow(`/trends?event=subscribed&event=signup&${range()}`);
  await page.getByRole('button', {name: 'Any event'}).click();
  await page.getByRole('button', {name: 'Formula', exact: true}).click();
  await page.waitForURL(/event=subscribed&event=signup&event=&formula=A\+\/\+B/);
  await page.getByRole('button', {name: 'Formula', exact: true}).click();
  await page.getByLabel('Formula 2', {exact: true}).fill('C / D');
  await page.getByText('Letters of the events (A to C), numbers').waitFor();
  await page.getByLabel('Formula 2', {exact: true}).fill('C / B');
  await page.getByLabel('Name of formula 2').fill('events per sign-up');
  await page.keyboard.press('Enter');
  const divided = card('In numbers');
  await divided.getByText('events per sign-up').waitFor();
  await dashboard.expectSound();
  const [subscribed, signups, any] = await Promise.all([
    counts('subscribed'),
    counts('signup'),
    ask<Counted>('/v1/reports/events', {any_event: 'true', from, to}),
  ]);
  expect((await cellsOf(divided)).map((row) => row.slice(0, 2))).toEqual([
    ['subscribed', text(subscribed.total)],
    ['signup', text(signups.total)],
    ['any event', text(any.total)],
    ['subscribed / signup', String(Number((subscribed.total / signups.total).toFixed(4)))],
    ['events per sign-up', String(Number((any.total / signups.total).toFixed(4)))],
  ]);

  await dashboard.follow(`/trends?event=signup&by=plan&zone=Asia/Tehran&${range()}`);
  const broken = await ask<{breakdown: {rows: {value: string; total: number; data: Bucket[]}[]}}>(
    '/v1/reports/events',
    {
      event: 'signup',
      breakdown: 'plan',
      timezone: 'Asia/Tehran',
      from,
      to,
    },
  );
  await card('In numbers').getByRole('row').nth(2).waitFor();
  expect((await cellsOf(card('In numbers'))).map(([value, total]) => [value, total])).toEqual(
    broken.breakdown.rows.map(({value, total}) => [value, text(total)]),
  );
  await dashboard.expectSoundOnPhone();

  // The same as bars upon each other, and one of them switched off.
  await page.getByLabel('Show as', {exact: true}).selectOption('Stacked bars');
  await page.waitForURL(/by=plan&look=bars/);
  const trend = card('Trend');
  const bars = trend.locator('svg.bar-chart rect');
  const values = broken.breakdown.rows.map(({data}) => data.filter(({count}) => count > 0).length);
  await until('all bars are drawn', async () => (await bars.count()) === values[0]! + values[1]!);
  await trend.getByLabel(/arrow keys read the values/).focus();
  await page.keyboard.press('Home');
  const sum = broken.breakdown.rows.reduce((all, {data}) => all + data[0]!.count, 0);
  await trend
    .getByRole('status')
    .getByText(new RegExp(`Total ${sum}$`))
    .waitFor();
  await card('In numbers')
    .getByRole('button', {name: `Draw ${broken.breakdown.rows[0]!.value}`})
    .click();
  await until('the others are left', async () => (await bars.count()) === values[1]!);
  await dashboard.expectSound();
  await page.getByLabel('Show as', {exact: true}).selectOption('Numbers');
  await page.waitForURL(/look=number/);
  expect(await trend.getByRole('listitem').locator('.figure').allInnerTexts()).toEqual(
    broken.breakdown.rows.slice(1).map(({total}) => text(total)),
  );
  await dashboard.expectSoundOnPhone();
});

test('Trends: the crosshair is moved and read out by keyboard', async () => {
  await dashboard.follow(`/trends?event=signup&${range()}`);
  const {data} = await counts('signup');
  await page.getByLabel('Events: arrow keys read the values').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const said = page.locator('.chart [role=status]');
  await until('the second day is read out', async () => (await said.innerText()).endsWith(`signup ${data[1]!.count}`));
});

test('what an address got wrong is named, and dropped by a button', async () => {
  await dashboard.goto('/trends?event=signup&range=soon&colour=red');
  await page.getByText('colour=red').waitFor();
  await page.getByText(/range=soon/).waitFor();
  await page.getByRole('button', {name: 'Drop them'}).click();
  await page.waitForURL(/\/dashboard\/trends\?event=signup$/);
});

test('parameters of the API in an address are named, also where the page suggests an event, and where none is asked', async () => {
  await dashboard.follow('/trends?events[]=signup&interval=week&from=2026-01-01&colour=red');
  await page.waitForURL(/\?event=/); // What the page suggests.
  const problems = page.locator('.address-problems');
  await problems.getByText('interval=week').waitFor();
  await problems.getByText('every=day').waitFor();
  expect((await problems.getByRole('listitem').allInnerTexts()).map((line) => line.split('=')[0])).toEqual([
    'events[]',
    'interval',
    'from',
    'colour',
  ]);
  await dashboard.expectSoundOnPhone();
  await page.getByRole('button', {name: 'Drop them'}).click();
  await page.waitForURL(/\/dashboard\/trends\?event=[^&]+$/);
  await dashboard.follow('/funnels?steps[]=signup&steps[]=subscribed');
  await page.waitForURL(/\?step=/);
  await problems.getByText('steps[]=subscribed').waitFor();
  await dashboard.follow('/alerts?state=firing');
  await problems.getByText('state=firing').waitFor();
});

test('Overview needs no set-up, and its numbers are those of names and active users', async () => {
  await dashboard.follow(`/?${range()}`);
  await card('Top events').getByRole('row').nth(4).waitFor();
  const names = await ask<{data: {name: string; count: number}[]}>('/v1/names', {from, to});
  const rows = await cellsOf(card('Top events'));
  expect(rows.map(([name, count]) => [name, count])).toEqual(names.data.map(({name, count}) => [name, text(count)]));

  const lastDay = await ask<{data: {count: number}[]}>('/v1/names', {from: to, to});
  const sum = lastDay.data.reduce((all, {count}) => all + count, 0);
  const figures = page.locator('.tile .figure');
  await figures.nth(3).waitFor();
  const active = await Promise.all(
    ['dau', 'wau', 'mau'].map((metric) => ask<Counted>('/v1/reports/users', {metric, from, to})),
  );
  expect(await figures.allInnerTexts()).toEqual([sum, ...active.map(({data}) => data.at(-1)!.count)].map(text));

  await page.getByRole('button', {name: /Active users, 30 days: what is behind it$/}).click();
  await page
    .getByRole('dialog')
    .getByText(`${text(active[2]!.data.at(-1)!.count)} people`, {exact: true})
    .waitFor();
  await dashboard.expectSound();
  await page.keyboard.press('Escape');
  await page.getByRole('button', {name: /^\d+, events .*: what is behind it$/}).click();
  await page.getByRole('link', {name: 'Show these events'}).click();
  await page.waitForURL(/\/events\?show=history&from=/);
  await page
    .locator('td.event')
    .nth(sum - 1)
    .waitFor();
  expect(await page.locator('td.event').count()).toBe(sum);
  await page.goBack();

  const trend = card('Trend');
  await trend.getByRole('button', {name: 'Show the numbers as a table'}).click();
  const top = await Promise.all(names.data.slice(0, 3).map(({name}) => counts(name)));
  await trend.getByRole('table').waitFor();
  expect((await cellsOf(trend)).map((row) => row.slice(1))).toEqual(
    top[0]!.data.map((_, at) => top.map(({data}) => text(data[at]!.count))),
  );
  await trend.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await card('Arriving now').getByText('u23').first().waitFor();
  await dashboard.expectSoundOnPhone();
});

test('Funnels: built by keyboard, its numbers are those of the API', async () => {
  await dashboard.follow(`/funnels?step=subscribed&${range()}`);
  await page.getByRole('button', {name: 'Remove subscribed'}).press('Enter');
  await page.getByText('Choose the first step').waitFor();
  for (const [at, [typed, name]] of [
    ['sign', 'signup'],
    ['proj', 'project_created'],
    ['subs', 'subscribed'],
  ].entries()) {
    if (at === 2) await page.getByRole('button', {name: 'Step', exact: true}).press('Enter');
    const picker = page.getByLabel(`Step ${at + 1}`, {exact: true});
    await picker.focus();
    await page.keyboard.type(typed!);
    await page.getByRole('option', {name: new RegExp(name!)}).waitFor();
    if (at === 0) await page.keyboard.press('ArrowDown'); // Enter alone takes the first one, too.
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`step=${name}`));
    if (at === 0)
      await until('the next step has the focus', async () =>
        page.getByLabel('Step 2', {exact: true}).evaluate((field) => field.matches(':focus')),
      );
  }
  await page.getByLabel('Window from the first step').selectOption('7d');
  const funnel = await ask<{
    steps: {event: string; count: number; conversion_rate: number; drop_off: number; step_conversion_rate: number}[];
  }>('/v1/reports/funnel', {'steps[]': ['signup', 'project_created', 'subscribed'], window: '7d', from, to});
  const result = card('From signup to subscribed');
  await result.getByText('within 7 days of the first step', {exact: true}).waitFor();
  const percent = (share: number): string => `${(share * 100).toFixed(1)}\u2009%`;
  expect(await result.locator('.count').allInnerTexts()).toEqual(funnel.steps.map(({count}) => text(count)));
  expect(await result.locator('.rate').allInnerTexts()).toEqual(
    funnel.steps.map((step) => percent(step.conversion_rate)),
  );
  expect(await result.locator('.between').allInnerTexts()).toEqual(
    funnel.steps.slice(1).map((step) => expect.stringContaining(`${text(step.drop_off)} lost`)),
  );
  const csv = await dashboard.csvOf(result);
  expect(csv[2]!.split(',').slice(1, 4)).toEqual([
    'project_created',
    String(funnel.steps[1]!.count),
    String(funnel.steps[1]!.conversion_rate),
  ]);
  await dashboard.expectSoundOnPhone();

  await page.getByLabel('Step 2', {exact: true}).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.waitForURL(/step=project_created&step=signup&step=subscribed/);
  await page.goBack();
  await page.waitForURL(/step=signup&step=project_created/);
});

test('Funnels: opens with two steps; a lost number leads to its people; a breakdown says whether it can tell', async () => {
  await dashboard.follow(`/funnels?${range()}`);
  await page.waitForURL(/step=signup&step=project_created/);
  const asked = {
    'steps[]': ['signup', 'project_created'],
    'where[1]': 'plan eq pro',
    window: '7d',
    range: 'entry',
    from,
    to,
  };
  const address = `step=signup&step=project_created&where=1:plan+eq+pro&window=7d&paths=entry&by=plan&${range()}`;
  await dashboard.follow(`/funnels?${address}`);
  const funnel = await ask<{steps: {count: number; drop_off: number}[]; undecided: number}>(
    '/v1/reports/funnel',
    asked,
  );
  const result = card('From signup to project_created');
  await result.getByText(`${funnel.undecided} may still convert`).waitFor();
  expect(await result.locator('.count').allInnerTexts()).toEqual(funnel.steps.map(({count}) => text(count)));
  await card('By plan').getByText('pro', {exact: true}).first().waitFor();
  const inRow = card('By plan').getByRole('button', {name: /of pro at step 1|, pro at step 1/});
  const ofPro = await inRow.innerText();
  await inRow.click();
  await page.getByRole('dialog').getByText(`${ofPro} people`, {exact: true}).waitFor();
  await page.keyboard.press('Escape');
  await card('Over time').getByRole('figure').waitFor();
  await card('How long it took')
    .getByText('Median 10 min, mean 10 min. 75 % took at most 10 min, 90 % 10 min, 95 % 10 min.', {exact: true})
    .waitFor();
  await dashboard.expectSoundOnPhone();

  await result.getByRole('button', {name: `${funnel.steps[1]!.drop_off} lost`}).click();
  const {data} = await ask<{data: {id: string}[]}>('/v1/reports/funnel/users', {
    ...asked,
    step: '2',
    outcome: 'dropped',
  });
  expect(data).toHaveLength(funnel.steps[1]!.drop_off);
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${data.length} people`).waitFor();
  const hrefs = await dialog
    .getByRole('link')
    .evaluateAll((all: readonly {readonly href: string}[]) => all.map(({href}) => href));
  expect(hrefs.map((href) => new URL(href).searchParams.get('user')).sort()).toEqual(data.map(({id}) => id).sort());
  await dashboard.expectSound();
  await page.keyboard.press('Escape');

  await dashboard.follow(`/funnels?step=signup&step=project_created&by=plan&${range()}`);
  const differences = card('By plan').getByRole('region', {
    name: 'Conversion of each value, and its difference to the first',
  });
  await differences.getByRole('row').nth(2).waitFor();
  // 24 users are too few for any verdict.
  expect((await cellsOf(differences)).map((row) => row.at(-1))).toEqual(['compared with', 'cannot tell yet']);
  const over = card('Over time');
  await over.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await over.getByRole('table').waitFor();
  const {data: buckets} = await ask<{data: {count: number; converted: number}[]}>('/v1/reports/funnel', {
    'steps[]': ['signup', 'project_created'],
    interval: 'day',
    from,
    to,
  });
  expect((await cellsOf(over)).map((row) => row.slice(1, 3))).toEqual(
    buckets.map(({count, converted}) => [text(count), text(converted)]),
  );
});

test('Funnels: an event that ends an attempt has conditions of its own', async () => {
  await dashboard.follow(`/funnels?step=signup&step=subscribed&exclude=all:project_created&${range()}`);
  const result = card('From signup to subscribed');
  await result.getByText(`0 of ${users} users did both steps`).waitFor();
  await page.getByRole('button', {name: '+ Filter of excluded event 1'}).click();
  await page.getByRole('combobox', {name: 'Property of excluded event 1, filter 1'}).click();
  await page.getByRole('option', {name: /^plan /}).click();
  await page.getByRole('combobox', {name: 'Value of excluded event 1, filter 1'}).click();
  await page.getByRole('option', {name: /^pro /}).click();
  await page.waitForURL(/exclude=all:project_created&exclude_where=1:plan\+eq\+pro/);
  const {steps} = await ask<{steps: {count: number}[]}>('/v1/reports/funnel', {
    'steps[]': ['signup', 'subscribed'],
    'exclude[1]': 'project_created',
    'exclude_where[1]': 'plan eq pro',
    window: '14d',
    from,
    to,
  });
  expect(steps[1]!.count).toBeGreaterThan(0);
  await result.getByText(`${steps[1]!.count} of ${users} users did both steps`).waitFor();
  await dashboard.expectSoundOnPhone();
});

test('steps of a funnel are dragged to another place', async () => {
  await dashboard.follow(`/funnels?step=signup&step=project_created&step=subscribed&${range()}`);
  const steps = page.locator('.funnel-steps > li');
  await steps.nth(2).waitFor();
  await dashboard.settled(); // What still comes would move what the pointer aims at.
  await drag(steps.nth(0).locator('.handle'), steps.nth(2));
  await page.waitForURL(/step=project_created&step=subscribed&step=signup/);
});

/** Two keys within the time that a second letter has, however long this process waits for the page. */
const pressTogether = (...keys: readonly string[]): Promise<unknown> =>
  Promise.all(keys.map((key) => page.keyboard.press(key)));

test('Ctrl-K finds a page, an event and a person; letters go to pages, and are switched off for good', async () => {
  await dashboard.follow(`/trends?event=signup&${range()}`);
  await card('Trend').waitFor();
  const goTo = async (typed: string, option: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(typed); // At once: the field may not be there yet.
    await page.getByRole('option', {name: option, selected: true}).waitFor();
    await dashboard.expectSound();
    await page.keyboard.press('Enter');
  };
  await goTo('funn', /^Funnels/);
  await page.waitForURL(/\/funnels(\?|$)/); // It soon has the steps that it suggests.
  await goTo('created', /^project_created/);
  await page.waitForURL(/\/trends\?event=project_created(&|$)/);
  // The card that it is typed over has an export of this name. Enter waits for the answers.
  await card('Trend').getByRole('button', {name: 'More', exact: true}).waitFor();
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const lists = /\/dashboard\/api\/v1\/names/;
  await page.route(lists, async (route) => {
    await held;
    await route.continue();
  });
  let downloads = 0;
  page.on('download', () => (downloads += 1));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sign');
  await page.getByRole('option', {name: /^Reading/, selected: true}).waitFor();
  await page.keyboard.press('Enter');
  release();
  await page.waitForURL(/\/trends\?event=signup(&|$)/);
  await page.unroute(lists);
  expect(downloads).toBe(0);
  await goTo('>ADA<', /^<b>Ada<\/b> u3/);
  await page.waitForURL(/\/people\?user=u3$/);
  await goTo('u5', /^Look up the user u5/);
  await page.waitForURL(/\/people\?user=u5$/);
  await pressTogether('g', 'a');
  await page.waitForURL(/\/active(\?|$)/);
  await page.keyboard.press('?');
  await page.getByLabel('Single letters do this').uncheck();
  await dashboard.expectSound();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('heading', {name: 'Active users', level: 1}).waitFor();
  await pressTogether('g', 't');
  await goTo('over', /^Overview/); // Had the letters gone anywhere, the dialog would have opened there.
  await page.waitForURL(/\/dashboard\/?(\?|$)/);
  await goTo('all keys', /^All keys/);
  await page.getByLabel('Single letters do this').check();
  await page.keyboard.press('Escape');
});

test('Ctrl-K finds where data is exported', async () => {
  await dashboard.follow(`/trends?event=signup&${range()}`);
  await card('Trend').getByRole('button', {name: 'More', exact: true}).waitFor();
  const open = async (typed: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(typed);
  };
  await open('export');
  const choices = page.getByRole('option', {name: /^Export/});
  await choices.first().waitFor();
  expect(await choices.locator('.name').allInnerTexts()).toEqual([
    'Export trends as CSV',
    'Export events',
    'Export people as CSV',
  ]);
  await dashboard.expectSound();
  const begun = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await begun).suggestedFilename()).toBe('trends.csv');
  await open('download');
  await page.getByRole('option', {name: /^Export events/}).click();
  await page.waitForURL(/\/events\?show=history$/);
});

test('pinned reports are on Overview for everybody, in an order that buttons, keys and dragging change', async () => {
  try {
    const pins = ['/trends?event=signup', '/funnels?step=signup&step=subscribed', '/trends?event=subscribed'].map(
      (path) => `${path}&${range()}`,
    );
    for (const path of pins) {
      await dashboard.goto(path);
      await page.getByRole('button', {name: 'Pin to Overview', pressed: false, disabled: false}).click();
      await page.getByRole('button', {name: 'Pin to Overview', pressed: true}).waitFor();
    }
    await untilStored(pins);
    await dashboard.goto('/');
    const funnel = await ask<{conversion_rate: number}>('/v1/reports/funnel', {
      'steps[]': ['signup', 'subscribed'],
      from,
      to,
    });
    await card('From signup to subscribed')
      .getByText(`${(funnel.conversion_rate * 100).toFixed(1)}\u2009%`)
      .first()
      .waitFor();
    await untilOrder(['signup', 'From signup to subscribed', 'subscribed']);
    await card('subscribed').getByRole('button', {name: 'Move subscribed forward'}).press('Enter');
    await untilOrder(['signup', 'subscribed', 'From signup to subscribed']);
    const back = card('signup').getByRole('button', {name: 'Move signup back'});
    await back.press('Alt+ArrowDown');
    await untilOrder(['subscribed', 'signup', 'From signup to subscribed']);
    await until('the focus stays with the card', () => back.evaluate((button) => button.matches(':focus')));
    await dashboard.settled(); // A card that still grows would move what the pointer aims at.
    await drag(back, card('From signup to subscribed'));
    await untilOrder(['subscribed', 'From signup to subscribed', 'signup']);
    await untilStored([pins[2], pins[1], pins[0]]);
    await dashboard.expectSoundOnPhone();

    // Somebody else is faster: a move is not made, and says so; taking off means the same on their board.
    await overtakeWith([pins[0], pins[1], pins[2]]);
    await card('subscribed').getByRole('button', {name: 'Move subscribed back'}).press('Enter');
    await page.getByText(/admin changed the board meanwhile/i).waitFor();
    await untilOrder(['signup', 'From signup to subscribed', 'subscribed']);
    dashboard.forgive(/412/);
    await dashboard.expectSound();
    await overtakeWith([pins[2], pins[0], pins[1]]);
    await remove('signup');
    await untilOrder(['subscribed', 'From signup to subscribed']);
    await untilStored([pins[2], pins[1]]);
    dashboard.forgive(/412/);

    const reader = await signedInAs('reader');
    await reader.goto(`/?${range()}`);
    await reader.page.getByRole('region', {name: 'subscribed', exact: true}).waitFor();
    await reader.page.getByText('None yet').waitFor(); // Annotations, as a reader sees no single event.
    expect(await reader.page.getByRole('button', {name: /^Change|^Move/}).count()).toBe(0);
    await reader.expectSoundOnPhone();
    await reader.close();

    for (const name of ['subscribed', 'From signup to subscribed']) await remove(name);
    await untilOrder([]);
    await untilStored([]);
  } finally {
    await page.unrouteAll({behavior: 'wait'});
    await setPins(admin, []);
  }
});

test('Overview with four pins asks for itself, twice for numbers, once for the newest events and once for the names of their people; a page of a report once for numbers', async () => {
  const asked: string[] = [];
  const note = (request: Request): void => {
    const path = new URL(request.url()).pathname.replace('/dashboard/api/', '');
    // The state of the service is asked for every ten seconds.
    if (request.resourceType() === 'fetch' && path !== 'state') asked.push(path);
  };
  /** Until it is so: where a busy machine publishes meanwhile, the page asks again. */
  const asks = (path: string, last: Locator, requests: readonly string[]): Promise<unknown> =>
    until(`${path} asks ${requests}`, async () => {
      asked.length = 0;
      await dashboard.goto(path);
      await last.waitFor();
      await dashboard.settled();
      return asked.sort().join() === requests.join();
    });
  const pins = ['/trends?event=signup', '/funnels?step=signup&step=subscribed', '/retention?start=signup', '/active'];
  await setPins(admin, pins);
  page.on('request', note);
  try {
    const funnel = card('From signup to subscribed').getByText('convert');
    await asks(`/?${range()}`, funnel, ['session', 'titles', 'v1/events', 'v1/query', 'v1/query']);
    expect(await page.locator('.pinned').count()).toBe(pins.length);
    expect(await page.getByRole('list', {name: 'Newest events'}).getByRole('listitem').count()).toBeGreaterThan(3);
    await asks(`/trends?event=signup&${range()}`, card('In numbers'), ['session', 'v1/query']);
    await asks(`/retention?start=signup&${range()}`, card('Cohorts').getByRole('table'), ['session', 'v1/query']);
  } finally {
    page.off('request', note);
    await setPins(admin, []);
  }
});

async function remove(tile: string): Promise<void> {
  await page.getByRole('button', {name: `Change ${tile}`}).click();
  await page.getByRole('button', {name: 'Remove from the board'}).click();
}

/** Lets go once the page shows the place: where it is busy, it learns late what the pointer is above. */
async function drag(handle: Locator, place: Locator): Promise<void> {
  await handle.hover();
  await page.mouse.down();
  let y = 0;
  await until('the page shows where the item will be', async () => {
    y = (y + 1) % 8;
    await place.hover({position: {x: 16, y: 16 + y}});
    return (await page.locator('[data-drop]').count()) > 0;
  });
  await page.mouse.up();
}

const untilOrder = (names: readonly string[]): Promise<unknown> =>
  until(
    `the order is ${names}`,
    async () => (await page.locator('.pinned h2').allInnerTexts()).join() === names.join(),
  );

const untilStored = (pins: readonly string[]): Promise<unknown> =>
  until('the service has the board', async () => {
    const [board] = await readBoards(admin);
    return pinsOf(board).join() === pins.map((path) => pinKey(keptAt(path))).join();
  });

/** Stores another board right before the next change of the page arrives. */
async function overtakeWith(pins: readonly string[]): Promise<void> {
  let isDue = true;
  await page.unroute(/\/dashboard\/api\/v1\/boards\//);
  await page.route(/\/dashboard\/api\/v1\/boards\//, async (route) => {
    if (isDue && route.request().method() === 'PATCH') {
      isDue = false;
      await setPins(admin, pins);
    }
    await route.continue();
  });
}

async function signedInAs(role: string): Promise<DashboardPage> {
  const made = await admin.post('/dashboard/api/people', {name: `a ${role}`, role});
  const other = await DashboardPage.open(browser, service);
  await other.signIn(made.json<{token: string}>().token);
  return other;
}

test('annotations are made at the crosshair, shown on Trends and Overview, read out, listed for readers, deleted', async () => {
  await dashboard.follow(`/trends?event=signup&${range()}`);
  await page.getByRole('button', {name: 'Annotations'}).waitFor(); // Its script has the key, and comes after the page.
  await page.getByLabel('Events: arrow keys read the values').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  const {data} = await counts('signup');
  await until('the day of the crosshair is there', async () => {
    return (await dialog.getByLabel('Day').inputValue()) === data[1]!.date;
  });
  await dialog.getByLabel('What happened').fill('Price <b>raised</b>');
  await page.keyboard.press('Enter');
  await dialog.getByText('Price <b>raised</b>').waitFor();
  await dashboard.expectSoundOnPhone();
  await page.keyboard.press('Escape');
  await page.locator('.flag', {hasText: 'Price <b>raised</b>'}).waitFor();
  await page.getByLabel('Events: arrow keys read the values').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const said = page.locator('.chart [role=status]');
  await until('it is read out', async () => (await said.innerText()).endsWith('. Price <b>raised</b>'));
  await dashboard.expectSound();

  const reader = await signedInAs('reader');
  await reader.goto(`/?${range()}`);
  const list = reader.page.getByRole('list', {name: 'Newest annotations'});
  await list.getByText('Price <b>raised</b>').waitFor();
  await reader.page.locator('.flag', {hasText: 'Price <b>raised</b>'}).first().waitFor();
  await reader.page.getByRole('button', {name: 'Annotations'}).click();
  await reader.page.getByRole('dialog').getByText('Price <b>raised</b>').waitFor();
  expect(await reader.page.getByRole('dialog').getByRole('button').allInnerTexts()).toEqual(['Done']);
  await reader.expectSoundOnPhone();
  await reader.close();

  await page.getByRole('button', {name: 'Annotations'}).click();
  await dialog.getByRole('button', {name: 'Delete Price <b>raised</b>'}).click();
  await dialog.getByRole('button', {name: 'Delete for everybody'}).click();
  await dialog.getByText('None yet').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.flag').waitFor({state: 'detached'});
});

test('Active users: its numbers are those of the API', async () => {
  const answers = await Promise.all(
    ['dau', 'wau', 'mau'].map((metric) => ask<Counted>('/v1/reports/users', {metric, from, to})),
  );
  await dashboard.follow(`/active?${range()}`);
  const active = card('Active users');
  await active.getByText(`${text(answers[0]!.total)} distinct users in all`).waitFor();
  await active.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await active.getByRole('table').waitFor();
  expect((await cellsOf(active)).map((row) => row.slice(1))).toEqual(
    answers[0]!.data.map((_, at) => answers.map(({data}) => text(data[at]!.count))),
  );
  expect((await dashboard.csvOf(active)).slice(1, -1)).toEqual(
    answers[0]!.data.map(({date}, at) => [date, ...answers.map(({data}) => data[at]!.count)].join(',')),
  );
  await dashboard.expectSoundOnPhone();
});

test('texts are the same in every time zone of the reader', async () => {
  const seen: string[][] = [];
  const nothing = 'Nothing to compare with: the first event is of';
  // What comes last on each page: what it compares with is asked for in a second step. The range begins with the first data.
  const pages: readonly (readonly [path: string, last: readonly string[]])[] = [
    [`/?${range()}`, [`text=${nothing}`, '.tile .change:not(:empty)', '.end >> nth=5', '.feed li']],
    [`/trends?event=signup&${range()}`, [`text=${nothing}`, '.series-table td >> nth=4', '.end']],
    ['/people?user=u3', ['text=These are all.', '.traits td', '.activity']],
  ];
  for (const timezoneId of ['America/Los_Angeles', 'Pacific/Auckland']) {
    const context = await browser.newContext({timezoneId, storageState: await dashboard.context.storageState()});
    const other = await context.newPage();
    const texts: string[] = [];
    for (const [path, last] of pages) {
      await other.goto(`${service.baseUrl}/dashboard${path}`);
      for (const sign of last) await other.locator(sign).first().waitFor();
      // What moves with the clock is not of the zone.
      const main = (await other.locator('main').innerText()).replaceAll(/Exact as of .*|\d+ (d|h|min|s)\b.* ago/g, '');
      texts.push(main);
    }
    seen.push(texts);
    await context.close();
  }
  expect(seen[0]!.every((one) => one.length > 100)).toBe(true);
  expect(seen[1]).toEqual(seen[0]);
});

test('People: an anonymousId that is a user leads to them, and their page says what was anonymous', async () => {
  const device = {event: 'looked', anonymousId: 'device-of-u5'};
  for (const body of [device, {...device, event: 'signed_up', userId: 'u5'}])
    expect((await secret.post('/v1/events', body)).status).toBe(200);
  const joined = async () =>
    (await ask<{data: {joined?: true}[]}>('/v1/events', {userId: 'u5'})).data.filter((event) => event.joined).length;
  await until('it is joined', async () => (await joined()) === 1);
  await dashboard.follow('/people?anonymous=device-of-u5');
  await page.getByRole('button', {name: 'Show u5'}).click();
  await page.waitForURL(/\/people\?user=u5$/);
  // The browser says so of every answer that is not there.
  expect(dashboard.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.getByText('1 anonymousId belongs to this user').click();
  await page.getByText('device-of-u5', {exact: true}).waitFor();
  expect(await page.locator('.event-row .joined').count()).toBe(1);
  await dashboard.expectSoundOnPhone();
});

test('People: found by an exact id, deleted by keyboard, and only the receipt is left', async () => {
  await dashboard.follow('/people');
  await page.getByLabel('Name, e-mail or id').fill('u3');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/people\?user=u3$/);
  await page.getByRole('heading', {name: '<b>Ada</b>'}).waitFor();
  await page.getByRole('cell', {name: '<b>Ada</b>'}).waitFor();
  const {data} = await ask<{data: {event: string}[]}>('/v1/events', {userId: 'u3'});
  await page.getByText('These are all.').waitFor();
  expect(await page.locator('.event-row .event').allInnerTexts()).toEqual(data.map(({event}) => event));
  await page.locator('.event-row').first().locator('summary').click();
  await page.locator('.event-whole').waitFor();
  await dashboard.expectSoundOnPhone();

  await page.getByRole('button', {name: 'Delete', exact: true}).press('Enter');
  await page.getByText(`${data.length} events, since`).waitFor();
  const forGood = page.getByRole('button', {name: 'Delete for good'});
  expect(await forGood.isDisabled()).toBe(true);
  await page.getByLabel(/Type the id/).focus();
  await page.keyboard.type('u3');
  await dashboard.expectSound();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/people\?receipt=del_/);
  await page.getByText('Completed').waitFor();
  expect(page.url()).not.toContain('u3');
  const begun = page.waitForEvent('download');
  await page.getByRole('button', {name: 'Download'}).click();
  const receipt = JSON.parse(readFileSync(await (await begun).path(), 'utf8')) as {deletion: {events_deleted: number}};
  expect(receipt.deletion.events_deleted).toBe(data.length);
  await dashboard.expectSoundOnPhone();
  await dashboard.close();
});
