// The dashboard in a real browser: signed in, with everything noted that a page must not do.

import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {Browser, BrowserContext, Locator, Page, Request} from 'playwright-core';
import {afterAll, beforeEach, expect} from 'vitest';
import {findChromium, launchChromium} from '../../tools/chromium.js';
import {BrowserClient} from './browser-client.js';
import type {Service} from './service.js';
import {until} from './until.js';

// What runs in the page; the types of a browser's globals would hide those of Node for every test.
declare const axe: {
  run(context: object, options: object): Promise<{violations: {id: string; help: string; nodes: {html: string}[]}[]}>;
};
declare const document: {
  readonly documentElement: {readonly scrollWidth: number; readonly clientWidth: number};
  querySelector(selector: string): object | null;
};

export const chromiumPath = findChromium();
export const noChromium = 'no Chromium on PATH or in CHROMIUM_BIN';

const axeText = (): string => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface View {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** A plain name over http is no secure context: browsers leave out clipboard, locks and more. */
export const plainHost = 'stats.example.test';

/** For a service whose data all comes before its pages are looked at: they ask again after each snapshot. */
export const seldomRefreshed = {REPORT_REFRESH_SECONDS: '5'};

let opened: Promise<Browser> | undefined;

/** The browser that the files of a process share, one after the other. It ends with the process. */
export function openBrowser(): Promise<Browser> {
  // The page of the API links to example.com.
  const hosts = [plainHost, 'example.com'].map((host) => `MAP ${host} 127.0.0.1`);
  const rules = [
    `--host-resolver-rules=${hosts.join(',')}`,
    // Code that a page runs for a second is not worth optimizing beside it: an audit takes a third less CPU.
    '--js-flags=--single-threaded',
  ];
  opened ??= launchChromium(chromiumPath!, rules).then((browser) =>
    browser.once('disconnected', () => {
      opened = undefined;
    }),
  );
  return opened;
}

/**
 * Call it once in a file of browser tests, which opens a service and a browser in its `beforeAll` where there is Chromium. Without
 * Chromium its tests are skipped. After the tests the service has ended, and nothing is open in the browser.
 */
export function browserTests(opened: () => {readonly service: Service; readonly browser: Browser}): void {
  beforeEach((context) => {
    if (chromiumPath === undefined) context.skip(noChromium);
    context.onTestFailed(async () => {
      const pages = opened()
        .browser.contexts()
        .flatMap((one) => one.pages());
      for (const page of pages) process.stderr.write(`${await shownBy(page)}\n`);
    });
  });
  afterAll(async () => {
    if (chromiumPath === undefined) return;
    const {service, browser} = opened();
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(await service.stop()).toBe(0);
  });
}

/**
 * What a page shows, for the reader of a failed test: its address, what has the focus, its dialog or else its main part, and what it
 * complained about.
 */
const shownBy = async (page: Page): Promise<string> => {
  const text = await page
    .evaluate(
      `[document.activeElement?.outerHTML, (document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document.body).innerText]
        .map((part) => part?.slice(0, 800)).join('\\n')`,
    )
    .catch((error: Error) => `it does not answer: ${error.message}`);
  const complaints = complaintsOf.get(page) ?? [];
  return [`shown by ${page.url()}`, text, ...complaints].join('\n');
};

const complaintsOf = new WeakMap<Page, readonly string[]>();

/** As a link of the app leads there. */
const goText = (way: 'pushState' | 'replaceState', path: string): string =>
  `history.${way}(null, '', ${JSON.stringify(`/dashboard${path}`)}); dispatchEvent(new PopStateEvent('popstate')); scrollTo(0, 0)`;

const scrollWidth = 'document.documentElement.scrollWidth';

/** Requests after which a page shows more: answers, and the scripts and styles of its parts that come later. */
const typesShown = new Set(['fetch', 'script', 'stylesheet']);
/** Nothing waits for the worker of the stream, and no event tells that its script is here. */
const isShownLater = (request: Request): boolean =>
  typesShown.has(request.resourceType()) && !request.url().includes('/assets/stream-worker');

/** A page that never shows what it should still ends before its test does; a busy machine is not what is tested. */
export const waitMsMax = 120_000;

export class DashboardPage {
  /** Lines of the console, errors of scripts, requests to other hosts: none is right. */
  readonly complaints: string[] = [];

  private readonly underWay = new Set<Request>();

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly baseUrl: string,
  ) {
    complaintsOf.set(page, this.complaints);
    page.on('console', (line) => this.complaints.push(`${line.type()}: ${line.text()}`));
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'blob:' && url.host !== new URL(baseUrl).host) this.complaints.push(`asks ${url.host}`);
      if (isShownLater(request)) this.underWay.add(request);
    });
    page.on('requestfinished', (request) => this.underWay.delete(request));
    page.on('requestfailed', (request) => this.underWay.delete(request));
  }

  /** Not signed in yet. */
  static async open(browser: Browser, {baseUrl}: Pick<Service, 'baseUrl'>, view: View = {}): Promise<DashboardPage> {
    const {theme = 'light', width = 1_440, height = 900} = view;
    const context = await browser.newContext({viewport: {width, height}, colorScheme: theme, reducedMotion: 'reduce'});
    context.setDefaultTimeout(waitMsMax);
    return new DashboardPage(await context.newPage(), context, baseUrl);
  }

  /** As a link of the app leads there, but that nothing is left of the page before: it takes a third of what a load takes. */
  async follow(path: string): Promise<void> {
    const isApp = this.page.url().startsWith(`${this.baseUrl}/dashboard`);
    if (!isApp || (await this.page.locator('nav.side').count()) === 0) return this.goto(path);
    await this.page.mouse.move(0, 0); // Where it was, something of the next page may take it for a wish.
    // By way of an address that no page has: a page stays as it is where only its parameters change, and until the next one is loaded.
    await this.page.evaluate(goText('pushState', '/nowhere'));
    await this.page.locator('main h1', {hasText: 'There is no such page'}).waitFor();
    await this.page.evaluate(goText('replaceState', path));
  }

  /** As an address that is typed: scripts, session, and what the app reads once, come anew. */
  async goto(path: string): Promise<void> {
    await this.page.goto(`${this.baseUrl}/dashboard${path}`);
  }

  /** Resolves when the page has asked for all that it shows, and shows it: one answer may lead to the next question. */
  async settled(): Promise<void> {
    let calm = 0;
    await until('the page has settled', async () => {
      const isWaiting = await this.page.evaluate("document.querySelector('.loading, .dimmed') !== null");
      calm = isWaiting || this.underWay.size > 0 ? 0 : calm + 1;
      return calm >= 3;
    });
  }

  /** Signed in from the first page on. `cookie`: as a browser sends it. */
  async takeSession(cookie: string): Promise<void> {
    const [name, value] = cookie.split('=', 2);
    const {hostname: domain} = new URL(this.baseUrl);
    await this.context.addCookies([{name, value, domain, path: '/dashboard', httpOnly: true, sameSite: 'Strict'}]);
  }

  /** Without the page for it, which test/browser/dashboard/keys.test.ts has: it would load twice as many pages. */
  async signIn(token: string): Promise<void> {
    const client = new BrowserClient(this.baseUrl);
    // A fast machine signs in more often than an address may.
    await until('signed in', async () => (await client.signIn({token})).status === 200);
    await this.takeSession(client.cookie);
  }

  /** Lines of the file that the button in `of` downloads. */
  async csvOf(of: Locator): Promise<string[]> {
    const begun = this.page.waitForEvent('download');
    const more = of.getByRole('button', {name: 'More', exact: true});
    const isCard = (await more.count()) > 0;
    if (isCard) await more.click();
    await of.getByRole('button', {name: 'Download as CSV'}).click();
    if (isCard) await more.click();
    return readFileSync(await (await begun).path(), 'utf8').split('\r\n');
  }

  /** As `expectSound`; on a phone nothing is wider than the page, either. */
  async expectSoundOnPhone(): Promise<void> {
    await this.expectSound();
    await this.page.setViewportSize({width: 390, height: 844});
    // Charts follow a moment later.
    await until('nothing is wider than the page', async () => (await this.page.evaluate(scrollWidth)) === 390);
    await this.page.setViewportSize({width: 1_440, height: 900});
  }

  /** Rules of WCAG 2.2, A and AA; no overflow; nothing complained about. */
  async expectSound(): Promise<void> {
    // What answers the question before is faint until the answer comes.
    await until('the page shows what it asks', () => this.page.evaluate("document.querySelector('.dimmed') === null"));
    if (await this.page.evaluate("typeof axe === 'undefined'")) await this.page.evaluate(axeText());
    const {violations} = await this.page.evaluate(() =>
      // Behind a dialog the page is inert, and what it was before: looking at it again would be most of the work.
      axe.run(document.querySelector('dialog:modal') ?? document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        // A third less work for the same findings.
        resultTypes: ['violations'],
        preload: false,
      }),
    );
    expect(violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.map(({html}) => html).join(' | ')}`)).toEqual(
      [],
    );
    const {scrollWidth, clientWidth} = await this.page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      clientWidth: document.documentElement.clientWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    expect(this.complaints).toEqual([]);
  }

  /** The browser says so of every answer that is a refusal: this one was asked for. */
  forgive(line: RegExp): void {
    this.complaints.splice(0, this.complaints.length, ...this.complaints.filter((one) => !line.test(one)));
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
