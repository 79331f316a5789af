// The description as it is served: what repeats is a component.
//   RF1. What any request or answer may have is said once, by the introduction: headers, whose components stay, and refusals.
//   RF2. Nobody generates a client of the routes for other libraries: all their refusals are one answer, `default`.
//   RF3. The keys that most operations need are those of the document.
//   RF4. Of numbered parameters the first one stands for all, and says how many there are. A question with several has a body as well.
import type {ErrorCode} from '../failure.js';
import type {JsonSchema} from '../query/query.js';
import {type DescribedAnswer, type DescribedOperation, isRepeated, type OpenApiDocument} from './document.js';
import {headersOfAnyAnswer} from './headers.js';
import type {Tag} from './operation.js';

type Components = Record<string, JsonSchema>;

/** Characters of a reference to a schema, and of the name of its component. */
const referenceChars = 60;
const nameChars = 30;

/** The same document, with components for what several operations or schemas have. */
export function withReferences(document: OpenApiDocument): OpenApiDocument {
  const headers: Components = {...document.components.headers};
  const security = mostWritten(operationsIn(document.paths).map((operation) => operation.security));
  const paths = mapped(document.paths, ({security: own, parameters: all, ...operation}) => {
    const parameters = all?.filter((one) => one.name !== 'Content-Encoding' && !isRepeated(one)); // RF1, RF4
    return {
      ...operation,
      ...(JSON.stringify(own) !== JSON.stringify(security) && {security: own}),
      ...(parameters && parameters.length > 0 && {parameters}),
      responses: mapValues(ownAnswers(operation), (answer) => withHeaderReferences(answer, headers)),
    } as DescribedOperation;
  });
  const {responses = {}, schemas = {}} = document.components;
  const unrouted = mapValues(responses, (answer) =>
    withHeaderReferences(answer as unknown as DescribedAnswer, headers),
  );
  const answers = new Shared('responses', {...(unrouted as unknown as Components)});
  const parameters = new Shared('parameters', {});
  const bodies = new Shared('requestBodies', {});
  for (const operation of operationsIn(paths)) {
    for (const answer of Object.values(operation.responses)) answers.note(answer);
    for (const parameter of operation.parameters ?? []) parameters.note(parameter);
    if (operation.requestBody !== undefined) bodies.note(operation.requestBody);
  }
  const referring = mapped(paths, ({parameters: own, requestBody, ...operation}) => ({
    ...operation,
    ...(own && {parameters: own.map((one) => parameters.shared(one, `${one.in}.${one.name}`))}),
    ...(requestBody && {requestBody: bodies.shared(requestBody, operation.operationId)}),
    responses: mapValues(operation.responses, (one, status) => answers.shared(one, status)),
  }));
  return {
    ...document,
    security,
    paths: referring as OpenApiDocument['paths'],
    components: {
      ...document.components,
      headers,
      schemas: withSharedParts(schemas),
      responses: answers.components,
      parameters: parameters.components,
      requestBodies: bodies.components,
    },
  };
}

/** Objects that occur several times become components. */
class Shared {
  private readonly counts = new Map<string, number>();
  private readonly nameOf = new Map<string, string>();

  constructor(
    private readonly kind: string,
    readonly components: Components,
  ) {}

  /** @returns whether it is the first of its text. */
  note(one: object): boolean {
    const text = JSON.stringify(one);
    const count = this.counts.get(text) ?? 0;
    this.counts.set(text, count + 1);
    return count === 0;
  }

  /** Whether a component and the references to it are shorter than the copies. */
  saves(one: object): boolean {
    const text = JSON.stringify(one);
    const count = this.counts.get(text) ?? 0;
    return count * (text.length - referenceChars) > text.length + nameChars;
  }

  /**
   * A reference, or the object itself if it occurs once. A component has the name of its first place, and another one of this name a
   * number behind it. `made`: the component, if it is not the object as it was noted.
   */
  shared(one: object, name: string, made: () => object = () => one): object {
    const text = JSON.stringify(one);
    if ((this.counts.get(text) ?? 0) < 2) return made();
    let known = this.nameOf.get(text);
    if (known === undefined) {
      known = this.freshName(name.replace(/[^\w.-]+/g, ''));
      this.nameOf.set(text, known);
      this.components[known] = {}; // The name is taken while the component is made.
      this.components[known] = made() as JsonSchema;
    }
    return {$ref: `#/components/${this.kind}/${known}`};
  }

  private freshName(name: string): string {
    if (!(name in this.components)) return name;
    let number = 2;
    while (`${name}.${number}` in this.components) number += 1;
    return `${name}.${number}`;
  }
}

/** The value whose copies are longest. */
function mostWritten<Value>(all: readonly Value[]): Value {
  const weights = new Map<string, number>();
  for (const text of all.map((one) => JSON.stringify(one))) weights.set(text, (weights.get(text) ?? 0) + text.length);
  const [[heaviest]] = [...weights].sort(([, a], [, b]) => b - a) as [[string, number]];
  return JSON.parse(heaviest) as Value;
}

// -- refusals. RF1, RF2 --

type Answers = DescribedOperation['responses'];

const forLibraries: Tag = 'Other libraries';
/** The second to fourth of any request with a body. RF1 */
const codesOfAnyRequest: readonly ErrorCode[] = [
  'internal_error',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
];

/** A list of codes describes an answer that is a refusal and nothing else (document.ts). */
const isRefusal = ({description}: DescribedAnswer): boolean => /^`\w+`(?:, `\w+`)*$/.test(description);
const isOfAnyRequest = ({description}: DescribedAnswer): boolean =>
  codesOfAnyRequest.some((code) => description === `\`${code}\``);

const ownAnswers = ({tags, responses}: Pick<DescribedOperation, 'tags' | 'responses'>): Answers =>
  tags.includes(forLibraries)
    ? withRefusalsTogether(responses)
    : Object.fromEntries(Object.entries(responses).filter(([, answer]) => !isOfAnyRequest(answer)));

function withRefusalsTogether(answers: Answers): Answers {
  const refusals = Object.entries(answers).filter(([, answer]) => isRefusal(answer));
  const forms = refusals.flatMap(([, {content}]) => formsIn(content!['application/json']!.schema));
  const [form, ...others] = new Map(forms.map((one) => [JSON.stringify(one), one])).values();
  const named = refusals.flatMap(([, {headers = {}}]) => Object.keys(headers));
  return {
    ...Object.fromEntries(Object.entries(answers).filter(([, answer]) => !isRefusal(answer))),
    default: {
      description: refusals.map(([status, {description}]) => `${status} ${description}`).join('; '),
      content: {'application/json': {schema: others.length === 0 ? form! : {anyOf: [form, ...others]}}},
      headers: Object.fromEntries([...new Set(named)].map((name) => [name, {$ref: `#/components/headers/${name}`}])),
    },
  };
}

/** Forms of the body of a refusal, whatever its code. */
function formsIn(schema: JsonSchema): JsonSchema[] {
  const {anyOf, allOf} = schema as {readonly [member in 'anyOf' | 'allOf']?: readonly JsonSchema[]};
  return anyOf?.flatMap(formsIn) ?? [allOf?.[0] ?? schema];
}

// -- headers. RF1 --

function withHeaderReferences(answer: DescribedAnswer, headers: Components): DescribedAnswer {
  if (answer.headers === undefined) return answer;
  const own = Object.entries(answer.headers).filter(([name]) => !headersOfAnyAnswer.has(name));
  const referring = own.map(([name, header]) => {
    if (header.$ref !== undefined) return [name, header];
    headers[`${name}.always`] = header as JsonSchema;
    return [name, {$ref: `#/components/headers/${name}.always`}];
  });
  const {headers: _, ...rest} = answer;
  return referring.length === 0 ? rest : {...rest, headers: Object.fromEntries(referring)};
}

// -- schemas --

/** The schemas, with components for parts that repeat, also within one schema. */
function withSharedParts(schemas: Components): Components {
  const parts = new Shared('schemas', {...schemas});
  for (const schema of Object.values(schemas)) notePartsOf(schema, parts);
  for (const [name, schema] of Object.entries(schemas))
    parts.components[name] = withParts(schema, (part, at) => sharedPart(part, `${name}.${at}`, parts));
  return parts.components;
}

/** Notes the parts of a schema; those of a part that was noted before are noted with it. */
function notePartsOf(schema: JsonSchema, parts: Shared): void {
  withParts(schema, (part) => {
    if (parts.note(part)) notePartsOf(part, parts);
    return part;
  });
}

function sharedPart(part: JsonSchema, place: string, parts: Shared): JsonSchema {
  const made = (): JsonSchema => withParts(part, (inner, at) => sharedPart(inner, `${place}.${at}`, parts));
  return parts.saves(part) ? (parts.shared(part, place, made) as JsonSchema) : made();
}

/** The schema with its parts changed. `at`: name of the member that a part describes. */
function withParts(schema: JsonSchema, change: (part: JsonSchema, at: string) => JsonSchema): JsonSchema {
  return mapValues(schema, (value, keyword) => {
    if (typeof value !== 'object' || value === null) return value;
    if (keyword === 'properties') return mapValues(value as Components, change);
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword))
      return (value as readonly JsonSchema[]).map((part, i) => change(part, String(i + 1)));
    return ['items', 'additionalProperties', 'not'].includes(keyword) ? change(value as JsonSchema, keyword) : value;
  });
}

const mapValues = <Of, To>(
  of: Readonly<Record<string, Of>>,
  change: (one: Of, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(of).map(([name, one]) => [name, change(one, name)]));

const operationsIn = <Operation>(paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

const mapped = <To>(
  paths: OpenApiDocument['paths'],
  change: (operation: DescribedOperation) => To,
): Record<string, Record<string, To>> => mapValues(paths, (methods) => mapValues(methods, change));
