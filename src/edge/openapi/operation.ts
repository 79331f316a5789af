// The description of one method of one path, beyond what its route says (access, size, parameters).
import type {z} from 'zod';
import type {ErrorCode} from '../failure.js';
import type {JsonSchema, QueryForm} from '../query/query.js';
import type {Method} from '../route.js';
import type {HeaderName} from './headers.js';

/** In the order of the document. */
export const tags = [
  'Events',
  'Users',
  'Other libraries',
  'Reports',
  'Kept',
  'Alerts',
  'Webhooks',
  'API keys',
  'Operations',
] as const;
export type Tag = (typeof tags)[number];

/** Names of `headers.ts`. Every such answer has those in `always`, some answers those in `sometimes`. */
export interface AnswerHeaders {
  readonly always?: readonly HeaderName[];
  readonly sometimes?: readonly HeaderName[];
}

export interface Answer {
  readonly description: string;
  /** Schema of the JSON body; absent with `media`, and for answers without a body. */
  readonly schema?: z.ZodType;
  /** A content type other than JSON, whose body is a text. */
  readonly media?: string;
  /** Whether the answer also comes as Parquet, and as CSV if it is JSON. */
  readonly isTable?: true;
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
  /** A report: an `If-None-Match` is answered with 304, a `Min-Log-Position` waits for a snapshot. */
  readonly isConditional?: true;
  /** A document of the service: an `If-None-Match` is answered with 304. */
  readonly hasTag?: true;
  /** A change of what clients edit: with `If-Match` it depends on the version that was read. */
  readonly isGuarded?: true;
  readonly body?: {readonly schema: z.ZodType; readonly example: unknown};
  /** Answers by status: successes, and refusals that have more than an error. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Form of refusals that are not the API's own (`refusalForm` in route.ts). `isBeside`: the API's own occur as well. */
  readonly refusals?: {readonly schema: z.ZodType; readonly isBeside?: true};
  /** Codes of this operation, in addition to those of its access, its parameters and its body. */
  readonly errors: readonly ErrorCode[];
}

/** `<METHOD> <path>`, variable segments in braces. */
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
