// Interprets an answer to POST /v1/events/batch for the events of the batch, and one to POST /v1/users/identify
// (docs/api/events.md, docs/api/errors.md). Pure.

import {jsonOrUndefined} from '../../json.js';
import type {Refusal} from './source-event.js';

export interface HttpAnswer {
  readonly status: number;
  /** Seconds of `Retry-After`; null when absent or not a number of seconds. */
  readonly retryAfterSeconds: number | null;
  readonly body: string;
}

export type BatchAnswer =
  /** The service judged each event: events that are not listed are accepted. */
  | {
      readonly kind: 'judged';
      readonly refused: ReadonlyMap<number, Refusal>;
      /** Indexes of events that the log did not take; they are sent again. */
      readonly unavailable: readonly number[];
    }
  /** Perhaps nothing was stored; the same events are sent again later. */
  | {readonly kind: 'later'; readonly reason: string}
  /** The service refused the whole body without judging single events. */
  | {readonly kind: 'body_refused'; readonly refusal: Refusal}
  /** Further attempts are pointless until somebody intervenes. */
  | {readonly kind: 'hopeless'; readonly reason: string};

interface ErrorItem {
  readonly index: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

interface AnswerBody {
  readonly received?: unknown;
  readonly errors?: unknown;
  readonly error?: {readonly code?: unknown; readonly message?: unknown};
}

/** Statuses of overload, a restart, or a proxy that lost its upstream. */
const laterStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export function interpret(answer: HttpAnswer, eventCount: number): BatchAnswer {
  const body = parseBody(answer.body);
  switch (answer.status) {
    case 200:
    case 207:
      return judged(body, eventCount) ?? notUnderstood(answer);
    case 400:
    case 413:
      return judged(body, eventCount) ?? {kind: 'body_refused', refusal: refusalOf(answer, body)};
    case 503:
      return judged(body, eventCount) ?? {kind: 'later', reason: describe(answer, body)};
    default:
      return laterStatuses.has(answer.status)
        ? {kind: 'later', reason: describe(answer, body)}
        : {kind: 'hopeless', reason: describe(answer, body)};
  }
}

/** An identify call is refused whole, or accepted. */
export function interpretIdentify(answer: HttpAnswer): BatchAnswer {
  if (answer.status === 200) return {kind: 'judged', refused: new Map(), unavailable: []};
  return interpret(answer, 1);
}

/** Undefined unless the body is a batch outcome whose numbers add up. */
function judged(body: AnswerBody, eventCount: number): BatchAnswer | undefined {
  const errors = body.errors === undefined && body.received === eventCount ? [] : body.errors;
  if (!Array.isArray(errors) || !errors.every((item) => isErrorItem(item, eventCount))) return undefined;
  const refused = new Map<number, Refusal>();
  const unavailable: number[] = [];
  for (const {index, code, message, field} of errors as ErrorItem[]) {
    if (code === 'unavailable') unavailable.push(index);
    else refused.set(index, field === undefined ? {code, message} : {code, message, field});
  }
  const acceptedCount = eventCount - refused.size - unavailable.length;
  // A batch of invalid events only may lack `received: 0`.
  if ((body.received ?? 0) !== acceptedCount) return undefined;
  return {kind: 'judged', refused, unavailable};
}

function isErrorItem(item: unknown, eventCount: number): item is ErrorItem {
  const {index, code, message} = (item ?? {}) as Partial<ErrorItem>;
  return (
    Number.isInteger(index) &&
    index! >= 0 &&
    index! < eventCount &&
    typeof code === 'string' &&
    typeof message === 'string'
  );
}

function notUnderstood(answer: HttpAnswer): BatchAnswer {
  const shown = answer.body.slice(0, 200);
  return {kind: 'hopeless', reason: `status ${answer.status} with a body that is not a batch outcome: ${shown}`};
}

function refusalOf(answer: HttpAnswer, body: AnswerBody): Refusal {
  const {code, message} = body.error ?? {};
  return {
    code: typeof code === 'string' ? code : `http_${answer.status}`,
    message: typeof message === 'string' ? message : `refused with status ${answer.status}`,
  };
}

function describe(answer: HttpAnswer, body: AnswerBody): string {
  const {code, message} = body.error ?? {};
  return typeof code === 'string' ? `status ${answer.status}, ${code}: ${message}` : `status ${answer.status}`;
}

function parseBody(text: string): AnswerBody {
  const body = jsonOrUndefined(text);
  return typeof body === 'object' && body !== null ? (body as AnswerBody) : {}; // A proxy's HTML: the status alone decides.
}
