// Holds every answer that a test gets against the description of the service: status, body, headers and their forms.
// What is not described fails the test that got it. Accepted requests are held against it as well, so that it never asks
// for more than the service does.
import type {IncomingHttpHeaders} from 'node:http';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {description} from '../../src/edge/description.js';
import type {
  DescribedAnswer,
  DescribedOperation,
  DescribedParameter,
  OpenApiDocument,
} from '../../src/edge/openapi/document.js';

export interface Asked {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly path: string;
  /** As JSON, where the test gave it so. */
  readonly json?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What the connection needs, and no route decides. */
const transportHeaders = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];
const serverHeader = 'uwebsockets';

export class Described {
  private readonly ajv = new Ajv2020({strict: false, validateFormats: false, allErrors: true});
  private readonly checks = new Map<object, ValidateFunction>();

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(document, 'api:');
  }

  /** @throws with what is not as described. */
  check(asked: Asked, answered: Answered): void {
    const operation = this.operationOf(asked);
    const problems = [
      ...this.answerProblems(asked, answered, operation),
      ...(operation !== undefined && isAccepted(answered) ? this.requestProblems(asked, operation) : []),
    ];
    if (problems.length === 0) return;
    const what = `${asked.method} ${asked.path} was answered ${answered.status}`;
    throw new Error(`${what}, not as it is described:\n  ${problems.join('\n  ')}\n${answered.text.slice(0, 500)}`);
  }

  /** Paths without braces come before those with; HEAD is GET. Undefined: no such path, or it has no such method. */
  private operationOf({method, path}: Asked): DescribedOperation | undefined {
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    return this.pathsOf(path).find((one) => verb in one)?.[verb];
  }

  /** A slash may end the path of a route of libraries. */
  private pathsOf(path: string): Readonly<Record<string, DescribedOperation>>[] {
    const asked = path.split('?', 1)[0];
    const ofLibraries = this.pathsLike(asked.replace(/\/$/, '')).filter((methods) =>
      Object.values(methods).some(({tags}) => tags[0] === 'Other libraries'),
    );
    return ofLibraries.length > 0 ? ofLibraries : this.pathsLike(asked);
  }

  private pathsLike(path: string): Readonly<Record<string, DescribedOperation>>[] {
    const slash = path.lastIndexOf('/') + 1;
    const {paths} = this.document;
    // Of this path only POST is not that of a user.
    if (path in paths && path !== '/v1/users/identify') return [paths[path]];
    const before = path.lastIndexOf('/', slash - 2) + 1;
    const varied = [`${path.slice(0, slash)}{id}`, `${path.slice(0, before)}{id}/${path.slice(slash)}`];
    return [path, ...(slash === path.length ? [] : varied)].map((one) => paths[one]).filter((one) => one !== undefined);
  }

  private answerProblems(asked: Asked, answered: Answered, operation: DescribedOperation | undefined): string[] {
    const described = this.answerOf(asked, answered.status, operation);
    if (described === undefined) return [`the status ${answered.status} is not described`];
    return [...this.headerProblems(answered, described), ...this.bodyProblems(asked, answered, described)];
  }

  private answerOf(
    {method, path}: Asked,
    status: number,
    operation: DescribedOperation | undefined,
  ): DescribedAnswer | undefined {
    if (operation !== undefined) return operation.responses[String(status)];
    const isPreflight = method === 'OPTIONS' && status === 200; // Also of a path that does not exist.
    const ofNone = this.pathsOf(path).length === 0 ? [404, 'NotFound'] : [405, 'MethodNotAllowed'];
    const [expected, name] = isPreflight ? [200, 'Preflight'] : ofNone;
    const {responses} = this.document.components;
    return status === expected ? (responses[name] as unknown as DescribedAnswer) : undefined;
  }

  private headerProblems({headers}: Answered, {headers: described = {}}: DescribedAnswer): string[] {
    const byLowerCase = new Map(Object.entries(described).map(([name, header]) => [name.toLowerCase(), header]));
    const problems: string[] = [];
    for (const [name, value] of Object.entries(headers)) {
      const header = byLowerCase.get(name);
      if (header !== undefined)
        problems.push(...this.valueProblems(`the header ${name}`, this.schemaOf(header), value));
      else if (!transportHeaders.includes(name) && name !== serverHeader) {
        problems.push(`the header ${name} is not described`);
      }
    }
    for (const [name, {required}] of byLowerCase) {
      if (required && headers[name] === undefined) problems.push(`the header ${name} is missing`);
    }
    return problems;
  }

  private schemaOf(header: {readonly $ref?: string}): object {
    if (header.$ref === undefined) return (header as {schema: object}).schema;
    return this.document.components.headers[header.$ref.split('/').at(-1)!].schema as object;
  }

  private bodyProblems({method}: Asked, {headers, text}: Answered, {content}: DescribedAnswer): string[] {
    const type = headers['content-type'];
    if (content === undefined) return text === '' ? [] : ['no body is described'];
    const isFile = (one: string): boolean => Object.keys(content[one]!.schema).length === 0;
    const isText = (one: string): boolean => type?.startsWith(`${one};`) === true && type.endsWith('; charset=utf-8');
    const media = Object.keys(content).find((one) => (isFile(one) ? type === one : isText(one)));
    if (media === undefined) return [`the type ${type} is not described`];
    if (method === 'HEAD') return text === '' ? [] : ['HEAD was answered with a body'];
    const {schema} = content[media];
    return this.valueProblems('the body', schema, media === 'application/json' ? JSON.parse(text) : text);
  }

  private requestProblems({path, json}: Asked, operation: DescribedOperation): string[] {
    const body = operation.requestBody?.content['application/json'].schema;
    return [
      ...(body === undefined || json === undefined ? [] : this.valueProblems('the accepted body', body, json)),
      ...this.queryProblems(path, operation),
    ];
  }

  private queryProblems(path: string, {parameters = [], security}: DescribedOperation): string[] {
    const question = path.indexOf('?');
    const given = new URLSearchParams(question < 0 ? '' : path.slice(question + 1));
    return [...new Set(given.keys())].flatMap((name) => {
      const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
      if (parameter !== undefined) {
        return this.valueProblems(`the accepted ${name}`, parameter.schema, givenValue(parameter, given));
      }
      // They ignore what they do not take.
      const isWriteRoute = security.some((scheme) => 'writeKeyInQuery' in scheme);
      return isWriteRoute ? [] : [`the accepted parameter ${name} is not described`];
    });
  }

  private valueProblems(what: string, schema: object, value: unknown): string[] {
    let check = this.checks.get(schema);
    if (check === undefined) {
      check = this.ajv.compile(withOwnAddresses(schema));
      this.checks.set(schema, check);
    }
    if (check(value)) return [];
    return check.errors!.map(({instancePath, message, params}) =>
      `${what}${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
    );
  }
}

function givenValue({schema, name}: DescribedParameter, given: URLSearchParams): unknown {
  const readAs = (type: unknown, text: string | null): unknown => (type === 'integer' ? Number(text) : text);
  if (schema.type !== 'array') return readAs(schema.type, given.get(name));
  return given.getAll(name).map((text) => readAs((schema.items as {readonly type?: string}).type, text));
}

/** `#/…` means the document: compiled alone, a schema must name it. */
function withOwnAddresses(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api:#/'));
}

/** As a whole: a batch with 207 was not. */
const isAccepted = ({status}: Answered): boolean => status < 300 && status !== 207;

let described: Described | undefined;

/** @throws with what is not as described. */
export function checkDescribed(asked: Asked, answered: Answered): void {
  described ??= new Described(JSON.parse(JSON.stringify(description)) as OpenApiDocument);
  described.check(asked, answered);
}
