// Things that people keep, over HTTP: a table of all kinds, each managed by a key under /v1 and by people under the dashboard's path.
import {beforeAll, describe, expect, test} from 'vitest';
import type {z} from 'zod';
import type {userFunnelsAnswer} from '../../src/edge/answers/saved-funnels.js';
import type {RecordLine} from '../../src/edge/dashboard/answers/record.js';
import {resources} from '../../src/edge/resources/all.js';
import {pageItemsMax, type Resource} from '../../src/edge/resources/resource.js';
import {BrowserClient} from '../support/browser-client.js';
import {type Answer, expectError, expectJson, query} from '../support/http.js';
import {digested, keptKinds} from '../support/kept-kinds.js';
import {reportCovering} from '../support/reports.js';
import {until} from '../support/until.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

type Item = {readonly id: string; readonly version: string; readonly created_at: string};
type Page = {readonly data: readonly Item[]; readonly has_more: boolean; readonly next_cursor: string | null};

let admin: BrowserClient;
let person: BrowserClient;

beforeAll(async () => {
  admin = new BrowserClient(under.service.baseUrl);
  expect((await admin.signIn({token: under.service.adminToken})).status).toBe(200);
  const made = await admin.post('/dashboard/api/people', {name: 'Ada', role: 'admin'});
  person = new BrowserClient(under.service.baseUrl);
  expect((await person.signIn({token: made.json<{token: string}>().token})).status).toBe(200);
});

/** What was done to this one, the oldest first. A line is stored soon after its change. */
const recordOf = (subject: string, count: number): Promise<readonly RecordLine[]> =>
  until(`the record has ${count} changes of ${subject}`, async () => {
    const {record} = (await admin.get('/dashboard/api/record')).json<{record: readonly RecordLine[]}>();
    const ours = record.filter((line) => line.subject === subject).reverse();
    return ours.length >= count && ours;
  });

const byCreation = (a: Item, b: Item): number =>
  a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1;

describe.each(resources)('$noun', (kind: Resource) => {
  const {bodies, isByCreation, currentName, change, wrong} = keptKinds[kind.name];
  const path = `/v1/${kind.name}s`;
  const send = (method: string, id: string, json?: object, ifMatch?: string): Promise<Answer> =>
    under.read.send(method, `${path}/${id}`, {
      ...(json !== undefined && {json}),
      ...(ifMatch !== undefined && {headers: {'If-Match': ifMatch}}),
    });
  const created = async (body: object): Promise<Item> => {
    const answer = await under.read.post(path, body);
    expectJson(answer, 201);
    expect(answer.headers.etag).toBe(`"${answer.json<Item>().version}"`);
    // Only this answer shows these.
    const {secret: _, token: __, ...item} = answer.json<Item & {readonly secret?: string; readonly token?: string}>();
    return item;
  };
  const page = async (query: string): Promise<Page> => (await under.read.get(`${path}?${query}`)).json<Page>();

  if (kind.name === 'digest') {
    beforeAll(async () => {
      const questions = [{report: 'counts', events: [{event: 'signup'}]}];
      digested.id = (await under.read.post('/v1/saved-reports', {name: 'Growth', questions})).json<Item>().id;
    });
  }

  test('is created, read, changed and deleted by a key and by a person, of whom the record knows', async () => {
    const made = await created(bodies[0]);
    const {id, version} = made;
    expect(made).toMatchObject(bodies[0]);
    const read = await under.read.get(`${path}/${id}`);
    expect([read.json(), read.headers.etag]).toEqual([made, `"${version}"`]);
    expect((await person.get(`/dashboard/api${path}/${id}`)).json()).toEqual(made);
    expect((await person.get(`/dashboard/api${path}`)).json<Page>().data).toContainEqual(made);

    const json = {...change};
    const headers = {'If-Match': read.headers.etag!};
    const changed = await person.ask('PATCH', `/dashboard/api${path}/${id}`, {json, headers});
    expect([changed.status, changed.json()]).toMatchObject([200, {id, ...change}]);
    const {version: newer} = changed.json<Item>();
    expect(newer).not.toBe(version);
    expect((await under.read.get(`${path}/${id}`)).json()).toEqual(changed.json());

    for (const late of [
      await send('PATCH', id, {}, `"${version}"`),
      await send('DELETE', id, undefined, `"${version}"`),
    ]) {
      expect([late.status, late.headers.etag]).toEqual([412, `"${newer}"`]);
      expect(late.json()).toMatchObject({
        ...{error: {code: 'changed_meanwhile'}, current: changed.json()},
        ...(currentName !== undefined && {[currentName]: changed.json()}),
      });
    }
    const next = Object.fromEntries(Object.entries(bodies[1]).filter(([field]) => field in change));
    const many = await Promise.all(Array.from({length: 6}, () => send('PATCH', id, next, `"${newer}"`)));
    expect(many.map(({status}) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    expectError(await send('PATCH', id, {}, 'latest'), 400, 'invalid_request', 'If-Match');
    expectJson(await send('PATCH', id, {}), 200); // Without the header the last change counts.
    expectError(await send('PATCH', id, {more: 1}), 400, 'invalid_request', 'more');
    expectError(await under.read.get(`${path}/${id}?at=1`), 400, 'invalid_request', 'at');

    const {version: newest} = (await send('GET', id)).json<Item>();
    const deleted = await send('DELETE', id, undefined, `W/"${newest}",`);
    expect([deleted.status, deleted.json()]).toEqual([200, {status: 'deleted', id}]);
    for (const unknown of [id, 'xx_0123456789abcdef']) {
      expectError(await send('GET', unknown), 404, 'not_found');
      expectError(await send('PATCH', unknown, change), 404, 'not_found');
      expectError(await send('DELETE', unknown), 404, 'not_found');
    }
    const lines = (await recordOf(id, 4)).map(({what, by}) => `${what} by ${by}`);
    expect([lines[0], lines[1], lines.at(-1)]).toEqual([
      `${kind.name}.created by bootstrap`,
      `${kind.name}.changed by Ada`,
      `${kind.name}.deleted by bootstrap`,
    ]);
  });

  test('is listed in pages that follow each other, also after the last one of a page is deleted', async () => {
    const before = (await page('limit=1')).data.length;
    expect(before).toBe(0);
    const made = [await created(bodies[2]), await created(bodies[0]), await created(bodies[1])];
    // Two may be of one millisecond.
    const [first, second, third] = isByCreation ? made.sort(byCreation) : [made[1], made[2], made[0]];
    const whole = await under.read.get(path);
    expect(whole.json()).toEqual({
      ...{data: [first, second, third], has_more: false, next_cursor: null},
      ...kind.beside?.example,
    });
    const same = await under.read.get(path, {'If-None-Match': whole.headers.etag!});
    expect([same.status, same.headers.etag]).toEqual([304, whole.headers.etag]);
    const one = await page('limit=2');
    expect(one).toMatchObject({data: [first, second], has_more: true});
    expectJson(await send('DELETE', second.id), 200);
    expect(await page(`limit=2&cursor=${one.next_cursor}`)).toMatchObject({
      ...{data: [third], has_more: false, next_cursor: null},
    });
    for (const cursor of ['x', 'bnVsbA', one.next_cursor!.slice(1), 'y'.repeat(300)])
      expectError(await under.read.get(`${path}?cursor=${cursor}`), 400, 'invalid_cursor', 'cursor');
    expectError(await under.read.get(`${path}?limit=${pageItemsMax + 1}`), 400, 'invalid_request', 'limit');
    for (const {id} of [first, third]) expectJson(await send('DELETE', id), 200);
  });

  test.each(wrong)('with a wrong %s is refused: %j', async (field, body) => {
    expectError(await under.read.post(path, body), 400, 'invalid_request', field);
  });
});

test('the record has no text of what people wrote', async () => {
  const {record} = (await admin.get('/dashboard/api/record')).json<{record: readonly RecordLine[]}>();
  expect(record.length).toBeGreaterThan(resources.length);
  expect(JSON.stringify(record)).not.toContain('Price of pro');
});

test('how far a user got in a saved funnel is live; its report counts as that of the same steps', async () => {
  const [cart, buy, ada, bob] = [freshId('cart'), freshId('buy'), freshId(), freshId()];
  const saved = await under.read.post('/v1/funnels', {
    name: 'checkout',
    question: {report: 'funnel', steps: [{event: cart}, {event: buy}], window: '1h'},
  });
  const {id} = saved.json<Item>();
  const track = (userId: string, event: string, time: string): Promise<unknown> =>
    under.trackAll([{event, userId, timestamp: `2024-05-01T${time}:00Z`}]);
  const reached = async (userId: string) => {
    const answer = await under.read.get(`/v1/user/funnels?${query({userId})}`);
    return (answer.json() as z.infer<typeof userFunnelsAnswer>).data.find((one) => one.id === id);
  };
  expectError(await under.read.get(`/v1/user/funnels?${query({userId: ada})}`), 404, 'user_not_found');
  await track(ada, buy, '09:00');
  expect(await reached(ada)).toEqual({id, name: 'checkout', reached: 0, steps: 2, reached_at: null});
  await track(ada, cart, '10:00');
  expect(await reached(ada)).toMatchObject({reached: 1, reached_at: '2024-05-01T10:00:00.000Z'});
  await track(ada, buy, '12:00'); // After the window.
  await track(bob, buy, '11:30');
  expect(await reached(ada)).toMatchObject({reached: 1});
  await track(ada, cart, '11:00'); // Late.
  expect(await reached(ada)).toMatchObject({reached: 2, reached_at: '2024-05-01T12:00:00.000Z'});
  expect(await reached(bob)).toMatchObject({reached: 0});
  const may = {from: '2024-05-01', to: '2024-05-31'};
  const report = await reportCovering(under.read, `/v1/funnels/${id}/report?${query(may)}`, under.positions);
  expectJson(report, 200);
  expect(report.json()).toMatchObject({
    steps: [
      {event: cart, count: 1},
      {event: buy, count: 1},
    ],
    total: 1,
  });
  const plain = await under.read.get(`/v1/reports/funnel?steps[]=${cart}&steps[]=${buy}&window=1h&${query(may)}`);
  expect(report.json()).toEqual(plain.json());
  expectError(await under.read.get(`/v1/funnels/${id}/report?from=never`), 400, 'invalid_request', 'from');
  expectJson(await under.read.delete(`/v1/funnels/${id}`), 200);
});
