// Our own SDK in a real browser, as it is published and as the service serves it, on pages of another origin than the service.
// Needs a Chromium (`apt-get install chromium-headless-shell`, or CHROMIUM_BIN): without one it is skipped, and the last lines say so.
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Browser, BrowserContext, Frame, Page} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {Fields} from '../../packages/sdk/src/calls.js';
import type {Outcome} from '../../packages/sdk/src/outbox.js';
import {browserTests, chromiumPath, openBrowser, waitMsMax} from '../support/dashboard-page.js';
import {Gate} from '../support/gate.js';
import {
  Client,
  type EventAnswer,
  expectJson,
  type HistoryAnswer,
  type ProfileBody,
  query,
  userPath,
} from '../support/http.js';
import {installSdk} from '../support/sdk-package.js';
import {type Service, startService, temporaryFolder} from '../support/service.js';
import {type ShopPage, startShopPage} from '../support/shop-page.js';
import {until} from '../support/until.js';

// What runs in the page; the types of a browser's globals would hide those of Node for every test.
declare const millrace: {
  track(event: string, properties?: Fields): void;
  identify(userId: string, traits?: Fields, more?: Fields): void;
  reset(): void;
  consent(to: string): void;
  flush(): Promise<Outcome>;
};
declare const localStorage: Record<string, string>;
declare const document: {cookie: string};
declare const navigator: {
  readonly serviceWorker: {
    register(url: string, options: object): Promise<unknown>;
    readonly ready: Promise<{readonly active: {postMessage(message: unknown): void}}>;
    addEventListener(name: 'message', listener: (event: {data: unknown}) => void, options: object): void;
  };
};

let service: Service;
let shop: ShopPage;
let browser: Browser;
const gate = new Gate();
/** The address of the gate: that of the service to pages, also when it is another process. */
let host = '';

/** A worker that answers for its pages, and tracks what they tell it. */
const workerText = (key: string): string => `
  import {start} from '/millrace.js';
  const millrace = start({host: ${JSON.stringify(host)}, key: '${key}'});
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => event.respondWith(fetch(event.request)));
  addEventListener('message', (event) => {
    for (const n of event.data) millrace.track('played', {n}, {anonymousId: 'worker'});
    event.waitUntil(millrace.flush().then((told) => event.source.postMessage(told)));
  });`;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  host = await gate.open();
  const [started, opened, folder] = await Promise.all([startService(), openBrowser(), installSdk()]);
  [service, browser] = [started, opened];
  gate.lead(new URL(service.baseUrl));
  const worker = join(temporaryFolder(), 'worker.js');
  writeFileSync(worker, workerText(service.writeKey));
  await makeKeyOfPages();
  shop = await startShopPage({
    '/millrace.js': join(folder, 'dist/millrace.js'),
    '/shared.js': join(folder, 'dist/shared.js'),
    '/worker.js': worker,
  });
});
browserTests(() => ({service, browser}));
afterAll(() => {
  shop?.close();
  gate.close();
});

/** So that it takes events that name nobody. */
async function makeKeyOfPages(): Promise<void> {
  const admin = new Client(host, service.adminToken);
  const {keys} = (await admin.get('/admin/v1/keys')).json<{keys: {id: string; kind: string}[]}>();
  const id = keys.find(({kind}) => kind === 'write')!.id;
  expectJson(await admin.post(`/admin/v1/key?${query({id})}`, {web: true}), 200);
}

const at = (path: string): string => shop.url + path.slice(1);

async function openPage(context: BrowserContext): Promise<Page> {
  context.setDefaultTimeout(waitMsMax);
  return context.newPage();
}

/** Opens a page of the shop that imports the published package. */
async function visit(page: Page, path = '/', options: Fields = {}): Promise<void> {
  await page.goto(at(path));
  const all = JSON.stringify({host, key: service.writeKey, ...options});
  const content = `import {start} from '/millrace.js'; globalThis.millrace = start(${all});`;
  await page.addScriptTag({type: 'module', content});
  await page.waitForFunction('globalThis.millrace');
}

/** Each event that was tracked has a number. */
let playedCount = 0;
const nextNumbers = (count: number): number[] => Array.from({length: count}, () => playedCount++);

const play = (page: Page | Frame, count: number): Promise<void> =>
  page.evaluate((numbers) => {
    for (const n of numbers) millrace.track('played', {n});
  }, nextNumbers(count));

const flushed = (page: Page | Frame): Promise<Outcome> =>
  until('nothing waits', async () => {
    const told = await page.evaluate(() => millrace.flush());
    return told.waiting === 0 && told;
  });

/** All events of a name. */
async function exported(event: string): Promise<EventAnswer[]> {
  const {text} = await new Client(host, service.secretKey).get(`/v1/export?${query({event})}`);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as EventAnswer).filter((line) => line.event === event); // The last line is a position.
}

async function expectNoPreflight(): Promise<void> {
  const {text} = await new Client(host).get('/metrics');
  expect(text).toMatch(/millrace_http_requests_total\{[^}]*\/v1\/events\/batch/);
  expect(text).not.toMatch(/millrace_http_requests_total\{[^}]*OPTIONS/);
}

async function crash(page: Page): Promise<void> {
  const crashed = new Promise((resolve) => page.once('crash', resolve));
  const session = await page.context().newCDPSession(page);
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  await page.close();
}

test('of 1,000 events none is lost and none is doubled, whatever happens to pages, the network and the service', async () => {
  const context = await browser.newContext();
  let page = await openPage(context);

  for (let path = 0; path < 10; path++) {
    await visit(page, `/page-${path}`);
    await play(page, 25); // The next page begins before anything was answered.
  }

  await visit(page);
  await context.setOffline(true);
  await play(page, 100);
  await page.evaluate(() => millrace.flush());
  await context.setOffline(false);
  await flushed(page);

  await context.setOffline(true);
  await play(page, 100);
  await crash(page);
  await context.setOffline(false);

  page = await openPage(context);
  const other = await openPage(context);
  await Promise.all([visit(page, '/one'), visit(other, '/two')]);
  for (let round = 0; round < 10; round++) await Promise.all([play(page, 10), play(other, 10)]);

  await expectNoPreflight();
  await service.kill();
  await play(page, 30);
  await play(other, 70);
  await other.goto(at('/three'));
  service = await startService({dataDir: service.dataDir});
  gate.lead(new URL(service.baseUrl));
  await visit(other, '/four');
  await flushed(page);
  await flushed(other);
  await context.close();

  const firstOfWrong = playedCount;
  for (const hours of [-2, 2]) {
    const wrong = await browser.newContext();
    await wrong.addInitScript(`{const now = Date.now; Date.now = () => now() + ${hours * 3_600_000};}`);
    const ofWrong = await openPage(wrong);
    await visit(ofWrong);
    await play(ofWrong, 50);
    await flushed(ofWrong);
    await wrong.close();
  }

  const last = await browser.newContext();
  page = await openPage(last);
  await page.goto(shop.url);
  const tag = `<script src="${host}/sdk.js" data-key="${service.writeKey}" data-pages="false"></script>`;
  await page.evaluate(`{
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = ${JSON.stringify(tag)}.replace('<script', '<' + 'script');
    document.body.append(frame);
  }`);
  const frame = await until('the frame is there', () => page.frames()[1]);
  await frame.waitForFunction('globalThis.millrace?.flush');
  expect(await frame.evaluate('try { localStorage.length } catch (error) { error.name }')).toBe('SecurityError');
  await play(frame, 50);
  await flushed(frame);

  await visit(page, '/none', {storage: 'none'});
  await last.setOffline(true);
  await play(page, 50);
  await page.evaluate(() => millrace.flush());
  await last.setOffline(false);
  await flushed(page);
  expect(await page.evaluate(() => [Object.keys(localStorage), document.cookie])).toEqual([[], '']);

  const told = await page.evaluate(async (numbers) => {
    const {serviceWorker} = navigator;
    await serviceWorker.register('/worker.js', {type: 'module'});
    const {active} = await serviceWorker.ready;
    const answer = new Promise((resolve) =>
      serviceWorker.addEventListener('message', ({data}) => resolve(data), {once: true}),
    );
    active.postMessage(numbers);
    return answer;
  }, nextNumbers(30));
  expect(told).toEqual({accepted: 30, rejected: [], dropped: 0, waiting: 0});
  await visit(page, '/controlled');
  expect(await page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  await play(page, 20);
  await page.goto(at('/left'));
  await visit(page, '/again');
  await flushed(page);
  await last.close();

  expect(playedCount).toBe(1_000);
  const events = await until('all are stored', async () => {
    const all = await exported('played');
    return all.length >= playedCount && all;
  });
  const numbers = events.map(({properties}) => properties.n as number).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({length: playedCount}, (_, n) => n));
  // A clock that is ahead is corrected by the time of sending; one that is behind may be right.
  const agesOf = (from: number): number[] =>
    events
      .filter(({properties: {n}}) => (n as number) >= from && (n as number) < from + 50)
      .map(({timestamp}) => Math.round((Date.now() - Date.parse(timestamp)) / 3_600_000));
  expect([new Set(agesOf(firstOfWrong)), new Set(agesOf(firstOfWrong + 50))]).toEqual([new Set([2]), new Set([0])]);
  await expectNoPreflight();
});

/** What the SDK adds to an event of a page. */
interface PageContext {
  readonly page: {readonly path: string; readonly referrer?: string};
  readonly session: {readonly id: string; readonly start?: true};
}

/** The history of the page's visitor, or of a user, the oldest first. */
async function historyOf(id: {anonymousId: string} | {userId: string}, count: number): Promise<EventAnswer[]> {
  const reader = new Client(host, service.secretKey);
  return until(`${count} events are stored`, async () => {
    const {data} = (await reader.get(`/v1/events?${query({...id, limit: 1_000})}`)).json<HistoryAnswer>();
    return data.length >= count && data.reverse();
  });
}

test('one line of HTML sends pages and what is marked, without what an address must not tell', async () => {
  const context = await browser.newContext();
  const page = await openPage(context);
  await page.goto(at('/docs?utm_source=letter&utm_campaign=may&token=secret&ref=ada#part'));
  await page.evaluate(`{
    document.title = 'Docs';
    globalThis.millrace = [['track', 'early', {n: 1}]];
    document.body.innerHTML = '<button data-millrace="plan_chosen" data-millrace-plan="pro"><b>Pro</b></button>'
      + '<a id="away" href="https://elsewhere.example/x?token=1&ref=2" onclick="return false">away</a>'
      + '<a id="file" href="/price-list.pdf?token=1" onclick="return false">file</a>'
      + '<a id="near" href="/near" onclick="return false">near</a>';
    const script = document.createElement('script');
    script.src = ${JSON.stringify(host)} + '/sdk.js';
    Object.assign(script.dataset, {key: ${JSON.stringify(service.writeKey)}, keepQuery: 'ref', outbound: '', downloads: ''});
    document.head.append(script);
  }`);
  await page.waitForFunction('globalThis.millrace?.flush');
  await page.evaluate(`
    history.replaceState(null, '', '/docs?tab=2');
    history.pushState(null, '', '/prices?token=secret');`);
  for (const id of ['b', '#away', '#file', '#near']) await page.click(id);
  await page.evaluate('history.back()');
  await page.waitForFunction("location.pathname === '/docs'");
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))");
  await page.evaluate(() => millrace.identify('ada', {plan: 'pro'}, {once: {first_plan: 'free'}}));
  await page.evaluate(() => millrace.track('order_paid', {amount: 12}));
  expect(await flushed(page)).toMatchObject({rejected: [], dropped: 0});

  const events = await historyOf({userId: 'ada'}, 9);
  const contexts = events.map(({context}) => context as unknown as PageContext);
  const origin = shop.url.slice(0, -1);
  expect(events.map(({event, properties}, n) => [event, properties, contexts[n]!.page.path])).toEqual([
    ['page', {}, '/docs'],
    ['early', {n: 1}, '/docs'],
    ['page', {}, '/prices'],
    ['plan_chosen', {plan: 'pro'}, '/prices'],
    ['outbound_link', {url: 'https://elsewhere.example/x?ref=2'}, '/prices'],
    ['download', {url: `${origin}/price-list.pdf`}, '/prices'],
    ['page', {}, '/docs'],
    ['page', {}, '/docs'],
    ['order_paid', {amount: 12}, '/docs'],
  ]);
  expect(contexts[0]).toMatchObject({
    page: {
      url: `${origin}/docs?utm_source=letter&utm_campaign=may&ref=ada`,
      search: '?utm_source=letter&utm_campaign=may&ref=ada',
      title: 'Docs',
    },
    campaign: {source: 'letter', name: 'may'},
    locale: expect.stringMatching(/^en/),
    timezone: expect.any(String),
    screen: {width: expect.any(Number), height: expect.any(Number)},
    library: {name: '@millrace/sdk'},
    session: {id: expect.any(String), start: true},
  });
  expect(contexts.map(({page}) => page.referrer)).toEqual([
    ...[undefined, undefined],
    ...Array(4).fill(`${origin}/docs?utm_source=letter&utm_campaign=may&ref=ada`),
    ...Array(3).fill(`${origin}/prices`),
  ]);
  expect(contexts.map(({session}) => session.start)).toEqual([true, ...Array(8).fill(undefined)]);
  expect(new Set(contexts.map(({session}) => session.id)).size).toBe(1);
  expect(JSON.stringify(events)).not.toMatch(/secret|token/);
  const profile = (await new Client(host, service.secretKey).get(userPath('ada'))).json<ProfileBody>();
  expect(profile).toMatchObject({traits: {plan: 'pro', first_plan: 'free'}, anonymous_ids: [expect.any(String)]});
  await context.close();
});

test('consent, signals of the browser, other visitors, subdomains, and pages that nobody sees yet', async () => {
  const context = await browser.newContext();
  const page = await openPage(context);
  const kept = (): Promise<string[]> => page.evaluate(() => Object.keys(localStorage));
  const asked: string[] = [];
  page.on('request', (request) => request.url().startsWith(host) && asked.push(request.url()));

  await visit(page, '/', {consent: 'pending'});
  await page.evaluate(() => millrace.track('held', {n: 1}));
  expect(await page.evaluate(() => millrace.flush())).toMatchObject({accepted: 0, waiting: 1});
  expect([await kept(), asked]).toEqual([[], []]);
  await page.evaluate(() => millrace.consent('granted'));
  expect(await flushed(page)).toMatchObject({accepted: 1});
  const visitor = await page.evaluate(() => localStorage.millrace_id!);
  expect(await historyOf({anonymousId: visitor}, 1)).toMatchObject([{event: 'held', properties: {n: 1}}]);
  asked.length = 0;
  await page.evaluate(() => {
    millrace.track('gone');
    millrace.consent('denied');
    millrace.track('gone');
  });
  expect(await page.evaluate(() => millrace.flush())).toMatchObject({accepted: 0, waiting: 0});
  expect([await kept(), asked]).toEqual([[], []]);

  await page.addInitScript("Object.defineProperty(navigator, 'globalPrivacyControl', {value: true})");
  await visit(page, '/', {honour: ['gpc'], consent: 'granted'});
  await page.evaluate(() => millrace.track('gone'));
  expect(await page.evaluate(() => millrace.flush())).toMatchObject({accepted: 0, waiting: 0});
  expect([await kept(), asked]).toEqual([[], []]);

  await visit(page, '/', {cookie: '127.0.0.1'});
  await page.evaluate(() => {
    millrace.track('signed_in');
    millrace.identify('grace');
    millrace.track('signed_in');
    millrace.reset();
    millrace.track('signed_out');
    millrace.identify('linus');
    millrace.track('other');
    millrace.identify('ken'); // Who forgets to sign out is another visitor all the same.
    millrace.track('other');
  });
  expect(await flushed(page)).toMatchObject({accepted: 8, rejected: []});
  expect(await page.evaluate(() => document.cookie)).toMatch(/millrace_id=\w+/);
  expect(await kept()).toEqual([]);
  const reader = new Client(host, service.secretKey);
  const idsOf = async (userId: string) => (await reader.get(userPath(userId))).json<ProfileBody>().anonymous_ids!;
  const ids = [...(await idsOf('grace')), ...(await idsOf('linus')), ...(await idsOf('ken'))];
  expect(new Set(ids).size).toBe(3);
  expect((await historyOf({userId: 'linus'}, 2)).map(({event}) => event)).toEqual(['signed_out', 'other']);

  asked.length = 0;
  await page.addInitScript("Object.defineProperty(document, 'prerendering', {value: true, configurable: true})");
  await visit(page, '/soon', {pages: true});
  expect(await page.evaluate(() => millrace.flush())).toMatchObject({accepted: 0, waiting: 0});
  await page.evaluate(`
    Object.defineProperty(document, 'prerendering', {value: false});
    document.dispatchEvent(new Event('prerenderingchange'));`);
  expect(await flushed(page)).toMatchObject({accepted: 1});
  await context.close();
});

/** A busy browser now and then forgets what a page began in its last moment, so a page may try again. */
test.each([
  ['requests that outlive it', ''],
  ['a beacon, where there are no such requests', 'delete Request.prototype.keepalive'],
])('a page that keeps nothing sends while it is left: %s', async (_, script) => {
  const context = await browser.newContext();
  await context.addInitScript(script);
  const page = await openPage(context);
  const event = `left_${script.length}`;
  let found: EventAnswer[] | undefined;
  for (let tries = 0; tries < 3 && found === undefined; tries++) {
    await visit(page, '/', {storage: 'none'});
    await page.evaluate((name) => millrace.track(name), event);
    await page.goto('about:blank');
    const ask = async () => {
      const all = await exported(event);
      return all.length > 0 && all;
    };
    found = await until('it is stored', ask, 10_000).catch(() => undefined);
  }
  expect(found).toMatchObject([{event, userId: null, anonymousId: expect.stringMatching(/^v_[\w-]{22}$/)}]);
  await context.close();
});

test('an application changes events or drops them, and nothing that it does wrong reaches the page', async () => {
  const context = await browser.newContext();
  const page = await openPage(context);
  const [lines, faults]: [string[], string[]] = [[], []];
  page.on('console', (line) => lines.push(line.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  await visit(page);
  await page.evaluate(`(async () => {
    const {start} = await import('/millrace.js');
    globalThis.millrace = start({
      host: ${JSON.stringify(host)},
      key: ${JSON.stringify(service.writeKey)},
      before(event) {
        if (event.event === 'secret') return undefined;
        if (event.event === 'broken') throw new Error('a mistake of the page');
        return {...event, properties: {...event.properties, mail: undefined, changed: true}};
      },
    });
  })()`);
  await page.waitForFunction('globalThis.millrace');
  await page.evaluate(() => {
    const properties: Record<string, unknown> = {mail: 'ada@example.org', n: 1};
    millrace.track('kept', properties);
    properties.n = 2;
    millrace.track('secret');
    millrace.track('broken');
    millrace.track('', {});
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    millrace.track('circle', circle);
    millrace.identify(undefined as unknown as string);
  });
  const told = await flushed(page);
  expect(told).toMatchObject({accepted: 1, dropped: 0, rejected: [{code: 'invalid_event', event: {event: ''}}]});
  const visitor = await page.evaluate(() => localStorage.millrace_id!);
  const [event] = await historyOf({anonymousId: visitor}, 1);
  expect(event).toMatchObject({event: 'kept', properties: {n: 1, changed: true}});
  expect(event!.properties).not.toHaveProperty('mail');
  expect(faults).toEqual([]);
  const own = lines.filter((line) => line.startsWith('millrace:'));
  expect(own.length).toBe(4);
  for (const words of ['a mistake of the page', 'circular', 'identify needs a user id', 'refused'])
    expect(own.join('\n')).toContain(words);

  // One line, and no more requests.
  lines.length = 0;
  await visit(page, '/', {key: 'sk_write_unknown'});
  await page.evaluate(() => millrace.track('kept_for_later'));
  expect(await page.evaluate(() => millrace.flush())).toMatchObject({waiting: 1});
  await page.evaluate(() => millrace.flush());
  expect(lines.filter((line) => line.startsWith('millrace:'))).toEqual([expect.stringContaining('401')]);
  await visit(page);
  expect(await flushed(page)).toMatchObject({accepted: 1});
  await context.close();
});
