// The description as /openapi.json has it, for programs: each thing once. The page of /docs and the tests have the whole one.
//   SV1. What any request or answer may have is said once, by the introduction: headers of answers, conditional requests, compressed
//        bodies. So are the keys that most operations need.
//   SV2. Refusals without a body of their own are one answer, `default`. The description of an operation has the codes that not any
//        operation may refuse with.
//   SV3. Nobody generates a client of the routes for other libraries, which know the forms of their calls: those that differ in the
//        path alone are one operation, and none has a schema.
//   SV4. Of numbered parameters the first one stands for all, and says how many there are. A question with several has a body as well.
//   SV5. The page of /docs has the examples, and the schemas of what is no JSON.
//   SV6. A summary that has the words of the operation's id is left out.
import {type ErrorCode, statusOf} from '../failure.js';
import type {JsonSchema} from '../query/query.js';
import {
  type DescribedAnswer,
  type DescribedOperation,
  type DescribedParameter,
  formAndCodes,
  isRepeated,
  type OpenApiDocument,
} from './document.js';
import type {Tag} from './operation.js';
import {ServedSchemas} from './served-schemas.js';
import {mapValues, Shared} from './shared.js';

type Paths = OpenApiDocument['paths'];

/** `ofAnswers`: names of schemas that answers alone have. */
export function servedForm(document: OpenApiDocument, ofAnswers: ReadonlySet<string>): OpenApiDocument {
  const {schemas = {}, securitySchemes = {}} = document.components;
  const security = mostWritten(operationsIn(document.paths).map((operation) => operation.security));
  const paths = mapped(librariesTogether(document.paths), (operation) => served(operation, security));
  const used = new ServedSchemas(schemas, ofAnswers, [paths, refusal]);
  const {components, ...referring} = withComponents(paths, used);
  return {...document, security, ...referring, components: {...components, securitySchemes}};
}

/** What repeats as components. */
function withComponents(paths: Paths, schemas: ServedSchemas): Pick<OpenApiDocument, 'paths' | 'components'> {
  const ofMembers = new Map<string, JsonSchema>();
  for (const one of operationsIn(paths).flatMap(({parameters = []}) => parameters)) {
    const schema = ofMembers.has(JSON.stringify(one)) ? undefined : schemas.ofParameter(one.schema, one.description);
    if (schema !== undefined) ofMembers.set(JSON.stringify(one), schema);
  }
  const plain = (parameter: DescribedParameter): object => {
    const schema = ofMembers.get(JSON.stringify(parameter));
    const {description: _, ...rest} = parameter;
    return schema === undefined ? parameter : {...rest, schema: schemas.reference(schema, parameter.name)};
  };
  const [answers, bodies, parameters] = [
    new Shared('responses', {Refusal: refusal as unknown as JsonSchema}),
    new Shared('requestBodies'),
    new Shared('parameters'),
  ];
  const noted = mapped(paths, ({parameters: own, ...operation}) => {
    const all = own?.map(plain);
    for (const answer of Object.values(operation.responses)) answers.note(answer);
    for (const parameter of all ?? []) parameters.note(parameter);
    if (operation.requestBody !== undefined) bodies.note(operation.requestBody);
    return {...operation, ...(all && {parameters: all as readonly DescribedParameter[]})};
  });
  const referring = mapped(
    noted,
    ({parameters: own, requestBody, ...operation}) =>
      ({
        ...operation,
        ...(own && {parameters: own.map((one) => parameters.shared(one, one.name))}),
        ...(requestBody && {requestBody: bodies.shared(requestBody, operation.operationId)}),
        responses: mapValues(operation.responses, (one, status) => answers.shared(one, status)),
      }) as unknown as DescribedOperation,
  );
  return {
    paths: mapValues(referring, withCommonParameters),
    components: {
      schemas: schemas.components(),
      responses: answers.components,
      parameters: parameters.components,
      requestBodies: bodies.components,
    },
  };
}

/** What all operations of a path have is said of the path. */
function withCommonParameters(methods: Paths[string]): Paths[string] {
  const all = Object.values(methods).map(({parameters = []}) => parameters);
  const isCommon = (one: DescribedParameter): boolean =>
    all.length > 1 && all.every((own) => own.some((other) => JSON.stringify(other) === JSON.stringify(one)));
  const common = all[0]!.filter(isCommon);
  if (common.length === 0) return methods;
  const own = mapValues(methods, ({parameters = [], ...operation}) => {
    const left = parameters.filter((one) => !isCommon(one));
    return {...operation, ...(left.length > 0 && {parameters: left})};
  });
  return {parameters: common, ...own} as unknown as Paths[string];
}

/** The value whose copies are longest. */
function mostWritten<Value>(all: readonly Value[]): Value {
  const weights = new Map<string, number>();
  for (const text of all.map((one) => JSON.stringify(one))) weights.set(text, (weights.get(text) ?? 0) + text.length);
  const [[heaviest]] = [...weights].sort(([, a], [, b]) => b - a) as [[string, number]];
  return JSON.parse(heaviest) as Value;
}

// -- operations. SV1, SV4, SV5 --

const saidOnce = ['Content-Encoding', 'If-Match', 'If-None-Match'];
/** The answer to `If-None-Match`. */
const unchanged = '304';

function served(
  {security: own, parameters: all = [], requestBody, responses, description, ...operation}: DescribedOperation,
  security: DescribedOperation['security'],
): DescribedOperation {
  const parameters = all.filter((one) => !saidOnce.includes(one.name) && !isRepeated(one));
  const words = [description, furtherRefusals(responses)].filter((one) => one !== undefined);
  const isForLibraries = isOfLibraries(operation);
  const answers = Object.entries(responses).filter(([status, answer]) => status !== unchanged && !isRefusal(answer));
  const {summary, ...named} = operation;
  return {
    ...named,
    ...(!isSaidById(operation) && {summary}),
    ...(words.length > 0 && {description: words.join(' ')}),
    ...(JSON.stringify(own) !== JSON.stringify(security) && {security: own}),
    ...(parameters.length > 0 && {parameters: parameters.map(({example: _, ...parameter}) => parameter)}),
    ...(requestBody && {requestBody: isForLibraries ? anyBody : withoutExamples(requestBody)}),
    responses: {
      ...mapValues(Object.fromEntries(answers), isForLibraries ? withoutForm : withoutCodes),
      default: refusalOf(responses),
    },
  } as DescribedOperation;
}

const wordsOf = (text: string): string => text.toLowerCase().replace(/\b(?:an?|the) |[^a-z]/g, '');

/** `Read a board` of `readBoard`. SV6 */
export const isSaidById = ({operationId, summary}: Pick<DescribedOperation, 'operationId' | 'summary'>): boolean =>
  wordsOf(operationId) === wordsOf(summary);

const withoutExamples = <Of extends Pick<DescribedAnswer, 'content'>>(of: Of): Of =>
  of.content === undefined ? of : {...of, content: mapValues(of.content, ({schema}) => ({schema}))};

/** An answer with its codes in words, and without headers. */
function withoutCodes({headers: _, ...answer}: DescribedAnswer): DescribedAnswer {
  const {content, ...about} = withoutExamples(answer);
  if (content === undefined) return about;
  const [{codes = []} = {}] = Object.values(content).map(({schema}) => formAndCodes(schema));
  const description = codes.length === 0 ? about.description : `${inCode(codes)}: ${about.description}`;
  return {
    description,
    content: mapValues(content, ({schema}, type) =>
      type === 'application/json' ? {schema: formAndCodes(schema).form} : {},
    ),
  } as DescribedAnswer;
}

const withStatus = (code: ErrorCode): string => `${statusOf[code].slice(0, 3)} \`${code}\``;
const inCode = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

// -- refusals. SV2 --

/** Codes that an operation may refuse with for what it has. */
const codesOf: Readonly<Record<string, readonly ErrorCode[]>> = {
  'Any operation': ['invalid_request', 'internal_error', 'unavailable'],
  'one with a body': ['invalid_json', 'request_timeout', 'payload_too_large', 'unsupported_media_type'],
  'with a key': ['missing_key', 'invalid_key', 'insufficient_permissions', 'origin_not_allowed', 'rate_limited'],
  'with an id': ['not_found'],
  'with a `cursor`': ['invalid_cursor'],
  'of a report or list': ['too_expensive', 'snapshot_gone', 'not_yet'],
};
const codesOfMany: ReadonlySet<ErrorCode> = new Set(Object.values(codesOf).flat());

const refusal: DescribedAnswer = {
  description: `A refusal. ${Object.entries(codesOf)
    .map(([what, codes]) => `${what}: ${codes.map(withStatus).join(', ')}`)
    .join('; ')}. The description of an operation has further ones.`,
  content: {'application/json': {schema: {$ref: '#/components/schemas/Error'}}},
};

/** A list of codes describes an answer that is a refusal and nothing else (document.ts). */
const isRefusal = ({description}: DescribedAnswer): boolean => /^`\w+`(?:, `\w+`)*$/.test(description);

const refusalsOf = (
  answers: DescribedOperation['responses'],
): [status: string, codes: readonly ErrorCode[], form: string][] =>
  Object.entries(answers)
    .filter(([, answer]) => isRefusal(answer))
    .map(([status, {description, content}]) => [
      status,
      description.split(', ').map((code) => code.slice(1, -1) as ErrorCode),
      JSON.stringify(formAndCodes(content!['application/json']!.schema).form),
    ]);

const refusalOf = (answers: DescribedOperation['responses']): DescribedAnswer =>
  refusalsOf(answers).every(([, , form]) => form === JSON.stringify(refusal.content!['application/json']!.schema))
    ? refusal
    : {description: 'A refusal, in the form that its libraries read.'};

function furtherRefusals(answers: DescribedOperation['responses']): string | undefined {
  const further = refusalsOf(answers).flatMap(([status, codes]) => {
    const own = codes.filter((code) => !codesOfMany.has(code) || !statusOf[code].startsWith(status));
    return own.length === 0 ? [] : [`${status} ${inCode(own)}`];
  });
  return further.length === 0 ? undefined : `Further refusals: ${further.join('; ')}.`;
}

// -- routes for other libraries. SV3 --

const forLibraries: Tag = 'Other libraries';
const isOfLibraries = ({tags}: Pick<DescribedOperation, 'tags'>): boolean => tags.includes(forLibraries);

const anyBody = {required: true, content: {'*/*': {schema: {}}}};
const withoutForm = ({description}: DescribedAnswer): DescribedAnswer => ({description});

/** One operation in place of those that have the same form. What is said of one may hold for another that says nothing. */
function librariesTogether(paths: Paths): Paths {
  const firsts: {readonly form: string; readonly operation: DescribedOperation; readonly others: string[]}[] = [];
  const left = mapValues(paths, (methods, path) =>
    Object.fromEntries(
      Object.entries(methods).filter(([method, operation]) => {
        if (!isOfLibraries(operation)) return true;
        const form = formOf(method, operation);
        const first = firsts.find(
          (one) =>
            one.form === form && (operation.description ?? one.operation.description) === one.operation.description,
        );
        if (first === undefined) firsts.push({form, operation, others: []});
        else first.others.push(`\`${path}\``);
        return first === undefined;
      }),
    ),
  );
  const others = new Map(firsts.map((one) => [one.operation, one.others]));
  const told = mapped(left, (operation) => {
    const also = others.get(operation) ?? [];
    if (also.length === 0) return operation;
    const {description} = operation;
    return {
      ...operation,
      description: [...(description ? [description] : []), `Likewise ${also.join(', ')}.`].join(' '),
    };
  });
  return Object.fromEntries(Object.entries(told).filter(([, methods]) => Object.keys(methods).length > 0));
}

/** What is the same where the path alone differs, and the example. */
const formOf = (
  method: string,
  {operationId: _, summary: __, description: ___, ...operation}: DescribedOperation,
): string => JSON.stringify([method, operation], (member, one) => (member === 'example' ? undefined : one));

const operationsIn = (paths: Paths): DescribedOperation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

const mapped = (paths: Paths, change: (operation: DescribedOperation) => DescribedOperation): Paths =>
  mapValues(paths, (methods) => mapValues(methods, change));
