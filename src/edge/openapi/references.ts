// The description with references in the place of what repeats: answers, their headers, and parameters. A quarter of the bytes.
import type {JsonSchema} from '../query/query.js';
import type {DescribedAnswer, DescribedOperation, OpenApiDocument} from './document.js';

/** Headers of every answer: the introduction says them once. */
export const ofEveryAnswer: readonly string[] = ['X-Content-Type-Options', 'Cache-Control', 'X-Request-Id'];

type Components = Record<string, JsonSchema>;

/** The same document, with components for headers that answers always have, and for answers and parameters of several operations. */
export function withReferences(document: OpenApiDocument): OpenApiDocument {
  const headers: Components = {...document.components.headers};
  const paths = mapped(document.paths, (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (answer) => withHeaderReferences(answer, headers)),
  }));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const answers = new Shared('responses', {...document.components.responses}, answerName);
  const parameters = new Shared('parameters', {}, ({name}) => String(name));
  for (const operation of operations) {
    for (const [status, answer] of Object.entries(operation.responses)) answers.note({...answer, status});
    for (const parameter of operation.parameters ?? []) parameters.note({...parameter});
  }
  const referring = mapped(paths, (operation) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((one) => parameters.referenceTo({...one}) ?? one),
    }),
    responses: mapValues(operation.responses, (one, status) => answers.referenceTo({...one, status}) ?? one),
  }));
  return {
    ...document,
    paths: referring as OpenApiDocument['paths'],
    components: {...document.components, headers, responses: answers.components, parameters: parameters.components},
  };
}

/** Objects that occur several times become components. */
class Shared {
  private readonly counts = new Map<string, number>();
  private readonly nameOf = new Map<string, string>();

  /** `nameFor`: a name for an object. Another object of this name gets a number behind it. */
  constructor(
    private readonly kind: string,
    readonly components: Components,
    private readonly nameFor: (one: JsonSchema) => string,
  ) {}

  note(one: JsonSchema): void {
    const text = JSON.stringify(one);
    this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
  }

  /** Undefined for what occurs once. */
  referenceTo(one: JsonSchema): JsonSchema | undefined {
    const text = JSON.stringify(one);
    if ((this.counts.get(text) ?? 0) < 2) return undefined;
    let name = this.nameOf.get(text);
    if (name === undefined) {
      name = this.freshName(this.nameFor(one).replace(/[^\w.-]+/g, ''));
      this.nameOf.set(text, name);
      const {status: _, ...component} = one;
      this.components[name] = component;
    }
    return {$ref: `#/components/${this.kind}/${name}`};
  }

  private freshName(name: string): string {
    if (!(name in this.components)) return name;
    let number = 2;
    while (`${name}.${number}` in this.components) number += 1;
    return `${name}.${number}`;
  }
}

/** `200.Deletion`. A refusal has its codes in its description, and a short name, as there are a thousand references. */
function answerName({status, content}: JsonSchema): string {
  const [, schema] = /#\/components\/schemas\/(\w+)/.exec(JSON.stringify(content ?? '')) ?? [];
  return Number(status) < 400 ? `${status}.${schema ?? 'answer'}` : String(status);
}

function withHeaderReferences(answer: DescribedAnswer, headers: Components): DescribedAnswer {
  if (answer.headers === undefined) return answer;
  const isSaid = (name: string, {$ref}: {readonly $ref?: string}): boolean =>
    $ref === undefined && ofEveryAnswer.includes(name);
  const own = Object.entries(answer.headers).filter(([name, header]) => !isSaid(name, header));
  const referring = mapValues(Object.fromEntries(own), (header, name) => {
    if (header.$ref !== undefined) return header;
    headers[`${name}.always`] = header as JsonSchema;
    return {$ref: `#/components/headers/${name}.always`};
  });
  return {...answer, headers: referring};
}

const mapValues = <Of, To>(
  of: Readonly<Record<string, Of>>,
  change: (one: Of, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(of).map(([name, one]) => [name, change(one, name)]));

const mapped = <To>(
  paths: OpenApiDocument['paths'],
  change: (operation: DescribedOperation) => To,
): Record<string, Record<string, To>> => mapValues(paths, (methods) => mapValues(methods, change));
