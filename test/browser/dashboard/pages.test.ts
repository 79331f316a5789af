// Every page of the dashboard: no line in the console, no foreign host, nothing against axe's rules, no overflow. With the life
// of a shop, and in a service that nothing was sent to.
//   `npm run test:pages` visits them in both themes, three widths and under two kinds of host, and leaves pictures in a folder
//   outside of the repository. Without that it is what no other test looks at, in one theme, one width, one host.
import {mkdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Browser} from 'playwright-core';
import {beforeAll, describe, expect, test} from 'vitest';
import {pagePaths} from '../../../dashboard/page-paths.js';
import {setPins} from '../../support/board.js';
import {BrowserClient} from '../../support/browser-client.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, plainHost} from '../../support/dashboard-page.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {playShop} from '../../support/shop.js';

const {PAGES: form, PAGES_DIR: folder = join(tmpdir(), 'millrace-pages')} = process.env;
const isWhole = form === 'all';
const themes = isWhole ? (['light', 'dark'] as const) : (['dark'] as const);
const widths = isWhole ? [1_440, 1_024, 390] : [1_024];
const hosts = isWhole ? ['127.0.0.1', plainHost] : ['127.0.0.1'];
/** Visitors of the shop, which the pages of the short form do not show. */
const people = isWhole ? 1_500 : 0;

interface Visit {
  readonly name: string;
  readonly path: string;
  readonly pins?: readonly string[];
  readonly isSignedOut?: boolean;
  /** No other test looks at it in this form: `npm test` does it here. */
  readonly isShort?: boolean;
}

const funnel = '/funnels?step=product_viewed&step=cart_added&step=checkout_started&step=order_placed&window=14d';
const visits: readonly Visit[] = [
  {name: 'sign-in', path: '/sign-in', isSignedOut: true},
  {name: 'overview', path: '/'},
  {
    name: 'overview-pinned',
    path: '/',
    pins: [funnel, '/trends?event=signup&event=order_placed', '/trends?event=login'],
  },
  {
    name: 'overview-of-engagement',
    path: '/',
    pins: [
      '/retention?start=signup',
      '/lifecycle',
      '/paths?event=product_viewed&depth=4',
      '/active?event=order_placed',
      '/active?by=country',
    ],
  },
  {name: 'boards', path: '/boards'},
  {name: 'trends-begun', path: '/trends'},
  {name: 'trends', path: '/trends?event=page&event=order_placed&event=signup'},
  {name: 'trends-broken-down', path: '/trends?event=order_placed&measure=1:users&by=country&where=1:category+set'},
  {name: 'funnels-begun', path: '/funnels'},
  {name: 'funnels', path: funnel},
  {name: 'funnels-broken-down', path: `${funnel}&by=country&paths=entry&exclude=all:login&where=1:category+set`},
  {name: 'retention', path: '/retention'},
  {name: 'lifecycle', path: '/lifecycle'},
  {name: 'paths', path: '/paths'},
  {name: 'active', path: '/active'},
  {name: 'saved', path: '/saved'},
  {name: 'people-empty', path: '/people'},
  {name: 'person', path: '/people?user=ada'},
  {name: 'person-unknown', path: '/people?user=nobody'},
  {name: 'events-arriving', path: '/events'},
  {name: 'events-history', path: '/events?show=history'},
  {name: 'events-refused', path: '/events?show=refused'},
  {name: 'first-event', path: '/first-event'},
  {name: 'live', path: '/live'},
  {name: 'alerts', path: '/alerts'},
  {name: 'keys', path: '/settings/keys'},
  {name: 'webhooks', path: '/settings/webhooks'},
  {name: 'access', path: '/settings/access', isShort: true},
  {name: 'address-problems', path: '/trends?event=signup&range=never&color=red', isShort: true},
];
/** Pages that came later are visited as they open. */
const others = pagePaths.filter((path) => path !== '' && !visits.some((visit) => visit.path.split('?', 1)[0] === path));
const every = [...visits, ...others.map((path): Visit => ({name: path.slice(1).replaceAll('/', '-'), path}))];

const all = isWhole ? every : every.filter(({isShort}) => isShort);

const states = [
  {name: 'shop', fill: fillShop},
  {name: 'empty', fill: async () => {}},
] as const;

async function fillShop(service: Service): Promise<void> {
  const writer = new Client(service.baseUrl, service.writeKey);
  const traits = {name: 'Ada Lovelace', plan: 'pro', seats: 12, tags: ['first', 'loyal'], address: {city: 'London'}};
  expect((await writer.post('/v1/users/identify', {userId: 'ada', traits})).status).toBe(200);
  for (const event of ['signup', 'page', 'order_placed'])
    expect((await writer.post('/v1/events', {event, userId: 'ada', properties: {plan: 'pro'}})).status).toBe(200);
  expect((await writer.post('/v1/events', {event: '', userId: 'ada'})).status).toBe(400);
  const admin = new BrowserClient(service.baseUrl);
  await admin.signIn({token: service.adminToken});
  expect((await admin.post('/dashboard/api/people', {name: 'Grace Hopper', role: 'reader', days: 30})).status).toBe(
    201,
  );
  const keeper = new Client(service.baseUrl, service.secretKey);
  const made: readonly (readonly [path: string, body: object])[] = [
    [
      '/v1/funnels',
      {name: 'Buys', question: {report: 'funnel', steps: [{event: 'signup'}, {event: 'order_placed'}], window: '14d'}},
    ],
    [
      '/v1/alerts',
      {
        name: 'No orders',
        kind: 'absence',
        question: {report: 'counts', events: [{event: 'order_placed'}]},
        minutes: 60,
        endpoints: [],
      },
    ],
    [
      '/v1/webhooks',
      {
        kind: 'slack',
        url: 'https://hooks.slack.com/services/T0/B0/X',
        types: [{type: 'report.threshold', names: ['none']}],
      },
    ],
  ];
  for (const [path, body] of made) expect((await keeper.post(path, body)).status).toBe(201);
  if (people > 0) await playShop(service, people);
}

describe.each(isWhole ? states : states.slice(0, 1))('$name', ({name: state, fill}) => {
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    if (chromiumPath === undefined) return;
    const env = {DASHBOARD_HOSTS: plainHost, REPORT_REFRESH_SECONDS: '5'};
    [service, browser] = await Promise.all([startService({env}), openBrowser()]);
    await fill(service);
    mkdirSync(folder, {recursive: true});
  });

  browserTests(() => ({service, browser}));

  const views = hosts.flatMap((host) => themes.flatMap((theme) => widths.map((width) => ({host, theme, width}))));
  test.each(views)('$host, $theme, $width px', async ({host, theme, width}) => {
    const baseUrl = service.baseUrl.replace('127.0.0.1', host);
    const faults: string[] = [];
    for (const visit of all) {
      const dashboard = await DashboardPage.open(browser, {baseUrl}, {theme, width});
      try {
        await look(dashboard, visit);
        if (isWhole && host === '127.0.0.1') {
          const path = join(folder, `${state}-${visit.name}-${theme}-${width}.png`);
          await dashboard.page.screenshot({path, fullPage: true});
        }
        await dashboard.expectSound();
      } catch (error) {
        // Each page is looked at: the first fault must not hide the others.
        const {message, actual = ''} = error as Error & {actual?: unknown};
        faults.push(`${visit.name} (${visit.path}): ${message} ${JSON.stringify(actual)}`);
      }
      await dashboard.close();
    }
    expect(faults.join('\n')).toBe('');
  });

  let admin: BrowserClient | undefined;

  async function look(dashboard: DashboardPage, {path, pins = [], isSignedOut = false}: Visit): Promise<void> {
    const {page} = dashboard;
    if (!isSignedOut) {
      admin ??= await signedIn();
      if (path === '/') await setPins(admin, pins);
      await dashboard.takeSession(admin.cookie);
    }
    await dashboard.goto(path);
    await page.locator('h1').first().waitFor();
    if (path === '/live') await page.getByText('every second').waitFor();
    await dashboard.settled();
  }

  async function signedIn(): Promise<BrowserClient> {
    const client = new BrowserClient(service.baseUrl);
    expect((await client.signIn({token: service.adminToken})).status).toBe(200);
    return client;
  }
});
