// /docs in a real browser, directly and behind a proxy with a base path: its style and script are allowed by its own policy,
// and its addresses and links lead to where it was opened.
import type {Browser, ConsoleMessage} from 'playwright-core';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {browserTests, chromiumPath, openBrowser, waitMsMax} from '../support/dashboard-page.js';
import {canRun, ReverseProxy} from '../support/reverse-proxy.js';
import {type Service, startService} from '../support/service.js';

const hasNginx = canRun('nginx');

let service: Service;
let browser: Browser;
let proxy: ReverseProxy | undefined;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  const env = {PARTITIONS: '1', TRUSTED_PROXIES: '127.0.0.1'};
  [service, browser] = await Promise.all([startService({env}), openBrowser()]);
  if (hasNginx) proxy = await ReverseProxy.start('nginx', '/analytics', Number(new URL(service.baseUrl).port));
});
browserTests(() => ({service, browser}));
afterAll(() => proxy?.end());

test('opened directly', () => readPage(service.baseUrl));

test('opened behind nginx with a base path', ({skip}) => {
  skip(proxy === undefined, 'nginx is not installed');
  return readPage(`${proxy!.origin}${proxy!.basePath}`);
});

async function readPage(base: string): Promise<void> {
  const page = await browser.newPage({ignoreHTTPSErrors: true});
  page.setDefaultTimeout(waitMsMax);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  // A browser may look for an icon of the host when it shows a file that names none.
  const isIcon = (message: ConsoleMessage): boolean => message.location().url.endsWith('/favicon.ico');
  page.on('console', (message) => message.type() === 'error' && !isIcon(message) && errors.push(message.text()));
  await page.goto(`${base}/docs`);
  expect(await page.title()).toBe('Millrace API');
  expect(new Set(await page.locator('.base').allTextContents())).toEqual(new Set([base]));
  // By the style of the page: without it the contents stand above it.
  const contents = (await page.locator('nav').boundingBox())!;
  expect((await page.locator('main').boundingBox())!.x).toBeGreaterThanOrEqual(contents.x + contents.width);
  expect(await page.getByRole('button', {name: 'Copy'}).count()).toBeGreaterThan(20);
  await page.locator('nav').getByText('Track one event').click();
  expect(page.url()).toMatch(new RegExp(`^${base}/docs#\\w+$`));
  expect(await page.locator(':target h3').textContent()).toBe('Track one event');
  const [answer] = await Promise.all([
    page.waitForResponse(`${base}/openapi.json`),
    page.locator('nav').getByText('openapi.json').click(),
  ]);
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(errors).toEqual([]);
  await page.close();
}
