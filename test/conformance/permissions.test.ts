// Who may do what: every route with every kind of key, from the service's own table of routes. A route that is added there
// needs a row here, and says with it whom it lets in.

import {beforeAll, describe, expect, test} from 'vitest';
import {routes} from '../../src/edge/all-routes.js';
import {resources} from '../../src/edge/resources/all.js';
import {type Method, methodsOf} from '../../src/edge/route.js';
import {templateOf} from '../../src/edge/route-template.js';
import {version} from '../../src/version.js';
import {type Answer, Client, expectError, expectJson} from '../support/http.js';
import {until} from '../support/reports.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();

type Door = 'open' | 'key' | 'write' | 'read' | 'secret' | 'admin';

interface Row {
  /** The path that is asked, with its query. */
  readonly path?: string;
  readonly door: Door;
  readonly body?: () => unknown;
  /** Of whoever is let in. Never 401 or 403. */
  readonly status: number;
  /** The path has a key, so no request is without one. */
  readonly isKeyInPath?: true;
  /** A refusal has its status in the body, and a wrong key is 400. */
  readonly isCoded?: true;
}

const day = 'from=2024-01-01&to=2024-01-01';
const aCall = () => ({type: 'track', event: 'seen', userId: freshId(), previousId: freshId()});
const mixpanelCalls = () => [{event: 'seen', properties: {distinct_id: freshId()}}];
const amplitudeCalls = () => ({events: [{event_type: 'seen', user_id: freshId()}]});
const anEvent = () => ({event: 'seen', userId: freshId()});

const unknownProject = {path: '/v1/projects/unknown/settings', isKeyInPath: true} as const;

/** By method and path, as all-routes.ts writes it; `:id` stands for the last segment. */
const table: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(
    ['batch', 'b', 'import']
      .map((path) => `/v1/${path}`)
      .concat('/beacon/v1/batch')
      .map((path) => [`POST ${path}`, {door: 'write', body: () => ({batch: [aCall()]}), status: 200}]),
  ),
  ...Object.fromEntries(
    ['track', 'page', 'screen', 'identify', 'group', 'alias']
      .flatMap((kind) => [kind, kind[0]!])
      .map((path) => [`POST /v1/${path}`, {door: 'write', body: aCall, status: 200}]),
  ),
  ...Object.fromEntries(
    ['e', 'capture', 'i/v0/e', 'flags', 'decide'].map((path) => [
      `POST /${path}`,
      {door: 'write', body: () => ({event: 'seen', distinct_id: freshId()}), status: 200},
    ]),
  ),
  ...Object.fromEntries(
    ['batch', '2/httpapi'].map((path) => [
      `POST /${path}`,
      {door: 'write', body: amplitudeCalls, status: 200, isCoded: true},
    ]),
  ),
  ...Object.fromEntries(
    ['track', 'import', 'engage', 'groups'].flatMap((path) => [
      [`POST /${path}`, {door: 'write', body: mixpanelCalls, status: 200}],
      [
        `GET /${path}`,
        {path: `/${path}?data=${encodeURIComponent(JSON.stringify(mixpanelCalls()))}`, door: 'write', status: 200},
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['track', 'page', 'screen', 'identify', 'group', 'alias']
      .flatMap((kind) => [kind, `s2s/${kind}`])
      .map((path) => [`POST /api/s/${path}`, {door: 'write', body: aCall, status: 200}]),
  ),
  'POST /api/send': {door: 'write', body: () => ({type: 'event', payload: {name: 'seen'}}), status: 200},
  'POST /api/event': {door: 'write', body: () => ({n: 'seen'}), status: 202},
  'GET /v1/projects/:id/settings': {...unknownProject, door: 'write', status: 200},
  'GET /sourceConfig': {door: 'write', status: 200},
  'POST /v1/events': {door: 'write', body: anEvent, status: 200},
  'GET /v1/events': {door: 'read', status: 200},
  'POST /v1/events/batch': {door: 'write', body: () => ({events: [anEvent()]}), status: 200},
  'POST /v1/users/identify': {door: 'write', body: () => ({userId: freshId()}), status: 200},
  'GET /v1/users/identify': {door: 'read', status: 404},
  'DELETE /v1/users/identify': {door: 'secret', status: 404},
  'GET /v1/users/:id': {path: '/v1/users/nobody-of-this-name', door: 'read', status: 404},
  'DELETE /v1/users/:id': {path: '/v1/users/nobody-of-this-name', door: 'secret', status: 404},
  'GET /v1': {door: 'key', status: 200},
  'GET /v1/user': {path: '/v1/user?userId=nobody', door: 'read', status: 404},
  'DELETE /v1/name': {path: '/v1/name?event=nothing-of-this-name', door: 'secret', status: 404},
  'DELETE /v1/user': {path: '/v1/user?userId=nobody', door: 'secret', status: 404},
  'GET /v1/deletion': {path: '/v1/deletion?id=del_0_unknown', door: 'secret', status: 404},
  'DELETE /admin/v1/key': {path: '/admin/v1/key?id=key_unknown', door: 'admin', status: 404},
  'GET /v1/deletions/:id': {path: '/v1/deletions/del_0_unknown', door: 'secret', status: 404},
  'GET /v1/users': {door: 'read', status: 200},
  'GET /v1/user/export': {path: '/v1/user/export?userId=nobody', door: 'read', status: 404},
  'GET /v1/export': {path: '/v1/export?event=nothing', door: 'read', status: 200},
  'GET /v1/changes': {door: 'read', status: 200},
  'GET /v1/names': {door: 'read', status: 200},
  'GET /v1/names/hidden': {door: 'read', status: 200},
  'PUT /v1/names/hidden': {door: 'secret', body: () => ({names: []}), status: 200},
  'GET /v1/properties/hidden': {door: 'read', status: 200},
  'PUT /v1/properties/hidden': {door: 'secret', body: () => ({properties: []}), status: 200},
  'GET /v1/properties': {door: 'read', status: 200},
  'GET /v1/properties/values': {path: '/v1/properties/values?property=plan', door: 'read', status: 200},
  'GET /v1/traits': {door: 'read', status: 200},
  'GET /v1/traits/values': {path: '/v1/traits/values?trait=plan', door: 'read', status: 200},
  'GET /v1/rejected': {door: 'secret', status: 200},
  ...Object.fromEntries(
    ['events?event=seen&', 'users?', 'funnel?steps[]=seen&', 'funnel/users?steps[]=seen&step=1&']
      .concat(
        'retention?start=seen&any_return=true&',
        'lifecycle?event=seen&',
        'stickiness?event=seen&',
        'paths?start=seen&',
      )
      .map((asked) => [
        `GET /v1/reports/${asked.split('?', 1)[0]}`,
        {path: `/v1/reports/${asked}${day}`, door: 'read', status: 200},
      ]),
  ),
  'GET /v1/funnels/:id/report': {path: '/v1/funnels/fn_unknown/report', door: 'secret', status: 404},
  'GET /v1/user/funnels': {path: '/v1/user/funnels?userId=nobody', door: 'secret', status: 404},
  'POST /v1/query': {door: 'read', body: () => ({report: 'names'}), status: 200},
  'POST /mcp': {door: 'read', body: () => ({jsonrpc: '2.0', id: 1, method: 'tools/list'}), status: 200},
  ...Object.fromEntries(
    ['test', 'rotate', 'resume', 'replay'].map((action) => [
      `POST /v1/webhooks/:id/${action}`,
      {path: `/v1/webhooks/wh_unknown/${action}`, door: 'secret', body: () => ({}), status: 404},
    ]),
  ),
  'GET /v1/webhooks/:id/deliveries': {path: '/v1/webhooks/wh_unknown/deliveries', door: 'secret', status: 404},
  ...Object.fromEntries(
    resources.flatMap(({name}): [string, Row][] => {
      const [path, one] = [`/v1/${name}s`, {path: `/v1/${name}s/unknown`, door: 'secret', status: 404} as const];
      return [
        [`GET ${path}`, {door: 'secret', status: 200}],
        [`POST ${path}`, {door: 'secret', body: () => ({}), status: 400}],
        [`GET ${path}/:id`, one],
        [`PATCH ${path}/:id`, {...one, body: () => ({})}],
        [`DELETE ${path}/:id`, one],
      ];
    }),
  ),
  'POST /v1/alerts/preview': {door: 'secret', body: () => ({kind: 'lag', lag: 'report', seconds: 60}), status: 400},
  'GET /admin/v1/keys': {door: 'admin', status: 200},
  'POST /admin/v1/keys': {door: 'admin', body: () => ({kind: 'write', name: freshId()}), status: 201},
  'POST /admin/v1/key': {path: '/admin/v1/key?id=key_unknown', door: 'admin', body: () => ({}), status: 404},
  'DELETE /admin/v1/keys/:id': {path: '/admin/v1/keys/key_unknown', door: 'admin', status: 404},
  'POST /admin/v1/links': {door: 'admin', body: () => ({links: []}), status: 200},
  'GET /healthz': {door: 'open', status: 200},
  'GET /readyz': {door: 'open', status: 200},
  'GET /metrics': {door: 'open', status: 200},
  'GET /openapi.json': {door: 'open', status: 200},
  'GET /docs': {door: 'open', status: 200},
  'GET /licenses': {door: 'open', status: 200},
  'GET /sdk.js': {door: 'open', status: 200},
  [`GET /sdk-${version}.js`]: {door: 'open', status: 200},
};

const paths = [
  ...routes.exact,
  ...[...routes.bySegment].map(([path, route]) => [templateOf(path, ':id'), route] as const),
];
const known = paths.flatMap(([path, route]) => methodsOf(route).map((method) => ({method, path, route})));
const nameOf = (method: string, path: string): string => `${method} ${path}`;

const callers = ['no key', 'an empty header', 'malformed', 'unknown', 'revoked write', 'revoked secret'] as const;
const holders = ['write', 'read', 'secret', 'admin'] as const;
type Caller = (typeof callers)[number] | (typeof holders)[number];

/** Whether the key is known, and is of a kind that some routes refuse. */
const isHolder = (caller: Caller): boolean => caller === 'write' || caller === 'read';

/** Undefined: let in. */
function refusalOf(
  caller: Caller,
  {door, isKeyInPath}: Pick<Row, 'door' | 'isKeyInPath'>,
): readonly [status: number, code: string] | undefined {
  if (door === 'open') return undefined;
  if (caller === 'no key' || caller === 'an empty header') return [401, isKeyInPath ? 'invalid_key' : 'missing_key'];
  if (door === 'admin') return caller === 'admin' ? undefined : [401, 'invalid_key'];
  if (caller === 'secret' || caller === door || (door === 'key' && isHolder(caller))) return undefined;
  return isHolder(caller) ? [403, 'insufficient_permissions'] : [401, 'invalid_key'];
}

const keys: {[caller in Caller]?: string} = {};

beforeAll(async () => {
  const {service, admin} = under;
  for (const kind of ['write', 'secret'] as const) {
    const {id, key} = (await admin.post('/admin/v1/keys', {kind, name: 'revoked'})).json<{id: string; key: string}>();
    expect((await admin.delete(`/admin/v1/keys/${id}`)).status).toBe(200);
    keys[`revoked ${kind}`] = `Bearer ${key}`;
  }
  keys['an empty header'] = '';
  keys.malformed = 'Bearer';
  keys.unknown = `Bearer sk_live_${'0'.repeat(43)}`;
  keys.write = `Bearer ${service.writeKey}`;
  keys.secret = `Bearer ${service.secretKey}`;
  const read = await admin.post('/admin/v1/keys', {kind: 'read', name: 'read'});
  keys.read = `Bearer ${read.json<{key: string}>().key}`;
  keys.admin = `Bearer ${service.adminToken}`;
});

/** `authorization`: one header a value. */
function send(method: string, path: string, body: unknown, authorization: readonly string[]): Promise<Answer> {
  const headers = authorization.length === 0 ? undefined : {authorization: [...authorization]};
  const json = body === undefined ? {} : {json: body};
  const ask = () => under.nobody.send(method, path, headers === undefined ? json : {...json, headers});
  // Not ready while a report is late on a busy machine.
  return path === '/readyz' ? until(ask, ({status}) => status !== 503, 'it is ready') : ask();
}

async function expectOutcome(
  answer: Answer,
  {status, isCoded}: Row,
  refusal: readonly [number, string] | undefined,
): Promise<void> {
  if (refusal === undefined)
    expect(`${answer.status} ${answer.status === status ? '' : answer.text}`.trim()).toBe(`${status}`);
  else if (isCoded) {
    const code = refusal[0] === 401 ? 400 : refusal[0];
    expectJson(answer, code);
    const error = refusal[0] === 401 ? 'Invalid API key' : expect.any(String);
    expect(answer.json()).toEqual({code, error});
  } else expectError(answer, ...refusal);
}

test('every route has a row, and every row a route', () => {
  expect(Object.keys(table).sort()).toEqual(known.map(({method, path}) => nameOf(method, path)).sort());
});

describe.each(known)('$method $path', ({method, path, route}) => {
  const row = table[nameOf(method, path)]!;
  const asked = row?.path ?? path;
  const body = (): unknown => row.body?.();

  test.each([...callers, ...holders] as const)('%s', async (caller) => {
    const authorization = keys[caller];
    const answer = await send(method, asked, body(), authorization === undefined ? [] : [authorization]);
    await expectOutcome(answer, row, refusalOf(caller, row));
  });

  test('a key in the URL opens a write route alone, and only a write key does', async () => {
    if (row.door === 'open' || row.isKeyInPath) return;
    const opens = route.isCompatible || (method === 'POST' && route.isWriteRoute === true);
    const mark = asked.includes('?') ? '&' : '?';
    for (const caller of ['unknown', 'revoked write', 'revoked secret', ...holders] as const) {
      const key = keys[caller]!.slice('Bearer '.length);
      const answer = await send(method, `${asked}${mark}write_key=${key}`, body(), []);
      const refusal = opens ? ([401, 'invalid_key'] as const) : ([401, 'missing_key'] as const);
      await expectOutcome(answer, row, opens && caller === 'write' ? undefined : refusal);
    }
  });

  test('the header wins over the URL', async () => {
    if (method !== 'POST' || route.isWriteRoute !== true) return;
    const {writeKey} = under.service;
    const wrong = await send(method, `${asked}?write_key=${writeKey}`, body(), ['Bearer x']);
    await expectOutcome(wrong, row, [401, 'invalid_key']);
    await expectOutcome(await send(method, `${asked}?write_key=x`, body(), [keys.write!]), row, undefined);
  });
});

/** A route of each door: keys are read before the route is looked at. */
const native = known.filter(({route}) => !route.isCompatible);
const doors = [...new Map(native.map((one) => [table[nameOf(one.method, one.path)]?.door, one])).values()];
describe.each(doors)('$method $path', ({method, path}) => {
  const row = table[nameOf(method, path)]!;
  const ask = (...authorization: string[]) => send(method, row.path ?? path, row.body?.(), authorization);

  test('the scheme is read in any case', async () => {
    for (const caller of holders)
      await expectOutcome(await ask(keys[caller]!.replace('Bearer', 'bEARER')), row, refusalOf(caller, row));
  });

  test('two keys are no key, also when both are good', async () => {
    const refusal = row.door === 'open' ? undefined : ([401, 'invalid_key'] as const);
    for (const caller of holders) {
      await expectOutcome(await ask(keys[caller]!, keys[caller]!), row, refusal);
      await expectOutcome(await ask(keys[caller]!, 'Bearer x'), row, refusal);
    }
  });
});

test('HEAD needs what GET needs', async () => {
  for (const {method, path, route} of known.filter((one) => one.method === ('GET' as Method))) {
    if (route.GET?.isWrite) continue; // It has no HEAD.
    const row = table[nameOf(method, path)]!;
    for (const caller of ['no key', ...holders] as const) {
      const authorization = keys[caller];
      const answer = await send(
        'HEAD',
        row.path ?? path,
        undefined,
        authorization === undefined ? [] : [authorization],
      );
      expect([path, caller, answer.status]).toEqual([path, caller, refusalOf(caller, row)?.[0] ?? row.status]);
    }
  }
});

test('keys of one kind do not pass for another by their prefix', async () => {
  const {writeKey, secretKey} = under.service;
  const swapped = [writeKey.replace('sk_write_', 'sk_live_'), secretKey.replace('sk_live_', 'sk_write_')];
  for (const key of swapped) {
    expectError(await new Client(under.service.baseUrl, key).get('/v1/events'), 401, 'invalid_key');
    expectError(await new Client(under.service.baseUrl, key).post('/v1/events', anEvent()), 401, 'invalid_key');
  }
});
