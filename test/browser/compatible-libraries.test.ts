// The real libraries of other services for pages, unchanged, in a real browser on another origin than the service.
// Needs a Chromium (`apt-get install chromium-headless-shell`, or CHROMIUM_BIN): without one it is skipped, and the last lines say so.
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Browser, Page} from 'playwright-core';
import {build} from 'rolldown';
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest';
import {browserTests, chromiumPath, openBrowser, waitMsMax} from '../support/dashboard-page.js';
import {Client, type HistoryAnswer, type ProfileBody, query, userPath} from '../support/http.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';
import {type ShopPage, startShopPage} from '../support/shop-page.js';
import {until} from '../support/until.js';

const inPackages = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
/** Scripts of the shop's page, by their paths. */
const scripts: Readonly<Record<string, string>> = {
  '/segment.js': inPackages('@segment/analytics-next/dist/umd/index.js'),
  '/rudder.js': inPackages('@rudderstack/analytics-js/dist/npm/modern/bundled/umd/index.js'),
  '/posthog.js': inPackages('posthog-js/dist/module.mjs'),
  '/mixpanel.js': inPackages('mixpanel-browser/dist/mixpanel.umd.js'),
  '/amplitude.js': inPackages('@amplitude/analytics-browser/lib/scripts/amplitude-min.umd.js'),
};

/** A library without a script for pages, as a site bundles it. @returns the file. */
async function bundled(module: string, name: string): Promise<string> {
  const file = join(temporaryFolder(), `${name}.js`);
  await build({input: inPackages(module), output: {file, format: 'iife', name}, logLevel: 'silent'});
  return file;
}

/** What Segment's and RudderStack's have. */
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
  const all = {
    ...scripts,
    '/jitsu.js': await bundled('@jitsu/js/dist/jitsu.es.js', 'Jitsu'),
    '/plausible.js': await bundled('plausible-tracker/build/module/index.js', 'Plausible'),
  };
  [service, browser, shop] = await Promise.all([startService(), openBrowser(), startShopPage(all)]);
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

afterEach(() => page?.close());

const ofMessages = [
  ['group', 'acme'],
  ['page', 'Home'],
  ['played', 'pro'],
];

/** @returns the user's events, once there are as many. */
function storedEvents(userId: string, count: number): Promise<HistoryAnswer['data']> {
  const reader = new Client(service.baseUrl, service.secretKey);
  return until(`${count} events of ${userId} are stored`, async () => {
    const {data} = (await reader.get(`/v1/events?${query({userId, limit: 100})}`)).json<HistoryAnswer>();
    return data.length >= count && data;
  });
}

/** `expected`: the user's events, by name and a property. */
async function expectStored(userId: string, expected: readonly (readonly (string | undefined)[])[]): Promise<void> {
  const reader = new Client(service.baseUrl, service.secretKey);
  const events = await storedEvents(userId, expected.length);
  const named = events.map(({event, properties}) => {
    const mark = properties.plan ?? properties.name ?? properties.groupId;
    return mark === undefined ? [event] : [event, mark];
  });
  expect(named.sort()).toEqual(expected);
  const profile = await until('the traits are there', async () => {
    const answer = (await reader.get(userPath(userId))).json<ProfileBody>();
    return answer.traits.plan === 'pro' && answer;
  });
  expect(profile.anonymous_ids).toHaveLength(1);
  expect([...strangers]).toEqual([]);
  const pages = events.filter(({event}) => /page/i.test(event));
  for (const {context} of pages) expect(context).toMatchObject({page: {url: shop.url}});
  expect(pages.length).toBeGreaterThan(0);
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
  await expectStored('segment-ada', ofMessages);
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
  await expectStored('rudder-ada', ofMessages);
});

interface PostHogPage {
  init(key: string, options: object): void;
  capture(event: string, properties?: object): void;
  identify(userId: string, traits: object, traitsOnce: object): void;
  group(type: string, id: string, traits: object): void;
}

test('posthog-js, with api_host, also what it sends when the page is left', async () => {
  const content = "import posthog from '/posthog.js'; globalThis.posthog = posthog;";
  await page.addScriptTag({type: 'module', content});
  await page.waitForFunction(() => 'posthog' in globalThis);
  await page.evaluate(
    ([host, key]) => {
      const {posthog} = globalThis as unknown as {posthog: PostHogPage};
      posthog.init(key, {api_host: host, opt_out_useragent_filter: true, autocapture: false});
      posthog.capture('played', {plan: 'free'});
      posthog.identify('posthog-ada', {plan: 'pro'}, {first: 'x'});
      posthog.group('company', 'acme', {size: 3});
    },
    [service.baseUrl, service.writeKey] as const,
  );
  // A page that is left aborts each request that is no beacon, and what a test intercepts may go with its page.
  await storedEvents('posthog-ada', 3);
  await page.unroute('**/*');
  await page.evaluate(() => (globalThis as unknown as {posthog: PostHogPage}).posthog.capture('left', {plan: 'pro'}));
  await page.goto('about:blank'); // What it has left goes with a beacon.
  await expectStored('posthog-ada', [
    ['$pageleave'],
    ['$pageview'],
    ['group', 'acme'],
    ['left', 'pro'],
    ['played', 'free'],
  ]);
});

interface MixpanelPage {
  init(token: string, options: object): void;
  track(event: string, properties?: object): void;
  identify(userId: string): void;
  readonly people: {set(traits: object): void};
}

test('mixpanel-browser, with api_host, whose requests have credentials: it repeats what is over the limit', async () => {
  const admin = new Client(service.baseUrl, service.adminToken);
  const options = {events_per_second_per_address: 4};
  const {key} = (await admin.post('/admin/v1/keys', {kind: 'write', name: 'mixpanel', options})).json<{key: string}>();
  const statuses: number[] = [];
  page.on('response', (answer) => {
    if (answer.url().includes('/track/')) statuses.push(answer.status());
  });
  await page.addScriptTag({url: `${shop.url}mixpanel.js`});
  await page.evaluate(
    ([host, token]) => {
      const {mixpanel} = globalThis as unknown as {mixpanel: MixpanelPage};
      mixpanel.init(token, {
        api_host: host,
        persistence: 'localStorage',
        track_pageview: true,
        batch_size: 8,
        batch_flush_interval_ms: 200,
      });
      for (let n = 0; n < 12; n++) mixpanel.track('played', {plan: 'free'});
      mixpanel.identify('mixpanel-ada');
      mixpanel.people.set({plan: 'pro'});
      for (let n = 0; n < 12; n++) mixpanel.track('played', {plan: 'pro'});
    },
    [service.baseUrl, key] as const,
  );
  const played = (plan: string) => Array.from({length: 12}, () => ['played', plan]);
  await expectStored('mixpanel-ada', [['$mp_web_page_view'], ...played('free'), ...played('pro')]);
  expect(statuses).toContain(429);
});

interface AmplitudePage {
  init(key: string, options: object): {readonly promise: Promise<void>};
  track(event: string, properties?: object): void;
  setUserId(userId: string): void;
  identify(identify: object): void;
  groupIdentify(type: string, name: string, identify: object): void;
  readonly Identify: new () => {set(name: string, value: unknown): object};
}

test('@amplitude/analytics-browser, with serverUrl', async () => {
  await page.addScriptTag({url: `${shop.url}amplitude.js`});
  await page.evaluate(
    async ([serverUrl, key]) => {
      const {amplitude} = globalThis as unknown as {amplitude: AmplitudePage};
      await amplitude.init(key, {
        serverUrl,
        fetchRemoteConfig: false,
        enableDiagnostics: false,
        flushIntervalMillis: 200,
        autocapture: {pageViews: true, attribution: true, sessions: false},
      }).promise;
      amplitude.track('played', {plan: 'free'});
      amplitude.setUserId('amplitude-ada');
      amplitude.identify(new amplitude.Identify().set('plan', 'pro'));
      amplitude.groupIdentify('company', 'acme', new amplitude.Identify().set('size', 3));
      amplitude.track('played', {plan: 'pro'});
    },
    [`${service.baseUrl}/2/httpapi`, service.writeKey] as const,
  );
  await expectStored('amplitude-ada', [
    ['[Amplitude] Page Viewed'],
    ['group', 'acme'],
    ['played', 'free'],
    ['played', 'pro'],
  ]);
});

test('@jitsu/js, with the host and the key alone', async () => {
  await page.addScriptTag({url: `${shop.url}jitsu.js`});
  await page.evaluate(
    async ([host, key]) => {
      interface OfJitsu extends Omit<Library, 'page'> {
        page(properties: object): Promise<unknown>;
      }
      const {Jitsu} = globalThis as unknown as {Jitsu: {jitsuAnalytics(options: object): OfJitsu}};
      const jitsu = Jitsu.jitsuAnalytics({host, writeKey: `any:${key}`});
      await jitsu.page({name: 'Home'});
      await jitsu.identify('jitsu-ada', {plan: 'pro'});
      await jitsu.track('played', {plan: 'pro'});
      await jitsu.group('acme', {size: 3});
    },
    [service.baseUrl, service.writeKey] as const,
  );
  await expectStored('jitsu-ada', ofMessages);
});

test('plausible-tracker, with the key in its endpoint: its events are of one visitor, and the browser reads 202', async () => {
  await page.addScriptTag({url: `${shop.url}plausible.js`});
  const answers: (readonly [number, string])[] = [];
  page.on('response', async (answer) => {
    if (answer.url().includes('/api/event')) answers.push([answer.status(), await answer.text()]);
  });
  await page.evaluate(
    async ([host, key]) => {
      interface Tracker {
        trackPageview(data?: object, options?: object): void;
        trackEvent(name: string, options: object): void;
      }
      const {Plausible} = globalThis as unknown as {Plausible(options: object): Tracker};
      const apiHost = `${host}/api/event?write_key=${key}&x=`;
      const tracker = Plausible({apiHost, domain: 'shop.example', trackLocalhost: true});
      await new Promise<void>((callback) => tracker.trackPageview({}, {callback}));
      await new Promise<void>((callback) => tracker.trackEvent('Signup', {callback, props: {plan: 'pro'}}));
    },
    [service.baseUrl, service.writeKey] as const,
  );
  const reader = new Client(service.baseUrl, service.secretKey);
  const signup = await until('the sign-up is stored', async () => {
    const {data} = (await reader.get('/v1/events?event=Signup&limit=10')).json<HistoryAnswer>();
    return data[0];
  });
  expect(signup).toMatchObject({anonymousId: expect.stringMatching(/^v_[\w-]{22}$/), properties: {plan: 'pro'}});
  const visit = `/v1/events?${query({anonymousId: signup.anonymousId!, limit: 10})}`;
  const {data} = (await reader.get(visit)).json<HistoryAnswer>();
  expect(data.map(({event}) => event)).toEqual(['Signup', 'page']);
  const width = await page.evaluate('innerWidth');
  expect(data[1]!.context).toEqual({page: {url: shop.url, path: '/'}, screen: {width}});
  expect(answers).toEqual([
    [202, 'ok'],
    [202, 'ok'],
  ]);
  expect([...strangers]).toEqual([]);
});
