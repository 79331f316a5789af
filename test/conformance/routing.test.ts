// Routes, methods, keys and the words of queries: what is decided before a body is looked at.

import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {routes} from '../../src/edge/all-routes.js';
import {allowedMethods} from '../../src/edge/route.js';
import {templateOf} from '../../src/edge/route-template.js';
import {version} from '../../src/version.js';
import {ask} from '../../tools/http-client.js';
import {type Answer, Client, expectError, expectJson} from '../support/http.js';
import {until} from '../support/reports.js';
import {freshId, useSharedService} from './service-under-test.js';

const under = useSharedService();

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Which methods each route has: permissions.test.ts. */
const native = [
  ...routes.exact,
  ...[...routes.bySegment].map(([path, route]) => [templateOf(path, 'xx_1'), route] as const),
].filter(([, route]) => !route.isCompatible);

const writeRoutes = ['/v1/events', '/v1/events/batch', '/v1/users/identify'];
const day = 'from=2024-01-01&to=2024-01-01';
const readPaths = [
  '/v1/events',
  '/v1/users/ada',
  '/v1/deletions/del_1',
  '/v1/user?userId=ada',
  '/v1/deletion?id=del_1',
  `/v1/reports/events?event=x&${day}`,
  `/v1/reports/users?${day}`,
  `/v1/reports/funnel?steps[]=x&${day}`,
  `/v1/reports/funnel/users?steps[]=x&step=1&${day}`,
  `/v1/reports/retention?start=x&return=y&${day}`,
  `/v1/reports/lifecycle?event=x&${day}`,
  `/v1/reports/stickiness?event=x&${day}`,
  `/v1/reports/paths?start=x&${day}`,
];

const listOf = (header: string | string[] | undefined): string[] => String(header).split(/\s*,\s*/);

describe('routes', () => {
  test.each([
    ...'/v1/ /v1/events/ /v1/events/batch/ /v1//events /V1/events /v2/events /v1/users/ /v1/users/ada/'.split(' '),
    ...'/v1/users/ada/events /v1/reports /v1/reports/ /v1/reports/sessions /v1/deletions /v1/deletions/'.split(' '),
    ...'/admin/v1/nothing'.split(' '),
  ])('%s is not found, whatever the method and the key', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expectError(await under.read.send(method, path), 404, 'not_found');
    }
    expectError(await under.nobody.get(path), 404, 'not_found');
  });

  test.each(native)('%s refuses every other method and says which are allowed', async (path, route) => {
    const allowed = allowedMethods(route);
    for (const method of methods.filter((one) => !listOf(allowed).includes(one))) {
      const answer = await under.nobody.send(method, path);
      if (method === 'HEAD') expect(answer.status).toBe(405);
      else expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.allow).toBe(allowed);
    }
  });

  test('HEAD answers as GET does, without a body', async () => {
    await under.track({event: 'seen', userId: 'head', timestamp: '2024-01-01'});
    for (const path of ['/v1/events?userId=head', '/v1/users/head', '/v1/users/nobody-of-this-name', readPaths[3]!]) {
      const [got, head] = [await under.read.get(path), await under.read.send('HEAD', path)];
      expect(head.text).toBe('');
      expect([head.status, head.headers['content-type']]).toEqual([got.status, got.headers['content-type']]);
    }
    expect((await under.nobody.send('HEAD', '/v1/events')).status).toBe(401);
  });

  test.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/licenses'])(
    'GET %s has no parameters',
    async (path) => {
      expectError(await under.nobody.get(`${path}?verbose=1`), 400, 'invalid_request', 'verbose');
      // Not ready while a report is late on a busy machine.
      await until(
        () => under.nobody.get(path),
        ({status}) => status === 200,
        `${path} answers`,
      );
    },
  );

  test.each([
    ['/sdk.js', 'public, max-age=3600'],
    [`/sdk-${version}.js`, 'public, max-age=31536000, immutable'],
  ])('GET %s is a script for pages of every origin, compressed, and kept: %s', async (path, cache) => {
    const url = under.service.baseUrl + path;
    const get = (headers: Record<string, string>) => ask(url, {headers});
    const forms = await Promise.all(['', 'gzip', 'br'].map((name) => get({'accept-encoding': name})));
    expect(forms.map(({status, headers}) => [status, headers['content-encoding']])).toEqual([
      [200, undefined],
      [200, 'gzip'],
      [200, 'br'],
    ]);
    expect(forms[0]!.text).toBe(readFileSync(new URL('../../dist/sdk.js', import.meta.url), 'utf8'));
    for (const {headers} of forms) {
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': cache,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
      const again = await get({'if-none-match': String(headers.etag)});
      expect([again.status, again.text, again.headers['cache-control']]).toEqual([304, '', cache]);
    }
    expect(new Set(forms.map(({headers}) => headers.etag)).size, 'a strong tag names the bytes').toBe(3);
    // What publishes a page adds such a query.
    expect((await ask(`${url}?ver=6.1`)).text).toBe(forms[0]!.text);
    expect((await under.nobody.get(path)).status).toBe(200);
  });
});

describe('keys', () => {
  const withAuthorization = (value: string): Client => {
    const client = new Client(under.service.baseUrl);
    const send = client.send.bind(client);
    client.send = (method, path, options = {}) =>
      send(method, path, {...options, headers: {...options.headers, authorization: value}});
    return client;
  };

  const asked: readonly (readonly [string, string])[] = [
    ...writeRoutes.map((path) => ['POST', path] as const),
    ...readPaths.map((path) => ['GET', path] as const),
    ['DELETE', '/v1/users/ada'],
  ];

  // Each kind of key on each route: permissions.test.ts.
  test('a 401 says how to authenticate, and an answer to a page exposes nothing for it', async () => {
    const challenge = 'Bearer realm="millrace"';
    for (const [method, path] of [...asked, ['GET', '/admin/v1/keys']] as const) {
      const [missing, invalid] = [
        await under.nobody.send(method, path),
        await withAuthorization('Bearer nothing').send(method, path),
      ];
      expect(missing.headers['www-authenticate']).toBe(challenge);
      expect(invalid.headers['www-authenticate']).toBe(`${challenge}, error="invalid_token"`);
      for (const {headers} of [missing, invalid]) expect(headers['access-control-expose-headers']).toBeUndefined();
    }
  });

  test('the checks come in their order: key, permission, size, type, JSON, fields', async () => {
    const send = (client: Client, type: string, body: string): Promise<Answer> =>
      client.send('POST', '/v1/events', {body, headers: {'content-type': type}});
    const huge = 'x'.repeat(11 * 1024 * 1024);
    expectError(await send(under.nobody, 'image/png', '{'), 401, 'missing_key');
    expectError(await send(under.write, 'image/png', huge), 413, 'payload_too_large');
    expectError(await send(under.write, 'image/png', '{'), 415, 'unsupported_media_type');
    expectError(await send(under.write, 'application/json', '{'), 400, 'invalid_json');
    expectError(await send(under.write, 'application/json', '{}'), 400, 'invalid_event');
    expectError(await under.write.get('/v1/events?limit=0'), 403, 'insufficient_permissions');
    expectError(await under.nobody.get('/v1/events?limit=0'), 401, 'missing_key');
  });
});

describe('CORS', () => {
  const corsHeaders = (answer: Answer): string[] =>
    Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));

  const preflight = {origin: 'https://shop.example', 'access-control-request-method': 'POST'};

  test.each(writeRoutes)('a preflight of %s is answered for every origin, without a key', async (path) => {
    const headers = {...preflight, 'access-control-request-headers': 'authorization,content-type'};
    const answer = await under.nobody.send('OPTIONS', path, {headers});
    expect([200, 204]).toContain(answer.status);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-max-age']).toBe('86400');
    expect(listOf(answer.headers['access-control-allow-methods'])).toContain('POST');
    const allowed = listOf(answer.headers['access-control-allow-headers']).map((name) => name.toLowerCase());
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type']));
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test.each(writeRoutes)('a preflight of %s is told that whatever headers it asks for may be sent', async (path) => {
    const allowedFor = async (asked: string): Promise<unknown> => {
      const headers = {...preflight, 'access-control-request-headers': asked};
      const answer = await under.nobody.send('OPTIONS', path, {headers});
      expect(answer.status).toBe(200);
      return answer.headers['access-control-allow-headers'];
    };
    const asked = ['x-retry-count', 'authorization,content-type,x-retry-count', 'x-a, x-b', `x-${'a'.repeat(1_022)}`];
    for (const list of asked) expect(await allowedFor(list)).toBe(list);
    const ours = 'Authorization, Content-Type, Content-Encoding';
    for (const list of ['', 'x y', 'x-a,,x-b', 'x-a;q=1', '"x-a"', `x-${'a'.repeat(1_023)}`]) {
      expect(await allowedFor(list)).toBe(ours);
    }
  });

  test('a page may read that its path, or its method, is not there', async () => {
    const {nobody} = under;
    for (const path of ['/v1/events/', '/v1/event', '/v1/events/batches', '/v1/users/identify/', '/v1/tracks']) {
      const before = await nobody.send('OPTIONS', path, {headers: preflight});
      expect([before.status, before.headers['access-control-allow-origin']]).toEqual([200, '*']);
      const answer = await nobody.post(path, {event: 'seen', userId: 'ada'});
      expectError(answer, 404, 'not_found');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
    for (const [method, path] of [
      ['GET', '/v1/events/batch'],
      ['DELETE', '/v1/events'],
      ['PUT', '/v1/users/identify'],
    ] as const) {
      const answer = await nobody.send(method, path);
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  test.each(writeRoutes)('every answer to a POST of %s may be read by every origin', async (path) => {
    const userId = freshId();
    const body = path.endsWith('batch') ? {events: [{event: 'seen', userId}]} : {event: 'seen', userId};
    const answers = [
      await under.write.post(path, body),
      await under.nobody.post(path, body),
      await under.write.post(path, []),
      await under.write.post(`${path}?what=1`, body),
      await under.write.send('POST', path, {body: 'x', headers: {'content-type': 'image/png'}}),
      await under.write.send('POST', path, {body: '{', headers: {'content-type': 'text/plain'}}),
      await under.write.send('POST', path, {body: 'x'.repeat(11 << 20), headers: {'content-type': 'text/plain'}}),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 401, 400, 200, 415, 400, 413]);
    for (const answer of answers) {
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test('nowhere else', async () => {
    for (const path of readPaths) {
      expect(corsHeaders(await under.read.send('GET', path, {headers: preflight}))).toEqual([]);
    }
    for (const path of ['/v2/events', '/events', '/admin/v1/nothing']) {
      expect(corsHeaders(await under.nobody.send('POST', path, {headers: preflight}))).toEqual([]);
      expect(corsHeaders(await under.nobody.send('OPTIONS', path, {headers: preflight}))).toEqual([]);
    }
    for (const method of ['GET', 'DELETE']) {
      const asking = {...preflight, 'access-control-request-method': method};
      expect(corsHeaders(await under.nobody.send('OPTIONS', '/v1/nothing', {headers: asking}))).toEqual([]);
      expect(corsHeaders(await under.nobody.send(method, '/v1/nothing', {headers: preflight}))).toEqual([]);
    }
    expect(corsHeaders(await under.read.send('DELETE', '/v1/users/nobody-of-this-name', {headers: preflight}))).toEqual(
      [],
    );
    expect(corsHeaders(await under.read.send('OPTIONS', '/v1/reports/events', {headers: preflight}))).toEqual([]);
    expect(corsHeaders(await under.nobody.send('GET', '/nothing', {headers: preflight}))).toEqual([]);
  });
});

describe('queries', () => {
  test.each(writeRoutes)('%s ignores every parameter but the key, of which there is one', async (path) => {
    const {writeKey} = under.service;
    const one = {event: 'seen', userId: freshId()};
    const body = path.endsWith('batch') ? {events: [one]} : one;
    for (const query of ['_=1', 'debug', 'a=&a=1&b[]=%zz', '%zz=1', '%ff', '&&=&?']) {
      expectJson(await under.write.post(`${path}?${query}`, body), 200);
      expectJson(await under.nobody.post(`${path}?${query}&write_key=${writeKey}&_=2`, body), 200);
    }
    expectError(await under.write.post(`${path}?write_key=&_=1`, body), 400, 'invalid_request', 'write_key');
    const twice = `write_key=${writeKey}&write_key=${writeKey}`;
    expectError(await under.nobody.post(`${path}?_=1&${twice}`, body), 400, 'invalid_request', 'write_key');
  });

  // The tables of what is refused are declared.test.ts and refused-questions.test.ts.
  test.each([
    ['/v1/events?what=1', 'what'],
    ['/v1/events?event=a&event=a', 'event'],
    [`/v1/reports/events?event=%FF&${day}`, 'event'],
    ['/v1/users/%zz', 'id'],
  ])('%s is refused', async (path, field) => {
    expectError(await under.read.get(path), 400, 'invalid_request', field);
  });
});

describe('the head of every answer', () => {
  /** Of each kind: taken, refused, unknown, private, described, without a body. */
  const asked = [
    ['POST', '/v1/events', 200],
    ['POST', '/v1/events?write_key=', 400],
    ['OPTIONS', '/v1/events', 200],
    ['GET', '/nothing', 404],
    ['PUT', '/v1/events', 405],
    ['GET', '/v1/events', 200],
    ['GET', '/v1/users/nobody', 404],
    ['GET', '/v1/deletions/del_1', 404],
    ['GET', `/v1/reports/users?${day}`, 200],
    ['GET', '/admin/v1/keys', 401],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 200],
    ['GET', '/docs', 200],
    ['GET', '/licenses', 200],
    ['HEAD', '/healthz', 200],
  ] as const;

  test.each(asked)(
    '%s %s, %d: no cache, no guess of a type, how long the connection lasts',
    async (method, path, status) => {
      const {read} = under;
      const options = method === 'POST' ? {json: {event: 'e', userId: 'heads'}} : {};
      const answer = await read.send(method, path, options);
      expect(answer.status).toBe(status);
      const {headers} = answer;
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe(['/docs', '/licenses'].includes(path) ? 'no-cache' : 'no-store');
      const ends = method === 'HEAD';
      expect([headers.connection, headers['keep-alive']]).toEqual(
        ends ? ['close', undefined] : [undefined, 'timeout=8'],
      );
    },
  );

  test('an answer that ends its connection at the wish of the client says so', async () => {
    const {headers} = await under.nobody.get('/healthz', {connection: 'close'});
    expect([headers.connection, headers['keep-alive']]).toEqual(['close', undefined]);
  });
});

describe('the id of a request', () => {
  const idOf = async (given: string | string[] | undefined, path = '/healthz'): Promise<unknown> => {
    const headers: Record<string, string | string[]> = given === undefined ? {} : {'x-request-id': given};
    return (await under.nobody.send('GET', path, {headers})).headers['x-request-id'];
  };

  test.each(['7', '4bf92f3577b34da6a3ce929d0e0e4736', 'Root=1-67891233-abc/d+e:f~g', 'x'.repeat(128)])(
    'is the one that was sent: %s',
    async (id) => {
      expect(await idOf(id)).toBe(id);
      expect(await idOf(id, '/nothing')).toBe(id);
      const headers = {'x-request-id': id};
      const taken = await under.write.post('/v1/events', {event: 'named', userId: 'heads'}, headers);
      expect([taken.status, taken.headers['x-request-id']]).toEqual([200, id]);
    },
  );

  test.each([
    [undefined],
    [''],
    ['with a space'],
    ['ada@example.org'],
    ['quote"'],
    ['x'.repeat(129)],
    [['one', 'two']],
    [['one', 'two', 'three']],
  ])('is made where %j was sent, another one each time', async (given) => {
    const made = [await idOf(given), await idOf(given, '/nothing')];
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    expect(new Set(made).size).toBe(2);
  });

  test('a refused write has one, an accepted one has it where it was sent', async () => {
    const refused = await under.write.post('/v1/events', {});
    expect(refused.headers['x-request-id']).toMatch(/^[0-9a-f]{12}-/);
    expect((await under.track({event: 'unnamed', userId: 'heads'})).headers).not.toHaveProperty('x-request-id');
  });
});
