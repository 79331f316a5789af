// Webhooks, alerts and saved funnels in a real browser: from the form to the receiver, with the secret shown once.
import {createHmac} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {browserTests, chromiumPath, DashboardPage, openBrowser} from '../../support/dashboard-page.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

let service: Service;
let browser: Browser;
let receiver: Server;
const received: {readonly headers: Record<string, string>; readonly body: string}[] = [];

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    received.push({headers: request.headers as Record<string, string>, body});
    response.writeHead(204).end();
  });
  receiver.listen(0, '127.0.0.1');
  const env = {WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_HTTP: '1', REPORT_REFRESH_SECONDS: '5'};
  [service, browser] = await Promise.all([startService({env}), openBrowser(), once(receiver, 'listening')]);
});

browserTests(() => ({service, browser}));
afterAll(() => receiver?.close());

/** Every text that the page holds: markup, values of fields, address, storage, history. */
const allText = (dashboard: DashboardPage): Promise<string> =>
  dashboard.page.evaluate(
    "document.documentElement.outerHTML + location.href + JSON.stringify({...localStorage, ...sessionStorage, state: history.state}) + [...document.querySelectorAll('input,textarea')].map(({value}) => value).join(' ')",
  );

/** Counts the presses of a pointer from now on: typing is none. */
async function countedClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate("globalThis.pressed = 0; addEventListener('pointerdown', () => (pressed += 1), true);");
  return () => page.evaluate<number>('pressed');
}

/** Chooses in a picker; a text that it does not list, too. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, {exact: true}).fill(text);
  await page.getByRole('option', {name: text}).click();
}

test('a webhook: added, its secret stored, tested, edited, paused, rotated, deleted', async () => {
  const dashboard = await DashboardPage.open(browser, service, {width: 390});
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/settings/webhooks');
  await page.getByText('No webhook yet').waitFor();
  await page.getByRole('button', {name: 'Add a webhook'}).click();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Events, as they are stored').check();
  for (const name of ['order_paid', 'signup']) await choose(page, 'Add a name: event.tracked', name);
  await page.getByRole('combobox', {name: 'Add a name: event.tracked'}).click();
  await page.keyboard.press('Escape'); // Closes the list, not the dialog.
  await page.getByLabel('Users who are deleted').check();
  await page.getByText('How it is sent').click();
  await page.getByLabel('Events in a request, at most').fill('0');
  await page.getByRole('button', {name: 'Add the webhook'}).click();
  await page.getByText('\u201cEvents in a request, at most\u201d must be a whole number from 1').waitFor();
  dashboard.forgive(/400/);
  await page.getByLabel('Events in a request, at most').fill('10');
  await page.getByLabel('In order').check();
  await page.getByRole('button', {name: '+ Filter'}).click();
  await choose(page, 'Property event.tracked, filter 1', 'plan');
  await dashboard.expectSound();
  await page.getByRole('button', {name: 'Add the webhook'}).click(); // Nothing comes of it: the filter has no value yet.
  await choose(page, 'Value event.tracked, filter 1', 'pro');
  await page.getByRole('button', {name: 'Add the webhook'}).click();
  const field = page.getByLabel('Verify its messages with');
  const secret = await field.inputValue();
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  await page.getByRole('button', {name: 'I have stored it'}).click();
  await field.waitFor({state: 'detached'});
  expect(await allText(dashboard)).not.toContain(secret);

  await page.getByRole('button', {name: `Open ${url}`}).click();
  await page.getByText('events (order_paid, signup) if plan is pro; deleted users').waitFor();
  await page.getByRole('button', {name: 'Send a test'}).click();
  await page.getByText('A test message is queued.').waitFor();
  await until('the receiver has it', async () => received.length > 0);
  const [{headers, body}] = received;
  expect(JSON.parse(body)).toMatchObject({type: 'test'});
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  await page.getByRole('cell', {name: headers['webhook-id']!}).waitFor();
  await page.getByRole('cell', {name: 'delivered 204'}).waitFor();
  await dashboard.expectSound();

  await page.getByRole('button', {name: 'Edit', exact: true}).click();
  expect(await page.getByLabel('Events in a request, at most').inputValue()).toBe('10');
  await page.getByRole('button', {name: 'Remove signup of event.tracked'}).click();
  await page.getByRole('button', {name: 'Remove event.tracked, filter 1'}).click();
  await dashboard.expectSound();
  await page.getByRole('button', {name: 'Save'}).click();
  await page.getByText('The changes are saved.').waitFor();
  await page.getByText('events (order_paid); deleted users').waitFor();

  // Somebody else changes it while the form is open: nothing is saved until their change was seen.
  await page.getByRole('button', {name: 'Edit', exact: true}).click();
  await page.getByText('How it is sent').click();
  await page.getByLabel('Events in a request, at most').fill('30');
  const others = new Client(service.baseUrl, service.secretKey);
  const {id} = (await others.get('/v1/webhooks')).json<{data: [{id: string}]}>().data[0];
  const batch = {events: 20, ms: 0};
  expect((await others.send('PATCH', `/v1/webhooks/${id}`, {json: {batch}})).status).toBe(200);
  await page.getByRole('button', {name: 'Save'}).click();
  await page.getByText('Somebody else changed this webhook meanwhile').waitFor();
  dashboard.forgive(/412/);
  await dashboard.expectSound();
  await page.getByRole('button', {name: 'Load it as it is now'}).click();
  await page.getByText('How it is sent').click();
  expect(await page.getByLabel('Events in a request, at most').inputValue()).toBe('20');
  await page.getByLabel('Events in a request, at most').fill('30');
  await page.getByRole('button', {name: 'Save'}).click();
  await until('it is changed', async () => {
    const stored = (await others.get(`/v1/webhooks/${id}`)).json<{batch: {events: number}}>();
    return stored.batch.events === 30;
  });

  await page.getByRole('button', {name: 'Pause'}).click();
  await page.getByRole('row', {name: /paused/}).waitFor();
  await page.getByRole('button', {name: 'Resume'}).click();
  await page.getByText('It is active again.').waitFor();
  await page.getByRole('button', {name: 'Dead', exact: true}).click();
  await page.getByText('No message failed ten attempts').waitFor();

  await page.getByRole('button', {name: 'Rotate the secret'}).click();
  await page.getByRole('button', {name: 'Make a new secret'}).click();
  const rotated = await page.getByLabel('The new secret').inputValue();
  expect(rotated).not.toBe(secret);
  await page.getByRole('button', {name: 'I have stored it'}).click();
  expect(await allText(dashboard)).not.toContain(rotated);

  await page.getByRole('button', {name: 'Replay'}).click();
  await page.getByLabel('From (UTC)').fill('2026-01-01T00:00');
  await page.getByLabel('To (UTC)').fill('2026-01-01T01:00');
  await page.getByRole('button', {name: 'Send them again'}).click();
  await page.getByText('0 messages are queued.').waitFor();
  await page.getByRole('button', {name: 'Done'}).click();

  await page.getByRole('button', {name: 'Delete', exact: true}).click();
  await page.getByRole('button', {name: 'Delete the webhook'}).click();
  await page.getByText('No webhook yet').waitFor();
  await dashboard.expectSound();
  await dashboard.close();
});

test('an alert: previewed over what happened, added, fires, is edited, paused and deleted', async () => {
  const dayMs = 86_400_000;
  const writer = new Client(service.baseUrl, service.writeKey);
  const atMs = [0, 3 * dayMs, 6 * dayMs].map((agoMs) => Date.now() - agoMs - 60_000);
  for (const ms of atMs) {
    const timestamp = new Date(ms).toISOString();
    expect((await writer.post('/v1/events', {event: 'payment_failed', userId: 'ada', timestamp})).status).toBe(200);
  }
  const dashboard = await DashboardPage.open(browser, service, {width: 390});
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/alerts');
  await page.getByText('No alert yet').waitFor();
  // An empty list offers beginnings.
  await page.getByRole('list', {name: 'First alerts'}).getByRole('button', {name: 'No events for an hour'}).click();
  expect(await page.getByLabel('It fires when').inputValue()).toBe('absence');
  expect(await page.getByLabel('Minutes without an event').inputValue()).toBe('60');
  await page.getByRole('button', {name: 'Cancel'}).click();
  const clicks = await countedClicks(page);
  await page.getByRole('button', {name: 'Add an alert'}).click();
  await page.getByLabel('Name', {exact: true}).fill('Payments fail');
  // Nobody would hear of it: the receiver is added from here.
  const form = page.getByRole('dialog', {name: 'Add an alert'});
  await form.getByText('Reaches nobody.').waitFor();
  await dashboard.expectSound();
  await form.getByRole('button', {name: 'Add a receiver'}).click();
  const added = page.getByRole('dialog', {name: 'Add a webhook'});
  await added.getByText('Slack', {exact: true}).click();
  expect(await added.getByLabel('Alerts', {exact: true}).isChecked()).toBe(true);
  await added.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/alerts`);
  await added.getByRole('button', {name: 'Add the webhook'}).click();
  await form.getByText('Reaches 1 receiver').waitFor();
  await choose(page, 'Event', 'payment_failed');
  const untilWhole = await clicks();
  await form.getByRole('button', {name: 'Send a test'}).click();
  await form.getByText('A test is on its way to 1 receiver.').waitFor();
  await until('the chat has the test', async () =>
    received.some(({body}) => body.includes('A test message of Millrace')),
  );
  await page.getByLabel('Threshold').fill('1');
  await page.getByLabel('Within, in minutes').fill('60');
  const preview = page.getByRole('button', {name: 'Preview 30 days'});
  await until('the events are published', async () => {
    await preview.click();
    const told = page.locator('.alert-preview').getByText(/It would/);
    await told.waitFor();
    return /^It would have fired 3 times over the last 30 days, and sent 5 messages/.test(await told.innerText());
  });
  await dashboard.expectSound();
  const beforeAdding = await clicks();
  await page.getByRole('button', {name: 'Add the alert'}).click();
  expect(untilWhole + (await clicks()) - beforeAdding).toBeLessThanOrEqual(8);
  const row = page.getByRole('row', {name: /Payments fail/});
  await row.getByText('Fires: at least 1 "payment_failed" events in 1 h').waitFor();
  await row.getByText('firing').waitFor();
  await row.getByText('Reaches 1 receiver').waitFor();
  await dashboard.expectSound();
  await row.getByRole('button', {name: 'Edit'}).click();
  await page.getByLabel('Threshold').fill('2');
  await page.getByText('A changed condition resets the state').waitFor();
  await page.getByText('Who is notified').click();
  await page.getByLabel('Notify').selectOption('chosen');
  await page.getByText('Nobody is chosen, so nobody is notified').waitFor();
  await page.getByRole('dialog').getByText('Reaches nobody.').waitFor();
  await dashboard.expectSound();
  await page.getByRole('button', {name: 'Save'}).click();
  await row.getByText('Fires: at least 2 "payment_failed" events in 1 h').waitFor();
  await row.getByText('Reaches nobody.').waitFor();
  await row.getByText('ok', {exact: true}).waitFor();

  await row.getByRole('button', {name: 'Edit'}).click();
  await page.getByLabel('Threshold').fill('3');
  const others = new Client(service.baseUrl, service.secretKey);
  const {id} = (await others.get('/v1/alerts')).json<{data: [{id: string}]}>().data[0];
  expect((await others.send('PATCH', `/v1/alerts/${id}`, {json: {gte: 4}})).status).toBe(200);
  await page.getByRole('button', {name: 'Save'}).click();
  await page.getByText('Somebody else changed this alert meanwhile').waitFor();
  dashboard.forgive(/412/);
  await page.getByRole('button', {name: 'Load it as it is now'}).click();
  await until('the form has their bound', async () => (await page.getByLabel('Threshold').inputValue()) === '4');
  await page.getByRole('button', {name: 'Cancel'}).click();

  await row.getByRole('button', {name: 'Pause'}).click();
  await row.getByText('paused').waitFor();
  await row.getByRole('button', {name: 'Delete'}).click();
  await page.getByRole('button', {name: 'Delete the alert'}).click();
  await page.getByText('No alert yet').waitFor();

  // Every kind has its own fields.
  await page.getByRole('button', {name: 'Add an alert'}).click();
  const kind = page.getByLabel('It fires when');
  for (const [chosen, field] of [
    ['absence', 'Minutes without an event'],
    ['funnel_drop', 'There is no saved funnel yet'],
    ['lag', 'Late by more than, in seconds'],
  ] as const) {
    await kind.selectOption(chosen);
    await page.getByText(field).waitFor();
    await page.getByText('When it notifies').click();
    await dashboard.expectSound();
  }
  await kind.selectOption('stalled');
  await page.getByText('Minutes without the next step').waitFor();
  await dashboard.expectSound();
  await dashboard.close();
});

test('a saved funnel: out of the paths of a page, seen on a profile, deleted', async () => {
  const writer = new Client(service.baseUrl, service.writeKey);
  for (const event of ['visited', 'bought'])
    expect((await writer.post('/v1/events', {event, userId: 'grace'})).status).toBe(200);
  const dashboard = await DashboardPage.open(browser, service, {width: 390});
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/funnels?step=visited&step=bought&step=returned&window=7d&order=strict&user_where=plan+eq+pro');
  await page.getByText('A saved funnel follows all users').waitFor();
  await page.getByLabel('Name of the saved funnel').fill('Comes back');
  await page.getByRole('button', {name: 'Save the funnel'}).click();
  const saved = page.getByRole('listitem').filter({hasText: 'Comes back'});
  await saved.getByText('visited → bought → returned, one right after the other, within 7 days').waitFor();
  await dashboard.settled();
  await dashboard.expectSound();

  await dashboard.goto('/people?user=grace');
  await page.getByRole('row', {name: /Comes back 2 of 3 steps/}).waitFor();
  await dashboard.settled();
  await dashboard.expectSound();

  await dashboard.goto('/funnels');
  await page.getByRole('link', {name: 'Comes back'}).click();
  await page.waitForURL(/step=visited&step=bought&step=returned&window=7d&order=strict/);
  await saved.getByRole('button', {name: 'Delete Comes back'}).click();
  await saved.getByRole('button', {name: 'Delete it for good Comes back'}).click();
  await saved.waitFor({state: 'detached'});
  await dashboard.close();
});
