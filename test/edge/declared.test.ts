// What every route declares, it holds: each parameter and each member of a body gets values that its own schema excludes, and the
// handler of the route names it. The table is the description of the service, so a new route is in it.
import {describe, expect, test} from 'vitest';
import {routes} from '../../src/edge/all-routes.js';
import {description} from '../../src/edge/description.js';
import {RequestFailure} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import type {DescribedOperation, OpenApiDocument} from '../../src/edge/openapi/document.js';
import type {JsonSchema} from '../../src/edge/query/query.js';
import {bodyEndpoint, findRoute, readEndpoint} from '../../src/edge/route.js';

const document = JSON.parse(JSON.stringify(description)) as OpenApiDocument;

interface Asked {
  readonly query?: string;
  readonly body?: unknown;
  /** The segment of the path that varies. */
  readonly id?: string;
}

interface Place {
  readonly name: string;
  readonly operation: DescribedOperation;
  /** The field that the handler refuses; undefined: it refused none before it needed the service. */
  readonly refusedAt: (asked: Asked) => Promise<string | undefined>;
}

const funnel = {steps: [{event: 'a'}]};
/** As much of a service as handlers need until they have read a request. They fail at the rest. */
const front = {
  partitionCount: 1,
  reportZone: undefined,
  wallMs: () => Date.UTC(2026, 4, 21),
  kept: {store: {endpoints: {get: () => undefined}, definitions: () => ({get: () => funnel, list: () => []})}},
} as unknown as Front;

/** Undefined: the request was not refused as one that cannot be read. */
async function refusedFieldOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
  } catch (error) {
    if (error instanceof RequestFailure && error.failure.code === 'invalid_request') {
      expect(error.failure.message).toMatch(/\S/);
      return error.failure.field;
    }
  }
  return undefined;
}

const places: readonly Place[] = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).flatMap(([word, operation]): Place[] => {
    const method = word.toUpperCase();
    const route = findRoute(routes, template.replace(/\{\w+\}/, 'xx_1'))!;
    const [reading, taking] = [readEndpoint(route, method), bodyEndpoint(route, method)];
    // Open routes are refused by the server; the others here take any parameter, and bodies of their own form.
    const isAnother = route.isCompatible || (route.isWriteRoute && taking !== undefined) || method === 'OPTIONS';
    if (isAnother || (reading ?? taking)!.access === 'open') return [];
    const refusedAt = async ({query = '', body = exampleOf(operation), id = 'xx_1'}: Asked) => {
      const path = template.replace(/\{\w+\}/, id);
      const exchange = {
        query,
        path,
        route,
        contentType: 'application/json',
        caller: {key: {id: 'k'}},
      } as unknown as Exchange;
      const bytes = Buffer.from(JSON.stringify(body ?? {}));
      const work = () => (reading ? reading.handle(front, exchange, id) : taking!.takeBody(front, exchange, bytes));
      return refusedFieldOf(work);
    };
    return [{name: `${method} ${template}`, operation, refusedAt}];
  }),
);

const exampleOf = ({requestBody}: DescribedOperation): unknown => requestBody?.content['application/json']?.example;

function resolved(schema: JsonSchema): JsonSchema {
  const {$ref, ...rest} = schema as {$ref?: string};
  if ($ref === undefined) return schema;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
  return {...resolved(found as JsonSchema), ...rest};
}

/** Texts that a parameter of this schema must refuse, beside an empty one. */
function wrongTexts(schema: JsonSchema): string[] {
  const {
    enum: words,
    type,
    minimum,
    maximum,
    maxLength,
    pattern,
    items,
  } = resolved(schema) as {
    [keyword in 'minimum' | 'maximum' | 'maxLength']?: number;
  } & {enum?: string[]; type?: string; pattern?: string; items?: JsonSchema};
  if (items !== undefined) return wrongTexts(items);
  if (words !== undefined)
    return ['?', `${words[0]}s`, ` ${words[0]}`, words[0].toUpperCase()].filter((text) => !words.includes(text));
  if (type === 'integer') return [minimum! - 1, maximum! + 1, 1.5, 'x', '1e1', '+1', ' 1', '٣'].map(String);
  return [
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : ['?', '=', '0:'].filter((text) => !new RegExp(pattern).test(text))),
  ];
}

type Pair = readonly [name: string, text: string];
const queryOf = (pairs: readonly Pair[]): string =>
  pairs.map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`).join('&');

describe.each(places)('$name', ({operation, refusedAt}) => {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query');
  const examples = parameters.flatMap(({name, example}) =>
    example === undefined ? [] : [example].flat().map((one): Pair => [name, String(one)]),
  );
  const without = (name: string): readonly Pair[] => examples.filter(([one]) => one !== name);
  const known = queryOf(examples);

  test('takes its example, and no parameter that is not declared', async () => {
    expect(await refusedAt({query: known})).toBeUndefined();
    for (const name of ['what', 'FROM', '__proto__', 'constructor', '%zz'])
      expect(await refusedAt({query: `${known}&${name}=1`}), name).toBe(name);
    for (const {name} of parameters.filter((one) => /\[\d+\]$/.test(one.name))) {
      const next = name.replace(/\d+/, (digits) => String(Number(digits) + 1));
      for (const other of [name.replace(/\d+/, '0'), name.replace(/\d+/, 'n'), next]) {
        if (!parameters.some((one) => one.name === other))
          expect(await refusedAt({query: queryOf([...examples, [other, '1']])}), other).toBe(other);
      }
    }
  });

  const itsParameters = async (): Promise<void> => {
    for (const {name, schema, required} of parameters) {
      const others = without(name);
      const refused = async (query: string) => expect(await refusedAt({query}), query.slice(0, 200)).toBe(name);
      const escaped = encodeURIComponent(name);
      const with_ = (text: string): string => `${queryOf(others)}&${escaped}${text}`;
      for (const text of ['', '=', '=%zz', '=%', '=%FF', '=%C3%28']) await refused(with_(text));
      if (resolved(schema).type !== 'array') await refused(queryOf([...others, [name, '1'], [name, '1']]));
      for (const text of wrongTexts(schema)) await refused(queryOf([...others, [name, text]]));
      if (required) await refused(queryOf(others));
    }
  };
  if (parameters.length > 0) test('refuses of each parameter what its schema excludes', itsParameters);

  const itsPath = async (): Promise<void> => {
    for (const id of ['%zz', '%', '%FF']) expect(await refusedAt({query: known, id})).toBe('id');
  };
  if (operation.parameters?.some((one) => one.in === 'path')) test('refuses a malformed escape in its path', itsPath);
});

/** Values that a member of this schema must refuse; none where it may be of several forms. */
function wrongValues(schema: JsonSchema): unknown[] {
  const form = resolved(schema) as {
    [keyword in 'minimum' | 'maximum' | 'maxLength' | 'maxItems']?: number;
  } & {enum?: string[]; type?: string; items?: JsonSchema};
  if (form.enum !== undefined) return ['?', `${form.enum[0]}s`, 7];
  if (form.type === 'integer') return [form.minimum! - 1, form.maximum! + 1, 1.5, '1', [1]];
  if (form.type === 'boolean') return ['true', 1];
  if (form.type === 'string') return [7, {}, ...(form.maxLength === undefined ? [] : ['a'.repeat(form.maxLength + 1)])];
  if (form.type === 'object') return ['x', 7, []];
  if (form.type !== 'array') return [];
  const tooMany = form.maxItems === undefined ? [] : [new Array(form.maxItems + 1).fill('a')];
  return ['x', {}, 7, ...tooMany, ...wrongValues(form.items!).map((one) => [one])];
}

// A question is another form, with tests of its own (question.test.ts), and the library of the protocol reads messages of assistants.
const ofOtherForms = ['POST /v1/query', 'POST /mcp'];
const withBody = places.filter(
  ({name, operation}) => exampleOf(operation) !== undefined && !ofOtherForms.includes(name),
);
test.each(withBody)(
  '$name refuses of its body what the schema of a member excludes',
  async ({operation, refusedAt}) => {
    const example = exampleOf(operation) as Record<string, unknown>;
    const query = queryOf(
      (operation.parameters ?? []).flatMap(({name, in: place, example: one}) =>
        place === 'query' && one !== undefined ? [[name, String(one)] as const] : [],
      ),
    );
    const {properties = {}, required = []} = resolved(operation.requestBody!.content['application/json'].schema) as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    const refused = async (body: object, member: string) => {
      const field = await refusedAt({query, body});
      expect(
        field?.replace(/^\//, '').split(/[./]/)[0],
        `${member} of ${JSON.stringify(body).slice(0, 200)}: ${field}`,
      ).toBe(member);
    };
    await refused({...example, what: 1}, 'what');
    for (const member of required) {
      const {[member]: _, ...rest} = example;
      await refused(rest, member);
    }
    for (const [member, schema] of Object.entries(properties))
      for (const value of wrongValues(schema)) await refused({...example, [member]: value}, member);
  },
);
