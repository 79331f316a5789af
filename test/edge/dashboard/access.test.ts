// Who may ask what of the dashboard, against a running service: ways in, roles, forged requests, foreign hosts, the files.
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {countsPath, usersPath} from '../../../dashboard/src/address/report-address.js';
import type {BoardAnswer} from '../../../src/edge/dashboard/answers/boards.js';
import type {RecordLine} from '../../../src/edge/dashboard/answers/record.js';
import {routedMethods} from '../../../src/edge/route.js';
import {dashboardRoles} from '../../../src/keys/dashboard-role.js';
import {readBoards} from '../../support/board.js';
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

/**
 * What was changed until now, newest first. Without failures: a timer writes their count up to a second later, also of those of
 * another test. A line is stored soon after its change, in the order of changes: one of this function is the last.
 */
async function recordedChanges(): Promise<readonly RecordLine[]> {
  const last = (await admin.post('/dashboard/api/people', {name: 'the last', role: 'reader'})).json<{id: string}>().id;
  return until('all changes are in the record', async () => {
    const {record} = (await admin.get('/dashboard/api/record')).json<{record: readonly RecordLine[]}>();
    const others = record.filter(({subject}) => subject !== last);
    return others.length < record.length && others.filter(({what}) => !what.endsWith('.refused'));
  });
}

/** From an address of its own: tries to sign in are counted by address. */
const from = (address: string) => ({headers: {'X-Forwarded-For': address}});

async function personAs(role: string): Promise<{client: BrowserClient; id: string; token: string}> {
  const made = await admin.post('/dashboard/api/people', {name: `a ${role}`, role});
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
    expect((await client.get('/dashboard/api/session')).json()).toMatchObject({role: 'reader', name: 'a reader'});
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

  test('guesses of many addresses keep nobody out: a right token or code passes, even behind the same address', async () => {
    const addresses = Array.from({length: 12}, (_, at) => `10.4.0.${at}`);
    const guesses: PageAnswer[] = [];
    for (const address of addresses) {
      for (let n = 0; n < 6; n++)
        guesses.push(await openBrowser().post('/dashboard/api/session', {token: 'guess'}, from(address)));
    }
    expect(guesses.filter(({status}) => status === 429).length).toBeGreaterThan(0);
    const ways = [{token: service.adminToken}, {code: await codeFor()}];
    for (const [at, way] of ways.entries()) {
      const answer = await openBrowser().post('/dashboard/api/session', way, from(addresses[at]));
      expect([Object.keys(way), answer.status]).toEqual([Object.keys(way), 200]);
    }
    const {client} = await personAs('reader');
    expect((await client.get('/dashboard/api/state')).status).toBe(200);
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
    ['GET', 'v1/reports/funnel/users?steps[]=a&step=1&from=2026-01-01&to=2026-01-02', 'analyst'],
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
    ['GET', 'v1/alerts', 'analyst'],
    ['POST', 'v1/alerts', 'analyst'],
    ['POST', 'v1/alerts/preview', 'analyst'],
    ['GET', 'alert-reach', 'analyst'],
    ['PATCH', 'v1/alerts/al_0123456789abcdef', 'analyst'],
    ['DELETE', 'v1/alerts/al_0123456789abcdef', 'analyst'],
    ['GET', 'v1/funnels', 'analyst'],
    ['POST', 'v1/funnels', 'analyst'],
    ['DELETE', 'v1/funnels/fn_0123456789abcdef', 'analyst'],
    ['GET', 'v1/user/funnels?userId=nobody', 'analyst'],
    ['GET', 'v1/webhooks', 'admin'],
    ['POST', 'v1/webhooks', 'admin'],
    ['PATCH', 'v1/webhooks/wh_0123456789abcdef', 'admin'],
    ['DELETE', 'v1/webhooks/wh_0123456789abcdef', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/test', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/rotate', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/resume', 'admin'],
    ['POST', 'v1/webhooks/wh_0123456789abcdef/replay', 'admin'],
    ['GET', 'v1/webhooks/wh_0123456789abcdef/deliveries', 'admin'],
    ['GET', 'saved-reports', 'reader'],
    ['POST', 'saved-reports', 'analyst'],
    ['POST', 'saved-report?id=nothing', 'analyst'],
    ['DELETE', 'saved-report?id=nothing', 'analyst'],
    ['GET', 'shares', 'admin'],
    ['POST', 'shares', 'admin'],
    ['DELETE', 'share?id=nothing', 'admin'],
    ['GET', 'boards', 'reader'],
    ['POST', 'boards', 'analyst'],
    ['PUT', 'board?id=nothing', 'analyst'],
    ['DELETE', 'board?id=nothing', 'analyst'],
    ['GET', 'annotations', 'reader'],
    ['POST', 'annotations', 'analyst'],
    ['DELETE', 'annotations?id=nothing', 'analyst'],
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
    // Of the questions as values, those for people need more.
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

  test('the zone of the service is that of requests without one; pages compute in UTC, and say so', async () => {
    const key = new Client(service.baseUrl, service.secretKey);
    const day = {from: 20_454, to: 20_454};
    const paths = [countsPath('a', day, 'hour'), usersPath('dau', day, 'hour')];
    for (const path of paths) {
      const asked = path.replace('timezone=UTC&', '');
      expect(asked).not.toBe(path);
      expect((await key.get(`/${asked}`)).json()).toMatchObject({
        timezone: 'Asia/Kathmandu',
        data: Array.from({length: 24}, (_, hour) => ({
          date: `2026-01-01T${String(hour).padStart(2, '0')}:00:00+05:45`,
        })),
      });
      expect((await admin.get(`/dashboard/api/${path}`)).json()).toMatchObject({
        timezone: 'UTC',
        data: Array.from({length: 24}, (_, hour) => ({date: `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`})),
      });
    }
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

  test('the record says who made a token, by name, and names none', async () => {
    const {client, id, token} = await personAs('admin');
    expect((await client.post('/dashboard/api/keys', {kind: 'write', name: 'of a person'})).status).toBe(201);
    const record = await recordedChanges();
    const made = record.find(({name}) => name === 'of a person');
    expect(made).toMatchObject({what: 'key.created', by: 'a admin', count: 1});
    expect(record.find(({subject}) => subject === id)).toMatchObject({what: 'key.created', by: 'admin'});
    expect(record.find(({what}) => what === 'dashboard.signed-in')).toMatchObject({by: 'a admin', subject: null});
    expect(JSON.stringify(record)).not.toContain(token);
  });

  test('the record says who defined what, by people and by keys, with the names that things have now', async () => {
    const {client} = await personAs('analyst');
    const key = new Client(service.baseUrl, service.secretKey);
    const idOf = (answer: {json: <Body>() => Body}): string => answer.json<{id: string}>().id;
    const funnel = {name: 'Buys', steps: ['signup', 'order_placed']};
    const alert = {name: 'No orders', kind: 'absence', event: 'order_placed', minutes: 60, endpoints: []};
    const webhook = {
      kind: 'slack',
      url: 'https://hooks.slack.com/services/T0/B0/X',
      types: [{type: 'report.threshold', names: ['none']}],
    };
    const report = idOf(
      await client.post('/dashboard/api/saved-reports', {name: 'Growth', page: '/trends', search: ''}),
    );
    const made = {
      funnel: idOf(await key.post('/v1/funnels', funnel)),
      alert: idOf(await client.post('/dashboard/api/v1/alerts', alert)),
      webhook: idOf(await admin.post('/dashboard/api/v1/webhooks', webhook)),
    };
    const change = {version: 1, name: 'Growth of all'};
    expect((await client.post(`/dashboard/api/saved-report?id=${report}`, change)).status).toBe(200);
    expect((await client.post(`/dashboard/api/saved-report?id=${report}`, {place: -7})).status).toBe(200);
    expect((await client.post(`/dashboard/api/saved-report?id=${report}`, change)).status).toBe(412);
    expect((await admin.ask('PATCH', `/dashboard/api/v1/alerts/${made.alert}`, {json: {minutes: 90}})).status).toBe(
      200,
    );
    expect((await key.delete(`/v1/funnels/${made.funnel}`)).status).toBe(200);
    expect((await key.send('PUT', '/v1/names/hidden', {json: {names: []}})).status).toBe(200);
    const record = await recordedChanges();
    const shown = record.slice(0, 8).map(({what, by, subject, name, count}) => [what, by, subject, name, count]);
    expect(shown).toEqual([
      ['names.hidden', 'bootstrap', null, null, 1],
      ['funnel.deleted', 'bootstrap', made.funnel, null, 1],
      ['alert.changed', 'admin', made.alert, 'No orders', 1],
      ['saved-report.changed', 'a analyst', report, 'Growth of all', 2],
      ['webhook.created', 'admin', made.webhook, null, 1],
      ['alert.created', 'a analyst', made.alert, 'No orders', 1],
      ['funnel.created', 'bootstrap', made.funnel, null, 1],
      ['saved-report.created', 'a analyst', report, 'Growth of all', 1],
    ]);
  });
});

test('the form of an alert is told who would hear of it: what exists of what it names, and no chat of users', async () => {
  const {client} = await personAs('analyst');
  const chat = {kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/Y', types: [{type: 'report.threshold'}]};
  const added = await admin.post('/dashboard/api/v1/webhooks', chat);
  expect(added.status, added.text).toBe(201);
  const {id} = added.json<{id: string}>();
  const named = `endpoint=${id}&endpoint=wh_0123456789abcdef`;
  const reaches = async (query: string) =>
    (await client.get(`/dashboard/api/alert-reach?${query}`)).json<{reaches: number}>().reaches;
  await until('it is counted', async () => (await reaches(named)) === 1);
  expect(await reaches(`${named}&funnel=fn_0123456789abcdef`)).toBe(0);
  expect((await admin.delete(`/dashboard/api/v1/webhooks/${id}`)).status).toBe(200);
  await until('it is gone', async () => (await reaches(named)) === 0);
});

describe('saved reports', () => {
  const path = '/dashboard/api/saved-reports';
  const report = {name: 'Growth', page: '/trends', search: '?event=signup&range=30d'};
  type Listed = {reports: {id: string; name: string; version: number; changed_by: string}[]};
  const list = async (): Promise<Listed['reports']> => (await admin.get(path)).json<Listed>().reports;

  test('who saves one sees it in the list, everybody else too, with who and when', async () => {
    const {client} = await personAs('analyst');
    const saved = await client.post(path, report);
    expect(saved.status).toBe(201);
    expect(saved.json()).toMatchObject({...report, version: 1, changed_by: 'a analyst'});
    expect(await list()).toContainEqual(saved.json());
    const {client: reader} = await personAs('reader');
    expect((await reader.get(path)).json<Listed>().reports).toContainEqual(saved.json());
  });

  test('of two who change it the second is told what the first made of it, and nothing is lost', async () => {
    const {id} = (await admin.post(path, report)).json<{id: string}>();
    const {client} = await personAs('analyst');
    const first = await client.post(`/dashboard/api/saved-report?id=${id}`, {version: 1, search: '?event=login'});
    expect(first.json()).toMatchObject({version: 2, search: '?event=login', name: 'Growth', changed_by: 'a analyst'});
    const second = await admin.post(`/dashboard/api/saved-report?id=${id}`, {version: 1, name: 'Mine'});
    expect([second.status, codeOf(second)]).toEqual([412, 'changed_meanwhile']);
    expect(second.json()).toMatchObject({report: first.json()});
    const again = await admin.post(`/dashboard/api/saved-report?id=${id}`, {version: 2, name: 'Mine'});
    expect(again.json()).toMatchObject({version: 3, search: '?event=login', name: 'Mine', changed_by: 'admin'});
  });

  test('they are arranged, which changes no version, and deleted', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await admin.post(path, {...report, name})).json<{id: string}>().id);
    const places = (await admin.get(path)).json<{reports: {id: string; place: number}[]}>().reports;
    const place = Math.min(...places.map((one) => one.place)) - 1;
    const moved = await admin.post(`/dashboard/api/saved-report?id=${ids[2]}`, {place});
    expect(moved.json()).toMatchObject({version: 1, place});
    const mine = (await list()).map(({id}) => id).filter((id) => ids.includes(id));
    expect(mine).toEqual([ids[2], ids[0], ids[1]]);
    expect((await admin.delete(`/dashboard/api/saved-report?id=${ids[0]}`)).status).toBe(200);
    expect((await list()).map(({id}) => id)).not.toContain(ids[0]);
    expect((await admin.delete(`/dashboard/api/saved-report?id=${ids[0]}`)).status).toBe(404);
    expect((await admin.post(`/dashboard/api/saved-report?id=fn_0123456789abcdef`, {place: 1})).status).toBe(404);
  });

  test('none is of a page about people, and what is wrong is named', async () => {
    const wrong = [
      ['page', {...report, page: '/people', search: '?user=ada'}],
      ['page', {...report, page: '/events'}],
      ['search', {...report, search: 'event=signup'}],
      ['search', {...report, search: `?${'x'.repeat(20_000)}`}],
      ['name', {...report, name: ''}],
      ['more', {...report, more: 1}],
    ] as const;
    for (const [field, body] of wrong) {
      const answer = await admin.post(path, body);
      expect([answer.status, answer.json<{error: {field: string}}>().error.field]).toEqual([400, field]);
    }
  });
});

describe('boards', () => {
  const path = '/dashboard/api/boards';
  const firstId = 'bd_0000000000000000';
  const list = (client = admin): Promise<readonly BoardAnswer[]> => readBoards(client);
  const read = async (id: string): Promise<BoardAnswer> => (await list()).find((board) => board.id === id)!;
  const one = (method: string, id: string, version: number | string, json?: unknown, client = admin) =>
    client.ask(method, `/dashboard/api/board?id=${id}`, {
      ...(json === undefined ? {} : {json}),
      headers: {'If-Match': typeof version === 'string' ? version : `"${version}"`},
    });
  const put = (board: BoardAnswer, changed: object, client?: BrowserClient): Promise<PageAnswer> => {
    const {id, name, place, pins, version} = board;
    return one('PUT', id, version, {name, place, pins, ...changed}, client);
  };
  const fieldOf = (answer: PageAnswer): unknown => [
    answer.status,
    answer.json<{error: {field?: string}}>().error.field,
  ];

  test('there is one; everybody sees what one pins; of two who change it the second gets the board of the first', async () => {
    const [{client: first}, {client: second}, {client: reader}] = await Promise.all([
      personAs('analyst'),
      personAs('admin'),
      personAs('reader'),
    ]);
    const [before, ...others] = await list(reader);
    expect(others).toEqual([]);
    expect(before).toEqual({
      ...{id: firstId, name: 'Main', place: 0, pins: [], version: 0},
      ...{changed_at: null, changed_by: null},
    });
    const [trend, funnel] = ['/trends?event=signup', '/funnels?step=signup&step=%3Cb%3E'];
    const made = await put(before!, {pins: [trend, funnel]}, first);
    expect(made.json()).toMatchObject({pins: [trend, funnel], version: 1, changed_by: 'a analyst'});
    const late = await put(before!, {pins: [funnel]}, second);
    expect([late.status, codeOf(late)]).toEqual([412, 'changed_meanwhile']);
    expect(late.json()).toMatchObject({board: made.json()});
    const known = await reader.get(path);
    expect(known.json()).toEqual({boards: [made.json()]});
    const same = await reader.get(path, {headers: {'If-None-Match': known.headers.etag as string}});
    expect(same.status).toBe(304);
    const moved = await put(made.json<BoardAnswer>(), {pins: [funnel, trend]}, second);
    expect(moved.json()).toMatchObject({pins: [funnel, trend], version: 2, changed_by: 'a admin'});
    const record = await recordedChanges();
    expect(record.slice(0, 2).map(({what, by, subject, name}) => [what, by, subject, name])).toEqual([
      ['board.changed', 'a admin', firstId, 'Main'],
      ['board.changed', 'a analyst', firstId, 'Main'],
    ]);
  });

  test('of many who change it at once one wins, and what is wrong is named', async () => {
    const board = await read(firstId);
    const answers = await Promise.all(Array.from({length: 8}, (_, at) => put(board, {pins: [`/trends?event=e${at}`]})));
    expect(answers.map(({status}) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    const now = await read(firstId);
    const wrong: readonly (readonly [field: string, changed: object])[] = [
      ['pins', {pins: Array.from({length: 13}, (_, at) => `/trends?event=e${at}`)}],
      ['pins', {pins: ['/trends?event=a', '/trends?event=a']}],
      ['pins', {pins: [`/trends?event=${'x'.repeat(17_000)}`]}],
      ['pins.0', {pins: ['/people?user=ada']}],
      ['pins.0', {pins: ['/activex']}],
      ['pins.0', {pins: ['/trends?event=a b']}],
      ['pins.0', {pins: ['/active?event=a#b']}],
      ['pins.1', {pins: ['/trends?event=a', 7]}],
      ['pins', {pins: undefined}],
      ['name', {name: ''}],
      ['place', {place: '1'}],
      ['more', {more: 1}],
    ];
    for (const [field, changed] of wrong) expect(fieldOf(await put(now, changed))).toEqual([400, field]);
    const content = {name: 'Main', place: 0, pins: []};
    for (const version of ['', '*', ',', '"0", "1"'])
      expect(fieldOf(await one('PUT', firstId, version, content))).toEqual([400, 'If-Match']);
    const every = ['/active', '/lifecycle?event=a', '/retention?start=a', '/paths?event=a', '/funnels?step=a'];
    expect((await put(now, {pins: every})).json()).toMatchObject({pins: every, version: now.version + 1});
    const {version} = await read(firstId);
    expect((await one('PUT', firstId, `W/"${version}",`, content)).status).toBe(200);
  });

  test('they are made, renamed, arranged and deleted; the first one is the one of Overview', async () => {
    const {client: analyst} = await personAs('analyst');
    const made = await analyst.post(path, {name: 'Growth'});
    expect([made.status, made.json()]).toMatchObject([201, {name: 'Growth', pins: [], version: 1}]);
    const growth = made.json<BoardAnswer>();
    expect((await list()).map(({name}) => name)).toEqual(['Main', 'Growth']);
    const renamed = await put(growth, {name: 'Growth of all', place: -1}, analyst);
    expect(renamed.json()).toMatchObject({name: 'Growth of all', version: 2, changed_by: 'a analyst'});
    expect((await list()).map(({name}) => name)).toEqual(['Growth of all', 'Main']);

    const late = await one('DELETE', growth.id, 1, undefined, analyst);
    expect([late.status, late.json()]).toMatchObject([412, {board: {name: 'Growth of all'}}]);
    expect((await one('DELETE', growth.id, 2, undefined, analyst)).status).toBe(200);
    expect((await one('DELETE', growth.id, 2, undefined, analyst)).status).toBe(404);
    expect((await put(renamed.json<BoardAnswer>(), {}, analyst)).status).toBe(404);
    expect((await one('PUT', 'fn_0123456789abcdef', 1, {name: 'x', place: 0, pins: []})).status).toBe(404);
    const {version} = await read(firstId);
    expect(fieldOf(await one('DELETE', firstId, version))).toEqual([400, 'id']);

    const record = await recordedChanges();
    expect(record.slice(0, 3).map(({what, by, subject, name}) => [what, by, subject, name])).toEqual([
      ['board.deleted', 'a analyst', growth.id, null],
      ['board.changed', 'a analyst', growth.id, null],
      ['board.created', 'a analyst', growth.id, null],
    ]);
  });

  test('the first one is deleted as any other, and there are at most twenty', async () => {
    const others: BoardAnswer[] = [];
    for (let n = 1; n < 20; n++) others.push((await admin.post(path, {name: `Board ${n}`})).json<BoardAnswer>());
    const refused = await admin.post(path, {name: 'One more'});
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('there are 20 boards')]);
    expect(fieldOf(await admin.post(path, {name: 'x'.repeat(300)}))).toEqual([400, 'name']);
    const main = await read(firstId);
    expect((await one('DELETE', firstId, main.version)).status).toBe(200);
    expect((await list()).map(({name}) => name)).toEqual(others.map(({name}) => name));
    expect((await put(main, {pins: ['/active']})).status).toBe(404);
    for (const {id, version} of others.slice(1)) expect((await one('DELETE', id, version)).status).toBe(200);
    expect(await list()).toEqual([others[0]]);
  });
});

describe('annotations', () => {
  const path = '/dashboard/api/annotations';
  const list = async (client: BrowserClient): Promise<{id: string; at: string; text: string; created_by: string}[]> =>
    (await client.get(path)).json<{annotations: []}>().annotations;

  test('who may annotate makes and deletes them, everybody sees them, newest first', async () => {
    const [{client: analyst}, {client: reader}] = await Promise.all([personAs('analyst'), personAs('reader')]);
    const texts = [
      ['2026-11-03', 'Price of pro raised'],
      ['2026-11-05T10:00Z', 'Mail to everybody <b>'],
      ['2026-11-04T23:59:59.5Z', 'x'.repeat(200)],
    ];
    for (const [at, text] of texts) {
      const made = await analyst.post(path, {at, text});
      expect([made.status, made.json()]).toMatchObject([201, {at, text, created_by: 'a analyst'}]);
    }
    const listed = await list(reader);
    expect(listed.map(({at}) => at)).toEqual(['2026-11-05T10:00Z', '2026-11-04T23:59:59.5Z', '2026-11-03']);
    for (const {id} of listed) expect((await admin.delete(`${path}?id=${id}`)).status).toBe(200);
    expect((await admin.delete(`${path}?id=${listed[0].id}`)).status).toBe(404);
    expect(await list(reader)).toEqual([]);
    const record = await recordedChanges();
    expect(record.slice(0, 4).map(({what, by}) => [what, by])).toEqual([
      ...Array(3).fill(['annotation.deleted', 'admin']),
      ['annotation.created', 'a analyst'],
    ]);
    expect(JSON.stringify(record)).not.toContain('Price of pro');
  });

  test('what is wrong is named', async () => {
    const right = {at: '2026-11-03', text: 'Launch'};
    const wrong = [
      ['at', {...right, at: '2026-02-30'}],
      ['at', {...right, at: '2026-11-03T10:00'}],
      ['at', {...right, at: '2026-11-03T10:00+01:00'}],
      ['at', {...right, at: 'today'}],
      ['text', {...right, text: ''}],
      ['text', {...right, text: 'x'.repeat(201)}],
      ['text', {...right, text: 'two\nlines'}],
      ['by', {...right, by: 'ada'}],
    ] as const;
    for (const [field, body] of wrong) {
      const answer = await admin.post(path, body);
      expect([answer.status, answer.json<{error: {field: string}}>().error.field]).toEqual([400, field]);
    }
  });
});

describe('what other pages can make a browser send', () => {
  const forgeries: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
    ['another origin', {Origin: 'https://evil.example'}],
    ['another port of the same host', {Origin: 'http://127.0.0.1:1'}],
    ['no origin', {Origin: ''}],
    ['an opaque origin', {Origin: 'null'}],
    ['a form, without the header', {'X-Millrace': ''}],
    ['another site', {'Sec-Fetch-Site': 'cross-site'}],
    ['the same site, another origin', {'Sec-Fetch-Site': 'same-site'}],
  ];

  test.each(forgeries)('%s: refused', async (_, headers) => {
    const answers = [
      await admin.post('/dashboard/api/keys', {kind: 'write', name: 'forged'}, {headers}),
      await admin.delete('/dashboard/api/key?id=key_nothing', {headers}),
      await openBrowser().post('/dashboard/api/session', {token: service.adminToken}, {headers}),
    ];
    expect(answers.map(codeOf)).toEqual(['origin_not_allowed', 'origin_not_allowed', 'origin_not_allowed']);
  });

  test('a page over plain http beyond loopback sends no Sec-Fetch-Site, and may', async () => {
    const answer = await admin.delete('/dashboard/api/key?id=key_nothing', {headers: {'Sec-Fetch-Site': ''}});
    expect(answer.status).toBe(404);
  });

  test('a name that somebody else points here is refused, with the cure; those that are ours are not', async () => {
    const {port} = new URL(service.baseUrl);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'STATS.example.com.evil']) {
      for (const path of ['/dashboard', '/dashboard/api/session', '/']) {
        const answer = await admin.get(path, {headers: {Host: host}});
        expect([host, path, answer.status]).toEqual([host, path, 403]);
        expect(answer.text).toContain('DASHBOARD_HOSTS');
      }
    }
    for (const host of ['localhost', `localhost:${port}`, '192.168.1.9', `[::1]:${port}`, 'Stats.Example.com']) {
      expect([host, (await admin.get('/dashboard', {headers: {Host: host}})).status]).toEqual([host, 200]);
    }
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
    expect([person.status, person.headers.location]).toEqual([302, '/dashboard']);
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
