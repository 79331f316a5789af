// The description of the service: sound by itself, complete, and true. That every answer is as described is checked by
// the client of all tests (test/support/described.ts); that this check can fail is checked here.
import {execFile, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {Validator} from '@seriousme/openapi-schema-validator';
import {Ajv2020} from 'ajv/dist/2020.js';
import {describe, expect, test} from 'vitest';
import {routes} from '../../src/edge/all-routes.js';
import {description} from '../../src/edge/description.js';
import {statusOf} from '../../src/edge/failure.js';
import {
  type DescribedAnswer,
  type DescribedOperation,
  type DescribedParameter,
  describeService,
  formAndCodes,
  type OpenApiDocument,
} from '../../src/edge/openapi/document.js';
import {
  type ExampleRequest,
  javascriptOf,
  pythonOf,
  requestOf,
  requestOfPath,
} from '../../src/edge/openapi/page/requests.js';
import {questions} from '../../src/edge/openapi/questions.js';
import {isSaidById} from '../../src/edge/openapi/served.js';
import {resources} from '../../src/edge/resources/all.js';
import {allowedMethods, methodsOf, type Route} from '../../src/edge/route.js';
import {templateOf} from '../../src/edge/route-template.js';
import {useService} from '../conformance/service-under-test.js';
import {type Asked, Described} from '../support/described.js';
import type {Answer} from '../support/http.js';
import {until} from '../support/until.js';

const root = new URL('../../', import.meta.url);
const document = JSON.parse(JSON.stringify(description)) as OpenApiDocument;

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

const places: readonly Place[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({method: method.toUpperCase(), path, operation})),
);

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({valid: true});
    expect(validator.version).toBe('3.1');
  });

  test('has the version of the package', () => {
    const {version} = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(document.info.version).toBe(version);
  });

  test('names every operation once', () => {
    const ids = places.map(({operation}) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  test('has at each answer the headers of every answer, and an introduction that tells of all headers', () => {
    const all = new Set<string>();
    for (const {method, path, operation} of places)
      for (const [status, {headers}] of Object.entries(operation.responses)) {
        for (const name of ['X-Content-Type-Options', 'Cache-Control', 'X-Request-Id'])
          expect(headers, `${method} ${path} ${status}`).toHaveProperty([name]);
        for (const name of Object.keys(headers!)) all.add(name);
      }
    expect(all.size).toBeGreaterThan(20);
    const forBrowsers = /^(Content-Security|Referrer|Cross-Origin-Resource)-Policy$/;
    for (const name of all)
      if (!forBrowsers.test(name)) expect(document.info.description).toMatch(new RegExp(`\`${name}[\`:]`));
  });

  test('refers to nothing that is not there', () => {
    const places = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]);
    expect(places.length).toBeGreaterThan(20);
    const found = (place: string): unknown =>
      place.split('/').reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], document);
    expect(places.filter((place) => found(place) === undefined)).toEqual([]);
  });

  test('knows every method of every route, and no other', () => {
    const all = [
      ...routes.exact,
      ...[...routes.bySegment].map(([path, route]) => [templateOf(path, '{id}'), route] as const),
    ];
    const ofRoutes = all.flatMap(([path, route]: readonly [string, Route]) =>
      allowedMethods(route)
        .split(', ')
        .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
        .map((method) => `${method} ${path}`),
    );
    // Those two mean the user of that name.
    const shared = ['GET /v1/users/identify', 'DELETE /v1/users/identify'];
    const described = places.map(({method, path}) => `${method} ${path}`);
    expect([...described, ...shared].sort()).toEqual(ofRoutes.sort());
  });

  test('takes no text of a client in a path but where it always did, and there it has a form with the id in the query', () => {
    const inQuery = {'/v1/users/': '/v1/user', '/v1/deletions/': '/v1/deletion', '/admin/v1/keys/': '/admin/v1/key'};
    // RT1 (src/edge/route.ts): none is ever added, but for ids that the service draws.
    const drawn = ['webhooks', 'funnels', 'alerts', 'projects', ...resources.map(({name}) => `${name}s`)];
    expect([...routes.bySegment.keys()].filter((path) => !drawn.includes(path.split('/')[2]!))).toEqual(
      Object.keys(inQuery),
    );
    for (const [prefix, path] of Object.entries(inQuery)) {
      const [one, other] = [routes.bySegment.get(prefix)!, routes.exact.get(path)!];
      // It may have more: new ones are in it alone.
      expect(methodsOf(other)).toEqual(expect.arrayContaining(methodsOf(one)));
      for (const method of ['GET', 'DELETE'] as const) {
        expect(other[method] && {...other[method], handle: 0}).toEqual(one[method] && {...one[method], handle: 0});
      }
    }
  });

  test('is not made without a route, nor for a route that nobody described', () => {
    const without = {...routes, exact: new Map([...routes.exact].filter(([path]) => path !== '/healthz'))};
    expect(() => describeService(without, '1')).toThrow('GET /healthz is described, but there is no such route');
    const health = routes.exact.get('/healthz')!;
    const more = {...routes, exact: new Map([...routes.exact, ['/v1/more', {GET: {...health.GET!}}] as const])};
    expect(() => describeService(more, '1')).toThrow('GET /v1/more is not described');
  });

  test('has examples that are as its schemas say', () => {
    const ajv = new Ajv2020({strict: false, validateFormats: false});
    ajv.addSchema(document, 'api:');
    let count = 0;
    const check = (what: string, schema: object, example: unknown): void => {
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api:#/'));
      expect(ajv.validate(own, example), `${what}: ${ajv.errorsText()}`).toBe(true);
      count += 1;
    };
    for (const {method, path, operation} of places) {
      for (const {name, schema, example} of operation.parameters ?? []) {
        if (example !== undefined) check(`${method} ${path} ${name}`, schema, example);
      }
      const {responses, requestBody} = operation;
      const contents = [requestBody?.content, ...Object.values(responses).map((answer) => answer.content)];
      for (const {schema, example} of contents.flatMap((content) => Object.values(content ?? {}))) {
        if (example !== undefined) check(`${method} ${path}`, schema, example);
      }
    }
    for (const [name, {schema, example}] of Object.entries(document.components.headers)) {
      check(name, schema as object, example);
    }
    expect(count).toBeGreaterThan(50);
  });
});

describe('the check of answers', () => {
  const described = new Described(document);
  const ofAll = {'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'x-request-id': '1'};
  const json = {'content-type': 'application/json; charset=utf-8', ...ofAll};
  const event: Asked = {method: 'POST', path: '/v1/events', json: {event: 'e', userId: 'u'}};
  const stored = {...json, 'access-control-allow-origin': '*', 'log-position': '0:1.1', date: 'now'};
  const ok = {status: 200, headers: stored, text: '{"status":"ok","received":1}'};
  const open = {...json, 'access-control-allow-origin': '*'};
  const error = (code: string): string => JSON.stringify({error: {code, message: 'm'}});

  test('takes what is described', () => {
    described.check(event, ok);
    // A key of pages takes an event that names nobody.
    described.check({...event, json: {event: 'e', userId: null}}, ok);
    described.check(event, {
      ...ok,
      status: 401,
      headers: {...open, 'www-authenticate': 'Bearer realm="millrace"'},
      text: error('missing_key'),
    });
    described.check({method: 'GET', path: '/nothing'}, {status: 404, headers: json, text: error('not_found')});
    described.check({method: 'HEAD', path: '/healthz'}, {status: 200, headers: json, text: ''});
  });

  test.each([
    ['a status', event, {...ok, status: 201}, /status 201 is not described/],
    ['a property', event, {...ok, text: '{"status":"ok","received":1,"id":"1"}'}, /additional properties.*"id"/],
    ['a missing property', event, {...ok, text: '{"status":"ok"}'}, /required property 'received'/],
    ['a value', event, {...ok, text: '{"status":"ok","received":2}'}, /constant/],
    ['a code', event, {...ok, status: 401, text: error('not_found')}, /\/error\/code must be equal to one of/],
    ['a header', event, {...ok, headers: {...stored, 'x-powered-by': 'x'}}, /x-powered-by is not described/],
    ['a missing header', event, {...ok, headers: json}, /access-control-allow-origin is missing/],
    ['the form of a header', event, {...ok, headers: {...stored, 'log-position': '7'}}, /log-position must match/],
    ['a type', event, {...ok, headers: {...stored, 'content-type': 'application/json'}}, /the type application\/json/],
    ['a path', {...event, path: '/v1/event'}, ok, /status 200 is not described/],
    ['a method', {...event, method: 'PUT'}, ok, /status 200 is not described/],
    [
      'an accepted parameter',
      {method: 'GET', path: '/healthz?debug=1'},
      {status: 200, headers: json, text: '{"status":"ok","durability":"power-cut"}'},
      /debug is not described/,
    ],
    ['an accepted body', {...event, json: {event: 1, userId: 'u'}}, ok, /accepted body\/event must be string/],
  ])('refuses %s that is not', (_, asked, answered, problem) => {
    expect(() => described.check(asked, answered)).toThrow(problem);
  });
});

describe('the examples', () => {
  const under = useService();

  /** Ids of this run in place of those of the document. */
  const actualIds = new Map<string, string>();
  /** Chosen by chance, by the clock or by earlier events of the service: only their form can be compared. */
  const volatile = [
    ...'received_at next_cursor next user_ref event_ref log_position completed_at verified durability version commit'.split(
      ' ',
    ),
    ...'key last4 key_id at since'.split(' '),
  ];

  const comparable = (value: unknown, isAdmin: boolean): unknown =>
    JSON.parse(JSON.stringify(value), (name, one) => {
      if (volatile.includes(name) || (isAdmin && name.endsWith('_at'))) return one === null ? null : 'varies';
      // The keys of the operator were there before the story.
      if (name === 'keys') return one.filter((key: {name: string}) => key.name !== 'bootstrap');
      return name === 'id' && /^(del|key|fn|an|bd|sr|sg|nm)_|^\d+-\d+$/.test(one) ? 'varies' : one;
    });

  const send = ({method, path, operation}: Place): Promise<Answer> => {
    const query = new URLSearchParams();
    for (const {name, in: place, example} of operation.parameters ?? []) {
      if (example === undefined) continue;
      if (place === 'query')
        for (const one of [example].flat().map(String)) query.append(name, actualIds.get(one) ?? one);
    }
    const client = path.startsWith('/admin/') ? under.admin : under.read;
    const body = operation.requestBody?.content['application/json'].example;
    return client.send(method, query.size === 0 ? path : `${path}?${query}`, body === undefined ? {} : {json: body});
  };

  const isStep = ({operation: {responses}}: Place): boolean =>
    (responses[200] ?? responses[201])?.content?.['application/json']?.example !== undefined;
  const steps = places.filter(isStep);

  test('tell one story: a fresh service gives the answers that are shown, one after the other', async () => {
    expect(steps.length).toBeGreaterThan(12);
    await under.write.post('/v1/events/batch', {events: [{}, {event: 'purchase'}]});
    const mistaken = {event: 'sign_up_4711', userId: 'grace'};
    for (const step of inOrder(steps)) {
      // Other answers of the story have no event of the mistaken name.
      if (step.operation.operationId === 'deleteName')
        await under.write.post('/v1/events/batch', {events: [mistaken, mistaken]});
      const isAdmin = /^\/(admin\/|v1\/(funnels|annotations|boards|saved-reports|segments|described-names))/.test(
        step.path,
      );
      const [status, shown] = Object.entries(step.operation.responses)[0];
      const {example} = shown.content!['application/json'];
      let answer: Answer | undefined;
      // Reports come with the next snapshot; a deletion may take longer than its first answer; on a busy machine a
      // partition may be behind its log, and a report late.
      await until(`the answer shown for ${step.operation.operationId}`, async () => {
        answer = await send(step);
        const isAsShown = comparableText(answer.json(), isAdmin) === comparableText(example, isAdmin);
        return (
          isAsShown ||
          (answer.status !== 503 &&
            !/^\/v1\/(reports\/|changes|names|properties|traits|users$|deletion$)/.test(step.path))
        );
      });
      noteIds(example, answer!.json());
      if (answer!.status === 202) continue;
      expect([answer!.status, comparable(answer!.json(), isAdmin)]).toEqual([
        Number(status),
        comparable(example, isAdmin),
      ]);
    }
  });

  const comparableText = (value: unknown, isAdmin: boolean): string => JSON.stringify(comparable(value, isAdmin));

  const noteIds = (shown: unknown, actual: unknown): void => {
    const ids = (value: unknown): string[] => JSON.stringify(value).match(/(del|key|fn|an|bd|sr|sg|nm)_\w+/g) ?? [];
    ids(shown).forEach((id, i) => {
      // The answer that made it names no other.
      if (!actualIds.has(id)) actualIds.set(id, ids(actual)[i]);
    });
  };

  /** Nothing is read before it was written, or after it was deleted. */
  const inOrder = (all: readonly Place[]): Place[] => {
    const rank = ({method, path}: Place): number =>
      method === 'POST' ? 0 : method === 'DELETE' ? 2 : path === '/v1/deletion' ? 3 : 1;
    return [...all].sort((a, b) => rank(a) - rank(b));
  };

  test('GET /openapi.json is the document, for anybody', async () => {
    const answer = await under.nobody.get('/openapi.json');
    expect(answer.status).toBe(200);
    const sent = answer.json<OpenApiDocument>();
    expect(await new Validator().validate(structuredClone(sent))).toEqual({valid: true});
    expect(Buffer.byteLength(answer.text)).toBeLessThan(200_000);
    for (const {method, path, operation} of places) {
      const [at, one] = servedAt(sent, method, path);
      const {operationId, tags, summary, description = ''} = operation;
      const isForLibraries = tags.includes('Other libraries');
      if (at === path) expect(one, at).toMatchObject({operationId, tags, ...(!isSaidById(operation) && {summary})});
      expect(one.description ?? '', at).toContain(description);
      expect(one.security ?? sent.security, at).toEqual(operation.security);
      expect(parametersIn(sent, at, one), at).toEqual(parametersIn(document, path, operation).filter(isServed));
      expect(refusalsIn(sent, one), at).toEqual(expect.arrayContaining(refusalsIn(document, operation)));
      const own = Object.entries(operation.responses).filter(
        ([status, answer]) => status !== '304' && !isRefusal(answer),
      );
      const [{default: refusal, ...answers}, statuses] = [one.responses, own.map(([status]) => status)];
      expect([Object.keys(answers), refusal], at).toEqual([statuses, expect.anything()]);
      for (const [status, answer] of own) {
        const said = referred<DescribedAnswer>(sent, answers[status]!);
        expect(said.description, at).toContain(answer.description);
        if (!isForLibraries) expect(contentIn(sent, said, 'answer'), at).toEqual(contentIn(document, answer, 'answer'));
      }
      if (operation.requestBody === undefined) expect(one.requestBody, at).toBe(undefined);
      else if (!isForLibraries) {
        const body = referred<NonNullable<DescribedOperation['requestBody']>>(sent, one.requestBody!);
        expect(body.required, at).toBe(operation.requestBody.required);
        expect(contentIn(sent, body, 'request'), at).toEqual(contentIn(document, operation.requestBody, 'request'));
      }
    }
    expect(answer.text).not.toContain('"example"');
  });

  test('GET /docs is one page that asks nobody else, with its own style and script alone', async () => {
    const answer = await under.nobody.get('/docs');
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; base-uri 'none'/,
    );
    for (const element of ['style', 'script']) {
      const own = [...answer.text.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))];
      expect(own.length).toBe(1);
      expect(policy).toContain(`${element}-src 'sha256-${createHash('sha256').update(own[0][1]).digest('base64')}'`);
    }
    expect(answer.text).not.toMatch(
      /<(link|img|iframe|object|embed|base|form)\b|\bsrc=|\bstyle=|\bon\w+=|@import|url\(/,
    );
    const links = [...answer.text.matchAll(/href="([^"]*)"/g)].map((match) => match[1]);
    const elsewhere = links.filter((link) => !link.startsWith('#') && link !== 'openapi.json');
    const broken = links.filter((link) => link.startsWith('#') && !answer.text.includes(`id="${link.slice(1)}"`));
    expect([elsewhere, broken]).toEqual([[], []]);
    for (const {operation} of places) {
      expect(answer.text).toContain(`id="${operation.operationId}"`);
    }
    for (const name of Object.keys(document.components.schemas)) expect(answer.text).toContain(`id="schema-${name}"`);
    for (const code of Object.keys(statusOf)) expect(answer.text).toContain(`<code class="name">${code}</code>`);
  });

  /** As a server reads it. */
  interface Sent {
    readonly url: string;
    readonly method: string;
    readonly authorization: string | null;
    readonly contentType: string | null;
    readonly body: unknown;
  }

  const hostile = ['\'"\\ \n$', '{x}{y}'].join('');
  const examples: readonly ExampleRequest[] = [
    ...places.map(({method, path, operation}) => requestOf(method, path, operation)),
    ...questions.flatMap(({requests}) => requests).map(requestOfPath),
    {
      method: 'POST',
      target: '/v1/hostile',
      query: new URLSearchParams([
        ['a[]', hostile],
        ['a[]', 'ü \u2028'],
      ]),
      key: 'WRITE_KEY',
      body: {text: hostile, values: [null, true, false, -1.5, {}, []], long: 'x'.repeat(80)},
    },
  ];
  const expected: readonly Sent[] = examples.map(({method, target, query, key, body}) => ({
    url: `base${target}${query.size > 0 ? `?${query}` : ''}`,
    method,
    authorization: key === undefined ? null : `Bearer ${key}`,
    contentType: body === undefined ? null : 'application/json',
    body: body ?? null,
  }));

  test('its examples in JavaScript send what those of curl do', async () => {
    const sent: Sent[] = [];
    const fetch = async (url: string, {method = 'GET', headers = {}, body}: RequestInit = {}): Promise<object> => {
      const {Authorization = null, 'Content-Type': type = null} = headers as Record<string, string>;
      const read = body === undefined ? null : JSON.parse(String(body));
      sent.push({url, method, authorization: Authorization, contentType: type, body: read});
      return {status: 200, text: async () => ''};
    };
    const silent = {log: () => undefined};
    const names = ['fetch', 'console', 'BASE', 'WRITE_KEY', 'SECRET_KEY', 'ADMIN_TOKEN'];
    for (const example of examples) {
      const run = new Function(...names, `return (async () => {${javascriptOf(example)}})()`);
      await run(fetch, silent, 'base', 'WRITE_KEY', 'SECRET_KEY', 'ADMIN_TOKEN');
    }
    expect(sent).toEqual(expected);
  });

  test('and so do those in Python', async ({skip}) => {
    const program = `
import io, json, sys, types, urllib.parse, urllib.request
sent = []
def heard(request):
    headers = {name.lower(): value for name, value in request.header_items()}
    sent.append({'url': request.full_url[len('http://'):], 'method': request.get_method(),
        'authorization': headers.get('authorization'), 'contentType': headers.get('content-type'),
        'body': json.loads(request.data) if request.data else None})
    return io.BytesIO(b'')
urllib.request.urlopen = heard
for example in json.load(sys.stdin):
    exec(example, {'json': json, 'urllib': urllib, 'print': lambda _: None, 'BASE': 'http://base',
        'WRITE_KEY': 'WRITE_KEY', 'SECRET_KEY': 'SECRET_KEY', 'ADMIN_TOKEN': 'ADMIN_TOKEN'})
print(json.dumps(sent))
`;
    const {status, stdout, stderr} = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(examples.map(pythonOf)),
      encoding: 'utf8',
    });
    skip(status === null, 'python3 is not installed');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test('the curl lines of GET /docs run as they stand', async () => {
    const page = await under.nobody.get('/docs');
    const blocks = [...page.text.matchAll(/<pre>(curl [\s\S]*?)<\/pre>/g)].map((match) => unescaped(match[1]));
    const recipes = questions.flatMap(({requests}) => requests);
    expect(blocks.length).toBe(places.length + recipes.length);
    const {baseUrl, writeKey, secretKey, adminToken} = under.service;
    const env = {
      PATH: process.env.PATH,
      BASE: baseUrl,
      WRITE_KEY: writeKey,
      SECRET_KEY: secretKey,
      ADMIN_TOKEN: adminToken,
    };
    // Who is told to come back does: a busy machine may be late with a partition, or with a report.
    const patiently = `for i in {1..600}; do code=$(ask); [ "$code" = 503 ] || break; sleep 0.1; done; echo "$code"`;
    const asked = blocks.map((block) => `ask() {\n${block} -s -o /dev/null -w '%{http_code}'\n}\n${patiently}`);
    const script = asked.join('\n');
    const {stdout} = await promisify(execFile)('bash', ['-euc', script], {env, timeout: 280_000});
    const statuses = stdout.trim().split('\n');
    const refused = blocks.filter((_, i) => !statuses[i].startsWith('2'));
    // Their ids are those of the document, and its name is none; of the user that a recipe exports nothing was written yet; the story
    // has described the name.
    const made =
      /(del_2|key|fn|al|dg|wh|an|bd|sr|sg|nm|sh)_0123456789abcdef|user\/(export|funnels)|described-names"|name\?event=sign_up_4711/;
    expect([statuses.length, refused.filter((block) => !made.test(block))]).toEqual([blocks.length, []]);
  });

  test('a client that a generator makes of GET /openapi.json compiles, and asks the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-client-'));
    try {
      symlinkSync(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'openapi.json'), (await under.nobody.get('/openapi.json')).text);
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
      writeFileSync(join(folder, 'calls.ts'), clientCalls);
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({compilerOptions: clientOptions, files: ['calls.ts']}),
      );
      const run = (program: string, ...words: readonly string[]): Promise<{stdout: string}> =>
        promisify(execFile)(process.execPath, [program, ...words], {cwd: folder, timeout: 280_000});
      await run('node_modules/oazapfts/dist/cli.js', 'openapi.json', 'client.ts');
      await run('node_modules/typescript/bin/tsc', '-p', '.', '--singleThreaded');
      const {baseUrl, writeKey, secretKey} = under.service;
      const {stdout} = await run('calls.js', baseUrl, writeKey, secretKey);
      expect(JSON.parse(stdout)).toEqual([{received: 1}, ['generated'], 401, 'invalid_key']);
    } finally {
      rmSync(folder, {recursive: true, force: true});
    }
  });
});

const clientOptions = {
  ...{target: 'es2022', module: 'nodenext', strict: true, skipLibCheck: true},
  ...{lib: ['es2024', 'dom'], types: ['node']},
};

/** Three calls of the generated client: a write, a read, a refusal. An answer has the type of its status, a refusal that of all. */
const clientCalls = `
import {ok} from '@oazapfts/runtime';
import {type Event, defaults, getUser, trackEvent} from './client.js';

const [baseUrl = '', writeKey, secretKey] = process.argv.slice(2);
const withKey = (key = '') => ({baseUrl, headers: {Authorization: \`Bearer \${key}\`}});
const event: Event = {event: 'generated', userId: 'client-1', properties: {plan: 'pro'}};

const stored = await ok(trackEvent(event, withKey(writeKey)));
const read = () => getUser({userId: 'client-1'}, withKey(secretKey));
// A partition may be behind its log on a busy machine.
for (let tries = 0; (await read()).status === 503 && tries < 120; tries++)
  await new Promise((resolve) => setTimeout(resolve, 1_000));
const user = await ok(read());
Object.assign(defaults, withKey('sk_write_wrong'));
const refused = await trackEvent(event);

if (!('error' in refused.data)) throw new Error(JSON.stringify(refused));
const received: number = stored.received;
const names: string[] = user.events.map((one) => one.event);
const {code} = refused.data.error;
// @ts-expect-error The codes are a closed set.
const isOther = code === 'no_such_code';
console.log(JSON.stringify([{received}, names, refused.status, code]));
`;

// -- the served form, read independently of src/edge/openapi/served.ts --

/** What stands there, or what its reference names. */
const referred = <One extends object>({components}: OpenApiDocument, one: One | {$ref: string}): One => {
  const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec('$ref' in one ? one.$ref : '') ?? [];
  return (kind === undefined ? one : components[kind]![name!]) as One;
};

/** The operation of a path; that of a route for other libraries may be said by another one. */
function servedAt({paths}: OpenApiDocument, method: string, path: string): [path: string, DescribedOperation] {
  const verb = method.toLowerCase();
  const own = paths[path]?.[verb];
  if (own !== undefined) return [path, own];
  const others = Object.entries(paths).filter(([, methods]) => methods[verb]?.description?.includes(`\`${path}\``));
  expect(others.length, `operations that tell of ${method} ${path}`).toBe(1);
  return [others[0]![0], others[0]![1][verb]!];
}

/** The first of numbered parameters stands for all; two headers that any request may have are in the introduction. */
const isServed = ({name}: {readonly name: string}): boolean =>
  !/\[(?!1\])\d+\]|^Content-Encoding$|^If-(None-)?Match$/.test(name);

/** Each with its meaning in its schema. */
function parametersIn(of: OpenApiDocument, path: string, {parameters = []}: DescribedOperation): {name: string}[] {
  const ofPath = (of.paths[path] as {readonly parameters?: readonly DescribedParameter[]}).parameters ?? [];
  return [...ofPath, ...parameters]
    .map((one) => referred<DescribedParameter>(of, one))
    .map(({name, in: place, required = false, description, schema}) => {
      const whole = wholeSchema(of, schema, 'request');
      return {name, place, required, schema: {...whole, ...(description !== undefined && {description})}};
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const contentIn = (of: OpenApiDocument, {content = {}}: Pick<DescribedAnswer, 'content'>, whose: Whose): object =>
  Object.fromEntries(
    Object.entries(content).map(([type, {schema}]) => [
      type,
      type === 'application/json' ? wholeSchema(of, formAndCodes(schema).form, whose) : {}, // A text has no schema there.
    ]),
  );

/** Whether it says codes alone. */
const isRefusal = ({description: text}: {readonly description: string}): boolean =>
  text.split(', ').every((code) => code.slice(1, -1) in statusOf);

/** `409 code`, whether an answer has them, or words have. */
function refusalsIn(of: OpenApiDocument, {responses, description = ''}: DescribedOperation): string[] {
  const inWords = (text: string): string[] => {
    let status = '';
    return [...text.matchAll(/\b(\d{3})\b|`(\w+)`/g)].flatMap(([, number, code]) => {
      status = number ?? status;
      return code !== undefined && code in statusOf ? [`${status} ${code}`] : [];
    });
  };
  // Those of any operation.
  const refusal = of.components.responses!.Refusal?.description ?? '';
  return [
    ...inWords(`${refusal}; ${description.replace(/^.*Further refusals/, '')}`),
    ...Object.entries(responses).flatMap(([status, one]) => {
      const {description: said, content = {}} = referred<DescribedAnswer>(of, one);
      const codes = Object.values(content).flatMap(({schema}) =>
        schema === undefined ? [] : formAndCodes(schema).codes,
      );
      return [...inWords(`${status} ${said}`), ...codes.map((code) => `${status} ${code}`)];
    }),
  ];
}

type Whose = 'request' | 'answer';
interface Schema extends Readonly<Record<string, unknown>> {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** What tests and the page alone need of a schema, and the served form leaves out. */
const isLeftOut = (whose: Whose, schema: Schema, keyword: string): boolean =>
  keyword === 'readOnly' ||
  keyword === 'x-enumDescriptions' ||
  (keyword === 'type' &&
    ('const' in schema || (schema.enum as unknown[] | undefined)?.every((one) => typeof one === 'string') === true)) ||
  (keyword === 'additionalProperties' && schema[keyword] === false) ||
  (keyword === 'pattern' && schema.format !== undefined) ||
  (whose === 'answer' && /^(min|max)(imum|Length|Items)$|^pattern$|^propertyNames$/.test(keyword));

/** The schema without references and extensions. */
function wholeSchema(of: OpenApiDocument, {$ref, allOf = [], ...own}: Schema, whose: Whose): Schema {
  const bases = [...($ref === undefined ? [] : [referred<Schema>(of, {$ref})]), ...allOf];
  const mapped = (one: unknown): Schema => wholeSchema(of, one as Schema, whose);
  const kept = Object.entries(own).filter(([keyword]) => !isLeftOut(whose, own, keyword));
  const plain: Schema = Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (typeof value !== 'object' || value === null || keyword === 'enum' || keyword.startsWith('x-'))
        return [keyword, value];
      if (keyword === 'required') return [keyword, [...(value as string[])].sort()];
      if (Array.isArray(value)) return [keyword, value.map(mapped)];
      if (keyword !== 'properties') return [keyword, mapped(value)];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one)]))];
    }),
  );
  return bases.map(mapped).reduce(extended, plain);
}

/** What stands beside a reference wins. */
const extended = (own: Schema, base: Schema): Schema => ({
  ...base,
  ...own,
  ...((own.properties ?? base.properties) && {properties: {...base.properties, ...own.properties}}),
  ...((own.required ?? base.required) && {
    required: [...new Set([...(own.required ?? []), ...(base.required ?? [])])].sort(),
  }),
});

const unescaped = (text: string): string =>
  text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
