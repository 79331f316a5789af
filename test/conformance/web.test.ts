// Events of pages (docs/api/events.md, Pages): what the edge adds to their context, visitors, reports by it, and what is
// on disk of it.
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {searchDisk} from '../../tools/disk-search.js';
import {countryFile} from '../support/country-file.js';
import {type Answer, type EventAnswer, expectError, expectJson, query} from '../support/http.js';
import {until} from '../support/reports.js';
import {temporaryFolder} from '../support/service.js';
import {freshId, useService} from './service-under-test.js';

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ofFirefox = {browser: {name: 'Firefox', version: '130'}, os: {name: 'Windows'}, device: {type: 'desktop'}};
const origin = 'https://shop.example';
const address = '93.184.216.34';

const geoipFile = join(temporaryFolder(), 'countries.mmdb');
writeFileSync(geoipFile, countryFile({93: 'DE'}));
const under = useService({
  ...{PARTITIONS: '2', TRUSTED_PROXIES: '127.0.0.1', COUNTRY_HEADER: 'CF-IPCountry', GEOIP_FILE: geoipFile},
  REPORT_REFRESH_SECONDS: '1',
});

interface Sender {
  readonly key: string;
  readonly userAgent?: string;
  readonly from?: string;
  readonly country?: string;
}

function send(
  path: string,
  body: unknown,
  {key, userAgent = firefox, from = address, country}: Sender,
): Promise<Answer> {
  return under.nobody.send('POST', path, {
    body: JSON.stringify(body),
    headers: {
      ...{authorization: `Bearer ${key}`, 'content-type': 'application/json', origin, 'user-agent': userAgent},
      ...{'x-forwarded-for': from},
      ...(country === undefined ? {} : {'cf-ipcountry': country}),
    },
  });
}

async function sent(path: string, body: unknown, sender: Sender): Promise<void> {
  const answer = await send(path, body, sender);
  expect(answer.status, answer.text).toBe(200);
  if (answer.headers['log-position'] !== undefined) under.positions.note(answer);
}

async function keyWith(options: object | undefined): Promise<string> {
  const body = {kind: 'write', name: freshId(), ...(options && {options})};
  const answer = await under.admin.post('/admin/v1/keys', body);
  expectJson(answer, 201);
  const {key} = answer.json<{key: string}>();
  await until(
    () => send('/v1/events', {}, {key}),
    ({status}) => status === 400,
    'the key is known',
  );
  return key;
}

const contextOf = async (userId: string): Promise<unknown> => (await under.eventsOf(userId))[0]?.context;

describe('a key for pages', () => {
  test('has its events completed, on every way in', async () => {
    const key = await keyWith({origins: [origin]});
    const page = {
      url: 'https://www.shop.example/a?utm_source=mail&gclid=Cj0K-secret',
      referrer: 'https://www.find.example/',
    };
    const expected = {
      ...{...ofFirefox, location: {country: 'DE'}, campaign: {source: 'mail'}, referrer: {host: 'find.example'}},
      page: {...page, url: 'https://www.shop.example/a?utm_source=mail&gclid', path: '/a'},
    };
    const big = 'x'.repeat(1_000);
    const others = Array.from({length: 200}, () => ({event: 'other', userId: 'others', context: {big}}));
    const ways: readonly ((userId: string) => Promise<void>)[] = [
      (userId) => sent('/v1/events', {event: 'page', userId, context: {page}}, {key}),
      (userId) => sent('/v1/events/batch', {events: [{event: 'page', userId, context: {page}}]}, {key}),
      // In the worker.
      (userId) => sent('/v1/events/batch', {events: [{event: 'page', userId, context: {page}}, ...others]}, {key}),
      (userId) => sent('/v1/batch', {batch: [{type: 'track', event: 'page', userId, context: {page}}]}, {key}),
      (userId) => {
        const batch = [
          {type: 'identify', userId, traits: {plan: 'pro'}},
          {event: 'page', userId, context: {page}},
          ...others,
        ];
        return sent('/v1/batch', {batch: batch.map((call) => ({type: 'track', ...call}))}, {key});
      },
    ];
    for (const way of ways) {
      const userId = freshId();
      await way(userId);
      expect(await contextOf(userId)).toEqual(expected);
    }
    const userId = freshId();
    await sent('/v1/events', {event: 'plain', userId}, {key});
    expect(await contextOf(userId)).toEqual({...ofFirefox, location: {country: 'DE'}});
  });

  test('is one with origins, or with `web`', async () => {
    const keys: readonly (readonly [object | undefined, boolean])[] = [
      [undefined, false],
      [{identify: false}, false],
      [{web: true}, true],
      [{origins: [origin], web: false}, false],
    ];
    for (const [options, isCompleted] of keys) {
      const key = await keyWith(options);
      const userId = freshId();
      await sent('/v1/events', {event: 'page', userId}, {key});
      expect(await contextOf(userId), JSON.stringify(options)).toEqual(
        isCompleted ? {...ofFirefox, location: {country: 'DE'}} : undefined,
      );
    }
    const listed = await under.admin.get('/admin/v1/keys');
    expectJson(listed, 200);
    const shown = listed.json<{keys: {options?: object}[]}>().keys.map(({options}) => options);
    expect(shown).toContainEqual({origins: [origin], web: false});
    expect(shown).toContainEqual({web: true});
    const body = {kind: 'write', name: 'x', options: {web: 1}};
    expectError(await under.admin.post('/admin/v1/keys', body), 400, 'invalid_request');
  });

  test('takes a retry of another browser for a retry', async () => {
    const key = await keyWith({web: true});
    const event = {event: 'page', userId: freshId(), messageId: freshId()};
    await sent('/v1/events', event, {key});
    await sent('/v1/events', event, {key, userAgent: googlebot, country: 'SE'});
    const stored = await under.eventsOf(event.userId);
    expect(stored.map(({context}) => context)).toEqual([{...ofFirefox, location: {country: 'DE'}}]);
    const rejected = await under.read.get('/v1/rejected');
    expect(rejected.text).not.toContain(event.messageId);
  });
});

describe('an event that names nobody', () => {
  test('is of a visitor: one a day, a browser and an address, whatever way it came', async () => {
    const key = await keyWith({web: true});
    const event = freshId('seen');
    await sent('/v1/events', {event, userId: null, anonymousId: null}, {key});
    await sent('/v1/events/batch', {events: [{event}, {event, userId: 'ada-of-pages'}]}, {key});
    await sent('/v1/events', {event}, {key, userAgent: googlebot});
    await sent('/v1/events', {event}, {key, from: '93.184.216.35'});
    const answer = await under.read.get(`/v1/events?${query({event, limit: 10})}`);
    const stored = answer.json<{data: EventAnswer[]}>().data.reverse();
    const visitors = stored.map(({anonymousId}) => anonymousId);
    expect(visitors[0]).toMatch(/^v_[\w-]{22}$/);
    expect(visitors[1]).toBe(visitors[0]);
    expect(stored[2]).toMatchObject({userId: 'ada-of-pages', anonymousId: null});
    expect(new Set(visitors).size).toBe(4);
  });

  test('is refused where the key is not for pages', async () => {
    for (const options of [undefined, {origins: [origin], web: false}]) {
      const key = await keyWith(options);
      expectError(await send('/v1/events', {event: 'seen'}, {key}), 400, 'invalid_event');
      const batch = await send('/v1/events/batch', {events: [{event: 'seen'}]}, {key});
      expect([batch.status, batch.json<{rejected: number}>().rejected]).toEqual([400, 1]);
    }
  });
});

test('neither addresses nor user agents are on disk', async () => {
  const key = await keyWith({web: true});
  const userAgent = `${firefox} Secret/${freshId('agent')}`;
  await sent('/v1/events', {event: 'page', context: {page: {url: 'https://shop.example/'}}}, {key, userAgent});
  expect(await under.service.stop()).toBe(0);
  expect(searchDisk(under.service.dataDir, [address, userAgent, 'Gecko/20100101', 'Cj0K-secret'])).toEqual([]);
  expect(searchDisk(under.service.dataDir, ['shop.example'])).not.toEqual([]);
});
