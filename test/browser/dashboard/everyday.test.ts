// Any day of a person at the pages: choices by keyboard, one page after another, refused events, a service that is gone for a
// while.
import type {Browser, Locator, Page} from 'playwright-core';
import {beforeAll, describe, expect, test} from 'vitest';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';
import {cellsOf} from '../table-cells.js';

const hourMs = 3_600_000;

let service: Service;
let browser: Browser;
let write: Client;
let dashboard: DashboardPage;
let page: Page;
/** Time of every sign-up of the story. */
const signUpMs = Date.now() - 39 * hourMs;

/** Each of ten people looks at a page; half of them sign up, two of these buy. */
function story(): object[] {
  return Array.from({length: 10}, (_, u) => {
    const event = (name: string, hours: number) => ({
      event: name,
      userId: `u${u}`,
      timestamp: new Date(signUpMs + (hours - 1) * hourMs).toISOString(),
      properties: {plan: u % 2 === 0 ? 'pro' : 'free', value: 10 * u},
    });
    return [event('visit', 0), ...(u < 5 ? [event('signup', 1)] : []), ...(u < 2 ? [event('order', 3)] : [])];
  }).flat();
}

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser] = await Promise.all([startService({env: seldomRefreshed}), openBrowser()]);
  write = new Client(service.baseUrl, service.secretKey);
  expect((await write.post('/v1/events/batch', {events: story()})).status).toBe(200);
  const reader = new Client(service.baseUrl, service.secretKey);
  await until('everything is in reports', async () => {
    const {data} = (await reader.get('/v1/names')).json<{data: {count: number}[]}>();
    return data.reduce((sum, {count}) => sum + count, 0) === 17;
  });
  dashboard = await DashboardPage.open(browser, service);
  page = dashboard.page;
  await dashboard.signIn(service.adminToken);
});

browserTests(() => ({service, browser}));

const card = (name: string): Locator => page.getByRole('region', {name, exact: true});

test('Enter takes the first choice that has the typed text, also where that is no value itself', async () => {
  await dashboard.follow('/trends?event=signup');
  await page.getByRole('combobox', {name: 'Time zone'}).click();
  await page.keyboard.type('berlin');
  await page.keyboard.press('Enter');
  await page.waitForURL(/zone=Europe(\/|%2F)Berlin/);
});

test('a field that a button adds is open, and the next one after a choice', async () => {
  await dashboard.follow('/trends?event=order');
  await page.getByRole('button', {name: '+ Filter of event 1'}).click();
  await page.getByRole('option', {name: /^value /}).click();
  await page.getByRole('option', {name: /^10 /}).waitFor();
  await page.getByLabel('Operator of event 1, filter 1').selectOption('is at least');
  await page.locator('[aria-label="Number of event 1, filter 1"]:focus').waitFor();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await page.waitForURL(/where=1:value\+gte\+5/);
});

test('a conversion rate by two properties takes five clicks, and a column of the table for each', async () => {
  await dashboard.goto('/trends');
  await page.waitForURL(/event=visit/);
  let clicks = 0;
  const click = async (one: Locator): Promise<void> => {
    await one.click();
    clicks += 1;
  };
  const typed = async (text: string, address: RegExp): Promise<void> => {
    await page.locator('[role="listbox"]:not([hidden]) [role="option"]:not([aria-disabled])').first().waitFor();
    await page.keyboard.type(text);
    await page.locator('[data-entered="true"]').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  };
  await click(page.getByRole('combobox', {name: 'Event 1', exact: true}));
  await typed('signup', /event=signup/);
  await click(page.getByRole('button', {name: 'Event', exact: true}));
  await typed('visit', /event=signup&event=visit/);
  await click(page.getByRole('button', {name: 'Formula', exact: true}));
  await page.waitForURL(/formula=A/);
  await click(page.getByRole('combobox', {name: 'Break down by', exact: true}));
  await typed('plan', /by=plan/);
  await click(page.getByRole('combobox', {name: 'Second breakdown', exact: true}));
  await typed('value', /by=plan&by=value/);
  expect(clicks).toBe(5);
  const table = card('In numbers');
  await table.getByRole('columnheader', {name: 'value', exact: true}).waitFor();
  const heads = await table.getByRole('columnheader').allInnerTexts();
  expect(heads.slice(0, 3)).toEqual(['Event', 'plan', 'value']);
  const rate = table.getByRole('row').filter({hasText: 'signup / visit'}).filter({hasText: 'free'}).first();
  const cells = await rate.getByRole('cell').allInnerTexts();
  expect(cells.slice(1, 4).map((text) => text.replace(/\s/, ' '))).toEqual(['free', '10', '100.0 %']);
  await table
    .getByRole('button', {name: /visit: free · 90/})
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('plan is free and value is 90').first().waitFor();
  await dialog.getByText('u9', {exact: true}).waitFor();
  await page.keyboard.press('Escape');
});

test('a changed step changes its name everywhere', async () => {
  await dashboard.follow('/funnels?step=visit&step=signup');
  const times = card('How long it took');
  await times.getByText('visit to signup').waitFor({state: 'attached'});
  await page.getByRole('combobox', {name: 'Step 2'}).click();
  await page.getByRole('option', {name: /^order /}).click();
  await times.getByText('Median 3 h').waitFor();
  await times.getByText('3 h – 6 h').waitFor();
  expect(await times.locator('option').allInnerTexts()).toEqual(['visit to order']);
  await dashboard.expectSoundOnPhone();
});

test('a trend that no event meets says so; one of no values is drawn', async () => {
  await dashboard.follow('/trends?event=signup&by=plan&where=1:plan+eq+nobody');
  await card('Trend').getByText('No event matches').waitFor();
  await dashboard.follow('/trends?event=signup&event=order&by=coupon');
  await card('Trend').locator('.end-labels').getByText('signup: not set').waitFor();
});

test('on a phone everything of a person is inside of its card', async () => {
  await page.setViewportSize({width: 375, height: 800});
  await dashboard.follow('/people?user=u1');
  const head = page.locator('.person-head');
  const last = head.getByRole('button', {name: 'Delete'});
  await last.waitFor();
  const rightOf = async (one: Locator): Promise<number> => {
    const {x, width} = (await one.boundingBox())!;
    return x + width;
  };
  expect(await rightOf(last)).toBeLessThan(await rightOf(head));
  await page.setViewportSize({width: 1_440, height: 900});
});

test('a page that is left while the next one loads writes nothing into its address', async () => {
  await dashboard.goto('/trends');
  await page.waitForURL(/event=/);
  await dashboard.settled();
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const script = /\/assets\/people[^/]*\.js/;
  await page.route(script, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('link', {name: 'People', exact: true}).click();
  await page.waitForURL(/\/people$/);
  await page.locator('main .loading').waitFor({state: 'attached'});
  release();
  await page.getByRole('heading', {name: 'People', level: 1}).waitFor();
  await dashboard.settled();
  expect(new URL(page.url()).search).toBe('');
  await page.unroute(script);
});

test('a page whose script does not come says so under its own name, and comes when the service answers again', async () => {
  await dashboard.goto('/trends?event=signup');
  await card('In numbers').getByRole('row').nth(1).getByText('signup').waitFor();
  const main = page.locator('main');
  const away = [/\/assets\/(people|operation)[^/]*\.(js|css)$/, /\/dashboard$/];
  for (const one of away) await page.route(one, (route) => route.abort());
  await page.getByRole('link', {name: 'People', exact: true}).click();
  await main.getByRole('alert').getByText('The service does not answer').waitFor();
  expect(await main.getByRole('heading', {level: 1}).allInnerTexts()).toEqual(['People']);
  expect(await card('In numbers').count()).toBe(0);
  await page.getByRole('link', {name: 'Alerts', exact: true}).click();
  await main.getByRole('alert').waitFor();
  for (const one of away) await page.unroute(one);
  await main.getByRole('button', {name: 'Try again'}).click();
  await main.getByRole('button', {name: /alert/i}).first().waitFor();
  await page.getByRole('link', {name: 'People', exact: true}).click();
  await main.getByRole('table').first().waitFor(); // Nothing of the failure is kept.
  expect(await page.evaluate("[...document.styleSheets].map(({href}) => href).join(' ')")).toMatch(/assets\/people-/);
  dashboard.forgive(/Failed to load resource/);
  await dashboard.expectSound();
});

test('a part that a newer version does not have any more offers to load the page again', async () => {
  const gone = /\/assets\/(shell|people)[^/]*\.js$/;
  const newer = '<script type="module" src="/dashboard/assets/index-newer123.js"></script>';
  await dashboard.goto('/');
  const more = page.getByRole('button', {name: 'More', exact: true}).first();
  await more.waitFor();
  await page.route(gone, (route) => route.fulfill({status: 404, body: ''}));
  await page.route(/\/dashboard$/, (route) => route.fulfill({contentType: 'text/html', body: newer}));
  await more.click();
  await page.getByRole('alert').getByText('A newer version is there').waitFor();
  await page.getByRole('link', {name: 'People', exact: true}).click();
  const said = page.locator('main').getByRole('alert');
  await said.getByText('A newer version is there').waitFor();
  dashboard.forgive(/Failed to load resource/);
  await dashboard.expectSound();
  await page.unroute(gone);
  await page.unroute(/\/dashboard$/);
  await said.getByRole('button', {name: 'Reload'}).click();
  await said.waitFor({state: 'detached'});
  await page.getByRole('heading', {name: 'People', level: 1}).waitFor();
  await dashboard.settled();
  expect(await said.count()).toBe(0);
  dashboard.forgive(/Failed to load resource/);
  await dashboard.expectSound();
});

test('an address that leads nowhere says so in the frame of the app', async () => {
  const answer = page.waitForResponse(/\/dashboard\/settings\/nowhere$/);
  await dashboard.goto('/settings/nowhere');
  expect((await answer).status()).toBe(404);
  await page.getByRole('heading', {name: 'There is no such page', level: 1}).waitFor();
  dashboard.forgive(/404/);
  await dashboard.expectSoundOnPhone();
  await page.getByRole('link', {name: 'Go to Overview'}).click();
  await card('Top events').waitFor();
});

test('a point of a chart leads to what is behind it; in weeks, stickiness is that of weekly users', async () => {
  await dashboard.follow('/trends?event=signup&event=order');
  await card('In numbers').getByRole('row').nth(2).waitFor();
  await dashboard.settled();
  const plot = card('Trend').locator('.u-over');
  const {width, height} = (await plot.boundingBox())!;
  const today = new Date().toISOString().slice(0, 10);
  const daysAgo = (Date.parse(today) - Date.parse(new Date(signUpMs).toISOString().slice(0, 10))) / (24 * hourMs);
  await plot.click({position: {x: Math.min(width - 1, (width * (29 - daysAgo)) / 29), y: height * 0.1}});
  const dialog = page.getByRole('dialog');
  await dialog.getByText('5 events signup').waitFor();
  await dialog.getByRole('link', {name: 'u1'}).waitFor();
  const [titles, ...people] = await dashboard.csvOf(dialog);
  expect(titles).toBe('id,kind,title,last_seen');
  expect(people.map((line) => line.replace(/,\d{4}-.*Z$/, '')).sort()).toEqual(
    ['', ...[0, 1, 2, 3, 4].map((u) => `u${u},user,`)].sort(),
  );
  await page.keyboard.press('Escape');
  await dashboard.follow('/active?every=week');
  await card('Stickiness').getByText('weekly users as a share of monthly ones').waitFor();
  await dashboard.expectSoundOnPhone();
});

test('what was refused is said in words; an event of the history leads to its person', async () => {
  const future = new Date(Date.now() + 48 * hourMs).toISOString();
  await write.post('/v1/events', {event: 'order', userId: 'u1', timestamp: future});
  await dashboard.follow('/events?show=refused');
  await page.getByText('is more than 24 hours ahead').waitFor();
  await dashboard.expectSoundOnPhone();
  await dashboard.follow('/events?show=history');
  await page.getByRole('link', {name: 'u1', exact: true}).first().click();
  await page.getByRole('heading', {name: 'u1'}).waitFor();
});

test('what arrives stands above the newest stored events, of the whole history or of the filter', async () => {
  await dashboard.follow('/events');
  const list = page.getByRole('region', {name: 'Arriving events'});
  await list.getByText('Nothing has arrived yet').waitFor();
  await page.getByText('every event', {exact: true}).waitFor();
  const stored = (await cellsOf(list)).slice(1);
  expect(stored).toHaveLength(17);
  await dashboard.expectSoundOnPhone();
  await write.post('/v1/events', {event: 'came', userId: 'u1'});
  await list.getByRole('cell', {name: 'came', exact: true}).waitFor();
  const rows = await cellsOf(list);
  expect(rows[0]!.slice(1)).toEqual(['came', 'u1', '']);
  expect(rows[1]![0]).toContain('Stored before');
  expect(rows.slice(2)).toEqual(stored);
  await list.getByRole('button', {name: 'u4', exact: true}).first().click();
  await until('only that user is listed', async () => {
    const users = (await cellsOf(list)).slice(1).map(([, , user]) => user);
    return users.length === 2 && users.every((user) => user === 'u4');
  });
  await list.getByRole('link', {name: 'Show all of them'}).click();
  await page.waitForURL(/show=history&userId=u4$/);
  await card('History').getByRole('link', {name: 'u4'}).first().waitFor();
});

test('an opened event has its properties in a table, whose values filter what is stored and what arrives', async () => {
  await dashboard.follow('/events?show=history&event=visit');
  await page.getByRole('button', {name: 'visit', exact: true}).first().click();
  await page.locator('.properties').getByRole('row', {name: 'plan free'}).waitFor();
  await page.getByRole('button', {name: 'Filter by this value of plan'}).click();
  await page.waitForURL(/where=plan(\+|%20)eq(\+|%20)free/);
  await until('only these are listed', async () => (await page.locator('.events-table .pairs').count()) === 5);
  expect(new Set(await page.locator('.events-table .pairs').allInnerTexts())).toEqual(
    new Set([1, 3, 5, 7, 9].map((u) => `plan free value ${10 * u}`)),
  );
  await page.getByRole('button', {name: 'visit', exact: true}).first().click();
  await dashboard.expectSoundOnPhone();
  await dashboard.follow('/events');
  await page.getByRole('button', {name: '+ Filter of the events'}).click();
  await page.getByRole('option', {name: /^plan /}).click();
  await page.getByRole('option', {name: /^pro /}).click();
  const list = page.getByRole('region', {name: 'Arriving events'});
  await until('only these were stored', async () =>
    (await cellsOf(list)).slice(1).every(([, , , properties]) => properties!.startsWith('plan pro')),
  );
  await page.getByText('every event', {exact: true}).waitFor();
  for (const plan of ['free', 'pro'])
    await write.post('/v1/events', {event: `of_${plan}`, userId: 'u1', properties: {plan}});
  await list.getByRole('cell', {name: 'of_pro', exact: true}).waitFor();
  expect(await list.getByRole('cell', {name: 'of_free', exact: true}).count()).toBe(0);
});

test('tables of events give a long name little room, and wrap nothing where there is room', async () => {
  const long = 'n'.repeat(200);
  const properties = {mixed: 1, numbered: 'one', whole: true};
  await write.post('/v1/events', {event: 'typed', userId: 'u1', properties: {mixed: 'a', numbered: 2, whole: null}});
  await write.post('/v1/events', {event: 'typed', userId: 'u1', properties});
  await write.post('/v1/events', {event: 'typed', userId: 'u1', properties: {mixed: null, numbered: [1], whole: 'a'}});
  await write.post('/v1/events', {event: long, userId: `u${'-long'.repeat(40)}`, properties});
  await write.post('/v1/events', {event: 'order', userId: 'u1', timestamp: 'yesterday'});
  const widthOf = async (of: Locator): Promise<number> => (await of.boundingBox())!.width;

  await dashboard.follow('/events?show=history');
  const name = card('History').getByRole('button', {name: long});
  await name.waitFor();
  expect(await name.getAttribute('title')).toBe(long);
  expect(await widthOf(name)).toBeLessThan(240);
  expect(await widthOf(card('History').getByRole('link', {name: /^u-long/}))).toBeLessThan(240);
  await dashboard.expectSoundOnPhone();

  await dashboard.follow('/events?show=refused');
  const refused = card('Refused in the last hour');
  await refused.getByRole('cell', {name: 'timestamp', exact: true}).waitFor();
  const heights = await refused
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => (row as unknown as {clientHeight: number}).clientHeight));
  expect(Math.max(...heights)).toBeLessThan(40); // One line each.
  await dashboard.expectSoundOnPhone();

  await until('the names are in reports', async () => {
    await dashboard.follow('/events?show=names&event=typed');
    await dashboard.settled();
    return (await card('Properties of typed').getByRole('row').count()) === 4;
  });
  const cut = await card('Properties of typed')
    .locator('.table-frame, .bar-cell, .bar-cell span')
    .evaluateAll((parts) =>
      (parts as unknown as {className: string; innerText: string; scrollWidth: number; clientWidth: number}[]).flatMap(
        ({className, innerText, scrollWidth, clientWidth}) =>
          scrollWidth > clientWidth ? [`${className}: ${innerText}`] : [],
      ),
    );
  expect(cut).toEqual([]);
  await dashboard.expectSoundOnPhone();
});

// Both wait for the state of the service, which a page asks for every ten seconds.
describe.concurrent('a service without an answer', () => {
  test('pages say that a service does not answer, keep their numbers, and heal by themselves', async () => {
    const people = await dashboard.context.newPage();
    await people.goto(`${service.baseUrl}/dashboard/people`);
    await people.getByRole('link', {name: 'u1', exact: true}).waitFor();
    const overview = await dashboard.context.newPage();
    await overview.goto(`${service.baseUrl}/dashboard`);
    const top = overview.getByRole('region', {name: 'Top events'});
    await top.getByText('signup').waitFor();
    await dashboard.follow('/trends?event=signup');
    const numbers = card('In numbers').getByRole('row').nth(1);
    await numbers.getByText('signup').waitFor();
    const lists = await Promise.all(
      ['/alerts', '/settings/webhooks', '/settings/keys', '/settings/access'].map(async (path) => {
        const list = await dashboard.context.newPage();
        await list.goto(`${service.baseUrl}/dashboard${path}`);
        await list.getByText('Ready', {exact: true}).waitFor();
        await list.locator('.loading').first().waitFor({state: 'detached'});
        return list;
      }),
    );
    const requests = /\/dashboard\/api\/(v1|state|keys|people|shares)/;
    await dashboard.context.route(requests, (route) => route.abort());
    const said = page.getByText(/^Not renewed/);
    await said.waitFor();
    await people.getByText(/^Not renewed: the service does not answer/).waitFor();
    for (const list of lists) {
      await list
        .getByText(/^Not renewed: the service does not answer/)
        .first()
        .waitFor();
      expect(await list.getByRole('alert').count()).toBe(0);
    }
    await top.getByText(/^Not renewed: the service does not answer/).waitFor();
    expect(await overview.getByRole('alert').count()).toBe(0);
    await page.getByText('No answer').waitFor();
    await numbers.getByText('signup').waitFor();
    await people.getByRole('link', {name: 'u1', exact: true}).waitFor();
    await dashboard.context.unroute(requests);
    await said.waitFor({state: 'detached'});
    for (const one of [people, ...lists])
      await one
        .getByText(/^Not renewed/)
        .first()
        .waitFor({state: 'detached'});
    await page.getByText('Ready', {exact: true}).waitFor();
    dashboard.forgive(/Failed to load resource/);
    await dashboard.expectSound();
  });

  test('on a phone a service that hangs is in sight, wherever the page and the row of pages are scrolled to', async () => {
    const phone = await DashboardPage.open(browser, service, {width: 375, height: 700});
    await phone.signIn(service.adminToken);
    const {page} = phone;
    await phone.goto('/trends?event=signup');
    await page
      .getByRole('region', {name: 'In numbers', exact: true})
      .getByRole('row')
      .nth(1)
      .getByText('signup')
      .waitFor();
    await page.getByText('Ready', {exact: true}).waitFor({state: 'attached'});
    const requests = /\/dashboard\/api\/(v1|state)/;
    await phone.context.route(requests, () => {}); // Never answered.
    const said = page.getByText('No answer');
    await said.waitFor();
    for (const [left, top] of [
      [0, 0],
      [10_000, 10_000],
    ] as const) {
      await page.evaluate(
        `scrollTo(0, ${top}); document.querySelector('nav.side').scrollLeft = ${left};
         new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`,
      );
      const {x, y, width, height} = (await said.boundingBox())!;
      expect([x >= 0, y >= 0, x + width <= 375, y + height <= 700]).toEqual([true, true, true, true]);
      // Nothing lies over it.
      expect(
        await page.evaluate(
          `document.elementFromPoint(${x + width / 2}, ${y + height / 2}).closest('.status') !== null`,
        ),
      ).toBe(true);
    }
    await phone.expectSound();
    await phone.context.unroute(requests);
    await page.getByText('Ready', {exact: true}).waitFor({state: 'attached'});
    await phone.close();
  });
});
