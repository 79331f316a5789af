// What clients are told about one method of one path, beyond what its route says by itself (access, size, parameters).
import type {z} from 'zod';
import type {ErrorCode} from '../failure.js';
import type {JsonSchema, QueryForm} from '../query/query.js';
import type {Method} from '../route.js';
import type {HeaderName} from './headers.js';

export type Tag = 'Events' | 'Users' | 'Reports' | 'API keys' | 'Operations';

/** A name of `headers.ts`. Those in `always` stand on every such answer, those in `sometimes` on some. */
export interface AnswerHeaders {
  readonly always?: readonly HeaderName[];
  readonly sometimes?: readonly HeaderName[];
}

export interface Answer {
  readonly description: string;
  /** Of the JSON body; absent with `media`, and for answers without a body. */
  readonly schema?: z.ZodType;
  /** A content type other than JSON, with a text for a body. */
  readonly media?: string;
  readonly headers?: AnswerHeaders;
  readonly example?: unknown;
}

export interface PathParameter {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: string;
}

export interface Operation {
  /** The name of the method in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly path?: Readonly<Record<string, PathParameter>>;
  readonly query?: QueryForm;
  /** Conditional: an `If-None-Match` is answered with 304. */
  readonly isConditional?: true;
  readonly body?: {readonly schema: z.ZodType; readonly example: unknown};
  /** By status: successes, and refusals that carry more than an error. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Codes of its own, beside those that its access, its parameters and its body bring along. */
  readonly errors: readonly ErrorCode[];
}

/** `<METHOD> <path>`, segments that vary in braces. */
export type Operations = Readonly<Record<`${Method} ${string}`, Operation>>;

/** The form of an operation that takes the id in the path. RT1 (route.ts) */
export function inPath(
  {summary, answers, ...same}: Operation,
  {instead, ...own}: Pick<Operation, 'id' | 'path' | 'query'> & {readonly instead: string},
): Operation {
  const bare = Object.entries(answers).map(([status, {example: _, ...answer}]) => [status, answer]);
  return {
    ...same,
    ...own,
    summary: `${summary}: the id in the path`,
    description: `Use ${instead}: a proxy that decodes or normalizes paths may turn this id into another one.`,
    answers: Object.fromEntries(bare),
  };
}
