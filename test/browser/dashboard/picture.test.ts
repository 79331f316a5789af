// The picture that README opens with: Overview of the example shop, light at the left, dark at the right.
//   `PICTURE=docs/overview.webp npm test -- test/browser/dashboard/picture.test.ts` writes it.
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import type {Browser} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import type {ActiveAnswer} from '../../../src/edge/answers/active-users.js';
import {setPins} from '../../support/board.js';
import {BrowserClient} from '../../support/browser-client.js';
import {chromiumPath, DashboardPage, noChromium, openBrowser} from '../../support/dashboard-page.js';
import {Client, query} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {playShop} from '../../support/shop.js';
import {until} from '../../support/until.js';

const [width, height] = [1_440, 886];
/** Pinned to Overview. */
const funnel = '/funnels?step=product_viewed&step=cart_added&step=checkout_started&step=order_placed&window=14d';

let service: Service;
let browser: Browser;

const isMade = chromiumPath !== undefined && process.env.PICTURE !== undefined;

beforeAll(async () => {
  if (!isMade) return;
  // A picture must not say that reports are late, as they may be with a refresh of a second.
  const env = {REPORT_REFRESH_SECONDS: '10'};
  [service, browser] = await Promise.all([startService({env}), openBrowser()]);
});

afterAll(async () => {
  if (!isMade) return;
  await browser.close();
  expect(await service.stop()).toBe(0);
});

beforeEach((context) => {
  if (chromiumPath === undefined) context.skip(noChromium);
  if (!isMade) context.skip('PICTURE names the file that it would write');
});

async function overview(theme: 'light' | 'dark'): Promise<Buffer> {
  const dashboard = await DashboardPage.open(browser, service, {theme, width, height});
  await dashboard.signIn(service.adminToken);
  await dashboard.goto('');
  await dashboard.page.getByRole('row', {name: /^page/}).first().waitFor();
  await dashboard.page.locator('.loading').first().waitFor({state: 'detached'});
  await dashboard.expectSound();
  const picture = await dashboard.page.screenshot();
  await dashboard.close();
  return picture;
}

/** Both parted by a slope, on a ground that stands on a white page and on a black one. */
async function parted(light: Buffer, dark: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const address = (picture: Buffer): string => `data:image/png;base64,${picture.toString('base64')}`;
  const script = `(async () => {
    const [light, dark] = await Promise.all(${JSON.stringify([address(light), address(dark)])}.map(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return image;
    }));
    const margin = 60;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [${width} + 2 * margin, ${height} + 2 * margin + 10];
    const context = canvas.getContext('2d');
    const side = (image, ground, path) => {
      context.save();
      context.beginPath();
      for (const [x, y] of path) context.lineTo(x, y);
      context.clip();
      context.fillStyle = ground;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.beginPath();
      context.roundRect(margin, margin, ${width}, ${height}, 12);
      context.clip();
      context.drawImage(image, margin, margin);
      context.restore();
    };
    const [w, h] = [canvas.width, canvas.height];
    const [top, bottom] = [0.59 * w, 0.42 * w];
    side(light, '#e9ebe4', [[0, 0], [top, 0], [bottom, h], [0, h]]);
    side(dark, '#05070a', [[top, 0], [w, 0], [w, h], [bottom, h]]);
    return canvas.toDataURL('image/webp', 0.86).split(',')[1];
  })()`;
  const text = await page.evaluate<string>(script);
  await page.close();
  return Buffer.from(text, 'base64');
}

test('Overview of a shop in both themes, side by side', async () => {
  const {people} = await playShop(service, 1_500);
  // From then on the numbers of both halves are the same.
  const reader = new Client(service.baseUrl, service.secretKey);
  const asked = query({metric: 'dau', interval: 'month', from: '2020-01-01', to: new Date().toISOString()});
  await until('who is known is one person in reports', async () => {
    const {total} = (await reader.get(`/v1/reports/users?${asked}`)).json<ActiveAnswer>();
    return total === people;
  });
  const admin = new BrowserClient(service.baseUrl);
  await admin.signIn({token: service.adminToken});
  await setPins(admin, [funnel]);
  const picture = await parted(await overview('light'), await overview('dark'));
  expect(picture.subarray(8, 12).toString()).toBe('WEBP');
  const path = process.env.PICTURE!;
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, picture);
});
