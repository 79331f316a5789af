// The real libraries of other services for pages, unchanged, in a real browser on another origin than the service.
// Needs a Chromium (`apt-get install chromium-headless-shell`, or CHROMIUM_BIN): without one it is skipped, and the last lines say so.
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {findChromium, launchChromium} from '../../tools/chromium.js';
import {waitMsMax} from '../support/dashboard-page.js';
import {Client, type HistoryAnswer, type ProfileBody, query, userPath} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {until} from '../support/until.js';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Scripts of the shop's page, by their paths. */
const scripts: Readonly<Record<string, string>> = {
  '/segment.js': '@segment/analytics-next/dist/umd/index.js',
  '/rudder.js': '@rudderstack/analytics-js/dist/npm/modern/bundled/umd/index.js',
};

/** What both have. */
interface Library {
  page(name: string): Promise<unknown>;
  identify(userId: string, traits: object): Promise<unknown>;
  track(event: string, properties: object): Promise<unknown>;
  group(groupId: string, traits: object): Promise<unknown>;
}

const executablePath = findChromium();
let service: Service;
let shop: Server;
let browser: Browser;
let page: Page;
let shopUrl: string;

async function startAll(path: string): Promise<void> {
  service = await startService();
  shop = createServer((asked, answer) => {
    const script = scripts[asked.url ?? ''];
    if (script === undefined) answer.setHeader('Content-Type', 'text/html').end('<title>shop</title>');
    else answer.setHeader('Content-Type', 'text/javascript').end(readFileSync(join(packages, script)));
  });
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;
  browser = await launchChromium(path);
}

beforeAll(async () => {
  if (executablePath !== undefined) await startAll(executablePath);
});

afterAll(async () => {
  if (executablePath === undefined) return;
  await browser?.close();
  shop?.close();
  shop?.closeAllConnections();
  expect(await service.stop()).toBe(0);
});

/** Hosts beside the service and the shop that the page asked for something. */
const strangers = new Set<string>();

beforeEach(async (context) => {
  if (executablePath === undefined) return context.skip('no Chromium on PATH or in CHROMIUM_BIN');
  strangers.clear();
  page = await browser.newPage();
  page.setDefaultTimeout(waitMsMax);
  const own = [new URL(service.baseUrl).host, new URL(shopUrl).host];
  await page.route('**/*', (route) => {
    const {host} = new URL(route.request().url());
    if (own.includes(host)) return route.continue();
    strangers.add(host);
    return route.abort();
  });
  await page.goto(shopUrl);
});

async function expectStored(userId: string): Promise<void> {
  const reader = new Client(service.baseUrl, service.secretKey);
  const events = await until(`the calls of ${userId} are stored`, async () => {
    const {data} = (await reader.get(`/v1/events?${query({userId, limit: 100})}`)).json<HistoryAnswer>();
    return data.length >= 3 && data;
  });
  const named = events.map(({event, properties}) => [event, properties.plan ?? properties.name ?? properties.groupId]);
  expect(named.sort()).toEqual([
    ['group', 'acme'],
    ['page', 'Home'],
    ['played', 'pro'],
  ]);
  expect(events[0]!.context).toMatchObject({page: {url: shopUrl}});
  const profile = await until('the traits are there', async () => {
    const answer = (await reader.get(userPath(userId))).json<ProfileBody>();
    return answer.traits.plan === 'pro' && answer;
  });
  expect(profile.anonymous_ids).toHaveLength(1);
  expect([...strangers]).toEqual([]);
}

test('@segment/analytics-next, with the host as cdnURL and the key alone', async () => {
  await page.addScriptTag({url: `${shopUrl}segment.js`});
  await page.evaluate(
    async ([host, writeKey]) => {
      const {AnalyticsNext} = globalThis as unknown as {
        AnalyticsNext: {AnalyticsBrowser: {load(options: object): Library}};
      };
      const analytics = AnalyticsNext.AnalyticsBrowser.load({writeKey, cdnURL: host});
      await analytics.page('Home');
      await analytics.identify('segment-ada', {plan: 'pro'});
      await analytics.track('played', {plan: 'pro'});
      await analytics.group('acme', {size: 3});
    },
    [service.baseUrl, service.writeKey] as const,
  );
  await expectStored('segment-ada');
});

test('@rudderstack/analytics-js/bundled, with the host as configUrl and data plane', async () => {
  await page.addScriptTag({url: `${shopUrl}rudder.js`});
  await page.evaluate(
    ([host, writeKey]) => {
      const {rudderanalytics} = globalThis as unknown as {
        rudderanalytics: {
          RudderAnalytics: new () => Library & {load(key: string, host: string, options: object): void};
        };
      };
      const analytics = new rudderanalytics.RudderAnalytics();
      analytics.load(writeKey, host, {configUrl: host});
      analytics.page('Home');
      analytics.identify('rudder-ada', {plan: 'pro'});
      analytics.track('played', {plan: 'pro'});
      analytics.group('acme', {size: 3});
    },
    [service.baseUrl, service.writeKey] as const,
  );
  await expectStored('rudder-ada');
});
