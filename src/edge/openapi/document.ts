// The OpenAPI 3.1 description of the service, made from the code: the routes, the declarations of parameters, the schemas of
// bodies, the table of refusals.
//   O1. Every method of every path is described, and nothing else: a missing or superfluous description ends the build.

import {positionsPattern} from '../../log-position.js';
import type {Access} from '../admission/authentication.js';
import {preflightAnswer} from '../answers/ingestion.js';
import {type ErrorCode, statusOf} from '../failure.js';
import {parquetType} from '../parquet/events-as-parquet.js';
import {type JsonSchema, noParameters, numberedName, type QueryForm} from '../query/query.js';
import {type BodyEndpoint, type Method, type ReadEndpoint, type Route, type Routes, routedMethods} from '../route.js';
import {describedHeaders, type HeaderName, headersAlways, headersSometimes} from './headers.js';
import {introduction} from './introduction.js';
import {type Answer, type AnswerHeaders, type Operation, type Operations, tags} from './operation.js';
import {alerts} from './operations/alerts.js';
import {compatible} from './operations/compatible.js';
import {engagement} from './operations/engagement.js';
import {events} from './operations/events.js';
import {exports} from './operations/exports.js';
import {funnels} from './operations/funnels.js';
import {keys} from './operations/keys.js';
import {lists} from './operations/lists.js';
import {operating} from './operations/operating.js';
import {reports} from './operations/reports.js';
import {kept} from './operations/resources.js';
import {users} from './operations/users.js';
import {webhooks} from './operations/webhooks.js';
import {describedSchemas, referenceTo} from './schemas.js';

/** Loosely typed: tests check it against the schema of OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {readonly title: string; readonly version: string; readonly [more: string]: unknown};
  /** One server: the base of the paths. */
  readonly servers: readonly {readonly url: string; readonly description: string}[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [more: string]: unknown;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, {readonly $ref?: string; readonly required?: boolean}>>;
  readonly content?: Readonly<Record<string, {readonly schema: JsonSchema; readonly example?: unknown}>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, {readonly schema: JsonSchema; readonly example?: unknown}>>;
  };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

const operations: Operations = {
  ...events,
  ...exports,
  ...users,
  ...compatible,
  ...reports,
  ...funnels,
  ...engagement,
  ...lists,
  ...kept,
  ...webhooks,
  ...alerts,
  ...keys,
  ...operating,
};

export function describeService(routes: Routes, version: string): OpenApiDocument {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  const undescribed = endpointsOf(routes);
  for (const [place, operation] of Object.entries(operations)) {
    const [method, path] = place.split(' ') as [Method, string];
    const found = endpointAt(routes, method, path);
    if (found === undefined) throw new Error(`${place} is described, but there is no such route`); // O1
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describeOperation(operation, found.route, found.endpoint);
    undescribed.delete(found.endpoint);
  }
  const [missing] = undescribed.values();
  if (missing !== undefined) throw new Error(`${missing} is not described`); // O1
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      summary: 'Product analytics: events in, profiles and exact reports out.',
      description: introduction,
      license: {name: 'Apache-2.0', identifier: 'Apache-2.0'},
    },
    servers: [{url: '/', description: 'The service that this description comes from.'}],
    tags: tags.map((name) => ({name})),
    paths,
    components: {
      schemas: describedSchemas(),
      headers: describedHeaders,
      responses: {
        NotFound: unrouted('not_found'),
        MethodNotAllowed: unrouted('method_not_allowed'),
        Preflight: preflightResponse() as unknown as JsonSchema,
      },
      securitySchemes,
    },
  };
}

// -- routes -----------------------------------------------------------------------------------------------------------

type Endpoint = ReadEndpoint | BodyEndpoint;

/** Each endpoint once, with a name: two paths may share one (GET of /v1/users/identify is that of a user). */
function endpointsOf({exact, bySegment}: Routes): Map<Endpoint, string> {
  const found = new Map<Endpoint, string>();
  for (const [path, route] of [...exact, ...bySegment]) {
    for (const method of routedMethods) {
      const endpoint = route[method];
      if (endpoint !== undefined && !found.has(endpoint)) found.set(endpoint, `${method} ${path}`);
    }
  }
  return found;
}

function endpointAt(routes: Routes, method: Method, path: string): {route: Route; endpoint: Endpoint} | undefined {
  const route = routes.exact.get(path) ?? routes.bySegment.get(path.replace(/\{\w+\}$/, '').replace(/\{\w+\}/, '*'));
  const endpoint = route?.[method];
  return route === undefined || endpoint === undefined ? undefined : {route, endpoint};
}

// -- operations -------------------------------------------------------------------------------------------------------

const securitySchemes: Readonly<Record<string, JsonSchema>> = {
  writeKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_write_…',
    description: 'May track events and identify. Safe in browsers and apps.',
  },
  writeKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'write_key',
    description: 'A write key in the URL, for beacons, which cannot send headers. A secret key is refused there.',
  },
  writeKeyAsName: {
    type: 'http',
    scheme: 'basic',
    description: 'A write or secret key as the name, without a password: as libraries of other services send it.',
  },
  writeKeyInHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-write-key',
    description: 'A write or secret key, which may follow a name and a colon: as libraries of Jitsu send it.',
  },
  writeKeyAsClient: {
    type: 'apiKey',
    in: 'header',
    name: 'openpanel-client-id',
    description: 'A write or secret key, as libraries of OpenPanel send it. Their client secret is ignored.',
  },
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_live_…',
    description: 'May do everything except manage keys. For servers only.',
  },
  readKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_read_…',
    description: 'May read reports, events and users, and nothing else: for dashboards and exports.',
  },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The ADMIN_TOKEN of the service. Never an API key.',
  },
};

const schemesOf: Readonly<Record<Access, readonly string[]>> = {
  open: [],
  key: ['writeKey', 'readKey', 'secretKey'],
  write: ['writeKey', 'writeKeyInQuery', 'secretKey'],
  read: ['secretKey', 'readKey'],
  secret: ['secretKey'],
  admin: ['adminToken'],
  dashboard: [], // Not described (route.ts, RT2).
};

function describeOperation(operation: Operation, route: Route, endpoint: Endpoint): DescribedOperation {
  const {id, tag, summary, description, body} = operation;
  const parameters = describeParameters(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : {description}),
    security: [
      ...schemesOf[endpoint.access],
      ...(route.isCompatible ? ['writeKeyAsName', 'writeKeyInHeader', 'writeKeyAsClient'] : []),
    ].map((name) => ({
      [name]: [],
    })),
    ...(parameters.length === 0 ? {} : {parameters}),
    ...(body === undefined ? {} : {requestBody: describeBody(body, route, endpoint)}),
    responses: describeAnswers(operation, route, endpoint),
  };
}

const pathParameters = (path: Operation['path'] = {}): DescribedParameter[] =>
  Object.entries(path).map(([name, parameter]) => ({name, in: 'path' as const, required: true, ...parameter}));

function describeParameters({
  path,
  query = {},
  isConditional,
  hasTag,
  isGuarded,
  body,
}: Operation): DescribedParameter[] {
  return [
    ...pathParameters(path),
    ...describeQuery(query),
    ...(isConditional ? [ifNoneMatch, minLogPosition] : []),
    ...(hasTag ? [ifNoneMatch] : []),
    ...(isGuarded ? [ifMatch] : []),
    ...(body === undefined ? [] : [contentEncoding]),
  ];
}

const describeQuery = (query: QueryForm): DescribedParameter[] =>
  Object.entries(query).flatMap(([name, {description, isRequired, numberMax, schema, example}]) =>
    namesOf(name, numberMax).map((name, i, [first]) => ({
      name,
      in: 'query' as const,
      description: i === 0 ? description : asThat(first!),
      ...(isRequired && {required: true}),
      schema,
      ...(example === undefined ? {} : {example: schema.type === 'integer' ? Number(example) : example}),
    })),
  );

const asThat = (name: string): string => `As \`${name}\`.`;

/** A numbered parameter after the first one of its kind. */
export const isRepeated = ({name, description}: DescribedParameter): boolean =>
  description === asThat(name.replace(/\d+/, '1'));

/** A document knows no names with a number in them, but each of them. */
const namesOf = (name: string, numberMax: number | undefined): readonly string[] =>
  numberMax === undefined ? [name] : Array.from({length: numberMax}, (_, i) => numberedName(name, i + 1));

const ifNoneMatch: DescribedParameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer: 304 while nothing has changed.',
  schema: {type: 'string'},
};

const ifMatch: DescribedParameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the answer that was read: 412, and nothing changes, if somebody changed it since. Without it, the last change counts.',
  schema: {type: 'string'},
};

const minLogPosition: DescribedParameter = {
  name: 'Min-Log-Position',
  in: 'header',
  description:
    'The `Log-Position` of a write, or several with commas: the answer includes these writes, or is 503 `not_yet`.',
  schema: {type: 'string', pattern: positionsPattern.source},
};

const contentEncoding: DescribedParameter = {
  name: 'Content-Encoding',
  in: 'header',
  description: 'How the body is compressed.',
  schema: {type: 'string', enum: ['identity', 'gzip', 'deflate', 'br']},
};

/** Beacons send JSON as text/plain, which needs no preflight. */
function describeBody(
  {schema, example}: NonNullable<Operation['body']>,
  {isWriteRoute, isCompatible}: Route,
  endpoint: Endpoint,
) {
  const reference = referenceTo(schema);
  const content = {'application/json': {schema: reference, example}};
  const required = !('isBodyOptional' in endpoint);
  if (isCompatible) return {required, content: {...content, '*/*': {schema: {}}}};
  return {required, content: isWriteRoute ? {...content, 'text/plain': {schema: reference}} : content};
}

// -- answers ----------------------------------------------------------------------------------------------------------

/** Headers of a failure, in addition to those of its route. */
const headersOfCode: Readonly<Partial<Record<ErrorCode, AnswerHeaders>>> = {
  missing_key: {always: ['WWW-Authenticate']},
  invalid_key: {always: ['WWW-Authenticate']},
  method_not_allowed: {always: ['Allow']},
  // With the rate fields if a rate is the reason, and without them if too many questions of the caller wait.
  rate_limited: {always: ['Retry-After'], sometimes: ['RateLimit', 'RateLimit-Policy']},
  unavailable: {always: ['Retry-After']},
  not_yet: {always: ['Retry-After']},
};

function describeAnswers(operation: Operation, route: Route, endpoint: Endpoint): Record<string, DescribedAnswer> {
  const {refusals} = operation;
  const codes = byStatus(codesOf(operation, endpoint), (code) => [
    ...(refusals === undefined || refusals.isBeside ? [statusOf[code]] : []),
    ...(refusals === undefined ? [] : [route.refusalForm!({code, message: ''}).status]),
  ]);
  const statuses = new Set([...Object.keys(operation.answers), ...codes.keys()]);
  const isCorsOpen = route.isCompatible === true || ('takeBody' in endpoint && route.isWriteRoute === true);
  return Object.fromEntries(
    [...statuses]
      .sort()
      .map((status) => [
        status,
        describeAnswer(operation.answers[Number(status)], codes.get(status) ?? [], refusals, [
          isCorsOpen ? corsHeaders(status) : {},
          route.isCompatible ? echoHeaders : {},
          limitHeaders(endpoint, status),
          isRead(route, endpoint) ? encodedHeaders(status) : {},
          headersOfAll(isCorsOpen && status === '200'),
        ]),
      ]),
  );
}

/** Headers of every answer. */
const headersOfAll = (isAcceptedWrite = false): AnswerHeaders => ({
  always: ['X-Content-Type-Options', 'Cache-Control', ...(isAcceptedWrite ? [] : (['X-Request-Id'] as const))],
  ...(isAcceptedWrite ? {sometimes: ['X-Request-Id']} : {}),
});

/** Pages may read when to retry. */
const corsHeaders = (status: string): AnswerHeaders => ({
  always: ['Access-Control-Allow-Origin'],
  ...(status === '429' || status === '503' ? {sometimes: ['Access-Control-Expose-Headers']} : {}),
});

/** Compatible routes name the origin that asks, if one does. */
const echoHeaders: AnswerHeaders = {sometimes: ['Access-Control-Allow-Credentials', 'Vary']};

/** Answers to reads are compressed where the client accepts it. */
const isRead = (route: Route, endpoint: Endpoint): boolean =>
  route.GET === endpoint || ('isQuestion' in endpoint && endpoint.isQuestion === true);
const encodedHeaders = (status: string): AnswerHeaders =>
  status === '200' ? {sometimes: ['Vary', 'Content-Encoding']} : status === '304' ? {always: ['Vary']} : {};

/** Headers of an admitted request once half of its quota is used. */
const limitHeaders = ({limit}: Endpoint, status: string): AnswerHeaders =>
  limit === undefined || status === '401' || status === '403' ? {} : {sometimes: ['RateLimit', 'RateLimit-Policy']};

const ofBodies = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'request_timeout',
  'unavailable',
] as const;

/** Every code that an operation may answer: from the checks before the route, its parameters, its body, and its own. */
function codesOf({query, path, isGuarded, body, errors}: Operation, endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(errors);
  const {access, limit} = endpoint;
  if (query !== undefined || body !== undefined) codes.add('invalid_request');
  if (access !== 'open') codes.add('missing_key').add('invalid_key');
  if (access === 'write' || access === 'key') codes.add('origin_not_allowed');
  if (access === 'write' || access === 'read' || access === 'secret') codes.add('insufficient_permissions');
  if (limit !== undefined) codes.add('rate_limited');
  if (path !== undefined && query === noParameters) codes.add('invalid_request');
  if (isGuarded) codes.add('changed_meanwhile').add('invalid_request');
  if (body !== undefined) {
    for (const code of ofBodies) codes.add(code);
  }
  return [...codes.add('internal_error')];
}

function byStatus(
  codes: readonly ErrorCode[],
  statusesOf: (code: ErrorCode) => readonly string[],
): Map<string, ErrorCode[]> {
  const found = new Map<string, ErrorCode[]>();
  for (const code of codes)
    for (const line of new Set(statusesOf(code))) {
      const status = line.slice(0, 3);
      found.set(status, [...(found.get(status) ?? []), code]);
    }
  return found;
}

function describeAnswer(
  answer: Answer | undefined,
  codes: readonly ErrorCode[],
  refusals: Operation['refusals'],
  more: readonly AnswerHeaders[],
): DescribedAnswer {
  const ofCodes = codes
    .flatMap((code) => headersOfCode[code] ?? [])
    .map(refusals === undefined ? asTheyAre : sometimes);
  const headers = describeHeaders([answer?.headers ?? {}, ...ofCodes, ...more]);
  const description = answer?.description ?? codes.map((code) => `\`${code}\``).join(', ');
  const content = describeContent(answer, codes, refusals);
  return {
    description,
    ...(Object.keys(headers).length === 0 ? {} : {headers}),
    ...(content === undefined ? {} : {content}),
  };
}

/** With statuses of another form, refusals of several kinds have one status. */
const asTheyAre = (headers: AnswerHeaders): AnswerHeaders => headers;
const sometimes = (headers: AnswerHeaders): AnswerHeaders => ({
  sometimes: [...(headers.always ?? []), ...(headers.sometimes ?? [])],
});

function describeContent(
  answer: Answer | undefined,
  codes: readonly ErrorCode[],
  refusals: Operation['refusals'],
): DescribedAnswer['content'] {
  const {schema, media, example, isTable} = answer ?? {};
  const shown = example === undefined ? {} : {example};
  const parquet = isTable && {[parquetType]: {schema: {}}};
  if (media !== undefined) {
    return {[media]: {schema: media === 'application/json' ? {type: 'object'} : {type: 'string'}}, ...parquet};
  }
  if (refusals !== undefined && codes.length > 0) {
    const own = referenceTo(refusals.schema);
    const both = {anyOf: [own, {allOf: [{$ref: '#/components/schemas/Error'}, errorWith(codes)]}]};
    return {'application/json': {schema: refusals.isBeside ? both : own}};
  }
  const bodies = [
    ...(schema === undefined ? [] : [referenceTo(schema)]),
    ...(codes.length === 0 ? [] : [{$ref: '#/components/schemas/Error'}]),
  ];
  if (bodies.length === 0) return undefined;
  const body = bodies.length === 1 ? bodies[0]! : {anyOf: bodies};
  const json = {schema: codes.length === 0 ? body : {allOf: [body, errorWith(codes)]}, ...shown};
  return {'application/json': json, ...(isTable && {'text/csv': {schema: {type: 'string'}}}), ...parquet};
}

const errorWith = (codes: readonly ErrorCode[]): JsonSchema => ({
  type: 'object',
  required: ['error'],
  properties: {error: {type: 'object', required: ['code'], properties: {code: {enum: codes}}}},
});

interface Narrowed {
  readonly allOf?: readonly [
    JsonSchema,
    {
      readonly properties: {
        readonly error: {readonly properties: {readonly code: {readonly enum: readonly ErrorCode[]}}};
      };
    },
  ];
}

/** Takes apart what `errorWith` narrowed. A form without codes is that of an answer that may be none of a refusal. */
export function formAndCodes(schema: JsonSchema): {readonly form: JsonSchema; readonly codes: readonly ErrorCode[]} {
  const [form = schema, narrowing] = (schema as Narrowed).allOf ?? [];
  return {form, codes: narrowing?.properties.error.properties.code.enum ?? []};
}

function describeHeaders(all: readonly AnswerHeaders[]): NonNullable<DescribedAnswer['headers']> {
  const always = new Set<HeaderName>(all.flatMap((one) => one.always ?? []));
  const sometimes = all.flatMap((one) => one.sometimes ?? []).filter((name) => !always.has(name));
  return Object.fromEntries([
    ...[...always].map((name) => [name, headersAlways[name]]),
    ...sometimes.map((name) => [name, headersSometimes[name]]),
  ]);
}

/** The refusal of an unknown path, or of a method that its path does not have: it belongs to no operation. */
function unrouted(code: ErrorCode): JsonSchema {
  const headers = [headersOfAll(), {sometimes: ['Access-Control-Allow-Origin']}, echoHeaders] as const;
  return describeAnswer(undefined, [code], undefined, headers) as unknown as JsonSchema;
}

/** The answer to what browsers ask before a page of another origin may send: an exchange of browser and service, and no operation. */
function preflightResponse(): DescribedAnswer {
  const headers = describeHeaders([
    {
      always: [
        'Access-Control-Allow-Origin',
        'Access-Control-Allow-Methods',
        'Access-Control-Allow-Headers',
        'Access-Control-Max-Age',
      ],
    },
    echoHeaders,
    headersOfAll(),
  ]);
  return {
    description: 'Every origin may send.',
    headers,
    content: {'application/json': {schema: referenceTo(preflightAnswer), example: {status: 'ok'}}},
  };
}
