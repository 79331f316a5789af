// Routes of libraries of other services (docs/clients.md): keys, bodies, answers and CORS. What calls become is tested in
// test/edge/compatible, the real libraries in test/compatible-libraries.test.ts.

import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson, type ProfileBody, userPath} from '../support/http.js';
import {until} from '../support/reports.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();
const json = {'content-type': 'application/json'};
const accepted = {success: true};

const call = (fields: object = {}) => ({type: 'track', event: 'seen', userId: freshId(), ...fields});
const basic = (key: string) => ({authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`});

const send = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = basic(under.service.writeKey),
): Promise<Answer> =>
  under.nobody.send('POST', path, {
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    headers: {...json, ...headers},
  });

function expectAccepted(answer: Answer, rejected?: number): void {
  expectJson(answer, 200);
  expect(answer.json()).toEqual(accepted);
  expect(answer.headers['rejected-events']).toBe(rejected === undefined ? undefined : String(rejected));
}

async function keyWith(options: object): Promise<string> {
  const answer = await under.admin.post('/admin/v1/keys', {kind: 'write', name: freshId(), options});
  const {key} = answer.json<{key: string}>();
  const known = () => send('/v1/batch', {batch: []}, basic(key));
  await until(known, ({status}) => status !== 401, 'the key is known');
  return key;
}

describe('a key', () => {
  test('is where the library puts it: Basic, Bearer, the query, the body or a call', async () => {
    const {writeKey, secretKey} = under.service;
    const asked = (path: string, headers: Record<string, string>, more: object = {}) =>
      send(path, {batch: [call()], ...more}, headers);
    for (const key of [writeKey, secretKey]) {
      expectAccepted(await asked('/v1/batch', basic(key)));
      expectAccepted(await asked('/v1/batch', {authorization: `Bearer ${key}`}));
    }
    expectAccepted(await asked(`/v1/batch?writeKey=${writeKey}`, {}));
    expectAccepted(await asked(`/beacon/v1/batch?v=1&%ff&writeKey=${writeKey}`, {}));
    expectAccepted(await asked('/v1/batch', {}, {writeKey}));
    expectAccepted(await send('/v1/t', call({writeKey}), {}));
    expectAccepted(await send('/v1/b', [call({writeKey})], {}));
  });

  test('that is wrong, or a secret one in a public place, is 401, also where nothing would be stored', async () => {
    const {secretKey, writeKey} = under.service;
    for (const body of [{batch: [call()]}, {batch: []}, {batch: [7]}]) {
      expectError(await send('/v1/batch', body, {}), 401, 'missing_key');
      expectError(await send('/v1/batch', {...body, writeKey: 'x'}, {}), 401, 'invalid_key');
      expectError(await send('/v1/batch', {...body, writeKey: secretKey}, {}), 401, 'invalid_key');
      expectError(await send(`/v1/batch?writeKey=${secretKey}`, body, {}), 401, 'invalid_key');
      expectError(await send('/v1/batch', {...body, writeKey}, basic('x')), 401, 'invalid_key');
      expectError(await send('/v1/batch', {...body, writeKey}, {authorization: 'Basic *'}), 401, 'invalid_key');
    }
    expectError(await send('/v1/batch', '{', {}), 401, 'missing_key');
    expectError(await under.nobody.get('/v1/projects/x/settings'), 401, 'invalid_key');
    expectError(await under.nobody.get(`/v1/projects/${secretKey}/settings`), 401, 'invalid_key');
    // Native routes take no name of Basic.
    expectError(await send('/v1/events', call(), basic(writeKey)), 401, 'invalid_key');
  });

  test('of some origins, with a limit per address, holds where it is in the body', async () => {
    const writeKey = await keyWith({origins: ['https://shop.example'], events_per_second_per_address: 1});
    const from = (origin: string) => send('/v1/t', call({writeKey}), {origin});
    expectError(await from('https://other.example'), 403, 'origin_not_allowed');
    expectAccepted(await from('https://shop.example'));
    const refused = await until(
      () => from('https://shop.example'),
      ({status}) => status !== 200,
      'the limit holds',
    );
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers['access-control-expose-headers']).toContain('Retry-After');
  });
});

test('an answer is 200 if nothing was valid or there was nothing, and 400 only for a body that cannot be read', async () => {
  expectAccepted(await send('/v1/batch', {batch: [7, {}, {type: 'track', event: 'a'}]}), 3);
  expectAccepted(await send('/v1/batch', {batch: []}));
  expectAccepted(await send('/v1/group', {groupId: 'of nobody'}));
  expectError(await send('/v1/batch', '{'), 400, 'invalid_json');
  expectError(await send('/v1/batch', ''), 400, 'invalid_json');
  expectError(await send('/v1/batch', '7'), 400, 'invalid_request');
  expectError(await send('/v1/batch', {batch: Array(1_001).fill(7)}), 413, 'batch_too_large');
  expectError(await send('/v1/t', 'x'.repeat(600_000)), 413, 'payload_too_large');
});

test('a large body, which is read elsewhere, is stored in its order', async () => {
  const userId = freshId();
  const batch = Array.from({length: 600}, (_, n) => [
    call({userId, properties: {n, text: 'é'.repeat(400)}}),
    ...(n % 100 === 0 ? [{type: 'identify', userId, traits: {n}}] : []),
  ]).flat();
  const body = JSON.stringify({batch, writeKey: under.service.writeKey});
  expect(body.length).toBeGreaterThan(256 * 1024);
  expectAccepted(await send('/v1/batch', body, {}));
  expectAccepted(await send('/v1/batch', gzipSync(body), {}));
  const events = await under.eventsOf(userId);
  expect(events.map(({properties}) => properties.n)).toEqual(Array.from({length: 1_000}, (_, at) => 599 - (at % 600)));
  expect((await under.read.get(userPath(userId))).json<ProfileBody>().traits).toEqual({n: 500});
});

test('an import has the times of the calls, whatever its sentAt', async () => {
  const userId = freshId();
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  const body = {batch: [call({userId, timestamp: '2026-01-01T00:00:00Z'})], sentAt: ahead};
  expectAccepted(await send('/v1/import/', body));
  expect((await under.eventsOf(userId))[0]).toMatchObject({timestamp: '2026-01-01T00:00:00.000Z'});
});

describe('pages of other origins', () => {
  const origin = 'https://shop.example';
  const readable = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  };

  test('preflight with any headers, and read every answer with their credentials', async () => {
    const paths = ['/v1/batch', '/v1/t/', '/beacon/v1/batch', '/sourceConfig/', '/v1/projects/x/settings'];
    for (const path of [...paths, '/api/send', '/api/event', '/api/s/track', '/api/s/s2s/page/']) {
      const asking = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'anonymousid,authorization,content-type,sentat',
      };
      const answer = await under.nobody.send('OPTIONS', path, {headers: asking});
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers).toMatchObject({
        ...readable,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'anonymousid,authorization,content-type,sentat',
      });
    }
    const withOrigin = {...basic(under.service.writeKey), origin};
    expect((await send('/v1/t', call(), withOrigin)).headers).toMatchObject(readable);
    expect((await send('/v1/t', '{', withOrigin)).headers).toMatchObject(readable);
    expect((await send('/v1/t', call(), {origin})).headers).toMatchObject(readable);
    expect((await under.nobody.send('GET', '/v1/t', {headers: {origin}})).headers).toMatchObject(readable);
    const {headers} = await send('/v1/t', call());
    expect(headers).toMatchObject({'access-control-allow-origin': '*'});
    expect(headers).not.toHaveProperty('vary');
  });

  test('find settings that lead here', async () => {
    const {baseUrl, writeKey} = under.service;
    const {host} = new URL(baseUrl);
    const path = `/v1/projects/${writeKey}/settings`;
    const settings = await under.nobody.get(path, {origin});
    expectJson(settings, 200);
    expect(settings.headers).toMatchObject(readable);
    const apiHost = `${host}/v1`;
    expect(settings.json()).toEqual({
      integrations: {'Segment.io': {apiKey: writeKey, apiHost, protocol: 'https'}},
      metrics: {sampleRate: 0},
    });
    const plain = await under.nobody.get(path);
    expect(plain.json()).toMatchObject({integrations: {'Segment.io': {protocol: 'http'}}});
    expect((await under.nobody.get(`${path}/`)).json()).toEqual(plain.json());
    for (const ask of [`/sourceConfig/?p=npm&v=3&writeKey=${writeKey}`, '/sourceConfig']) {
      const config = await under.nobody.get(ask, {...basic(writeKey), origin});
      expectJson(config, 200);
      expect(config.headers).toMatchObject(readable);
      expect(config.json()).toMatchObject({source: {writeKey, enabled: true, destinations: []}});
    }
  });
});

describe('PostHog', () => {
  const capture = (fields: object = {}) => ({event: 'seen', distinct_id: freshId(), ...fields});

  test('sends batches, single events and forms; the key is in the body or in a call', async () => {
    const {writeKey, secretKey} = under.service;
    const stored = {status: 1};
    const ids = Array.from({length: 4}, () => freshId());
    const [a, b, c, d] = ids.map((distinct_id) => capture({distinct_id}));
    const inCall = {...b, properties: {token: writeKey}};
    const form = `data=${encodeURIComponent(Buffer.from(JSON.stringify([{...c, api_key: writeKey}])).toString('base64'))}`;
    for (const [path, body] of [
      ['/batch/', {api_key: writeKey, batch: [a]}],
      ['/e/?ip=1&compression=gzip-js', gzipSync(JSON.stringify(inCall))],
      ['/i/v0/e/?compression=base64', form],
      ['/capture', {token: writeKey, ...d}],
    ] as const) {
      const answer = await send(path, body, {'content-type': 'text/plain'});
      expectJson(answer, 200);
      expect(answer.json()).toEqual(stored);
    }
    for (const id of ids) expect(await under.eventsOf(id)).toHaveLength(1);
    expectError(await send('/batch', {api_key: 'x', batch: [a]}, {}), 401, 'invalid_key');
    expectError(await send('/batch', {batch: []}, {}), 401, 'missing_key');
    const tooMany = {api_key: writeKey, batch: Array(1_001).fill(a)};
    expectError(await send('/batch', tooMany, {}), 413, 'batch_too_large');
    const manyFields = Object.fromEntries(Array.from({length: 300}, (_, n) => [`field${n}`, n]));
    expectError(await send('/batch', {...manyFields, api_key: writeKey, batch: [a]}, {}), 400, 'invalid_request');
    expectError(await send('/e', {...a, api_key: secretKey}, {}), 401, 'invalid_key');
  });
});

describe('Mixpanel', () => {
  const event = (id: string, more: object = {}) => ({event: 'seen', properties: {distinct_id: id, ...more}});
  const base64 = (calls: unknown): string => encodeURIComponent(Buffer.from(JSON.stringify(calls)).toString('base64'));
  const get = (path: string) => under.nobody.send('GET', path, {});

  test('sends in the query of a GET and in forms; the answer is 1', async () => {
    const {writeKey: token} = under.service;
    const ids = Array.from({length: 3}, () => freshId());
    const [a, b, c] = ids.map((id) => event(id, {token}));
    const answers = [
      await get(`/track?ip=0&verbose=0&api_key=other&data=${base64(a)}`),
      await get(`/import/?data=${encodeURIComponent(JSON.stringify([b]))}`),
      await send('/track/?verbose=0', `data=${base64([c])}`, {'content-type': 'x'}),
    ];
    for (const answer of answers) {
      expectJson(answer, 200);
      expect(answer.text).toBe('1');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    for (const id of ids) expect(await under.eventsOf(id)).toHaveLength(1);
    const verbose = await send('/track?verbose=1&ip=1', [event(freshId())]);
    expect(verbose.json()).toEqual({status: 1, error: null});
    // As the libraries for Python and Ruby ask for it.
    const form = new URLSearchParams({data: JSON.stringify(event(freshId(), {token})), verbose: '1', ip: '0'});
    expect((await send('/track', `${form}`, {'content-type': 'x'})).json()).toEqual({status: 1, error: null});
  });

  test('a GET needs the key and the limits that a POST needs, and HEAD stores nothing', async () => {
    const id = freshId();
    expectError(await get(`/track?data=${base64(event(id))}`), 401, 'missing_key');
    expectError(await get(`/track?data=${base64(event(id, {token: 'x'}))}`), 401, 'invalid_key');
    const {secretKey, writeKey} = under.service;
    expectError(await get(`/track?data=${base64(event(id, {token: secretKey}))}`), 401, 'invalid_key');
    expectError(await get('/track'), 401, 'missing_key');
    expectError(await get(`/track?write_key=${writeKey}`), 400, 'invalid_json');
    const head = await under.nobody.send('HEAD', `/track?data=${base64(event(id, {token: writeKey}))}`, {});
    expect([head.status, head.headers.allow]).toEqual([405, 'GET, POST, OPTIONS']);
    expect(await under.eventsOf(id)).toEqual([]);
    const token = await keyWith({events_per_second_per_address: 1});
    const ask = () => get(`/track?data=${base64(event(freshId(), {token}))}`);
    expectError(await until(ask, ({status}) => status !== 200, 'the limit holds'), 429, 'rate_limited');
  });
});

describe('Amplitude', () => {
  const event = (fields: object = {}) => ({event_type: 'seen', user_id: freshId(), insert_id: freshId(), ...fields});

  test('a body with events is one of its libraries, another is one of PostHog, whatever their size', async () => {
    const [ofAmplitude, ofPostHog] = [freshId(), freshId()];
    const properties = {t: 'x'.repeat(500)};
    const events = Array.from({length: 300}, () => event({user_id: ofAmplitude, event_properties: properties}));
    const batch = events.map(() => ({event: 'seen', distinct_id: ofPostHog, properties}));
    const {writeKey: api_key} = under.service;
    expect((await send('/batch', {api_key, events}, {})).json()).toMatchObject({code: 200, events_ingested: 300});
    expect((await send('/batch', {api_key, batch}, {})).json()).toEqual({status: 1});
    expect(await under.eventsOf(ofAmplitude)).toHaveLength(300);
    expect(await under.eventsOf(ofPostHog)).toHaveLength(300);
  });
});

describe('a visitor', () => {
  const browser = {'user-agent': 'Browser 1'};
  const visitorId = expect.stringMatching(/^v_[\w-]{22}$/);
  const umamiEvent = (name: string, more: object = {}, website = under.service.writeKey) => ({
    type: 'event',
    payload: {website, name, ...more},
  });
  const eventsNamed = async (event: string, count: number): Promise<{anonymousId?: string; userId?: string}[]> => {
    const ask = () => under.read.get(`/v1/events?event=${event}&limit=100`);
    const isThere = (answer: Answer) => answer.json<{data: object[]}>().data.length >= count;
    return (await until(ask, isThere, `${event} is stored`)).json<{data: {anonymousId?: string}[]}>().data.toReversed();
  };

  test('has one id for an address, a user agent and a key, on whichever route', async () => {
    const event = freshId('event');
    const {writeKey, secretKey} = under.service;
    const byUmami = (headers: Record<string, string>) => send('/api/send', umamiEvent(event), headers);
    const byPlausible = (key: string, headers: Record<string, string>) =>
      send(`/api/event?write_key=${key}&x=/api/event`, {n: event, u: 'https://shop.example/'}, headers);
    const answer = await byUmami(browser);
    expectJson(answer, 200);
    expect(answer.json()).toEqual({cache: '', sessionId: '', visitId: ''});
    const taken = await byPlausible(writeKey, {...browser, 'content-type': 'text/plain'});
    expect([taken.status, taken.text, taken.headers['content-type']]).toEqual([202, 'ok', 'text/plain; charset=utf-8']);
    await byUmami({'user-agent': 'Browser 2'});
    await byPlausible(await keyWith({}), browser);
    await send('/api/send/', umamiEvent(event), {...browser, authorization: `Bearer ${secretKey}`});
    const [one, same, ofAgent, ofKey, ofSecret] = (await eventsNamed(event, 5)).map(({anonymousId}) => anonymousId);
    expect([one, ofAgent, ofKey, ofSecret]).toEqual([visitorId, visitorId, visitorId, visitorId]);
    expect(same).toBe(one);
    expect(new Set([one, ofAgent, ofKey, ofSecret]).size).toBe(4);
  });
});

describe('the key of', () => {
  const page = (writeKey: string) => ({type: 'event', payload: {website: writeKey, url: '/'}});

  test('Umami is the website, that of Plausible in the query: a wrong or secret one is 401', async () => {
    const {secretKey, readKey} = {readKey: 'sk_read_x', ...under.service};
    for (const key of [secretKey, readKey, 'no-key']) {
      expectError(await send('/api/send', page(key), {}), 401, 'invalid_key');
      expectError(await send(`/api/event?write_key=${key}`, {n: 'pageview'}, {}), 401, 'invalid_key');
    }
    expectError(await send('/api/send', {type: 'event', payload: {}}, {}), 401, 'missing_key');
    expectError(await send('/api/event', {n: 'pageview', d: 'shop.example'}, {}), 401, 'missing_key');
    expectError(await send('/api/event?write_key=x', {n: 'engagement'}, {}), 401, 'invalid_key');
  });

  test('OpenPanel is in openpanel-client-id, and its body decides whose request it is', async () => {
    const {writeKey, secretKey} = under.service;
    const track = {type: 'track', payload: {name: 'seen', profileId: freshId()}};
    for (const key of [writeKey, secretKey]) {
      const headers = {'openpanel-client-id': key, 'openpanel-client-secret': 'any'};
      const answer = await send('/track', track, headers);
      expectJson(answer, 200);
      expect(answer.json()).toEqual({});
      const ofMixpanel = await send('/track/', {event: 'seen', properties: {distinct_id: freshId()}}, headers);
      expect(ofMixpanel.json()).toBe(1);
    }
    expectError(await send('/track', track, {'openpanel-client-id': 'no-key'}), 401, 'invalid_key');
    expectError(await send('/track', track, {}), 401, 'missing_key');
    expect(await under.eventsOf(track.payload.profileId)).toHaveLength(2);
  });

  test('Jitsu is in x-write-key, after a name and a colon', async () => {
    const {writeKey, secretKey} = under.service;
    for (const key of [writeKey, `any:${writeKey}`, `a:b:${secretKey}`]) {
      for (const path of ['/api/s/track', '/api/s/track/', '/api/s/s2s/track']) {
        const answer = await send(path, call(), {'x-write-key': key});
        expectJson(answer, 200);
        expect(answer.json()).toEqual({ok: true});
      }
    }
    for (const key of ['any:', 'any:no-key', `${writeKey}:any`])
      expectError(await send('/api/s/track', call(), {'x-write-key': key}), 401, 'invalid_key');
    expectError(await send('/api/s/track', call({writeKey: 'any:***'}), {}), 401, 'missing_key');
    // The head of HTTP comes first, and no native route takes the key from a library's header.
    expectError(await send('/api/s/track', call(), {...basic('no-key'), 'x-write-key': writeKey}), 401, 'invalid_key');
    expectError(await send('/v1/events', call(), {'x-write-key': writeKey}), 401, 'missing_key');
  });
});
