// Signing in, pages before the first event, API keys and access in a real browser, by keyboard where a person would use one.
import type {Browser} from 'playwright-core';
import {beforeAll, expect, test} from 'vitest';
import {ask} from '../../../tools/http-client.js';
import {browserTests, chromiumPath, DashboardPage, openBrowser, seldomRefreshed} from '../../support/dashboard-page.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

let service: Service;
let browser: Browser;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser] = await Promise.all([startService({env: seldomRefreshed}), openBrowser()]);
});

browserTests(() => ({service, browser}));

/** Every text that the page holds: markup, values of fields, address. */
const allText = (dashboard: DashboardPage): Promise<string> =>
  dashboard.page.evaluate(
    "document.documentElement.outerHTML + location.href + JSON.stringify({...localStorage, ...sessionStorage}) + [...document.querySelectorAll('input,textarea')].map(({value}) => value).join(' ')",
  );

test('whoever comes by a link of the service is signed in, and the code leaves the address', async () => {
  const dashboard = await DashboardPage.open(browser, service);
  const url = `${service.baseUrl}/dashboard/api/sign-in-code`;
  const {code} = (await ask(url, {method: 'POST', key: service.adminToken, json: {}})).json<{code: string}>();
  await dashboard.goto(`/sign-in#${code}`);
  await dashboard.page.getByRole('navigation', {name: 'Pages'}).waitFor();
  expect(dashboard.page.url()).not.toContain(code);
  expect(await allText(dashboard)).not.toContain(code);
  await dashboard.close();
});

test('a wrong token is told, kept in its field, and nobody is signed in', async () => {
  const dashboard = await DashboardPage.open(browser, service);
  await dashboard.goto('/settings/keys');
  const field = dashboard.page.getByLabel('Admin token or access token');
  await field.fill('this-is-wrong');
  await dashboard.page.keyboard.press('Enter');
  await dashboard.page.getByRole('alert').waitFor();
  expect(await field.inputValue()).toBe('this-is-wrong');
  // Whoever then signs in is where they wanted to be.
  await field.fill(service.adminToken);
  await dashboard.page.keyboard.press('Enter');
  await dashboard.page.getByRole('heading', {name: 'API keys'}).waitFor();
  await dashboard.close();
});

test('before the first event each page of reports leads to it', async () => {
  const dashboard = await DashboardPage.open(browser, service);
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  for (const path of ['/trends', '/funnels', '/retention', '/lifecycle', '/paths', '/active', '/people']) {
    await dashboard.follow(path);
    await page.getByText('No event has come yet').first().waitFor();
  }
  await dashboard.expectSoundOnPhone();
  await page.getByRole('link', {name: 'Send the first event'}).click();
  await page.getByRole('heading', {name: 'First event', level: 1}).waitFor();
  await dashboard.close();
});

test('by keyboard alone: create a key, store it, see it used, revoke it', async () => {
  const dashboard = await DashboardPage.open(browser, service);
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/settings/keys');
  // Whether each dialog was open the moment it was in the page: a key pressed before goes to the page beneath.
  await page.evaluate(
    "openings = []; new MutationObserver((changes) => { for (const {addedNodes} of changes) for (const node of addedNodes) if (node.localName === 'dialog') openings.push(node.open); }).observe(document.body, {childList: true, subtree: true})",
  );
  const create = page.getByRole('button', {name: 'Create a key'});
  await create.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name', {exact: true}).focus();
  await page.keyboard.type('shop front');
  await dashboard.expectSound();
  await page.keyboard.press('Enter');
  const field = page.getByLabel('Your write key');
  await field.waitFor();
  const key = await field.inputValue();
  expect(key).toMatch(/^sk_write_[0-9A-Za-z]{43}$/);
  await page.keyboard.press('Escape'); // Asks first.
  await page.getByRole('alert').waitFor();
  expect(await field.isVisible()).toBe(true);
  await page.getByRole('button', {name: 'I have stored it'}).focus();
  await page.keyboard.press('Enter');
  await field.waitFor({state: 'detached'});
  expect(await create.evaluate((button) => button.matches(':focus'))).toBe(true);
  expect(await page.evaluate('openings')).toEqual([true, true]);
  expect(await allText(dashboard)).not.toContain(key);

  const writer = new Client(service.baseUrl, key);
  expect((await writer.post('/v1/events', {event: 'seen', userId: 'u'})).status).toBe(200);
  const row = page.getByRole('row', {name: /shop front/});
  await until('its use is seen', async () => /now|s ago/.test(await row.locator('td').nth(4).innerText()));

  await row.getByRole('button', {name: /Revoke/}).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', {name: 'Revoke the key'}).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {name: 'The key is revoked'}).waitFor();
  expect((await writer.post('/v1/events', {event: 'seen', userId: 'u'})).status).toBe(401);
  await page.keyboard.press('Escape');
  await row.waitFor({state: 'detached'});
  await page.getByLabel(/Show 1 revoked key/).check();
  await row.waitFor();
  await dashboard.expectSound();
  await dashboard.close();
});

test('a rotation watches the new key being used', async () => {
  const dashboard = await DashboardPage.open(browser, service);
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/settings/keys');
  const old = page.getByRole('row', {name: /bootstrap.*sk_write/});
  await old.getByRole('button', {name: /Rotate/}).click();
  await page.getByRole('button', {name: 'Create the new key'}).click();
  const key = await page.getByLabel('The new key').inputValue();
  await page.getByRole('button', {name: 'I have stored it'}).click();
  await page.getByText('Waiting for its first use').waitFor();
  await page.getByRole('button', {name: 'Revoke the old key'}).click();
  await page.getByText('The new key was not used yet').waitFor();
  expect(await allText(dashboard)).not.toContain(key);
  await new Client(service.baseUrl, key).post('/v1/events', {event: 'seen', userId: 'u'});
  await page.getByText(/The new key was used/).waitFor();
  await page.getByRole('button', {name: 'Revoke the old key'}).click();
  await page.getByText('It is refused here already').waitFor();
  await dashboard.expectSound();
  await dashboard.close();
});

test('limits that somebody else changed while the form is open are shown before anything is saved', async () => {
  const others = new Client(service.baseUrl, service.adminToken);
  const {id} = (await others.post('/admin/v1/keys', {kind: 'write', name: 'shared page'})).json<{id: string}>();
  const dashboard = await DashboardPage.open(browser, service);
  const {page} = dashboard;
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('/settings/keys');
  await page.getByRole('button', {name: 'Limits of shared page'}).click();
  const rate = page.getByLabel('Events a second for each client address');
  const identifies = page.getByLabel('May identify users');
  await rate.fill('30');
  expect(await identifies.isChecked()).toBe(true);
  expect((await others.post(`/admin/v1/key?id=${id}`, {identify: false})).status).toBe(200);
  await page.getByRole('button', {name: 'Save the limits'}).click();
  await page.getByText('Somebody else changed this key meanwhile').waitFor();
  dashboard.forgive(/412/);
  await dashboard.expectSound();
  await page.getByRole('button', {name: 'Load it as it is now'}).click();
  await until('their change is shown', async () => !(await identifies.isChecked()));
  await rate.fill('30');
  await page.getByRole('button', {name: 'Save the limits'}).click();
  await page.getByRole('row', {name: /shared page.*may not identify.*30 events a second/}).waitFor();
  await dashboard.expectSound();
  await dashboard.close();
});

test('a reader sees no settings, and is told why by a link to them', async () => {
  const admin = await DashboardPage.open(browser, service);
  await admin.signIn(service.adminToken);
  await admin.goto('/settings/access');
  await admin.page.getByRole('button', {name: 'Add a person'}).click();
  await admin.page.getByLabel('Name', {exact: true}).fill('Grace');
  await admin.page.getByRole('button', {name: 'Make the token'}).click();
  const token = await admin.page.getByLabel(/Give it to Grace/).inputValue();
  await admin.page.getByRole('button', {name: 'I have stored it'}).click();
  await admin.page.getByRole('row', {name: /Grace/}).waitFor();
  await admin.expectSound();
  await admin.close();

  const reader = await DashboardPage.open(browser, service, {theme: 'dark', width: 390});
  await reader.signIn(token);
  await reader.goto('/settings/keys');
  await reader.page.getByText('This page needs the role admin').waitFor();
  expect(await reader.page.getByRole('link', {name: 'API keys'}).count()).toBe(0);
  await reader.expectSound();
  await reader.close();
});
