// A real page in a real browser, on another origin than the service: beacons, preflights, and what it must not read.
// Needs a Chromium (`apt-get install chromium-headless-shell`, or CHROMIUM_BIN): without one it is skipped, and the last lines say so.
import type {Browser, Page} from 'playwright-core';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {browserTests, chromiumPath, openBrowser, waitMsMax} from '../support/dashboard-page.js';
import {Client, type EventAnswer, type HistoryAnswer, query} from '../support/http.js';
import {type Service, startService} from '../support/service.js';
import {type ShopPage, startShopPage} from '../support/shop-page.js';
import {until} from '../support/until.js';

// What runs in the page; the types of a browser's globals would hide those of Node for every test.
declare const navigator: {sendBeacon(url: string, body: string): boolean};
declare function addEventListener(name: 'pagehide', listener: () => void): void;

let service: Service;
let shop: ShopPage;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  [service, browser, shop] = await Promise.all([startService(), openBrowser(), startShopPage()]);
});
browserTests(() => ({service, browser}));
afterAll(() => shop?.close());

beforeEach(async () => {
  page = await browser.newPage();
  page.setDefaultTimeout(waitMsMax);
  await page.goto(shop.url);
});

/** Live, so what was answered is there; a beacon has no answer to wait for. */
async function stored(userId: string, count: number): Promise<EventAnswer[]> {
  const reader = new Client(service.baseUrl, service.secretKey);
  const ask = async () => {
    const {data} = (await reader.get(`/v1/events?${query({userId, limit: 1_000})}`)).json<HistoryAnswer>();
    return data.length >= count && data;
  };
  return until(`${count} events of ${userId} are stored`, ask);
}

interface Told {
  readonly status: number;
  readonly text: string;
}

/** What a script of the page gets to see; a refusal by the browser is its words. */
function fetchInPage(path: string, init: RequestInit): Promise<Told | string> {
  return page.evaluate(
    async ([url, options]) => {
      try {
        const answer = await fetch(url, options);
        return {status: answer.status, text: await answer.text()};
      } catch (error) {
        return String(error);
      }
    },
    [service.baseUrl + path, init] as const,
  );
}

const jsonPost = (body: unknown, key: string): RequestInit => ({
  method: 'POST',
  headers: {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json'},
  body: JSON.stringify(body),
});

describe('a page of another origin', () => {
  test('sends beacons as text/plain with the key in the URL', async () => {
    const url = `${service.baseUrl}/v1/events?write_key=${service.writeKey}`;
    const isQueued = await page.evaluate(([to, body]) => navigator.sendBeacon(to, body), [
      url,
      JSON.stringify({event: 'viewed', userId: 'beacon', messageId: 'b1'}),
    ] as const);
    expect(isQueued).toBe(true);
    expect(await stored('beacon', 1)).toMatchObject([{event: 'viewed', userId: 'beacon', messageId: 'b1'}]);
  });

  test('sends beacons while it is being left', async () => {
    const url = `${service.baseUrl}/v1/events/batch?write_key=${service.writeKey}`;
    await page.evaluate(([to, body]) => addEventListener('pagehide', () => navigator.sendBeacon(to, body)), [
      url,
      JSON.stringify({
        events: [
          {event: 'left', userId: 'leaver'},
          {event: 'gone', userId: 'leaver'},
        ],
      }),
    ] as const);
    await page.goto('about:blank');
    expect((await stored('leaver', 2)).map(({event}) => event).sort()).toEqual(['gone', 'left']);
  });

  test('tracks, in batches too, and identifies with its key in a header: the preflight lets it', async () => {
    const {writeKey} = service;
    const event = {event: 'fetched', userId: 'fetcher'};
    expect(await fetchInPage('/v1/events', jsonPost(event, writeKey))).toEqual({
      status: 200,
      text: '{"status":"ok","received":1}',
    });
    expect(await fetchInPage('/v1/events/batch', jsonPost({events: [event, event]}, writeKey))).toMatchObject({
      status: 200,
    });
    expect(
      await fetchInPage('/v1/users/identify', jsonPost({userId: 'fetcher', traits: {plan: 'pro'}}, writeKey)),
    ).toEqual({
      status: 200,
      text: '{"status":"ok","userId":"fetcher"}',
    });
    expect(await stored('fetcher', 3)).toHaveLength(3);
  });

  test('reads why it is refused', async () => {
    const bodyOf = async (told: Promise<Told | string>): Promise<unknown> => {
      const answer = await told;
      if (typeof answer === 'string') throw new Error(answer);
      return [answer.status, (JSON.parse(answer.text) as {error: {code: string}}).error.code];
    };
    expect(await bodyOf(fetchInPage('/v1/events', jsonPost({}, service.writeKey)))).toEqual([400, 'invalid_event']);
    expect(await bodyOf(fetchInPage('/v1/events', jsonPost({}, 'sk_write_x')))).toEqual([401, 'invalid_key']);
    const plain = {method: 'POST', body: '{"event":"x","userId":"y"}'};
    expect(await bodyOf(fetchInPage('/v1/events', plain))).toEqual([401, 'missing_key']);
    const inUrl = `/v1/events?write_key=${service.secretKey}`;
    expect(await bodyOf(fetchInPage(inUrl, plain))).toEqual([401, 'invalid_key']);
  });

  // A busy browser now and then forgets what a page began in its last moment, so a page may try again.
  test('sends what outlives it with keepalive', async () => {
    const url = `${service.baseUrl}/v1/events`;
    const init = {...jsonPost({event: 'closed', userId: 'keeper', messageId: 'k1'}, service.writeKey), keepalive: true};
    let found: EventAnswer[] | undefined;
    for (let tries = 0; tries < 3 && found === undefined; tries++) {
      if (page.isClosed()) {
        page = await browser.newPage();
        page.setDefaultTimeout(waitMsMax);
        await page.goto(shop.url);
      }
      const isBegun = page.waitForRequest(url);
      await page.evaluate(([to, options]) => void fetch(to, options), [url, init] as const);
      // These headers are known when the request leaves the browser's network process, which outlives the page.
      await (await isBegun).allHeaders();
      await page.close();
      found = await stored('keeper', 1).catch(() => undefined);
    }
    expect(found).toMatchObject([{event: 'closed', messageId: 'k1'}]);
  });

  test.each([
    '/v1/events',
    '/v1/users/fetcher',
    '/v1/reports/events?event=fetched&from=2024-01-01&to=2024-01-02',
    '/healthz',
  ])('cannot read %s, with or without a key', async (path) => {
    const refusal = 'TypeError: Failed to fetch';
    const headers = {Authorization: `Bearer ${service.secretKey}`};
    expect(await fetchInPage(path, {headers})).toBe(refusal);
    expect(await fetchInPage(path, {})).toBe(refusal);
    expect(await fetchInPage(path, {mode: 'no-cors'})).toEqual({status: 0, text: ''});
  });

  test('cannot delete anybody', async () => {
    const {secretKey: key} = service;
    await new Client(service.baseUrl, key).post('/v1/events', {event: 'seen', userId: 'kept'});
    const init = {method: 'DELETE', headers: {Authorization: `Bearer ${key}`}};
    expect(await fetchInPage('/v1/users/kept', init)).toBe('TypeError: Failed to fetch');
    expect(await stored('kept', 1)).toHaveLength(1);
  });
});
