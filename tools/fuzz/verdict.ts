// Whether the API has such an answer (docs/api/errors.md).
import {brotliDecompressSync, gunzipSync} from 'node:zlib';
import type {FuzzAnswer, Outcome} from './connection.js';
import {type HostileRequest, isWellFramed} from './request.js';
import {isCodedPath} from './templates.js';

const codesOf: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_json', 'invalid_request', 'invalid_event', 'event_too_large', 'invalid_cursor'],
  401: ['missing_key', 'invalid_key'],
  403: ['insufficient_permissions', 'host_not_allowed'],
  404: ['user_not_found', 'not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  410: ['snapshot_gone'],
  413: ['payload_too_large', 'batch_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited'],
  503: ['unavailable', 'not_yet'],
};
const successes = [200, 201, 202, 204, 207, 302, 304];
/** Refusals of the HTTP parser: they have their own body, and end the connection. */
const parserStatuses = [400, 431, 505];
const jsonType = 'application/json; charset=utf-8';

/** @returns the fault of the outcome; undefined: none. */
export function wrongWith(request: HostileRequest, outcome: Outcome): string | undefined {
  if (outcome.kind === 'answer') return wrongWithAnswer(request, outcome);
  if (outcome.kind === 'silent') return 'neither answered nor closed';
  return outcome.kind === 'closed' && isWellFramed(request) ? 'closed without an answer' : undefined;
}

function wrongWithAnswer(request: HostileRequest, outcome: FuzzAnswer): string | undefined {
  const {status, headers} = outcome;
  if (parserStatuses.includes(status) && headers.get('content-type') === undefined) {
    return headers.get('connection') === 'close' ? undefined : `${status} by the parser, and the connection stays`;
  }
  if (successes.includes(status)) return wrongWithSuccess(outcome, request);
  const codes = codesOf[status];
  return codes === undefined ? `undocumented status ${status}` : wrongWithRefusal(outcome, request, codes);
}

const isHead = (request: HostileRequest): boolean => request.method === 'HEAD' && request.mangleHead === undefined;

function wrongWithSuccess({status, headers, body}: FuzzAnswer, request: HostileRequest): string | undefined {
  if (status === 204 || status === 302 || status === 304)
    return body.length === 0 ? undefined : `${status} with a body`;
  if (isHead(request) || headers.get('content-type') !== jsonType) return undefined;
  return parsed(unpacked(body, headers.get('content-encoding'))) === undefined
    ? `${status} whose body is no JSON`
    : undefined;
}

/** A document is compressed for who takes that. */
const unpacked = (body: Buffer, encoding: string | undefined): Buffer =>
  encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;

function wrongWithRefusal(
  {status, headers, body}: FuzzAnswer,
  request: HostileRequest,
  codes: readonly string[],
): string | undefined {
  if (headers.get('content-type') !== jsonType) return `${status} that is no JSON`;
  if (status === 401 && headers.get('www-authenticate') === undefined) return '401 without WWW-Authenticate';
  if (status === 405 && headers.get('allow') === undefined) return '405 without Allow';
  if ([429, 503].includes(status) && headers.get('retry-after') === undefined) return `${status} without Retry-After`;
  if (isHead(request)) return body.length === 0 ? undefined : 'HEAD with a body';
  const value = parsed(body) as {error?: {code?: unknown; message?: unknown; field?: unknown}; status?: unknown};
  if (isCodedPath(request.path) && isCoded(value, status)) return undefined;
  if (status === 503 && value?.status === 'not_ready') return undefined;
  const error = value?.error;
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return `${status} without an error`;
  if (!codes.includes(error.code)) return `${status} with the code ${error.code}`;
  return error.field === undefined || typeof error.field === 'string' ? undefined : 'a field that is no text';
}

/** A refusal of Amplitude's form: its status, and a text. */
const isCoded = (value: {readonly code?: unknown; readonly error?: unknown} | undefined, status: number): boolean =>
  value?.code === status && typeof value.error === 'string';

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined; // No JSON, or no UTF-8.
    throw error;
  }
}
