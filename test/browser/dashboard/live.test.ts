// Live load, the first event and events as they arrive, in a real browser.
import type {Browser} from 'playwright-core';
import {afterEach, beforeAll, expect, test} from 'vitest';
import {BrowserClient} from '../../support/browser-client.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser} from '../../support/dashboard-page.js';
import {halt} from '../../support/halt.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {shortestMs, until} from '../../support/until.js';

let service: Service;
let browser: Browser;
let startedMs: number;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  browser = await openBrowser();
  startedMs = performance.now();
  service = await startService();
});

browserTests(() => ({service, browser}));

const opened: DashboardPage[] = [];

async function open(): Promise<DashboardPage> {
  const dashboard = await DashboardPage.open(browser, service);
  opened.push(dashboard);
  return dashboard;
}

// One that a test left would keep its stream.
afterEach(async () => {
  for (const dashboard of opened.splice(0)) await dashboard.close();
});

const writer = (): Client => new Client(service.baseUrl, service.writeKey);
const streamsOpen = async (dashboard: DashboardPage): Promise<number> => {
  const answer = await dashboard.page.request.get(`${service.baseUrl}/dashboard/api/load?minutes=1`);
  return ((await answer.json()) as {streams: number}).streams;
};

// From an installed and built service; cloning and packages come on top.
test('from the start of the service to the first event seen live takes a minute or, on a busy machine, some', async () => {
  const dashboard = await open();
  const {page} = dashboard;
  await dashboard.goto('');
  await page.getByLabel('Admin token or access token').fill(service.adminToken);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {name: 'First event'}).waitFor();
  await page.getByText('listening').waitFor();
  await page.getByRole('button', {name: 'Put a fresh write key in'}).click();
  const snippet = page.getByRole('region', {name: 'Snippet for curl'});
  const key = await until('the key is in the snippet', async () =>
    /Bearer (sk_write_\w+)'/.exec((await snippet.textContent())!)?.at(1),
  );
  await page.getByLabel('I already use').selectOption('Segment, servers');
  const lines = page.getByRole('region', {name: 'Snippet for Segment, servers'});
  expect(await lines.textContent()).toContain(`writeKey: '${key}',\n  host: '${service.baseUrl}'`);
  const sender = new Client(service.baseUrl, key);
  expect((await sender.post('/v1/events', {event: '', userId: 'ada'})).status).toBe(400);
  await page.getByText('invalid_event').waitFor();
  expect((await sender.post('/v1/events', {event: 'signup', userId: 'ada', properties: {plan: 'pro'}})).status).toBe(
    200,
  );
  await page.getByText(/on disk within/).waitFor();
  expect(performance.now() - startedMs).toBeLessThan(180_000);
  await page.getByText('Read signup in the history').waitFor();
  await page.locator('.first-steps .done').nth(2).waitFor();
  await dashboard.expectSound();
  await page.getByRole('link', {name: 'Your first report'}).click();
  await page.getByRole('region', {name: 'The lines in numbers'}).getByText('signup').waitFor();
  expect(await page.getByText('in the address').count()).toBe(0);
});

test('a batch moves the tiles; a service that stands still turns them grey within 5 s, and it heals', async () => {
  const dashboard = await open();
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/live');
  const figure = page.getByRole('region', {name: 'Events accepted'}).locator('.figure');
  await page.getByText('every second').waitFor();
  await figure.waitFor();
  const events = Array.from({length: 900}, (_, at) => ({event: 'moved', userId: `u${at}`}));
  const toMove = await shortestMs(3_000, async () => {
    await until('the tile stands at zero', async () => !/[1-9]/.test((await figure.textContent())!));
    expect((await writer().post('/v1/events/batch', {events})).status).toBe(200);
    const answeredMs = performance.now();
    await until('the tile moves', async () => /[1-9]/.test((await figure.textContent())!));
    return performance.now() - answeredMs;
  });
  expect(toMove).toBeLessThan(3_000);
  await dashboard.expectSound();

  const toGrey = await shortestMs(5_000, async () => {
    await halt(service.pid);
    const stoppedMs = performance.now();
    try {
      await page.locator('.live.lost').waitFor();
      await page.getByText(/Last heard .* ago/).waitFor();
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    const greyMs = performance.now() - stoppedMs;
    await page.locator('.live:not(.lost)').waitFor();
    return greyMs;
  });
  expect(toGrey).toBeLessThan(5_000);
});

test('one tab more than a browser has connections to a host: all are alive, by one stream', async () => {
  const dashboard = await open();
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/live');
  const tabs = [dashboard.page];
  while (tabs.length < 7) {
    const tab = await dashboard.context.newPage();
    await tab.goto(`${service.baseUrl}/dashboard/live`);
    tabs.push(tab);
  }
  for (const tab of tabs) await tab.getByText('every second').waitFor();
  // A stream that another took the place of is gone as soon as the service hears of its end.
  await until('one stream is left', async () => (await streamsOpen(dashboard)) === 1);
  await dashboard.close();
  // Without a page: the first one that a person sees after signing in has a stream itself.
  const client = new BrowserClient(service.baseUrl);
  await client.signIn({token: service.adminToken});
  await until('the stream ends with its last tab', async () => {
    const answer = await client.get('/dashboard/api/load?minutes=1');
    return answer.json<{streams: number}>().streams === 0;
  });
});

test('events arrive as text, whatever is in them, and are found in the history', async () => {
  const dashboard = await open();
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/events');
  await page.getByText('every event', {exact: true}).waitFor();
  const event = '<img src=x onerror=alert(1)>';
  await writer().post('/v1/events', {event, userId: 'mallory', properties: {bad: '<b>bold</b>'}});
  await page.getByRole('cell', {name: event, exact: true}).waitFor();
  await dashboard.expectSound();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/dashboard/api/v1/events?*', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('link', {name: 'History'}).click();
  await page.getByLabel('User id').fill('mallory');
  release();
  await page.getByRole('button', {name: event}).waitFor();
  expect(await page.getByLabel('User id').inputValue()).toBe('mallory'); // The answer drew the page again.
  await page.getByLabel('User id').press('Enter');
  await until('the filter is in the address', () => page.url().includes('userId=mallory'));
  await page.getByRole('button', {name: event}).click();
  await page.getByRole('button', {name: 'JSON', exact: true}).click();
  await page.getByLabel('The whole event').waitFor();
  await dashboard.expectSound();
  await writer().post('/v1/events', {event: 'named', properties: {}});
  await page.getByRole('link', {name: 'Refused'}).click();
  await page.getByRole('cell', {name: 'named'}).waitFor();
  await dashboard.expectSound();
  const long = 'n'.repeat(200);
  await writer().post('/v1/events', {event: long, userId: 'mallory'});
  await dashboard.goto('/');
  await page.getByRole('list', {name: 'Newest events'}).getByText(long).waitFor();
  // The report has it a moment later, and the page reads the report when it is opened.
  await until('the long name is a top event', async () => {
    await dashboard.goto('/');
    await dashboard.settled();
    return (await page.getByRole('link', {name: long}).count()) > 0;
  });
  await dashboard.expectSoundOnPhone();
});
