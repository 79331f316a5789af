// A person at the dashboard, in a real browser: signed in, with the list of names read, before a page is opened.

import {setTimeout as pause} from 'node:timers/promises';
import type {Browser, Page, Request} from 'playwright-core';
import {monotonicMs} from '../../src/clock.js';
import {findChromium, launchChromium} from '../../tools/chromium.js';
import {adminToken} from './service.js';

const pollMs = 10;
/** One answer may lead to the next question. */
const calmMs = 400;
const completeMsMax = 60_000;

/** @throws Error if there is no Chromium */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium on PATH or in CHROMIUM_BIN');
  return launchChromium(executablePath);
}

/** Ms from the address until the page shows all that it asks for, in a browser that was signed in and has read the names. */
export async function visit(browser: Browser, baseUrl: string, path: string): Promise<number> {
  const context = await browser.newContext({viewport: {width: 1_440, height: 900}, reducedMotion: 'reduce'});
  try {
    const page = await context.newPage();
    await page.goto(`${baseUrl}/dashboard/sign-in`);
    await page.getByLabel('Admin token or access token').fill(adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', {name: 'Pages'}).waitFor();
    await completed(page, `${baseUrl}/dashboard/names`);
    return await completed(page, baseUrl + path);
  } finally {
    await context.close();
  }
}

/** Ms until nothing is asked or loading, and stays so for `calmMs`, which do not count. */
async function completed(page: Page, address: string): Promise<number> {
  const underWay = new Set<Request>();
  const begun = (request: Request): unknown => request.resourceType() === 'fetch' && underWay.add(request);
  const ended = (request: Request): unknown => underWay.delete(request);
  page.on('request', begun).on('requestfinished', ended).on('requestfailed', ended);
  try {
    const startMs = monotonicMs();
    await page.goto(address);
    let calmSinceMs = monotonicMs();
    for (let nowMs = calmSinceMs; nowMs < calmSinceMs + calmMs; nowMs = monotonicMs()) {
      if (nowMs > startMs + completeMsMax) throw new Error(`${address} is not complete after ${completeMsMax} ms`);
      const isLoading = await page.evaluate("document.querySelector('.loading, .dimmed') !== null");
      if (isLoading || underWay.size > 0) calmSinceMs = monotonicMs();
      await pause(pollMs);
    }
    return calmSinceMs - startMs;
  } finally {
    page.off('request', begun).off('requestfinished', ended).off('requestfailed', ended);
  }
}
