// Links that share a report, in a real browser: made on a page, opened where nobody is signed in, embedded elsewhere.
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Browser, Page} from 'playwright-core';
import {beforeAll, expect, test} from 'vitest';
import type {CountsAnswer} from '../../../src/edge/answers/counts.js';
import type {CreatedShareAnswer} from '../../../src/edge/answers/shares.js';
import type {RecordAnswer} from '../../../src/edge/dashboard/answers/record.js';
import {BrowserClient} from '../../support/browser-client.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {Client, query} from '../../support/http.js';
import {keptAt} from '../../support/kept-report.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

const dayMs = 86_400_000;
const users = 12;
const range = 'range=7d';

let service: Service;
let browser: Browser;
let admin: BrowserClient;
let keeper: Client;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser] = await Promise.all([startService({env: seldomRefreshed}), openBrowser()]);
  keeper = new Client(service.baseUrl, service.secretKey);
  admin = new BrowserClient(service.baseUrl);
  await admin.signIn({token: service.adminToken});
  const startMs = Date.now() - 4 * dayMs;
  const event = (name: string, u: number, days: number) => ({
    event: name,
    userId: `u${u}`,
    timestamp: new Date(startMs + days * dayMs + u * 60_000).toISOString(),
    properties: {plan: u % 3 === 0 ? 'pro' : 'free'},
  });
  const events = Array.from({length: users}, (_, u) => [
    event('signup', u, u % 3),
    ...(u % 2 === 0 ? [event('login', u, (u % 3) + 1)] : []),
  ]).flat();
  expect((await keeper.post('/v1/events/batch', {events})).status).toBe(200);
  await until('everything is in reports', async () => (await signups()) === users);
});

browserTests(() => ({service, browser}));

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
async function signups(): Promise<number> {
  const asked = query({event: 'signup', from: dateOf(Date.now() - 6 * dayMs), to: dateOf(Date.now())});
  return (await keeper.get(`/v1/reports/events?${asked}`)).json<CountsAnswer>().total;
}

async function linkTo(page: string, search: string, name: string, more: object = {}): Promise<CreatedShareAnswer> {
  const made = await admin.post('/dashboard/api/v1/shares', {name, ...keptAt(page + search), ...more});
  expect(made.status).toBe(201);
  return made.json<CreatedShareAnswer>();
}

/** A browser in which nobody is signed in. */
async function visit(token: string): Promise<DashboardPage> {
  const visitor = await DashboardPage.open(browser, service);
  await visitor.goto(`/share/${token}`);
  return visitor;
}

const reports = [
  ['/trends', `?event=signup&event=login&measure=2:users&formula=B+/+A&${range}`, 'Growth', ['Trend', 'In numbers']],
  ['/trends', `?event=signup&by=plan&${range}`, 'By plan', ['Trend', 'In numbers']],
  ['/funnels', `?step=signup&step=login&window=3d&by=plan&${range}`, 'Sign-up funnel', ['By plan', 'Over time']],
  ['/retention', `?start=signup&${range}`, 'Who returns', ['Curve', 'Cohorts']],
  ['/lifecycle', `?${range}`, 'Stages of life', ['Stages', 'Stickiness']],
  ['/paths', `?event=signup&${range}`, 'Ways on', ['Paths']],
  ['/active', `?by=plan&${range}`, 'Active people', ['Active users', 'By value', 'In numbers']],
] as const;

const shown = reports.map((report, at) => [...report, at % 2 === 0 ? 'light' : 'dark'] as const);
test.each(shown)('%s%s is shown to whoever has its link, on a phone as well', async (...report) => {
  const [path, search, name, cards, theme] = report;
  const {token} = await linkTo(path, search, name);
  const visitor = await DashboardPage.open(browser, service, {theme});
  const {page} = visitor;
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).pathname));
  await visitor.goto(`/share/${token}`);
  await page.getByRole('heading', {name, level: 1}).waitFor();
  for (const card of cards) await page.getByRole('region', {name: card, exact: true}).waitFor();
  await visitor.settled();
  await page.getByText('Exact as of').waitFor();
  await page.getByRole('region', {name: 'How it is counted'}).getByText('(UTC)').waitFor();
  expect(await page.locator('.state-box.fault, .builder-forms, .builder-form, nav, a').count()).toBe(0);
  // Its data, and no session, stream or list of names.
  expect([...asked].filter((one) => one.includes('/api/'))).toEqual([`/dashboard/api/shares/${token}`]);
  expect(await visitor.context.cookies()).toEqual([]);
  expect(await page.title()).toBe(`${name} - Millrace`);
  await visitor.expectSoundOnPhone();
  await visitor.close();
});

test('its numbers are those of the API, and its buttons lead to no question of its own', async () => {
  const {token} = await linkTo('/trends', `?event=signup&${range}&compare=off`, 'Sign-ups');
  const visitor = await visit(token);
  const {page} = visitor;
  const table = page.getByRole('region', {name: 'The lines in numbers'});
  await table.getByRole('row').nth(1).waitFor();
  expect((await table.getByRole('row').nth(1).locator('td').allInnerTexts()).slice(0, 3)).toEqual([
    'signup',
    String(users),
    String(users),
  ]);
  const trend = page.getByRole('region', {name: 'Trend', exact: true});
  expect(
    await trend.getByRole('button').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))),
  ).toEqual(expect.arrayContaining(['More', 'Show the numbers as a table']));
  await trend.getByRole('button', {name: 'More', exact: true}).click();
  await trend.getByRole('button', {name: 'Copy the link'}).waitFor();
  expect(await trend.getByText('The same with curl').count()).toBe(0);
  for (const name of ['Pin to Overview', 'Save', 'What is behind it'])
    expect([name, await page.getByRole('button', {name}).count()]).toEqual([name, 0]);
  await trend.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await trend.getByRole('table').waitFor();
  expect(await trend.getByRole('table').getByRole('button').count()).toBe(0);
  expect((await visitor.csvOf(trend)).length).toBeGreaterThan(7);
  await visitor.expectSound();
  await visitor.close();
});

test('a link is made on the page Saved reports, listed with its reads, and revoked there', async () => {
  const person = await DashboardPage.open(browser, service);
  await person.takeSession(admin.cookie);
  const {id} = (
    await admin.post('/dashboard/api/v1/saved-reports', {
      name: 'Board',
      ...keptAt(`/trends?event=signup&${range}`),
    })
  ).json<{id: string}>();
  const {page} = person;
  await person.goto('/saved');
  await page.getByRole('button', {name: 'Share Board', exact: true}).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('It ends').inputValue()).toBe('30');
  await dialog.getByLabel('The link shows').selectOption('follows');
  await dialog.getByLabel(/^Sites/).fill('https://wiki.example.com');
  await person.expectSoundOnPhone();
  await dialog.getByRole('button', {name: 'Make the link'}).click();
  const link = await dialog.getByLabel('The link', {exact: true}).inputValue();
  expect(link).toMatch(new RegExp(`^${service.baseUrl}/dashboard/share/[\\w-]{32}$`));
  expect(await dialog.getByRole('region', {name: 'Frame for another site'}).innerText()).toContain(`src="${link}"`);
  await person.expectSoundOnPhone();
  await dialog.getByRole('button', {name: 'Done'}).click();

  const visitor = await visit(link.split('/').at(-1)!);
  await visitor.page.getByRole('heading', {name: 'Board', level: 1}).waitFor();
  expect(
    (await admin.ask('PATCH', `/dashboard/api/v1/saved-reports/${id}`, {json: {name: 'Board of ours'}})).status,
  ).toBe(200);
  await page.reload();
  const row = page.getByRole('region', {name: 'Links', exact: true}).getByRole('row', {name: /^Board of ours/});
  await row.waitFor();
  expect(await row.innerText()).toContain('follows the report, embedded in https://wiki.example.com');
  await person.expectSoundOnPhone();
  await row.getByRole('button', {name: /^Revoke/}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Revoke the link'}).click();
  await row.waitFor({state: 'detached'});
  await visitor.page.reload();
  await visitor.page.getByRole('heading', {name: 'This link shows nothing'}).waitFor();
  await visitor.page.getByText('This link was revoked, has ended, or never was one.').waitFor();
  await visitor.expectSoundOnPhone();
  await visitor.close();
  // The record goes on where a page ends.
  const {record} = (await admin.get('/dashboard/api/record')).json<RecordAnswer>();
  const first: RecordAnswer = {record: record.slice(0, 2), before: 9};
  const last: RecordAnswer = {record: record.slice(2), before: null};
  await page.route('**/dashboard/api/record', (route) => route.fulfill({json: first}));
  await page.route(/\/dashboard\/api\/record\?before=9$/, (route) => route.fulfill({json: last}));
  await linkTo('/trends', `?event=signup&${range}`, 'Kept'); // Without a link the page shows no table.
  await person.goto('/settings/access');
  await page.getByRole('region', {name: 'Links', exact: true}).getByRole('table').waitFor();
  const lines = page.getByRole('region', {name: 'Record', exact: true}).locator('tbody tr');
  await page.getByRole('button', {name: 'Show older lines'}).click();
  await until('older lines follow', async () => (await lines.count()) === record.length);
  await lines.filter({hasText: 'Revoked a link that shares a report'}).first().waitFor();
  expect(await page.getByRole('button', {name: 'Show older lines'}).count()).toBe(0);
  await person.expectSoundOnPhone();
  await page.unrouteAll({behavior: 'wait'});
  await person.close();
});

test('a report that names people is shared only after a second word', async () => {
  const person = await DashboardPage.open(browser, service);
  await person.takeSession(admin.cookie);
  const search = `?event=signup&user_where=email+set&${range}`;
  await admin.post('/dashboard/api/v1/saved-reports', {name: 'By mail', ...keptAt(`/trends${search}`)});
  await person.goto('/saved');
  await person.page.getByRole('button', {name: 'Share By mail', exact: true}).click();
  const dialog = person.page.getByRole('dialog');
  await dialog.getByRole('button', {name: 'Make the link'}).click();
  await dialog.getByText('it filters by email, which may name a person').waitFor();
  person.forgive(/status of 400/);
  await person.expectSoundOnPhone();
  await dialog.getByRole('button', {name: 'Share it all the same'}).click();
  await dialog.getByLabel('The link', {exact: true}).waitFor();
  await person.expectSound();
  await person.close();
});

test('a page of an origin that may embed it does, another one does not', async () => {
  let token = '';
  const frame = (): string =>
    `<!doctype html><title>A wiki</title><iframe src="${service.baseUrl}/dashboard/share/${token}" width="900" height="700"></iframe>`;
  const wiki: Server = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(frame()));
  await new Promise<void>((resolve) => wiki.listen(0, '127.0.0.1', resolve));
  // Another port is another origin.
  const origin = `http://127.0.0.1:${(wiki.address() as AddressInfo).port}`;
  const context = await browser.newContext();
  const page: Page = await context.newPage();
  const said: string[] = [];
  page.on('console', (line) => said.push(line.text()));
  try {
    token = (await linkTo('/trends', `?event=signup&${range}`, 'Embedded', {origins: [origin]})).token;
    await page.goto(origin);
    await page.frameLocator('iframe').getByRole('heading', {name: 'Embedded', level: 1}).waitFor({timeout: 60_000});
    expect(said).toEqual([]);
    token = (await linkTo('/trends', `?event=signup&${range}`, 'Not embedded')).token;
    await page.goto(origin);
    await until('the browser refuses the frame', async () => said.some((line) => line.includes('frame-ancestors')));
  } finally {
    await context.close();
    wiki.close();
  }
});
