// The real libraries of other services for pages, unchanged, in a real browser on another origin than the service.
// Needs a Chromium (`apt-get install chromium-headless-shell`, or CHROMIUM_BIN): without one it is skipped, and the last lines say so.
import {fileURLToPath} from 'node:url';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {browserTests, chromiumPath, openBrowser, waitMsMax} from '../support/dashboard-page.js';
import {Client, type HistoryAnswer, type ProfileBody, query, userPath} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {type ShopPage, startShopPage} from '../support/shop-page.js';
import {until} from '../support/until.js';

const inPackages = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
/** Scripts of the shop's page, by their paths. */
const scripts: Readonly<Record<string, string>> = {
  '/segment.js': inPackages('@segment/analytics-next/dist/umd/index.js'),
  '/rudder.js': inPackages('@rudderstack/analytics-js/dist/npm/modern/bundled/umd/index.js'),
};

/** What both have. */
interface Library {
  page(name: string): Promise<unknown>;
  identify(userId: string, traits: object): Promise<unknown>;
  track(event: string, properties: object): Promise<unknown>;
  group(groupId: string, traits: object): Promise<unknown>;
}

let service: Service;
let shop: ShopPage;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser, shop] = await Promise.all([startService(), openBrowser(), startShopPage(scripts)]);
});
browserTests(() => ({service, browser}));
afterAll(() => shop?.close());

/** Hosts beside the service and the shop that the page asked for something. */
const strangers = new Set<string>();

beforeEach(async () => {
  strangers.clear();
  page = await browser.newPage();
  page.setDefaultTimeout(waitMsMax);
  const own = [new URL(service.baseUrl).host, new URL(shop.url).host];
  await page.route('**/*', (route) => {
    const {host} = new URL(route.request().url());
    if (own.includes(host)) return route.continue();
    strangers.add(host);
    return route.abort();
  });
  await page.goto(shop.url);
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
  expect(events[0]!.context).toMatchObject({page: {url: shop.url}});
  const profile = await until('the traits are there', async () => {
    const answer = (await reader.get(userPath(userId))).json<ProfileBody>();
    return answer.traits.plan === 'pro' && answer;
  });
  expect(profile.anonymous_ids).toHaveLength(1);
  expect([...strangers]).toEqual([]);
}

test('@segment/analytics-next, with the host as cdnURL and the key alone', async () => {
  await page.addScriptTag({url: `${shop.url}segment.js`});
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
  await page.addScriptTag({url: `${shop.url}rudder.js`});
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
