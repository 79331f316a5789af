// Refusals and faults as clients see them: a closed set of codes, each with one status (docs/api/errors.md).

export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request'
  | 'invalid_event'
  | 'event_too_large'
  | 'too_many_names'
  | 'unknown_name'
  | 'invalid_cursor'
  | 'too_expensive'
  | 'missing_key'
  | 'invalid_key'
  | 'insufficient_permissions'
  | 'origin_not_allowed'
  | 'host_not_allowed'
  | 'not_signed_in'
  | 'sign_in_failed'
  | 'role_not_sufficient'
  | 'user_not_found'
  | 'not_found'
  | 'snapshot_gone'
  | 'position_gone'
  | 'changed_meanwhile'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'payload_too_large'
  | 'batch_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'
  | 'not_yet'
  | 'internal_error';

export const statusOf: Readonly<Record<ErrorCode, string>> = {
  invalid_json: '400 Bad Request',
  invalid_request: '400 Bad Request',
  invalid_event: '400 Bad Request',
  event_too_large: '400 Bad Request',
  too_many_names: '400 Bad Request',
  unknown_name: '400 Bad Request',
  invalid_cursor: '400 Bad Request',
  too_expensive: '400 Bad Request',
  missing_key: '401 Unauthorized',
  invalid_key: '401 Unauthorized',
  insufficient_permissions: '403 Forbidden',
  origin_not_allowed: '403 Forbidden',
  host_not_allowed: '403 Forbidden',
  not_signed_in: '401 Unauthorized',
  sign_in_failed: '401 Unauthorized',
  role_not_sufficient: '403 Forbidden',
  user_not_found: '404 Not Found',
  not_found: '404 Not Found',
  snapshot_gone: '410 Gone',
  position_gone: '410 Gone',
  changed_meanwhile: '412 Precondition Failed',
  method_not_allowed: '405 Method Not Allowed',
  request_timeout: '408 Request Timeout',
  payload_too_large: '413 Payload Too Large',
  batch_too_large: '413 Payload Too Large',
  unsupported_media_type: '415 Unsupported Media Type',
  rate_limited: '429 Too Many Requests',
  unavailable: '503 Service Unavailable',
  not_yet: '503 Service Unavailable',
  // A bug of the service: no client can cause it on purpose.
  internal_error: '500 Internal Server Error',
};

/** Header name and value. */
export type Header = readonly [name: string, value: string];

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string | undefined;
  readonly headers?: readonly Header[];
  /** Valid name of the refused event, for the list of refusals (rejected-events.ts); the answer does not have it. */
  readonly event?: string | undefined;
}

// Long enough for a server that was restarted, short enough for a person who waits.
const retryAfterSeconds = 1;
export const retryAfter: readonly Header[] = [['Retry-After', String(retryAfterSeconds)]];

/** What a client is told whose libraries do not go by the statuses of `statusOf`. */
export type RefusalForm = (failure: Failure) => {readonly status: string; readonly body: object};

export const unavailable = (message: string): Failure => ({code: 'unavailable', message, headers: retryAfter});
export const invalidRequest = (message: string, field?: string): Failure => ({code: 'invalid_request', message, field});

/** The value of `error` in an answer. */
export const errorValue = ({code, message, field}: Failure): {code: string; message: string; field?: string} =>
  field === undefined ? {code, message} : {code, message, field};

/** Ends a request from any depth; the server answers with the failure. */
export class RequestFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}
