// Who may ask what of the dashboard, against a running service: ways in, roles, forged requests, foreign hosts, the files.
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {resources} from '../../../src/edge/resources/all.js';
import {routedMethods} from '../../../src/edge/route.js';
import {dashboardRoles} from '../../../src/keys/dashboard-role.js';
import {BrowserClient, type PageAnswer} from '../../support/browser-client.js';
import {Client} from '../../support/http.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

let service: Service;
let admin: BrowserClient;

const codeOf = (answer: PageAnswer): string => answer.json<{error: {code: string}}>().error.code;
let personCount = 0;
const openBrowser = (): BrowserClient => new BrowserClient(service.baseUrl);

beforeAll(async () => {
  const env = {
    DASHBOARD_HOSTS: 'stats.example.com',
    TRUSTED_PROXIES: '127.0.0.1',
    REPORT_TIMEZONE: 'Asia/Kathmandu',
  };
  service = await startService({env});
  admin = openBrowser();
  expect((await admin.signIn({token: service.adminToken})).status).toBe(200);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** From an address of its own: tries to sign in are counted by address. */
const from = (address: string) => ({headers: {'X-Forwarded-For': address}});

async function personAs(role: string, rights = {}): Promise<{client: BrowserClient; id: string; token: string}> {
  const made = await admin.post('/dashboard/api/people', {name: `a ${role}`, role, ...rights});
  expect(made.status).toBe(201);
  const {id, token} = made.json<{id: string; token: string}>();
  expect(token).toMatch(/^mr_[0-9A-Za-z]{43}$/);
  const client = openBrowser();
  const answer = await client.post('/dashboard/api/session', {token}, from(`10.0.0.${(personCount += 1)}`));
  expect(answer.status).toBe(200);
  client.cookie = answer.headers['set-cookie']![0].split(';', 1)[0];
  return {client, id, token};
}

async function codeFor(): Promise<string> {
  const answer = await openBrowser().post(
    '/dashboard/api/sign-in-code',
    {},
    {
      headers: {Authorization: `Bearer ${service.adminToken}`},
    },
  );
  expect(answer.status).toBe(201);
  return answer.json<{code: string}>().code;
}

describe('ways in', () => {
  test('the admin token: a cookie that no script reads, for the dashboard alone', async () => {
    const answer = await openBrowser().signIn({token: service.adminToken});
    expect(answer.json()).toMatchObject({role: 'admin', by: 'admin', is_secure: false});
    const [cookie] = answer.headers['set-cookie']!;
    expect(cookie).toMatch(
      /^millrace_session=[\w-]+\.[\w-]+; HttpOnly; SameSite=Strict; Path=\/dashboard; Max-Age=43200$/,
    );
  });

  test('behind a proxy with TLS and a prefix the cookie is secure, and for that path', async () => {
    const answer = await openBrowser().post(
      '/dashboard/api/session',
      {token: service.adminToken},
      {
        headers: {'X-Forwarded-Proto': 'https', 'X-Forwarded-Prefix': '/analytics', 'X-Forwarded-For': '10.1.1.1'},
      },
    );
    expect(answer.headers['set-cookie']![0]).toMatch(/Path=\/analytics\/dashboard; Max-Age=43200; Secure$/);
  });

  test('a one-time link, once', async () => {
    const code = await codeFor();
    const browser = openBrowser();
    expect((await browser.post('/dashboard/api/session', {code}, from('10.1.1.2'))).status).toBe(200);
    const again = await openBrowser().post('/dashboard/api/session', {code}, from('10.1.1.3'));
    expect(again.status).toBe(401);
    expect(codeOf(again)).toBe('sign_in_failed');
  });

  test("a person's token, until it is revoked: the session ends with the next request", async () => {
    const {client, id, token} = await personAs('reader');
    const start = {state: {status: 'ready'}, boards: expect.any(Array), annotations: expect.any(Array), segments: []};
    expect((await client.get('/dashboard/api/session')).json()).toMatchObject({
      ...{role: 'reader', name: 'a reader'},
      ...start,
    });
    expect((await admin.delete(`/dashboard/api/person?id=${id}`)).status).toBe(200);
    expect((await client.get('/dashboard/api/state')).status).toBe(401);
    expect((await client.get('/dashboard/api/session')).json()).toEqual({role: null});
    expect((await openBrowser().post('/dashboard/api/session', {token}, from('10.1.1.4'))).status).toBe(401);
  });

  test('a token that ends in the past opens nothing, and one cannot be made', async () => {
    for (const days of [0, -1, 1.5, '7', 4_000]) {
      const refused = await admin.post('/dashboard/api/people', {name: 'x', role: 'reader', days});
      expect(refused.status).toBe(400);
      expect(refused.json()).toMatchObject({error: {code: 'invalid_request', field: 'days'}});
    }
  });

  test('nothing else: keys of the API, both ways at once, neither', async () => {
    const bodies = [
      {token: service.secretKey},
      {token: service.writeKey},
      {token: ''},
      {code: ''},
      {},
      {code: 'a', token: 'b'},
      {code: 5},
      {tokn: 'x'},
    ];
    for (const [at, body] of bodies.entries()) {
      const answer = await openBrowser().post('/dashboard/api/session', body, from(`10.2.0.${at}`));
      expect([400, 401]).toContain(answer.status);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('guesses are slowed down by address', async () => {
    const answers: PageAnswer[] = [];
    for (let n = 0; n < 7; n++) {
      answers.push(await openBrowser().post('/dashboard/api/session', {token: 'guess'}, from('10.3.0.1')));
    }
    expect(answers.slice(0, 5).map(({status}) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(answers[6].status).toBe(429);
    expect(Number(answers[6].headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('roles', () => {
  /** By path below /dashboard/api/: what each role is answered, `ok` for anything but a refusal by role. */
  const table: readonly (readonly [method: string, path: string, needed: (typeof dashboardRoles)[number]])[] = [
    ['GET', 'state', 'reader'],
    ['GET', 'load?minutes=1', 'reader'],
    ['GET', 'bench/runs', 'reader'],
    ['GET', 'bench/run?id=nothing', 'reader'],
    ['GET', 'v1/reports/events?event=a&from=2026-01-01&to=2026-01-02', 'reader'],
    ['GET', 'v1/reports/users?from=2026-01-01&to=2026-01-02', 'reader'],
    ['GET', 'v1/reports/funnel?steps[]=a&from=2026-01-01&to=2026-01-02', 'reader'],
    ['GET', 'v1/reports/retention?start=a&return=b&from=2026-01-01&to=2026-01-02', 'reader'],
    ['GET', 'v1/reports/lifecycle?event=a&from=2026-01-01&to=2026-01-02', 'reader'],
    ['GET', 'v1/reports/stickiness?event=a&from=2026-01-01&to=2026-01-02', 'reader'],
    ['GET', 'v1/reports/paths?start=a&from=2026-01-01&to=2026-01-02', 'reader'],
    ['POST', 'v1/query', 'reader'],
    ['GET', 'v1/names', 'reader'],
    ['GET', 'v1/properties', 'reader'],
    ['GET', 'v1/properties/values?property=a', 'reader'],
    ['GET', 'v1/traits', 'reader'],
    ['GET', 'v1/users', 'analyst'],
    ['GET', 'v1/traits/values?trait=a', 'reader'],
    ['GET', 'v1/events', 'analyst'],
    ['GET', 'v1/export', 'analyst'],
    ['GET', 'v1/rejected', 'analyst'],
    ['GET', 'v1/user?userId=nobody', 'analyst'],
    ['GET', 'v1/user/export?userId=nobody', 'analyst'],
    ['DELETE', 'v1/user?userId=nobody', 'admin'],
    ['GET', 'v1/deletion?id=nothing', 'admin'],
    ['GET', 'naming?deletion=nothing', 'admin'],
    ['POST', 'titles', 'analyst'],
    ['PUT', 'titles', 'admin'],
    ['PUT', 'internal-users', 'analyst'],
    ['POST', 'v1/alerts/preview', 'analyst'],
    ['GET', 'reach', 'analyst'],
    ['GET', 'v1/user/funnels?userId=nobody', 'analyst'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/test', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/rotate', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/resume', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/replay', 'admin'],
    ['GET', 'v1/webhooks/wh_0123456789abcdef/deliveries', 'admin'],
    ...resources.flatMap(({name, roles: {reads, changes}}) => {
      const one = `v1/${name}s/xx_0123456789abcdef`;
      return [
        ['GET', `v1/${name}s`, reads] as const,
        ['POST', `v1/${name}s`, changes] as const,
        ['GET', one, reads] as const,
        ['PATCH', one, changes] as const,
        ['DELETE', one, changes] as const,
      ];
    }),
    ['GET', 'keys', 'admin'],
    ['POST', 'keys', 'admin'],
    ['POST', 'key?id=nothing', 'admin'],
    ['DELETE', 'key?id=nothing', 'admin'],
    ['GET', 'people', 'admin'],
    ['POST', 'people', 'admin'],
    ['DELETE', 'person?id=nothing', 'admin'],
    ['GET', 'record', 'admin'],
    ['DELETE', 'sessions', 'admin'],
  ];

  const takesBody = (method: string): boolean => ['POST', 'PUT', 'PATCH'].includes(method);

  test.each(dashboardRoles)('as %s, every route', async (role) => {
    const {client} = await personAs(role);
    const rank = dashboardRoles.indexOf(role);
    for (const [method, path, needed] of table) {
      if (path === 'sessions' && role === 'admin') continue; // It would end the session of this test.
      const answer = await client.ask(method, `/dashboard/api/${path}`, takesBody(method) ? {json: {}} : {});
      const isAllowed = rank >= dashboardRoles.indexOf(needed);
      expect([method, path, answer.status === 403]).toEqual([method, path, !isAllowed]);
      if (!isAllowed) expect(codeOf(answer)).toBe('role_not_sufficient');
    }
    // A reader may not ask for people.
    const people = await client.post('/dashboard/api/v1/query', {report: 'people'});
    expect(people.status === 403).toBe(role === 'reader');
  });

  test('without a session every one of them is refused', async () => {
    for (const [method, path] of table) {
      const answer = await openBrowser().ask(method, `/dashboard/api/${path}`, takesBody(method) ? {json: {}} : {});
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 401, 'not_signed_in']);
    }
  });

  test('every route that asks for data is in the table', async () => {
    const {dashboardRoutes} = await import('../../../src/edge/dashboard/routes.js');
    const anyId = (path: string): string =>
      path.replace(/\/[a-z]{2}_[0-9a-f]{16}$/, '/').replace(/[a-z]{2}_[0-9a-f]{16}/, '*');
    const known = new Set(table.map(([method, path]) => `${method} ${anyId(path.split('?', 1)[0])}`));
    // A stream has no end; its topics have roles of their own (live.test.ts).
    const open = ['GET /', 'POST session', 'GET session', 'DELETE session', 'POST sign-in-code', 'GET stream'];
    // Links that share a report need no session (shares.test.ts).
    open.push('GET /dashboard/share/', 'GET shares/');
    // Only handlers are asked for here, none of them is called.
    const nothing = {} as never;
    const {exact, bySegment} = dashboardRoutes(undefined, nothing, nothing, nothing, nothing, nothing);
    for (const [path, route] of [...exact, ...bySegment]) {
      for (const method of routedMethods) {
        const name = `${method} ${path.replace('/dashboard/api/', '')}`;
        if (route[method] !== undefined && !path.match(/^\/dashboard(\/|\/sign-in)?$/)) {
          expect([name, known.has(name) || open.includes(name)]).toEqual([name, true]);
        }
      }
    }
  });

  test('what nobody has is no fault of the page that searches for it: 200, with the error of the API', async () => {
    for (const path of ['v1/user?userId=nobody', 'v1/deletion?id=nothing']) {
      const answer = await admin.get(`/dashboard/api/${path}`);
      const asKey = await new Client(service.baseUrl, service.secretKey).get(`/${path}`);
      expect([path, answer.status, answer.json()]).toEqual([path, 200, asKey.json()]);
      expect(asKey.status).toBe(404);
    }
    expect((await admin.get('/dashboard/api/v1/user?userId=')).status).toBe(400);
    expect((await admin.get('/dashboard/api/nothing')).status).toBe(404);
  });

  test('people have titles by the traits that an admin chose; who may not see traits is shown ids alone', async () => {
    const secret = new Client(service.baseUrl, service.secretKey);
    const traits = {name: 'Ada', email: 'ada@example.com', crew: 7};
    expect((await secret.post('/v1/users/identify', {userId: 'u1', traits})).status).toBe(200);
    const searching = {report: 'people', search: 'ADA@'};
    await until('she is in reports', async () => {
      const {answer} = (await secret.post('/v1/query', searching)).json<{answer: {data: unknown[]}}>();
      return answer.data.length === 1;
    });
    const [seeing, blind] = [await personAs('analyst'), await personAs('analyst', {sees_traits: false})];
    const asked = {users: ['u1', 'nobody'], anonymous: ['u1']};
    const titlesOf = async ({client}: typeof seeing) => (await client.post('/dashboard/api/titles', asked)).json();
    expect(await titlesOf(seeing)).toEqual({users: {u1: 'Ada'}, anonymous: {}});
    expect((await admin.ask('PUT', '/dashboard/api/titles', {json: {traits: ['never', 'crew']}})).json()).toEqual({
      traits: ['never', 'crew'],
    });
    expect(await titlesOf(seeing)).toEqual({users: {u1: '7'}, anonymous: {}});
    expect((await seeing.client.get('/dashboard/api/session')).json()).toMatchObject({
      titles: ['never', 'crew'],
      timezone: 'Asia/Kathmandu',
    });

    expect(await titlesOf(blind)).toEqual({users: {}, anonymous: {}});
    expect((await blind.client.get('/dashboard/api/session')).json()).toMatchObject({sees_traits: false});
    const listed = async ({client}: typeof seeing, question: object) =>
      (await client.post('/dashboard/api/v1/query', question)).json<{answer: {data: object[]}}>().answer.data;
    expect(await listed(seeing, searching)).toMatchObject([{id: 'u1', traits}]);
    expect(await listed(blind, searching)).toEqual([]);
    expect(await listed(blind, {report: 'people', search: 'U1'})).toMatchObject([{id: 'u1', traits: {}}]);
    for (const path of ['v1/users?search=u1', 'v1/user?userId=u1', 'v1/user/export?userId=u1']) {
      const [all, ids] = [
        await seeing.client.get(`/dashboard/api/${path}`),
        await blind.client.get(`/dashboard/api/${path}`),
      ];
      expect([path, all.text.includes('ada@example'), ids.text.includes('ada@example')]).toEqual([path, true, false]);
      expect(ids.text).toContain('u1');
    }
    for (const bad of [{users: Array(101).fill('x'), anonymous: []}, {users: ['']}, {users: 'u1'}, {}])
      expect((await seeing.client.post('/dashboard/api/titles', bad)).status).toBe(400);
  });

  test('an analyst says which segment has the internal users; every session knows it until the segment is removed', async () => {
    const [analyst, reader] = [(await personAs('analyst')).client, (await personAs('reader')).client];
    const internalOf = async () => (await reader.get('/dashboard/api/session')).json<{internal: unknown}>().internal;
    expect(await internalOf()).toBeNull();
    const users = {where: ['email contains @example.com']};
    const {id} = (await analyst.post('/dashboard/api/v1/segments', {name: 'Us', users})).json<{id: string}>();
    const set = (segment: unknown) => analyst.ask('PUT', '/dashboard/api/internal-users', {json: {segment}});
    expect((await set(id)).json()).toEqual({segment: id});
    expect(await internalOf()).toBe(id);
    for (const bad of ['sg_0123456789abcdef', 'Us', 7, undefined]) expect((await set(bad)).status).toBe(400);
    expect((await set(null)).json()).toEqual({segment: null});
    expect(await internalOf()).toBeNull();
    await set(id);
    expect((await analyst.delete(`/dashboard/api/v1/segments/${id}`)).status).toBe(200);
    expect(await internalOf()).toBeNull();
    const {record} = (await admin.get('/dashboard/api/record')).json<{record: {what: string; subject: unknown}[]}>();
    expect(record.filter(({what}) => what === 'internal-users.changed').map(({subject}) => subject)).toEqual([
      id,
      null,
      id,
    ]);
  });

  test('an access token opens no route of the API, a session neither', async () => {
    const {token, client} = await personAs('admin');
    expect((await new Client(service.baseUrl, token).get('/v1/events')).status).toBe(401);
    expect((await new Client(service.baseUrl, token).get('/admin/v1/keys')).status).toBe(401);
    for (const path of ['/v1/events', '/admin/v1/keys']) {
      expect((await client.get(path)).status).toBe(401);
    }
    const {keys} = (await admin.get('/dashboard/api/keys')).json<{keys: {kind: string}[]}>();
    expect(new Set(keys.map(({kind}) => kind))).toEqual(new Set(['secret', 'write']));
  });
});

describe('what other pages can make a browser send', () => {
  // Which those are: door.test.ts.
  test('a change by a page of another origin is refused, with and without a session', async () => {
    const headers = {Origin: 'https://evil.example'};
    const answers = [
      await admin.post('/dashboard/api/keys', {kind: 'write', name: 'forged'}, {headers}),
      await openBrowser().post('/dashboard/api/session', {token: service.adminToken}, {headers}),
    ];
    expect(answers.map(codeOf)).toEqual(['origin_not_allowed', 'origin_not_allowed']);
  });

  test('cookies that were changed, cut or made up open nothing', async () => {
    const [, value] = admin.cookie.split('=', 2);
    const [text, mac] = value.split('.');
    const other = Buffer.from(JSON.stringify({v: 1, by: 'admin', id: 'x', since: 0, until: 9e15})).toString(
      'base64url',
    );
    for (const bad of [
      `${other}.${mac}`,
      `${text}.`,
      text,
      `${text}.${mac}x`,
      `${mac}.${text}`,
      '',
      '.',
      `${value}.`,
    ]) {
      const browser = openBrowser();
      browser.cookie = `millrace_session=${bad}`;
      expect([bad, (await browser.get('/dashboard/api/keys')).status]).toEqual([bad, 401]);
    }
  });
});

describe('the files', () => {
  test('every page of the app is the page, every other path is 404', async () => {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/settings/keys', '/dashboard/sign-in']) {
      const answer = await openBrowser().get(path);
      expect([path, answer.status, answer.headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      const policy = answer.headers['content-security-policy'];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
    }
    for (const path of ['/dashboard/x', '/dashboard/assets/x.js', '/dashboard/pages.json', '/dashboardx']) {
      expect([path, (await openBrowser().get(path)).status]).toEqual([path, 404]);
    }
  });

  test('a page is isolated from its opener where browsers honour that: over https, and on this machine', async () => {
    const headerAt = async (headers: Record<string, string>): Promise<unknown> =>
      (await openBrowser().get('/dashboard', {headers})).headers['cross-origin-opener-policy'];
    expect(await headerAt({})).toBe('same-origin');
    expect(await headerAt({Host: 'stats.example.com'})).toBeUndefined();
    expect(await headerAt({Host: 'stats.example.com', 'X-Forwarded-Proto': 'https'})).toBe('same-origin');
  });

  test('links carry the prefix that a proxy says; files are kept, compressed, and not sent twice', async () => {
    const page = await openBrowser().get('/dashboard', {headers: {'X-Forwarded-Prefix': '/analytics'}});
    const [, script] = /src="([^"]+\.js)"/.exec(page.text)!;
    expect(script).toMatch(/^\/analytics\/dashboard\/assets\/[\w-]+\.js$/);
    const path = script.slice('/analytics'.length);
    const file = await openBrowser().get(path, {headers: {'Accept-Encoding': 'gzip;q=0, br'}});
    expect(file.headers['content-encoding']).toBe('br');
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const again = await openBrowser().get(path, {headers: {'If-None-Match': file.headers.etag!}});
    expect(again.status).toBe(304);
    expect((await openBrowser().get(path)).headers['content-encoding']).toBeUndefined();
  });

  test.each(['/openapi.json', '/docs', '/licenses'])(
    '%s is compressed, not sent twice, and limited for each address',
    async (path) => {
      const browser = openBrowser();
      const get = (address: string, headers: Record<string, string> = {}) =>
        browser.get(path, {headers: {...from(address).headers, ...headers}});
      const forms = await Promise.all(
        ['', 'gzip', 'br', 'gzip, br'].map((name) => get('10.8.0.1', {'Accept-Encoding': name})),
      );
      expect(forms.map(({headers}) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br', 'br']);
      expect(new Set(forms.map(({headers}) => headers.etag)).size, 'a strong tag names the bytes').toBe(3);
      for (const {headers} of forms) {
        expect(headers.vary).toBe('Accept-Encoding');
        for (const sent of [headers.etag!, `"other", W/${headers.etag}`, '*']) {
          const again = await get('10.8.0.1', {'If-None-Match': sent, 'Accept-Encoding': 'br'});
          expect([sent, again.status, again.text]).toEqual([sent, 304, '']);
        }
      }
      expect((await get('10.8.0.1', {'If-None-Match': '"other"'})).status).toBe(200);
      const many = await Promise.all(Array.from({length: 150}, () => get('10.8.0.2', {'If-None-Match': '*'})));
      const refused = many.filter(({status}) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(Number(refused[0].headers['retry-after'])).toBeGreaterThan(0);
      expect((await get('10.8.0.3')).status).toBe(200);
    },
  );

  test("a person's browser is led to it, a program is told where it is", async () => {
    const person = await openBrowser().get('/', {headers: {Accept: 'text/html,*/*'}});
    expect([person.status, person.headers.location, person.headers['content-length']]).toEqual([
      302,
      '/dashboard',
      '0',
    ]);
    const program = await openBrowser().get('/', {headers: {Accept: '*/*'}});
    expect(program.json()).toMatchObject({name: 'millrace', dashboard: '/dashboard', docs: '/docs'});
  });

  test('an unknown path of it is the dashboard, which says so in its own frame, and JSON for a program', async () => {
    const headers = {Accept: 'text/html,*/*', 'X-Forwarded-Prefix': '/analytics'};
    const person = await openBrowser().get('/dashboard/trend', {headers});
    expect([person.status, person.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(person.text).toMatch(/<script type="module" crossorigin src="\/analytics\/dashboard\/assets\//);
    const program = await openBrowser().get('/dashboard/trend');
    expect(program.json()).toMatchObject({error: {code: 'not_found'}});
  });
});

test('signing out ends the session for whoever has its cookie, and no other one', async () => {
  const {client, token} = await personAs('reader');
  const second = openBrowser();
  const {headers} = await second.post('/dashboard/api/session', {token}, from('10.9.1.1'));
  second.cookie = headers['set-cookie']![0].split(';', 1)[0];
  const signedOut = await client.delete('/dashboard/api/session');
  expect([signedOut.status, signedOut.headers['set-cookie']![0]]).toEqual([200, expect.stringContaining('Max-Age=0')]);
  expect((await client.get('/dashboard/api/state')).status, 'with the same cookie').toBe(401);
  expect((await client.get('/dashboard/api/session')).json()).toEqual({role: null});
  expect((await client.delete('/dashboard/api/session')).status, 'once more').toBe(200);
  expect((await second.get('/dashboard/api/state')).status).toBe(200);
});

test('signing everybody out ends sessions and no token', async () => {
  const {client, token} = await personAs('admin');
  expect((await client.get('/dashboard/api/keys')).status).toBe(200);
  expect((await client.delete('/dashboard/api/sessions')).status).toBe(200);
  expect((await client.get('/dashboard/api/keys')).status).toBe(401);
  expect((await admin.get('/dashboard/api/keys')).status).toBe(401);
  await until('a new session begins', async () => {
    const again = openBrowser();
    const answer = await again.post('/dashboard/api/session', {token}, from('10.9.0.1'));
    return answer.status === 200;
  });
  expect((await admin.signIn({token: service.adminToken})).status).toBe(200);
});
