// Retention, Lifecycle, Paths, boards with pins of them, the list of People, saved reports and Web in a real browser: their numbers are
// the API's, or those of plain loops.
import {readFileSync} from 'node:fs';
import {isDeepStrictEqual} from 'node:util';
import type {Browser, Locator, Page} from 'playwright-core';
import {beforeAll, expect, test} from 'vitest';
import {pinKey} from '../../../dashboard/src/service/board-tiles.js';
import {addressOf} from '../../../src/asks/address.js';
import type {ActiveAnswer} from '../../../src/edge/answers/active-users.js';
import type {DigestAnswer} from '../../../src/edge/answers/digests.js';
import type {
  LifecycleAnswer,
  PathsAnswer,
  RetentionAnswer,
  StickinessAnswer,
} from '../../../src/edge/answers/engagement.js';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import type {SavedReportAnswer} from '../../../src/edge/answers/saved-reports.js';
import {pinsOf, readBoards} from '../../support/board.js';
import {BrowserClient} from '../../support/browser-client.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {Client, query} from '../../support/http.js';
import {keptAt} from '../../support/kept-report.js';
import {Positions, reportCovering} from '../../support/reports.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';
import {type WebFigures, webFigures, webWeek} from '../../support/web-week.js';
import {cellsOf} from '../table-cells.js';

const dayMs = 86_400_000;
const days = 6;
const users = 18;

let service: Service;
let browser: Browser;
let secret: Client;
let dashboard: DashboardPage;
let page: Page;
let from: string;
let to: string;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const ask = async <Answer>(path: string, parameters: Parameters<typeof query>[0]): Promise<Answer> =>
  (await secret.get(`/v1/reports/${path}?${query({...parameters, from, to})}`)).json<Answer>();

/** Three sign up each day. The first of them comes back every day, the second on the next one, the third never. */
function story(startMs: number): object[] {
  return Array.from({length: users}, (_, u) => {
    const [day, kind] = [Math.floor(u / 3), u % 3];
    const event = (name: string, on: number, minute: number) => ({
      event: name,
      userId: `u${u}`,
      timestamp: new Date(startMs + on * dayMs + (u + minute) * 60_000).toISOString(),
    });
    const back = kind === 0 ? days : kind === 1 ? day + 2 : 0;
    return [
      event('signup', day, 0),
      ...(kind === 2 ? [] : [event('project_created', day, 60)]),
      ...Array.from({length: Math.max(0, Math.min(back, days) - day - 1)}, (_, at) => event('login', day + 1 + at, 0)),
    ];
  }).flat();
}

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser] = await Promise.all([startService({env: seldomRefreshed}), openBrowser()]);
  secret = new Client(service.baseUrl, service.secretKey);
  const startMs = Math.floor(Date.now() / dayMs) * dayMs - (days + 1) * dayMs;
  [from, to] = [dateOf(startMs), dateOf(startMs + (days - 1) * dayMs)];
  const written = new Positions();
  written.note(await secret.post('/v1/events/batch', {events: story(startMs)}));
  written.note(
    await secret.post('/v1/users/identify', {
      userId: 'u3',
      traits: {plan: 'pro', name: 'Ada Lovelace', email: 'Ada@Example.com'},
    }),
  );
  await reportCovering(secret, `/v1/names?${query({from, to})}`, written);
  dashboard = await DashboardPage.open(browser, service);
  page = dashboard.page;
  await dashboard.signIn(service.adminToken);
});

browserTests(() => ({service, browser}));

const card = (name: string): Locator => page.getByRole('region', {name, exact: true});
test('Retention begins with the sign-ups, and its cells and CSV are those of the API', async () => {
  await dashboard.follow(`/retention?range=${from}..${to}&show=users&periods=4`);
  await page.waitForURL(/start=signup/);
  const table = card('Cohorts').getByRole('table');
  await table.waitFor();
  const parameters = {start: 'signup', any_return: 'true', interval: 'day', periods: '4'};
  const {cohorts, overall} = await ask<RetentionAnswer>('retention', parameters);
  expect(overall.map(({count}) => count)).toEqual([12, 10, 4, 3]);
  const rows = await cellsOf(table);
  expect(rows.map((row) => row.slice(1).map((text) => Number(text.split(/\s/)[0])))).toEqual([
    [users, ...overall.map(({count}) => count)],
    ...cohorts.map(({size, cells}) => [size, ...cells.map(({count}) => count)]),
  ]);
  const csv = await secret.get(`/v1/reports/retention?${query({...parameters, from, to, format: 'csv'})}`);
  expect(await dashboard.csvOf(card('Curve'))).toEqual(csv.text.split('\r\n'));

  // Who began on the first day for the first time, and came on the day after.
  const returned = cohorts[0]!.cells[1]!.count;
  expect(returned).toBeGreaterThan(0);
  await table
    .getByRole('button', {name: /, period 1: what is behind it$/})
    .nth(1)
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(returned === 1 ? '1 person' : `${returned} people`, {exact: true}).waitFor();
  expect(await dialog.getByRole('link').count()).toBe(returned);
  await dashboard.expectSound();
  await page.keyboard.press('Escape');

  await page.getByLabel('Cells show').selectOption('share');
  await page.waitForURL((url) => !url.search.includes('show'));
  await table.getByText('66.7\u2009%').first().waitFor();
  expect((await cellsOf(table))[1]!.slice(1, 3)).toEqual(['3', '66.7\u2009%']);
  await dashboard.expectSoundOnPhone();

  await dashboard.follow(`/retention?start=signup&range=${from}..${to}&show=users&periods=4&zone=Pacific/Kiritimati`);
  await card('Cohorts').getByText('Pacific/Kiritimati').waitFor();
  await table.waitFor();
  const there = await ask<RetentionAnswer>('retention', {...parameters, timezone: 'Pacific/Kiritimati'});
  expect((await cellsOf(table)).slice(1).map(([, size]) => Number(size))).toEqual(there.cohorts.map(({size}) => size));
});

test('Lifecycle: bars are read out by keyboard; table and CSV of both charts are those of the API', async () => {
  await dashboard.follow(`/lifecycle?range=${from}..${to}`);
  const stages = card('Stages');
  await stages.getByLabel('Stages: arrow keys read the values').focus();
  const parameters = {any_event: 'true', interval: 'day'};
  const {data} = await ask<LifecycleAnswer>('lifecycle', parameters);
  expect(data.map((day) => [day.new, day.returning, day.resurrecting, day.dormant])[1]).toEqual([3, 2, 0, 1]);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const said = stages.locator('.chart [role=status]');
  await until('the second day is read out', async () =>
    (await said.innerText()).endsWith('Returning 2, Resurrecting 0, New 3, Dormant 1'),
  );
  const csv = await secret.get(`/v1/reports/lifecycle?${query({...parameters, from, to, format: 'csv'})}`);
  expect(await dashboard.csvOf(stages)).toEqual(csv.text.split('\r\n'));
  await stages.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await stages.getByRole('table').waitFor();
  expect((await cellsOf(stages)).map((row) => row.slice(1))).toEqual(
    data.map((day) => [day.returning, day.resurrecting, day.new, day.dormant].map(String)),
  );

  const often = card('Stickiness');
  await page.getByLabel('A bar of stickiness counts users active').selectOption('at_least');
  await page.waitForURL(/often=at_least/);
  const atLeast = await ask<StickinessAnswer>('stickiness', {...parameters, at_least: 'true'});
  await often.getByRole('button', {name: 'Show the numbers as a table'}).click();
  await until('the table says so', async () =>
    isDeepStrictEqual(
      (await cellsOf(often)).map(([, shown]) => shown),
      atLeast.data.map((one) => String(one.users)),
    ),
  );
  await dashboard.expectSoundOnPhone();
});

test('Paths: columns are the steps of the API, and an event shows where its users went', async () => {
  await dashboard.follow(`/paths?event=signup&depth=3&range=${from}..${to}`);
  const parameters = {start: 'signup', depth: '3', limit: '8'};
  const {steps, edges} = await ask<PathsAnswer>('paths', parameters);
  const shown = page.locator('.path-columns > li');
  await shown.nth(2).waitFor();
  expect(await shown.nth(1).locator('.name').allInnerTexts()).toEqual(['project_created', 'Nothing more']);
  expect(await shown.nth(1).locator('.number:not(.share)').allInnerTexts()).toEqual(
    steps[1]!.map(({users: those}) => String(those)),
  );
  const made = shown.nth(1).getByRole('button', {name: 'project_created'});
  await made.press('Enter');
  expect(await made.getAttribute('aria-pressed')).toBe('true');
  const went = edges.find(({step, to: end}) => step === 2 && end.event === 'login')!;
  await shown
    .nth(2)
    .getByRole('button', {name: `login ${went.users}`})
    .waitFor();
  const csv = await secret.get(`/v1/reports/paths?${query({...parameters, from, to, format: 'csv'})}`);
  expect(await dashboard.csvOf(card('Paths'))).toEqual(csv.text.split('\r\n'));
  await dashboard.expectSoundOnPhone();
});

test('Retention, Lifecycle, Paths and Active users are pinned: tiles show in small what their pages do', async () => {
  const pins = [
    '/retention?start=signup&periods=4',
    '/lifecycle?event=login',
    '/paths?event=signup&depth=3',
    '/active?by=trait:plan',
    '/active',
  ].map((path) => `${path}${path.includes('?') ? '&' : '?'}range=${from}..${to}`);
  for (const path of pins) {
    await dashboard.follow(path);
    await page.getByRole('button', {name: 'Pin to Overview', pressed: false, disabled: false}).click();
    await page.getByRole('button', {name: 'Pin to Overview', pressed: true}).waitFor();
  }
  const other = new BrowserClient(service.baseUrl);
  await other.signIn({token: service.adminToken});
  await until('they are stored', async () => {
    const [board] = await readBoards(other);
    return pinsOf(board).join() === pins.map((path) => pinKey(keptAt(path))).join();
  });
  await dashboard.follow('/');
  const {overall} = await ask<RetentionAnswer>('retention', {
    ...{start: 'signup', any_return: 'true', interval: 'day', periods: '4'},
  });
  await card('Retention: signup, then any event')
    .getByText(`${(overall[1]!.rate! * 100).toFixed(1)}\u2009%`)
    .waitFor();
  const stages = card('Lifecycle by login');
  await stages.getByRole('button', {name: 'Show the numbers as a table'}).click();
  const {data} = await ask<LifecycleAnswer>('lifecycle', {event: 'login', interval: 'day'});
  await stages.getByRole('table').waitFor();
  expect((await cellsOf(stages)).map((row) => row.slice(1))).toEqual(
    data.map((day) => [day.returning, day.resurrecting, day.new, day.dormant].map(String)),
  );
  const {steps} = await ask<PathsAnswer>('paths', {start: 'signup', depth: '3', limit: '8'});
  expect(await page.locator('.path-columns > li').nth(1).locator('.number:not(.share)').allInnerTexts()).toEqual(
    steps[1]!.map(({users: those}) => String(those)),
  );
  const {total} = await ask<ActiveAnswer>('users', {metric: 'dau', interval: 'day'});
  await card('Active users').getByText(`${total} distinct users in all`).waitFor();
  await card('Active users by plan').locator('.plot').waitFor();
  await dashboard.settled();
  await dashboard.expectSoundOnPhone();

  // Without a choice of days each tile leads to its page as it was pinned; otherwise with the days that were chosen.
  const links = page.locator('.pinned h2 a');
  const hrefs = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
  expect((await hrefs()).map((href) => href.replace(/^.*\/dashboard/, ''))).toEqual(pins);
  await dashboard.follow('/?range=90d');
  await until('each leads to its page', async () => (await links.count()) === pins.length);
  for (const address of await hrefs()) expect(address).toMatch(/\/(retention|lifecycle|paths|active)(\?$|\?.*)/);
  expect(await links.nth(4).getAttribute('href')).toMatch(/\/active\?range=90d$/);
});

test('A tile has the numbers of its report on its own page: as saved, and with the days and filters of the board', async () => {
  const other = new BrowserClient(service.baseUrl);
  await other.signIn({token: service.adminToken});
  const zone = 'Pacific/Kiritimati';
  const addresses = [
    `/trends?event=signup&event=login&measure=2:users&formula=A / B&look=table&range=${from}..${to}&zone=${zone}&compare=previous`,
    `/trends?event=signup&look=table&range=${from}..${to}&every=week&user_where=name set`,
    `/lifecycle?event=login&range=${from}..${to}`,
  ];
  const made = await other.post('/dashboard/api/v1/boards', {name: 'Exact', tiles: addresses.map(keptAt)});
  const {id} = made.json<{id: string}>();
  const tableOf = async (place: Locator): Promise<string[][]> => {
    const button = place.getByRole('button', {name: 'Show the numbers as a table'});
    if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click();
    await place.getByRole('table').waitFor();
    return cellsOf(place);
  };
  const tablesOn = async (search: string): Promise<readonly string[][][]> => {
    await dashboard.follow(`/boards?board=${id}${search}`);
    const tiles = page.locator('.board-tile');
    await until('there are all tiles', async () => (await tiles.locator('h2 a').count()) === addresses.length);
    await dashboard.settled();
    const links = await tiles.locator('h2 a').evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
    const shown: string[][][] = [];
    for (const at of addresses.keys()) shown.push(await tableOf(tiles.nth(at)));
    for (const [at, href] of links.entries()) {
      await dashboard.follow(href.replace(/^.*\/dashboard/, ''));
      await dashboard.settled();
      expect(await tableOf(page.locator('.builder-result .card').first())).toEqual(shown[at]);
    }
    return shown;
  };
  const saved = await tablesOn('');
  const {data} = await ask<LifecycleAnswer>('lifecycle', {event: 'login', interval: 'day'});
  expect(saved[2]!.map((row) => row.slice(1))).toEqual(
    data.map((day) => [day.returning, day.resurrecting, day.new, day.dormant].map(String)),
  );
  expect(saved[1]!.map(([, number]) => Number(number)).reduce((sum, number) => sum + number)).toBe(1); // Of the one user with a name.
  const others = await tablesOn(`&range=${to}..${to}&user_where=plan eq pro`);
  expect(others[2]).toHaveLength(1);
  expect(others).not.toEqual(saved);

  await dashboard.follow(`/boards?board=${id}&user_where=plan eq pro`);
  await page.getByText('All tiles count only users whose plan is pro.').waitFor();
  await page.getByRole('button', {name: 'Filter', exact: true}).click();
  await dashboard.settled();
  await dashboard.expectSoundOnPhone();
  await page.getByRole('button', {name: 'Show it as saved'}).click();
  await until('nothing is chosen', () => new URL(page.url()).search === `?board=${id}`);
  await page.getByRole('button', {name: /Days as saved/}).waitFor();
  expect((await other.delete(`/dashboard/api/v1/boards/${id}`)).status).toBe(200);
});

test('Boards are made, chosen for a pin, arranged, renamed and deleted; each has an address of its own', async () => {
  const other = new BrowserClient(service.baseUrl);
  await other.signIn({token: service.adminToken});
  const listed = async () => (await readBoards(other)).map(({name, tiles}) => [name, tiles.length]);
  const before = (await listed())[0]![1];
  await dashboard.goto('/boards');
  await page.getByRole('button', {name: 'Create a board'}).click();
  await page.getByLabel('Name', {exact: true}).fill('Growth');
  await dashboard.expectSoundOnPhone();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {name: 'Growth', level: 1}).waitFor();
  const address = new URL(page.url());
  expect(address.search).toMatch(/^\?board=bd_[0-9a-f]{16}$/);
  await page.getByText('This board is empty').waitFor();

  await dashboard.follow(`/retention?start=signup&range=${from}..${to}`);
  await page.getByRole('button', {name: 'Pin to a board'}).click();
  const growth = page.getByRole('checkbox', {name: 'Growth'});
  await growth.check();
  await until(
    'it is stored',
    async () =>
      JSON.stringify(await listed()) ===
      JSON.stringify([
        ['Main', before],
        ['Growth', 1],
      ]),
  );
  await dashboard.expectSoundOnPhone();
  await page.getByLabel('Name of a new board').fill('Second');
  await page.getByRole('button', {name: 'Create', exact: true}).click();
  await page.getByRole('checkbox', {name: 'Second', checked: true}).waitFor();
  await until('the new board has the pin', async () => JSON.stringify((await listed())[2]) === '["Second",1]');
  const second = (await readBoards(other))[2]!;
  expect((await other.delete(`/dashboard/api/v1/boards/${second.id}`)).status).toBe(200);
  await dashboard.follow(`/boards${address.search}&range=${from}..${to}`);
  await card('Retention: signup, then any event').getByText('return in day 1').waitFor();
  await page.getByText('Exact as of').waitFor();
  await dashboard.expectSoundOnPhone();
  await page.getByRole('navigation', {name: 'Boards'}).getByRole('link', {name: 'Main'}).click();
  await page.getByRole('heading', {name: 'Main', level: 1}).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('growth');
  await page.getByRole('option', {name: 'Growth a board', selected: true}).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {name: 'Growth', level: 1}).waitFor();

  await dashboard.follow('/boards');
  await page.getByRole('button', {name: 'Move Growth up'}).click();
  await until('it is the first', async () => (await listed())[0]![0] === 'Growth');
  await page.getByRole('button', {name: 'Rename Growth'}).click();
  await page.getByLabel('Name', {exact: true}).fill('Growth of all');
  await page.keyboard.press('Enter');
  await page.getByRole('link', {name: 'Growth of all'}).waitFor();
  await dashboard.follow(`/?range=${from}..${to}`);
  await card('Retention: signup, then any event').waitFor();
  expect(await page.locator('.pinned').count()).toBe(1);
  await dashboard.settled();
  await dashboard.expectSoundOnPhone();

  // Somebody pins to it before it is deleted: it is shown, and deleted only then.
  await dashboard.follow('/boards');
  await page.getByRole('button', {name: 'Delete Growth of all'}).click();
  const [growing] = await readBoards(other);
  const json = {tiles: [keptAt('/active')]};
  expect((await other.ask('PATCH', `/dashboard/api/v1/boards/${growing!.id}`, {json})).status).toBe(200);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', {name: 'Delete', exact: true}).click();
  await dialog.getByText(/changed the board meanwhile: it is shown, and it was not deleted/).waitFor();
  dashboard.forgive(/412/);
  await dashboard.expectSound();
  await dialog.getByRole('button', {name: 'Keep it'}).click();
  await page.getByRole('button', {name: 'Delete Growth of all'}).click();
  await dialog.getByRole('button', {name: 'Delete', exact: true}).click();
  await until('one is left', async () => JSON.stringify(await listed()) === JSON.stringify([['Main', before]]));
  await dashboard.follow(`/boards${address.search}`);
  await page.getByText('There is no such board').waitFor();
  await dashboard.expectSound();
});

test('A board of four reports is made in ten clicks; its tiles get titles, widths and texts, move, and come back when removed', async () => {
  const other = new BrowserClient(service.baseUrl);
  await other.signIn({token: service.adminToken});
  await dashboard.goto('/boards');
  let clicks = 0;
  const click = async (place: Locator): Promise<void> => {
    clicks += 1;
    await place.click();
  };
  await click(page.getByRole('button', {name: 'Create a board'}));
  await page.getByLabel('Name', {exact: true}).fill('Weekly');
  await click(page.getByRole('dialog').getByRole('button', {name: 'Create', exact: true}));
  await click(page.getByRole('button', {name: 'Add tiles'}));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Find a report or an event').fill('signup');
  await click(dialog.getByRole('checkbox', {name: /^signup over time/}));
  await click(dialog.getByRole('checkbox', {name: /^Number of signup/}));
  await dialog.getByLabel('Find a report or an event').fill('');
  await click(dialog.getByRole('checkbox', {name: /^Active users/}));
  await click(dialog.getByRole('checkbox', {name: /^Lifecycle/}));
  await dialog
    .getByLabel('A text, such as what the board is for')
    .fill('Look at <b>signup</b> first.\nThen at the rest.');
  await dashboard.expectSoundOnPhone();
  await click(dialog.getByRole('button', {name: 'Add 5 tiles'}));
  const titles = () =>
    page.locator('.board-tile > section').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')!));
  const isOrder = (...names: readonly string[]): Promise<unknown> =>
    until(`the tiles are ${names}`, async () => isDeepStrictEqual(await titles(), names));
  await isOrder('Text', 'signup', 'Number of signup', 'Active users', 'Lifecycle');
  expect(clicks).toBeLessThanOrEqual(10);
  await page.getByText('Look at <b>signup</b> first.').waitFor();
  const boardNow = async () => (await readBoards(other)).find(({name}) => name === 'Weekly')!;
  await until('it is stored', async () => (await boardNow())?.tiles.length === 5);
  const {total} = (
    await secret.get(
      `/v1/reports/events?${query({event: 'signup', from: dateOf(Date.now() - 29 * dayMs), to: dateOf(Date.now())})}`,
    )
  ).json<{total: number}>();
  await card('Number of signup')
    .locator('.figure', {hasText: String(total)})
    .waitFor();

  // By keyboard alone.
  const open = async (title: string): Promise<Locator> => {
    await card(title)
      .getByRole('button', {name: `Change ${title}`})
      .press('Enter');
    const panel = page.getByRole('region', {name: `Change ${title}`});
    const field = panel.getByLabel('Title');
    await until('its title is edited', () => field.evaluate((input) => input.matches(':focus')));
    return panel;
  };
  await open('signup');
  await page.keyboard.type('Sign-ups');
  await page.keyboard.press('Enter');
  await isOrder('Text', 'Sign-ups', 'Number of signup', 'Active users', 'Lifecycle');
  const widths = await open('Sign-ups');
  await widths.getByRole('button', {name: 'Full'}).press('Enter');
  await page.locator('.board-tile.span-12', {has: card('Sign-ups')}).waitFor();
  await dashboard.expectSoundOnPhone();
  await page.keyboard.press('Escape');
  await card('Lifecycle').getByRole('button', {name: 'Move Lifecycle forward'}).press('Enter');
  await isOrder('Text', 'Sign-ups', 'Number of signup', 'Lifecycle', 'Active users');
  const text = await open('Text');
  await text.getByLabel('Text').fill('Look at the rest.');
  await text.getByRole('button', {name: 'Save'}).press('Enter');
  await page.getByText('Look at the rest.', {exact: true}).waitFor();
  await (await open('Number of signup')).getByRole('button', {name: 'Remove from the board'}).press('Enter');
  await isOrder('Text', 'Sign-ups', 'Lifecycle', 'Active users');
  await until('it is removed', async () => (await boardNow()).tiles.length === 4);
  await page.getByRole('button', {name: 'Put it back'}).press('Enter');
  await isOrder('Text', 'Sign-ups', 'Number of signup', 'Lifecycle', 'Active users');
  await until('all of it is stored', async () => {
    const shown = (await boardNow()).tiles.map(({name, width, text: words}) => ({name, width, words}));
    return isDeepStrictEqual(JSON.parse(JSON.stringify(shown)), [
      {width: 'full', words: 'Look at the rest.'},
      {name: 'Sign-ups', width: 'full'},
      {name: 'Number of signup', width: 'third'},
      {},
      {},
    ]);
  });
  await dashboard.settled();
  await dashboard.expectSoundOnPhone();

  // Three clicks share it; whoever has the link sees its tiles, and nothing else is asked for.
  clicks = 0;
  await click(page.getByRole('button', {name: 'Share', exact: true}));
  await click(dialog.getByRole('button', {name: 'Make the link'}));
  const link = new URL(await dialog.getByLabel('The link', {exact: true}).inputValue());
  await click(dialog.getByRole('button', {name: 'Copy the link'}));
  expect(clicks).toBe(3);
  await dialog.getByRole('button', {name: 'Done'}).click();
  const visitor = await DashboardPage.open(browser, service);
  const asked = new Set<string>();
  visitor.page.on('request', (request) => asked.add(new URL(request.url()).pathname));
  const path = link.pathname.replace(/^.*\/dashboard/, '');
  await visitor.goto(path);
  await visitor.page.getByRole('heading', {name: 'Weekly', level: 1}).waitFor();
  const shared = visitor.page.locator('.board-tile > section');
  await until('there are all tiles', async () => (await shared.count()) === 5);
  expect(await shared.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual(await titles());
  await shared
    .nth(2)
    .locator('.figure', {hasText: String(total)})
    .waitFor();
  await visitor.settled();
  expect(await visitor.page.locator('.state-box.fault, nav, a').count()).toBe(0);
  expect([...asked].filter((one) => one.includes('/api/'))).toEqual([
    `/dashboard/api${path.replace('share', 'shares')}`,
  ]);
  await visitor.expectSoundOnPhone();
  await visitor.close();

  await page.getByRole('button', {name: 'Digest', exact: true}).click();
  await dashboard.expectSoundOnPhone();
  await dialog.getByRole('button', {name: 'Create', exact: true}).click();
  await dialog.waitFor({state: 'detached'});
  const {id} = await boardNow();
  const sent = (await other.get('/dashboard/api/v1/digests')).json<{data: readonly DigestAnswer[]}>().data;
  expect(sent.filter((one) => one.of === id)).toMatchObject([{hour: 9, name: 'Weekly'}]);
  const [digest] = sent.filter((one) => one.of === id);
  expect((await other.delete(`/dashboard/api/v1/digests/${digest!.id}`)).status).toBe(200);
  expect((await other.delete(`/dashboard/api/v1/boards/${id}`)).status).toBe(200);
});

test('Names lists which events, properties, traits and values there are, and leads to their trends', async () => {
  await dashboard.follow(`/events?show=names&range=${from}..${to}`);
  const {data} = (await secret.get(`/v1/names?${query({from, to})}`)).json<NamesAnswer>();
  const list = card('Names of events');
  await list.getByRole('button', {name: 'signup', exact: true}).waitFor();
  expect((await cellsOf(list)).slice(2).map(([name, times]) => [name, times])).toEqual(
    data.map((one) => [one.name, String(one.count)]),
  );
  await list.getByLabel('Beginning of the name').fill('sig');
  await until('others are left out', async () => (await cellsOf(list)).length === 3);
  await list.getByRole('button', {name: 'signup', exact: true}).click();
  await card('Properties of signup').getByText('No property').waitFor();
  await list.getByRole('button', {name: 'Traits of users'}).click();
  await card('Traits of users').getByRole('button', {name: 'plan'}).click();
  const values = card('Values of plan');
  await values.getByRole('link', {name: 'pro'}).waitFor();
  expect(await cellsOf(values)).toContainEqual(['pro', '1']);
  await dashboard.settled();
  await dashboard.expectSoundOnPhone();
  await values.getByRole('link', {name: 'pro'}).click();
  await page.waitForURL(/user_where=plan\+eq\+pro/);
  await card('In numbers').getByText('any event').waitFor();
  expect(await page.getByText('in the address').count()).toBe(0);
});

test('on a phone the current page stands in the row of pages', async () => {
  await page.setViewportSize({width: 390, height: 844});
  for (const [path, name] of [
    ['/active', 'Active users'],
    ['/settings/access', 'Access'],
    ['/boards', 'Boards'],
  ] as const) {
    await dashboard.follow(path);
    const link = page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name, exact: true});
    await until(`${name} is in the window`, async () => {
      const box = await link.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 390;
    });
  }
  await page.setViewportSize({width: 1_440, height: 900});
});

test('People have names, are found by them, by e-mail and id, and are exported; columns are of choice', async () => {
  await until('the trait is in reports', async () => {
    const found = (await secret.get(`/v1/users?${query({user_where: 'plan eq pro'})}`)).json<{data: unknown[]}>();
    return found.data.length === 1;
  });
  const listed = async (parameters: Parameters<typeof query>[0]): Promise<string[]> =>
    (await secret.get(`/v1/users?${query(parameters)}`)).json<{data: {id: string}[]}>().data.map(({id}) => id);
  const link = page.locator('.people-table .name .link');
  const shown = (): Promise<string[]> =>
    link.evaluateAll((all: readonly {readonly href: string}[]) =>
      all.map(({href}) => new URLSearchParams(href.split('?')[1]).get('user') ?? ''),
    );
  await dashboard.follow('/people');
  await until('all are listed', async () => (await shown()).join() === (await listed({})).join());
  const search = page.getByLabel('Name, e-mail or id');
  await search.fill('U1');
  await page.waitForURL(/search=U1$/);
  await until('ids with this in them', async () => (await shown()).length === 9);
  expect(await shown()).toEqual(await listed({search: 'u1'}));
  await dashboard.expectSoundOnPhone();
  await search.fill('ada@exam');
  await until('the one of this address', async () => (await shown()).join() === 'u3');
  expect(await page.locator('.people-table .name').innerText()).toMatch(/^Ada Lovelace\s+u3$/);
  await page.getByRole('button', {name: 'Columns'}).click();
  await page.getByLabel('plan', {exact: true}).check();
  await page.getByLabel('All traits in one').uncheck();
  await page.waitForURL(/column=last_seen&column=first_seen&column=trait(:|%3A)plan/);
  expect((await cellsOf(page.locator('.people-table')))[0]!.at(-1)).toBe('pro');
  await dashboard.expectSound();
  await page.keyboard.press('Escape');
  await search.press('Enter');
  await page.getByRole('heading', {name: 'Ada Lovelace', level: 2}).waitFor();
  await page.locator('.person-id').getByText('u3', {exact: true}).waitFor();
  await dashboard.follow('/events?show=history&userId=u3');
  await page.locator('.events-table .person-name').first().getByText('Ada Lovelace').waitFor();
  await dashboard.expectSoundOnPhone();

  await dashboard.follow('/people?search=ada');
  await page.getByRole('button', {name: 'Columns'}).click();
  await page.getByRole('button', {name: 'Change what people are called'}).click();
  await page.getByLabel('Traits, with commas between them').fill('email, name');
  await page.getByRole('button', {name: 'Save', exact: true}).click();
  await page.locator('.people-table').getByRole('link', {name: 'Ada@Example.com'}).waitFor();
  await dashboard.follow('/people?user_where=plan+eq+pro&event=login&within=30d');
  await page.getByRole('link', {name: 'Ada@Example.com'}).click();
  await page.waitForURL(/user=u3/);
  const begun = page.waitForEvent('download');
  await page.getByRole('link', {name: 'Export'}).click();
  const exported = await secret.get('/v1/user/export?userId=u3');
  expect(readFileSync(await (await begun).path(), 'utf8')).toBe(exported.text);
  await page.getByRole('button', {name: 'All people'}).click();
  await until('the same list again', async () => (await shown()).join() === 'u3');
  await dashboard.expectSound();
});

test('A question is saved by name, and of two who change it the second sees both versions', async () => {
  const save = page.getByRole('button', {name: 'Save', exact: true});
  const panel = page.getByRole('region', {name: 'Save this report'});
  await dashboard.follow('/retention?start=signup&range=30d');
  // Enter comes before the list of names that are taken.
  let give = (): void => {};
  const isPressed = new Promise<void>((resolve) => {
    give = resolve;
  });
  await page.route('**/api/v1/saved-reports', async (route) => {
    await isPressed;
    await route.continue();
  });
  await save.click();
  await panel.getByLabel(/^Name/).fill('Growth / Who returns');
  await page.keyboard.press('Enter');
  give();
  await panel.getByText('Saved as').waitFor();
  await page.unroute('**/api/v1/saved-reports');
  // The focus goes on in what replaces the form, Escape closes it, and the focus goes back.
  await panel.locator('button:focus', {hasText: 'Done'}).waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({state: 'detached'});
  await page.locator('button:focus', {hasText: 'Save'}).waitFor();
  await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Saved reports'}).click();
  const report = page.getByRole('link', {name: 'Who returns'});
  await report.waitFor();
  await dashboard.expectSoundOnPhone();

  const other = new BrowserClient(service.baseUrl);
  await other.signIn({token: service.adminToken});
  type Listed = {data: SavedReportAnswer[]};
  const listed = async () => (await other.get('/dashboard/api/v1/saved-reports')).json<Listed>().data;
  const [{id, questions}] = await listed();
  expect(questions).toMatchObject([{report: 'retention', start: {event: 'signup'}, range: '-30d', timezone: 'UTC'}]);
  await report.click();
  await page.waitForURL(/\/retention\?start=signup&range=30d$/);
  const json = keptAt('/retention?start=login');
  expect((await other.ask('PATCH', `/dashboard/api/v1/saved-reports/${id}`, {json})).status).toBe(200);
  await save.click();
  await panel.getByRole('button', {name: 'Replace it'}).click();
  await panel.getByText('Nothing was replaced').waitFor();
  // The browser says so of every answer that refuses.
  expect(dashboard.complaints.splice(0)).toEqual([expect.stringContaining('412')]);
  expect(await panel.getByRole('link', {name: 'theirs'}).getAttribute('href')).toContain('/retention?start=login');
  await dashboard.expectSound();
  await panel.getByRole('button', {name: 'Save mine beside it'}).click();
  await page.keyboard.press('Enter');
  await panel.getByText('Saved as').waitFor();
  expect((await listed()).map((one) => [one.name, addressOf(one, 'UTC').search])).toEqual([
    ['Growth / Who returns', '?start=login'],
    ['Growth / Who returns (mine)', '?start=signup&range=30d'],
  ]);

  await dashboard.follow('/saved');
  await page.getByRole('button', {name: 'Move Who returns (mine) up'}).click();
  await until('it is the first', async () => (await listed())[0]!.name.endsWith('(mine)'));
  await page.getByRole('button', {name: 'Rename Who returns', exact: true}).click();
  await page.getByLabel(/^Name/).fill('Theirs');
  await page.keyboard.press('Enter');
  await page.getByRole('link', {name: 'Theirs'}).waitFor();
  await page.getByRole('button', {name: 'Duplicate Theirs'}).click();
  await page.getByRole('button', {name: 'Delete Theirs (copy)'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Delete', exact: true}).click();
  await until('two are left', async () => (await listed()).length === 2);

  const digest = async () => (await other.get('/dashboard/api/v1/digests')).json<{data: DigestAnswer[]}>().data[0];
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', {name: 'Send Theirs as a digest'}).click();
  await dialog.getByLabel('On', {exact: true}).selectOption('Monday');
  await dialog.getByRole('button', {name: 'Create'}).click();
  const digests = card('Digests');
  await digests.getByText('each Monday at 09:00, UTC').waitFor();
  await digests.getByText('reaches nobody').waitFor();
  expect(await digest()).toMatchObject({name: 'Theirs', weekday: 'monday', hour: 9, paused: false});
  await dashboard.expectSoundOnPhone();
  await digests.getByRole('button', {name: 'Change the digest of Theirs'}).click();
  await dialog.getByLabel('On', {exact: true}).selectOption('each day');
  await dialog.getByLabel('At', {exact: true}).selectOption('07:00');
  await dashboard.expectSound();
  await dialog.getByRole('button', {name: 'Change'}).click();
  await digests.getByRole('button', {name: 'Pause the digest of Theirs'}).click();
  await digests.getByText('each day at 07:00, UTC, paused').waitFor();
  expect(await digest()).not.toHaveProperty('weekday');
  await digests.getByRole('button', {name: 'Remove the digest of Theirs'}).click();
  await dialog.getByRole('button', {name: 'Remove'}).click();
  await digests.getByText('No digest yet').waitFor();

  // A weekly one out of the empty list takes at most six clicks; a choice in a list counts as two.
  let clicks = 0;
  const click = async (button: Locator): Promise<void> => {
    clicks += 1;
    await button.click();
  };
  await click(digests.getByRole('button', {name: 'Each Monday at 09:00'}));
  clicks += 2;
  await dialog.getByLabel('Saved report or board').selectOption('Theirs');
  await dialog.getByText('Reaches nobody.').waitFor();
  await dashboard.expectSound();
  await click(dialog.getByRole('button', {name: 'Create'}));
  await digests.getByText('each Monday at 09:00, UTC').waitFor();
  expect(clicks).toBeLessThanOrEqual(6);
});

test('A segment is created by hand, reports ask by it, and it is changed and removed', async () => {
  await dashboard.goto('/saved');
  const list = card('Segments');
  await list.getByRole('button', {name: 'Segment', exact: true}).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Paying');
  await dialog.getByRole('button', {name: '+ Filter of the users'}).click();
  await dialog.getByRole('combobox', {name: 'Property of the users, filter 1'}).click();
  await page.getByRole('option', {name: /^plan/}).click();
  await dialog.getByRole('combobox', {name: 'Value of the users, filter 1'}).click();
  await page.getByRole('option', {name: /^pro/}).click();
  await dialog.getByRole('button', {name: 'Create'}).click();
  await list.getByText('plan is pro').waitFor();
  await list.getByRole('button', {name: 'Paying has the internal and test users'}).click();
  await list.getByText('Internal and test users', {exact: true}).waitFor();

  // One click leaves them out, and the page says so in its head.
  await dashboard.goto(`/active?range=${from}..${to}&compare=off`);
  const everybody = await ask<ActiveAnswer>('users', {metric: 'dau'});
  await card('Active users').getByText(`${everybody.total} distinct users in all`).waitFor();
  await page.getByRole('button', {name: 'All users', exact: true}).click();
  await page.waitForURL(/not_segment=sg_/);
  await card('Active users')
    .getByText(`${everybody.total - 1} distinct users in all`)
    .waitFor();
  const others = new URL(page.url()).searchParams.get('not_segment')!;
  await page.getByRole('button', {name: 'Without internal and test users'}).waitFor();
  await dashboard.expectSoundOnPhone();
  // Links of the side take it along, with the days.
  await page.getByRole('link', {name: 'Overview', exact: true}).click();
  await page.waitForURL(new RegExp(`/dashboard\\?range=${from}..${to}&not_segment=${others}$`));
  await page.getByRole('button', {name: 'Without internal and test users'}).waitFor();
  const names = (await secret.get(`/v1/names?${query({from, to, not_segment: others})}`)).json<NamesAnswer>();
  await card('Top events').getByRole('row').nth(1).waitFor();
  expect((await cellsOf(card('Top events'))).map(([name, times]) => [name, times])).toEqual(
    names.data.map((one) => [one.name, String(one.count)]),
  );
  await page.getByRole('button', {name: 'Without internal and test users'}).click();
  await page.waitForURL((url) => !url.search.includes('not_segment'));

  await dashboard.goto(`/active?range=${from}..${to}&compare=off`);
  await page.getByLabel('Only users of the segment').selectOption('Paying');
  await page.waitForURL(/segment=sg_/);
  const {total} = await ask<ActiveAnswer>('users', {metric: 'dau', user_where: 'plan eq pro'});
  expect(total).toBe(1);
  await card('Active users').getByText('1 distinct users in all').waitFor();
  await card('Active users').getByRole('button', {name: '1, distinct users in all: what is behind it'}).click();
  await dialog.getByText(/of users of Paying, /).waitFor();
  await dialog.getByRole('link', {name: /^Ada/}).waitFor();
  await page.keyboard.press('Escape');
  await dashboard.expectSoundOnPhone();

  await dashboard.goto('/saved');
  await list.getByRole('button', {name: 'Change Paying'}).click();
  await dialog.getByLabel('Name').fill('Customers');
  await dialog.getByLabel('Operator of the users, filter 1').selectOption('ne');
  await dialog.getByRole('button', {name: 'Change'}).click();
  await list.getByText('Customers').waitFor();
  await list.getByText('plan is not pro').waitFor();
  await dashboard.expectSoundOnPhone();
  await list.getByRole('button', {name: 'Remove Customers'}).click();
  await dialog.getByRole('button', {name: 'Remove'}).click();
  await list.getByText('No segment yet').waitFor();
});

test('Active users of an event, by the values of a trait', async () => {
  await dashboard.follow(`/active?event=login&by=trait:plan&metric=mau&range=${from}..${to}&compare=off`);
  const {breakdown, total} = await ask<ActiveAnswer>('users', {
    metric: 'mau',
    event: 'login',
    breakdown: 'trait:plan',
    interval: 'day',
  });
  const values = card('By value');
  await values.getByRole('row').nth(2).waitFor();
  expect((await cellsOf(values)).map((row) => row.slice(0, 2))).toEqual(
    breakdown!.rows.map(({value, kind, total: users}) => [
      value ?? (kind === 'missing' ? 'not set' : kind),
      String(users),
    ]),
  );
  await card('Active users').getByText(`${total} distinct users`).waitFor();
  await dashboard.expectSoundOnPhone();
});

test('Web: before a page view it says what to do; then its numbers are those of plain loops, with bots and without', async () => {
  await dashboard.goto('/web');
  await page.getByRole('heading', {name: 'No page view has come yet'}).waitFor();
  await page.getByText(`<script defer src="${service.baseUrl}/sdk.js" data-key="`).waitFor();
  await page.getByRole('link', {name: 'First event'}).last().waitFor();
  await dashboard.expectSoundOnPhone();

  const startMs = Date.parse(from) - 14 * dayMs;
  const events = webWeek(startMs);
  const written = new Positions();
  written.note(await secret.post('/v1/events/batch', {events}));
  const week = {from: dateOf(startMs), to: dateOf(startMs + 6 * dayMs)};
  await reportCovering(secret, `/v1/names?${query(week)}`, written);

  const figure = (name: string): Locator => card(name).locator('.figure');
  const shown = async (): Promise<WebFigures> => {
    const number = async (name: string): Promise<number> => Number(await figure(name).innerText());
    const lists: Record<string, Record<string, number>> = {};
    for (const title of Object.keys(webFigures([]).lists)) {
      const rows = await cellsOf(card(title));
      lists[title] = Object.fromEntries(rows.map(([name, count]) => [name!, Number(count)]));
    }
    return {
      visitors: await number('Visitors'),
      views: await number('Page views'),
      sessions: await number('Sessions'),
      lists,
    };
  };
  /** Resolves when the page shows the figures of these events. */
  const shows = async (some: typeof events): Promise<void> => {
    const expected = webFigures(some);
    let last: WebFigures | undefined;
    await until('the page shows them', async () => {
      await dashboard.settled();
      last = await shown().catch(() => undefined);
      return isDeepStrictEqual(last, expected);
    }).catch(() => undefined);
    expect(last).toEqual(expected);
  };
  const ofPeople = events.filter(({context}) => context.bot === undefined);
  await dashboard.goto(`/web?range=${week.from}..${week.to}`);
  await shows(ofPeople);
  await dashboard.expectSoundOnPhone();

  await page.getByRole('checkbox', {name: 'Bots left out', checked: true}).uncheck();
  await page.waitForURL(/bots=counted/);
  await shows(events);
  await page.getByRole('checkbox', {name: 'Bots left out'}).check();
  await shows(ofPeople);

  await card('Countries').getByRole('button', {name: 'Germany'}).press('Enter');
  await page.waitForURL((url) => url.searchParams.get('where') === 'context.location.country eq DE');
  const ofGermany = ofPeople.filter(({context}) => context.location?.country === 'DE');
  await shows(ofGermany);
  await dashboard.expectSoundOnPhone();

  // Its number leads to Active users, which says the same.
  await figure('Visitors').click();
  await card('Active users')
    .getByText(`${webFigures(ofGermany).visitors} distinct users in all`)
    .waitFor();
  await page.goBack();
  await page.getByRole('button', {name: /^Remove Country is Germany/}).click();
  await page.waitForURL((url) => !url.searchParams.has('where'));
  await shows(ofPeople);

  // A later page of a visit has no referrer either: direct visits are narrowed to by their first events.
  await card('Referrers').getByRole('button', {name: 'direct, or unknown'}).click();
  await page.getByRole('button', {name: /^Remove Referrer is direct, or unknown/}).waitFor();
  await shows(ofPeople.filter(({context}) => context.referrer === undefined && context.session?.start === true));
  await dashboard.expectSound();
});
