// The example request of an operation, as curl, as fetch and as Python: for programs that know BASE and the keys.
import type {DescribedOperation} from '../document.js';

/** A request of the story that the examples tell. */
export interface ExampleRequest {
  readonly method: string;
  /** Path of the service, with ids in it encoded. */
  readonly target: string;
  readonly query: URLSearchParams;
  /** Name of the variable with the key; undefined: no key. */
  readonly key: string | undefined;
  /** JSON; undefined: no body. */
  readonly body: unknown;
}

const keys: Readonly<Record<string, string>> = {
  writeKey: 'WRITE_KEY',
  secretKey: 'SECRET_KEY',
  adminToken: 'ADMIN_TOKEN',
};

export function requestOf(method: string, path: string, operation: DescribedOperation): ExampleRequest {
  const [scheme] = operation.security.flatMap((one) => Object.keys(one));
  return {
    method,
    target: targetOf(path, operation),
    query: queryOf(operation),
    key: scheme === undefined ? undefined : keys[scheme]!,
    body: operation.requestBody?.content['application/json']?.example,
  };
}

/** A request of a reader: a path with its query, as `questions.ts` has it. */
export function requestOfPath(pathAndQuery: string): ExampleRequest {
  const [target = '', query = ''] = pathAndQuery.split('?');
  return {method: 'GET', target, query: new URLSearchParams(query), key: 'SECRET_KEY', body: undefined};
}

function targetOf(path: string, {parameters = []}: DescribedOperation): string {
  return parameters.reduce(
    (target, {name, in: place, example}) =>
      place === 'path' ? target.replace(`{${name}}`, encodeURIComponent(String(example))) : target,
    path,
  );
}

/** The request of the story has the parameters with an example. */
function queryOf({parameters = []}: DescribedOperation): URLSearchParams {
  const query = new URLSearchParams();
  for (const {name, in: place, example} of parameters) {
    if (place !== 'query' || example === undefined) continue;
    for (const one of [example].flat()) query.append(name, String(one));
  }
  return query;
}

/** Longer bodies have a line for each member. */
const inlineBodyCharactersMax = 60;

const isShort = (body: unknown): boolean => JSON.stringify(body).length <= inlineBodyCharactersMax;

// -- curl -------------------------------------------------------------------------------------------------------------

// Longer queries have a line for each parameter, unless there is a body: -G would make a query of it.
const inlineQueryCharactersMax = 24;

export function curlOf({method, target, query, key, body}: ExampleRequest): string {
  const isInline = body !== undefined || query.toString().length <= inlineQueryCharactersMax;
  // A body makes it a POST.
  const verb = method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`;
  const words = [
    `curl${isInline ? '' : ' -G'}${verb} "$BASE${target}${isInline && query.size > 0 ? `?${query}` : ''}"`,
    ...(isInline ? [] : [...query].map(([name, value]) => `--data-urlencode '${inShell(`${name}=${value}`)}'`)),
    ...(key === undefined ? [] : [`-H "Authorization: Bearer $${key}"`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${inShell(jsonOf(body, '  '))}'`]),
  ];
  return words.join(' \\\n  ');
}

/** Text within single quotes: a single quote would end it. */
const inShell = (text: string): string => text.replaceAll("'", "'\\''");

/** A short body is one line. `indent`: of the lines after the first. */
const jsonOf = (body: unknown, indent: string): string =>
  isShort(body) ? JSON.stringify(body) : JSON.stringify(body, null, 2).replaceAll('\n', `\n${indent}`);

// -- JavaScript -------------------------------------------------------------------------------------------------------

export function javascriptOf({method, target, query, key, body}: ExampleRequest): string {
  const pairs = [...query].map(([name, value]) => `\n    [${literal(name)}, ${literal(value)}],`);
  const headers = [
    ...(key === undefined ? [] : [`Authorization: \`Bearer \${${key}}\``]),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: {${headers.join(', ')}}`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${jsonOf(body, '  ')})`]),
  ];
  return [
    ...(pairs.length === 0
      ? []
      : [`const query = new URLSearchParams([${pairs.join('').replaceAll('\n  ', '\n')}\n]);`]),
    `const answer = await fetch(\`\${BASE}${target}${pairs.length === 0 ? '' : `?\${query}`}\`${
      options.length === 0 ? '' : `, {${options.map((option) => `\n  ${option},`).join('')}\n}`
    });`,
    'console.log(answer.status, await answer.text());',
  ].join('\n');
}

/** Within single quotes, in JavaScript and in Python. */
const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

// -- Python -----------------------------------------------------------------------------------------------------------

/** With the standard library alone. An answer of 400 or above raises HTTPError, which has the body, too. */
export function pythonOf({method, target, query, key, body}: ExampleRequest): string {
  const pairs = [...query].map(([name, value]) => `\n    (${literal(name)}, ${literal(value)}),`);
  const headers = [
    ...(key === undefined ? [] : [`'Authorization': f'Bearer {${key}}'`]),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const words = [
    `f'{BASE}${target}${pairs.length === 0 ? '' : '?{query}'}'`,
    ...(method === 'GET' ? [] : [`method='${method}'`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(body === undefined
      ? []
      : [`data=json.dumps(${pythonLiteral(body, isShort(body) ? undefined : '    ')}).encode()`]),
  ];
  return [
    ...(pairs.length === 0 ? [] : [`query = urllib.parse.urlencode([${pairs.join('')}\n])`]),
    `request = urllib.request.Request(${words.map((word) => `\n    ${word},`).join('')}\n)`,
    'print(urllib.request.urlopen(request).read().decode())',
  ].join('\n');
}

const words: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
]);

/** `indent`: of the lines after the first; undefined: it is one line. */
function pythonLiteral(value: unknown, indent?: string): string {
  if (typeof value === 'string') return literal(value);
  if (typeof value !== 'object' || value === null) return words.get(value) ?? String(value);
  const inner = indent === undefined ? undefined : `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([name, one]) => `${literal(name)}: ${pythonLiteral(one, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (indent === undefined || items.length === 0) return `${open}${items.join(', ')}${close}`;
  return `${open}${items.map((one) => `\n${inner}${one},`).join('')}\n${indent}${close}`;
}

// -- all of them ------------------------------------------------------------------------------------------------------

interface Language {
  readonly name: string;
  /** In ids and classes of the page. */
  readonly word: string;
  readonly requestOf: (request: ExampleRequest) => string;
}

export const languages: readonly Language[] = [
  {name: 'curl', word: 'curl', requestOf: curlOf},
  {name: 'JavaScript', word: 'javascript', requestOf: javascriptOf},
  {name: 'Python', word: 'python', requestOf: pythonOf},
];
