// Links that share a report, against a running service: what whoever has one sees, and what it never opens.
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {CreatedShareAnswer, ShareAnswer} from '../../../src/edge/answers/shares.js';
import type {RecordAnswer} from '../../../src/edge/dashboard/answers/record.js';
import type {SharedBoardAnswer, SharedReportAnswer} from '../../../src/edge/dashboard/answers/shared-report.js';
import {BrowserClient, type PageAnswer} from '../../support/browser-client.js';
import {Client, query} from '../../support/http.js';
import {keptAt} from '../../support/kept-report.js';
import {type Service, startService} from '../../support/service.js';
import {until} from '../../support/until.js';

let service: Service;
let admin: BrowserClient;
let keeper: Client;

const api = '/dashboard/api';
/** Of each plan six: fewer than five would be people. */
const users = 12;
const dayMs = 86_400_000;

beforeAll(async () => {
  service = await startService({env: {DASHBOARD_HOSTS: 'stats.example.com', TRUSTED_PROXIES: '127.0.0.1'}});
  admin = new BrowserClient(service.baseUrl);
  expect((await admin.signIn({token: service.adminToken})).status).toBe(200);
  keeper = new Client(service.baseUrl, service.secretKey);
  const timestamp = new Date(Date.now() - 2 * dayMs).toISOString();
  const events = Array.from({length: users}, (_, u) => [
    {
      event: 'signup',
      userId: `u${u}`,
      timestamp,
      properties: {plan: u % 2 === 0 ? 'pro' : 'free', contact: `u${u}@x.io`, nick: `nick ${u}`},
    },
    {event: 'login', userId: `u${u}`, timestamp: new Date(Date.parse(timestamp) + 60_000).toISOString()},
  ]).flat();
  expect((await keeper.post('/v1/events/batch', {events})).status).toBe(200);
  await until('everything is in reports', async () => (await countOf('login')) === users);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const countOf = async (event: string): Promise<number> => {
  const from = new Date(Date.now() - 7 * dayMs).toISOString().slice(0, 10);
  const to = new Date().toISOString().slice(0, 10);
  return (await keeper.get(`/v1/reports/events?event=${event}&from=${from}&to=${to}`)).json<{total: number}>().total;
};

let people = 0;
async function personAs(role: string): Promise<BrowserClient> {
  const made = await admin.post(`${api}/people`, {name: `a ${role}`, role});
  const client = new BrowserClient(service.baseUrl);
  const headers = {'X-Forwarded-For': `10.0.0.${(people += 1)}`};
  const answer = await client.post(`${api}/session`, {token: made.json<{token: string}>().token}, {headers});
  client.cookie = answer.headers['set-cookie']![0].split(';', 1)[0];
  return client;
}

const nobody = (): BrowserClient => new BrowserClient(service.baseUrl);
const save = async (page: string, search: string, name = 'Growth'): Promise<string> =>
  (await admin.post(`${api}/v1/saved-reports`, {name, ...keptAt(page + search)})).json<{id: string}>().id;
/** A link that follows the saved report. */
const follow = (report: string, more: object = {}): Promise<PageAnswer> =>
  admin.post(`${api}/v1/shares`, {report, ...more});
const revoke = (client: BrowserClient, id: string): Promise<PageAnswer> => client.delete(`${api}/v1/shares/${id}`);
const edit = (report: string, json: object): Promise<PageAnswer> =>
  admin.ask('PATCH', `${api}/v1/saved-reports/${report}`, {json});
const share = (page: string, search: string, more: object = {}): Promise<PageAnswer> =>
  admin.post(`${api}/v1/shares`, {name: 'Growth', ...keptAt(page + search), ...more});

async function linkTo(page: string, search: string, more: object = {}): Promise<CreatedShareAnswer> {
  const made = await share(page, search, more);
  expect([made.status, made.text]).toEqual([201, expect.stringContaining('token')]);
  return made.json<CreatedShareAnswer>();
}

/** What a link shows. A link that was read 120 times within a minute is read again as soon as it may be. */
const read = (token: string): Promise<SharedReportAnswer> =>
  until('the link may be read', async () => {
    const answer = await nobody().get(`${api}/shares/${token}`);
    return answer.status !== 429 && answer.json<SharedReportAnswer>();
  });
const listed = async (id: string): Promise<ShareAnswer | undefined> =>
  (await admin.get(`${api}/v1/shares`)).json<{data: ShareAnswer[]}>().data.find((one) => one.id === id);
const noLink = {error: {code: 'not_found', message: 'this link was revoked, has ended, or never was one'}};
const errorOf = (answer: PageAnswer): {code: string; message: string; field?: string} =>
  answer.json<{error: {code: string; message: string; field?: string}}>().error;

describe('what a link shows', () => {
  test('the answers to exactly its questions, to whoever has it: the numbers of the API, and nothing else of the answers', async () => {
    const {token} = await linkTo('/trends', '?event=signup&by=plan&range=7d');
    const {answers, at, ...report} = await read(token);
    expect(report).toEqual({name: 'Growth'});
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
    for (const [place, answer] of answers.entries()) {
      const {meta, so_far: soFar, ...rest} = answer as Extract<typeof answer, {meta: unknown}>;
      const {meta: _, ...asKey} = (await keeper.post('/v1/query', answer.question)).json<{meta: unknown}>();
      expect(rest).toEqual(asKey);
      expect(Object.keys(meta).sort()).toEqual(['as_of', 'incomplete_from', 'next_by']);
      // Today is in its days: the range before is answered up to the same moment, too.
      expect(soFar === undefined).toBe(place > 0);
    }
    expect(answers.map(({question}) => (question.report === 'counts' ? question.events![0]!.measure?.of : ''))).toEqual(
      [undefined, 'users'],
    );
    expect(JSON.stringify(answers)).not.toMatch(/hint|log_position/);
  });

  test('a board as it becomes: the answers to exactly the questions of its tiles; deleted it is shown no more', async () => {
    const signups = keptAt('/trends?event=signup&range=7d&compare=off');
    const tiles = [{text: 'Why <b>'}, {...signups, name: 'New', width: 'third'}, keptAt('/lifecycle?event=login')];
    const {id} = (await admin.post(`${api}/v1/boards`, {name: 'Weekly', tiles})).json<{id: string}>();
    const made = (await admin.post(`${api}/v1/shares`, {board: id})).json<CreatedShareAnswer>();
    const readBoard = async () => (await read(made.token)) as unknown as SharedBoardAnswer;
    const first = await readBoard();
    expect(Object.keys(first).sort()).toEqual(['at', 'name', 'tiles']);
    expect(first).toMatchObject({name: 'Weekly', tiles: [{text: 'Why <b>'}, {name: 'New', width: 'third'}, {}]});
    const {data} = (await admin.get(`${api}/v1/boards`)).json<{data: {id: string; tiles: (typeof signups)[]}[]}>();
    const kept = data.find((board) => board.id === id)!.tiles;
    for (const [at, tile] of first.tiles.entries()) {
      if (tile.text !== undefined) continue;
      expect(tile.answers.map(({question}) => question)).toEqual(kept[at]!.questions);
      for (const one of tile.answers) {
        const {meta: _, ...asKey} = (await keeper.post('/v1/query', one.question)).json<{meta: unknown}>();
        expect(one).toMatchObject(asKey);
      }
    }
    expect(JSON.stringify(first)).not.toMatch(/hint|log_position|"questions"/);
    expect(await listed(made.id)).toMatchObject({is_shown: true, board: id, name: 'Weekly'});

    const json = {name: 'Daily', tiles: [keptAt('/trends?event=signup&by=contact')]};
    expect((await admin.ask('PATCH', `${api}/v1/boards/${id}`, {json})).status).toBe(200);
    await until('it names people since then', async () => 'error' in (await read(made.token)));
    expect(await read(made.token)).toMatchObject({error: {message: expect.stringContaining('names people')}});
    const naming = await admin.post(`${api}/v1/shares`, {board: id});
    expect(errorOf(naming)).toMatchObject({
      field: 'may_name_people',
      message: expect.stringContaining('the board may name'),
    });
    expect((await admin.ask('PATCH', `${api}/v1/boards/${id}`, {json: {tiles: []}})).status).toBe(200);
    await until('it is shown again', async () => 'tiles' in (await read(made.token)));
    expect((await admin.delete(`${api}/v1/boards/${id}`)).status).toBe(200);
    await until('the deletion is known', async () => 'error' in (await read(made.token)));
    expect(await read(made.token)).toMatchObject({error: {message: 'the board of this link was deleted'}});
  });

  test('the report as it was, or as it becomes; deleted it is shown no more by a link that follows it', async () => {
    const id = await save('/trends', '?event=signup&range=7d');
    const [frozen, following] = [await share('/trends', '?event=signup&range=7d'), await follow(id)].map((answer) =>
      answer.json<CreatedShareAnswer>(),
    );
    const change = {...keptAt('/trends?event=login&range=7d'), name: 'Logins'};
    expect((await edit(id, change)).status).toBe(200);
    expect(await read(frozen!.token)).toMatchObject({
      name: 'Growth',
      answers: [{question: {events: [{event: 'signup'}]}}, {}],
    });
    expect(await read(following!.token)).toMatchObject({
      name: 'Logins',
      answers: [{question: {events: [{event: 'login'}]}}, {}],
    });
    expect((await admin.delete(`${api}/v1/saved-reports/${id}`)).status).toBe(200);
    await until('the deletion is known', async () => 'error' in (await read(following!.token)));
    expect(await read(following!.token)).toMatchObject({error: {message: 'the report of this link was deleted'}});
    expect(await read(frozen!.token)).toMatchObject({name: 'Growth'});
    expect(await listed(following!.id)).toMatchObject({is_shown: false, report: id, name: 'Growth'});
    expect(await listed(frozen!.id)).toMatchObject({is_shown: true, questions: expect.any(Array)});
    const renamed = (link: CreatedShareAnswer) =>
      admin.ask('PATCH', `${api}/v1/shares/${link.id}`, {json: {name: 'New'}});
    expect((await renamed(frozen!)).status).toBe(200);
    await until('it has the name', async () => (await read(frozen!.token)).name === 'New');
    expect(errorOf(await renamed(following!))).toMatchObject({field: 'name'});
  });

  test('its page: for nobody to index, to keep or to embed, except the origins it was made for', async () => {
    const headersOf = async (token: string) => (await nobody().get(`/dashboard/share/${token}`)).headers;
    const {token} = await linkTo('/trends', '?event=signup', {
      origins: ['https://wiki.example.com', 'http://localhost:3000', 'https://wiki.example.com'],
    });
    const embedded = await headersOf(token);
    const ancestors = 'frame-ancestors https://wiki.example.com http://localhost:3000;';
    expect(embedded['content-security-policy']).toContain(ancestors);
    expect(embedded).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    });
    for (const other of [(await linkTo('/trends', '?event=signup')).token, 'x'.repeat(32)]) {
      expect((await headersOf(other))['content-security-policy']).toContain("frame-ancestors 'none';");
    }
    expect((await nobody().get(`/dashboard/share/${token}`)).text).toContain('name="robots" content="noindex"');
    expect((await nobody().get(`${api}/shares/${token}`)).headers['x-robots-tag']).toBe('noindex');
    expect((await nobody().get(`/dashboard/share/${token}`, {headers: {Host: 'evil.example'}})).status).toBe(403);
  });
});

describe('what a link does not open', () => {
  test('no other route: not as a key, a session, a code, nor in a path', async () => {
    const {token, id} = await linkTo('/trends', '?event=signup');
    const asKey = new Client(service.baseUrl, token);
    for (const path of ['/v1/events', '/v1/names', '/v1/users', '/v1/reports/users?from=2026-01-01&to=2026-01-02'])
      expect([path, (await asKey.get(path)).status]).toEqual([path, 401]);
    expect((await asKey.get('/admin/v1/keys')).status).toBe(401);
    for (const way of [{token}, {code: token}]) {
      const headers = {'X-Forwarded-For': `10.7.0.${(people += 1)}`};
      expect((await nobody().post(`${api}/session`, way, {headers})).status).toBe(401);
    }
    const visitor = nobody();
    visitor.cookie = `millrace_session=${token}`;
    const paths = [
      ...'v1/shares v1/saved-reports v1/names v1/events v1/users v1/user?userId=u1 stream people'.split(' '),
    ];
    for (const path of [...paths, `v1/shares/${id}`, 'v1/reports/events?event=signup&from=2026-01-01&to=2026-01-02']) {
      const plain = await nobody().get(`${api}/${path}`);
      expect([path, [401, 405].includes(plain.status)]).toEqual([path, true]);
      expect([path, (await visitor.get(`${api}/${path}`)).status]).toEqual([path, plain.status]);
    }
    for (const path of [`shares/${token}/v1/names`, `shares/${token}/`, `v1/names/${token}`, `share/${token}`])
      expect([path, (await nobody().get(`${api}/${path}`)).status]).toEqual([path, 404]);
  });

  test('it takes no parameter, no other method, and changes nothing of what is answered by headers', async () => {
    const {token} = await linkTo('/trends', '?event=signup');
    const path = `${api}/shares/${token}`;
    for (const given of [
      'event=login',
      'at=0:1.1',
      'format=csv',
      'range=90d',
      'from=2020-01-01',
      'search=%3Fevent%3Dlogin',
    ])
      expect([given, (await nobody().get(`${path}?${given}`)).status]).toEqual([given, 400]);
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH'])
      expect([method, (await nobody().ask(method, path, {json: {}})).status]).toEqual([method, 405]);
    const csv = await nobody().get(path, {
      headers: {Accept: 'text/csv', 'Min-Log-Position': '0:1.1', 'If-None-Match': '*'},
    });
    expect(csv.json()).toMatchObject({name: 'Growth'});
  });

  test('what is no token is no link: the hash of one, its id, a part of it, escapes', async () => {
    const {token, id} = await linkTo('/trends', '?event=signup');
    for (const text of [
      id,
      token.slice(1),
      `${token}=`,
      token.toLowerCase(),
      '%2e%2e',
      'x'.repeat(32),
      'x'.repeat(5_000),
    ]) {
      if (text === token) continue;
      const answer = await nobody().get(`${api}/shares/${text}`);
      expect([text.slice(0, 40), answer.status, answer.json()]).toEqual([text.slice(0, 40), 200, noLink]);
    }
    expect(JSON.stringify(await listed(id))).not.toContain(token);
    expect(service.logs()).not.toContain(token);
  });

  test('revoked it shows nothing from then on', async () => {
    const {token, id} = await linkTo('/trends', '?event=signup', {origins: ['https://wiki.example.com']});
    expect(await read(token)).toMatchObject({name: 'Growth'});
    expect((await revoke(admin, id)).status).toBe(200);
    expect(await read(token)).toEqual(noLink);
    expect((await nobody().get(`/dashboard/share/${token}`)).headers['content-security-policy']).toContain(
      "frame-ancestors 'none'",
    );
    expect(await listed(id)).toBeUndefined();
    expect((await revoke(admin, id)).status).toBe(404);
  });

  test('ended it shows nothing, until it has another end', async () => {
    const {token, id} = await linkTo('/trends', '?event=signup');
    const endAt = (end: string) => admin.ask('PATCH', `${api}/v1/shares/${id}`, {json: {ends_at: end}});
    expect((await endAt(new Date(Date.now() + 1_000).toISOString())).status).toBe(200);
    await until('it has ended', async () => 'error' in (await read(token)));
    expect(await read(token)).toEqual(noLink);
    expect((await endAt('never')).json()).toMatchObject({ends_at: 'never'});
    expect(await read(token)).toMatchObject({name: 'Growth'});
  });

  test('an address reads a link 120 times a minute; then it is told when to come back, and another link is not slowed down', async () => {
    const [one, other] = [await linkTo('/trends', '?event=signup'), await linkTo('/trends', '?event=login')];
    const answers = await Promise.all(Array.from({length: 300}, () => nobody().get(`${api}/shares/${one.token}`)));
    const refused = answers.filter(({status}) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(120);
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0);
    expect(await read(other.token)).toMatchObject({name: 'Growth'});
    expect(await listed(one.id)).toMatchObject({
      reads: answers.length - refused.length,
      last_read_at: expect.any(String),
    });
  });
});

describe('who makes links, and of what', () => {
  test('admins alone; the list says who made one, and the record who made and who revoked it', async () => {
    const report = await save('/trends', '?event=signup');
    const others = [await personAs('reader'), await personAs('analyst')];
    for (const other of others) {
      expect((await other.post(`${api}/v1/shares`, {report})).status).toBe(403);
      expect((await other.get(`${api}/v1/shares`)).status).toBe(403);
    }
    const made = await (await personAs('admin')).post(`${api}/v1/shares`, {report});
    expect(made.status).toBe(201);
    const {id: link, token, ends_at: end} = made.json<CreatedShareAnswer>();
    expect(Math.abs(Date.parse(end) - Date.now() - 30 * dayMs)).toBeLessThan(60_000);
    expect(await listed(link)).toMatchObject({created_by: 'a admin', name: 'Growth', reads: 0, last_read_at: null});
    for (const other of others) expect((await revoke(other, link)).status).toBe(403);
    expect((await revoke(admin, link)).status).toBe(200);
    const {record} = (await admin.get(`${api}/record`)).json<RecordAnswer>();
    const lines = record.filter(({subject}) => subject === link);
    expect(lines.map(({what, by, name}) => [what, by, name])).toEqual([
      ['share.deleted', 'admin', null],
      ['share.created', 'a admin', null],
    ]);
    expect(JSON.stringify(record)).not.toContain(token);
    for (const other of others) expect((await other.get(`${api}/record`)).status).toBe(403);
  });
});

describe('what names people', () => {
  const naming = [
    ['/trends', '?event=signup&by=contact', 'it lists values of contact, which may name people'],
    ['/trends', '?event=signup&where=1:contact+eq+u1@x.io', 'it filters by contact, which may name a person'],
    ['/trends', '?event=signup&user_where=email+set', 'it filters by email, which may name a person'],
    ['/retention', '?start=signup&return_where=userId+eq+u1', 'it filters by userId, which may name a person'],
    ['/active', '?by=trait:e-mail', 'it lists values of e-mail, which may name people'],
  ] as const;

  test.each(naming)('%s%s asks once more', async (page, search, why) => {
    const asked = await share(page, search);
    expect([asked.status, errorOf(asked)]).toMatchObject([400, {field: 'may_name_people'}]);
    expect(errorOf(asked).message).toMatch(new RegExp(`: ${why.replaceAll('.', '\\.')}$`));
    const made = await share(page, search, {may_name_people: true});
    expect(made.status).toBe(201);
    expect(await read(made.json<CreatedShareAnswer>().token)).toMatchObject({name: 'Growth'});
  });

  test('a report that names people since it was shared is shown no more', async () => {
    const id = await save('/trends', '?event=signup');
    const {token} = (await follow(id)).json<CreatedShareAnswer>();
    expect(await read(token)).toMatchObject({name: 'Growth'});
    expect((await edit(id, keptAt('/trends?event=signup&by=contact'))).status).toBe(200);
    await until('the link shows nothing', async () => 'error' in (await read(token)));
    expect(JSON.stringify(await read(token))).not.toContain('@');
  });
});

describe('a user who is deleted', () => {
  interface Receipt {
    readonly id: string;
    readonly named_by: readonly {readonly kind: string; readonly id: string; readonly is_there: boolean}[];
  }
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await admin.post(`${api}/${path}`, body);
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    return answer.json<{id: string}>().id;
  };

  const hideNames = (json: object) => keeper.send('PUT', '/v1/names/hidden', {json});

  test('what names them is in the receipt, links to it stop at once, and an admin decides about the rest', async () => {
    const userId = 'eve-17';
    for (let u = 0; u < 6; u++)
      await keeper.post('/v1/users/identify', {userId: u === 0 ? userId : `of-team-${u}`, traits: {plan: 'team'}});
    await keeper.post('/v1/users/identify', {userId, traits: {name: 'Eve Adams', email: 'Eve@x.io'}});
    // A write key cannot make an e-mail address one of many.
    const writer = new Client(service.baseUrl, service.writeKey);
    for (let u = 1; u < 6; u++)
      await writer.post('/v1/users/identify', {userId: `of-team-${u}`, traits: {email: 'Eve@x.io'}});
    for (const value of ['plan eq team', 'email eq Eve@x.io'])
      await until(`lists have six users of ${value}`, async () => {
        const path = `/v1/users?${query({user_where: value, limit: 10})}`;
        return (await keeper.get(path)).json<{data: unknown[]}>().data.length === 6;
      });
    const ofEve = '?event=signup&user_where=email+eq+eve%40x.io';
    const report = await save('/trends', ofEve, 'Signups of one');
    const fixed = (
      await share('/trends', ofEve, {name: 'Signups of one', may_name_people: true})
    ).json<CreatedShareAnswer>();
    const following = (await follow(await save('/trends', '?event=login', 'Eve Adams'))).json<CreatedShareAnswer>();
    const ofTeam = await linkTo('/trends', '?event=signup&user_where=plan+eq+team');
    const annotation = await made('v1/annotations', {at: '2026-05-01', text: 'Call with Eve Adams'});
    const board = await made('v1/boards', {name: 'About', tiles: [{text: `Call ${userId} back`}]});
    const alert = await made('v1/alerts', {
      name: 'hers',
      kind: 'absence',
      question: {report: 'counts', events: [{event: 'signup'}], users: {where: ['email eq Eve@x.io']}},
      minutes: 60,
    });
    expect((await hideNames({names: [`old ${userId}`, 'old']})).status).toBe(200);

    const answer = await admin.delete(`${api}/v1/user?userId=${userId}`);
    const {deletion} = answer.json<{deletion: Receipt}>();
    for (const token of [fixed.token, following.token]) expect(await read(token)).toEqual(noLink);
    expect(await read(ofTeam.token)).toMatchObject({answers: expect.anything()});
    const byKind = (receipt: Receipt): unknown =>
      Object.fromEntries(
        receipt.named_by.map(({kind, id, is_there}) => [`${kind} ${kind.startsWith('hidden') ? '' : id}`, is_there]),
      );
    const naming = {
      [`saved_report ${report}`]: true,
      [`saved_report ${following.report}`]: true,
      [`share ${fixed.id}`]: false,
      [`share ${following.id}`]: false,
      [`annotation ${annotation}`]: true,
      [`board ${board}`]: true,
      [`alert ${alert}`]: true,
      'hidden_name ': true,
    };
    expect(byKind(deletion)).toEqual(naming);
    expect(answer.text.replace(`"id":"${userId}"`, '')).not.toMatch(/eve-17|eve adams|eve@x/i);

    const titles = (await admin.get(`${api}/naming?deletion=${deletion.id}`)).json<{
      naming: {title: string | null}[];
    }>();
    expect(titles.naming.map(({title}) => title).sort()).toEqual(
      ['About', 'Call with Eve Adams', 'Eve Adams', 'Signups of one', 'hers', null, null, 'old eve-17'].sort(),
    );
    expect((await admin.delete(`${api}/v1/alerts/${alert}`)).status).toBe(200);
    expect((await hideNames({names: ['old']})).status).toBe(200);
    const later = (await keeper.get(`/v1/deletion?id=${deletion.id}`)).json<{deletion: Receipt}>().deletion;
    expect(byKind(later)).toEqual({...naming, [`alert ${alert}`]: false, 'hidden_name ': false});
    expect((await hideNames({names: []})).status).toBe(200);
  });
});
