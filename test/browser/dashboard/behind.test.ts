// Points of charts, by hand, and the people behind them.
import type {Browser, Locator, Page} from 'playwright-core';
import {beforeAll, expect, test} from 'vitest';
import {datesText, dayName} from '../../../dashboard/src/charts/format.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs);
/** Three days, none of which is today: nothing moves while it is looked at. */
const [first, last] = [today - 4, today - 2];
const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

let service: Service;
let browser: Browser;
let dashboard: DashboardPage;
let page: Page;

/** On the first day 30 of either plan sign up, in the middle nobody, on the last 40 `pro`, 5 with an empty plan and 5 with none. */
function story(): object[] {
  const signUp = (user: string, day: number, properties: object) => ({
    event: 'signup',
    userId: user,
    timestamp: new Date(day * dayMs + 3_600_000).toISOString(),
    properties,
  });
  const some = (length: number, make: (at: number) => object): object[] => Array.from({length}, (_, at) => make(at));
  return [
    ...some(30, (at) => signUp(`a-pro-${at}`, first, {plan: 'pro'})),
    ...some(30, (at) => signUp(`a-free-${at}`, first, {plan: 'free'})),
    ...some(40, (at) => signUp(`c-pro-${at}`, last, {plan: 'pro'})),
    ...some(5, (at) => signUp(`c-empty-${at}`, last, {plan: ''})),
    ...some(5, (at) => signUp(`c-none-${at}`, last, {})),
  ];
}

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser] = await Promise.all([startService({env: seldomRefreshed}), openBrowser()]);
  const secret = new Client(service.baseUrl, service.secretKey);
  const events = story();
  expect((await secret.post('/v1/events/batch', {events})).status).toBe(200);
  await until('everything is in reports', async () => {
    const {data} = (await secret.get('/v1/names')).json<{data: {count: number}[]}>();
    return data[0]?.count === events.length;
  });
  dashboard = await DashboardPage.open(browser, service);
  page = dashboard.page;
  await dashboard.signIn(service.adminToken);
});

browserTests(() => ({service, browser}));

const card = (name: string): Locator => page.getByRole('region', {name, exact: true});
const days = `range=${dateOf(first)}..${dateOf(last)}&every=day&compare=off`;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the lines of the card's chart are drawn, px of the window. */
async function plotOf(name: string): Promise<Box> {
  await card(name).locator('.u-over').waitFor();
  await dashboard.settled();
  return (await card(name).locator('.u-over').boundingBox())!;
}

/** The title of what a click shows, which is closed then. */
async function shownBy(x: number, y: number): Promise<string> {
  await page.mouse.click(x, y);
  const dialog = page.getByRole('dialog');
  await dialog.locator('.people-listed, .behind .help').first().waitFor();
  const title = await dialog.getByRole('heading', {level: 2}).innerText();
  await page.keyboard.press('Escape');
  await dialog.waitFor({state: 'detached'});
  return title;
}

test('the first and the last point, a zero and the largest number are chosen on the edge of the plot, and half beside it', async () => {
  await dashboard.goto(`/trends?event=signup&${days}`);
  const {x, y, width, height} = await plotOf('Trend');
  const middleY = y + height / 2;
  for (const [across, up, title] of [
    [x + 0.5, middleY, '60 events signup'],
    [x - 3, middleY, '60 events signup'],
    [x + width - 0.5, middleY, '50 events signup'],
    [x + width + 3, middleY, '50 events signup'],
    [x + width / 2, y + height - 0.5, '0 events signup'],
    [x + width / 2, y + height + 3, '0 events signup'],
    [x + 0.5, y + 0.5, '60 events signup'],
  ] as const)
    expect(await shownBy(across, up)).toBe(title);
});

test('a drag takes a range, also where it ends beside the plot, and chooses no point', async () => {
  await dashboard.goto(`/trends?event=signup&${days}`);
  const {x, y, width, height} = await plotOf('Trend');
  await page.mouse.move(x + width * 0.4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.8, y + height / 2, {steps: 4});
  await page.mouse.move(x + width + 3, y + height / 2, {steps: 4});
  await page.mouse.up();
  await page.waitForURL(
    (url) => url.searchParams.get('range') === `${dateOf(first)}..${dateOf(last)}` && !url.searchParams.has('every'),
  );
  await dashboard.settled();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('points of a breakdown lead to the people of their value; of lines on each other the pressed name is meant', async () => {
  await dashboard.goto(`/trends?event=signup&by=plan&${days}`);
  const {x, y, width, height} = await plotOf('Trend');
  expect(await shownBy(x + width - 0.5, y + 2)).toBe('40 events signup, plan is pro');
  const ways = [
    ['free', x + 0.5, '30 events signup, plan is free', 'a-free-'],
    ['pro', x + 0.5, '30 events signup, plan is pro', 'a-pro-'],
    ['(empty)', x + width - 0.5, '5 events signup, plan is (empty)', 'c-empty-'],
    ['not set', x + width - 0.5, '5 events signup, plan is not set', 'c-none-'],
  ] as const;
  for (const [name, across, title, user] of ways) {
    const label = card('Trend').getByRole('button', {name: `${name}: dim the other lines`});
    await label.click();
    await page.mouse.click(across, y + height * 0.3);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', {name: title, exact: true}).waitFor();
    await dialog.getByRole('link', {name: user}).first().waitFor();
    const ids = await dialog.getByRole('link').allInnerTexts();
    expect(ids.filter((id) => !id.startsWith(user))).toEqual([]);
    expect(ids).toHaveLength(Number.parseInt(title, 10));
    await page.keyboard.press('Escape');
    await label.click();
  }
});

test('so do points and numbers of active users by value', async () => {
  await dashboard.goto(`/active?event=signup&by=plan&metric=dau&${days}`);
  const {x, y, width} = await plotOf('By value');
  expect(await shownBy(x + width - 0.5, y + 2)).toBe('40 active users, plan is pro');
  await card('By value').getByRole('button', {name: 'Show the numbers as a table'}).click();
  await card('By value')
    .getByRole('region', {name: /as a table/})
    .getByRole('button', {name: '30', exact: true})
    .last()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', {name: '30 active users, plan is free', exact: true}).waitFor();
  await dialog.getByText('30 people', {exact: true}).waitFor();
  await page.keyboard.press('Escape');
});

test('how many people are behind a number stands above the first of them', async () => {
  await dashboard.goto(`/trends?event=signup&${days}`);
  const {x, y, height} = await plotOf('Trend');
  await page.mouse.click(x + 2, y + height / 2);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('60 people, the first 50 of them', {exact: true}).waitFor();
  const more = dialog.getByRole('button', {name: 'Show 50 more'});
  const [left, right] = await Promise.all(
    [more, dialog.getByRole('button', {name: 'Download as CSV'})].map((way) => way.boundingBox()),
  );
  expect(right!.x - left!.x - left!.width).toBeGreaterThanOrEqual(12);
  await dashboard.expectSoundOnPhone();
  await more.click();
  await dialog.getByText('60 people', {exact: true}).waitFor();
  expect(await dialog.getByRole('link', {name: /^a-/}).count()).toBe(60);
});

test('a page says which days it compares with, or once that there is no data before', async () => {
  const paths = ['/', '/trends?event=signup', '/active'];
  const nothing = `Nothing to compare with: the first event is of ${dayName(first, today)}`;
  for (const path of paths) {
    await dashboard.goto(path);
    await page.getByText(nothing, {exact: true}).waitFor();
    expect(await page.getByText(/ times$|new$|none before/).count()).toBe(0);
  }
  const secret = new Client(service.baseUrl, service.secretKey);
  const early = {event: 'visit', userId: 'early', timestamp: new Date((today - 80) * dayMs).toISOString()};
  expect((await secret.post('/v1/events', early)).status).toBe(200);
  await until('it is in reports', async () => {
    const {data} = (await secret.get(`/v1/names?from=${dateOf(today - 81)}`)).json<{data: {name: string}[]}>();
    return data.some(({name}) => name === 'visit');
  });
  // 30 days, and the 30 before them.
  const before = datesText({from: today - 59, to: today - 30}, today);
  for (const path of paths) {
    await dashboard.goto(path);
    await page.getByText(`Compared with ${before}`, {exact: true}).waitFor();
  }
  await dashboard.goto('/trends?event=signup&compare=weekdays');
  const weekdays = datesText({from: today - 29 - 35, to: today - 35}, today);
  await page.getByText(`Compared with ${weekdays}, on the same weekdays`, {exact: true}).waitFor();
  await dashboard.goto('/trends?event=signup');
  await card('In numbers').getByText(`changes against ${before} until `).waitFor();
  await dashboard.expectSoundOnPhone();
  await dashboard.goto('/trends?event=signup&compare=off');
  await card('In numbers').getByRole('row').nth(1).waitFor();
  expect(await page.getByText(/against|Compared/).count()).toBe(0);
});
