// The meaning of each error code for clients (docs/api/errors.md).
import type {ErrorCode} from './failure.js';

export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not JSON in UTF-8.',
  invalid_request: 'A parameter or the body is wrong: `field` names which.',
  invalid_event: 'The event is invalid: `field` names the place.',
  event_too_large: 'One event of a batch has more than 64 KiB; the others are not affected.',
  too_many_names:
    'The name of the event is new, and there are as many names as EVENT_NAMES_MAX permits. Known names pass.',
  unknown_name: 'The name of the event is new, and the key may only use names that exist.',
  invalid_cursor: 'The cursor is damaged, or belongs to other filters. Start without one.',
  too_expensive: 'The question takes more computing than one may (REPORT_CPU_SECONDS). Ask for less at once.',
  missing_key: 'There is no Authorization header, nor a `write_key`.',
  invalid_key: 'The key is malformed, unknown or revoked.',
  insufficient_permissions: 'A key of another kind is needed, or the write key may not identify users.',
  origin_not_allowed: 'Pages of this origin may not use this key.',
  host_not_allowed: 'The dashboard is not served under this host name: see DASHBOARD_HOSTS.',
  not_signed_in: 'Dashboard: not signed in, or the session has ended.',
  sign_in_failed: 'Dashboard: neither a valid token nor an unused link.',
  role_not_sufficient: 'Dashboard: the role of the signed-in person does not allow this.',
  user_not_found: 'No event or identify call has named this user, or it was deleted.',
  not_found: 'No such path, or no such id.',
  snapshot_gone: 'The snapshots of `at` are not held any more. Ask without it.',
  position_gone: 'Changes after this position are not known any more. Empty the copy, and start again.',
  changed_meanwhile:
    'Somebody changed it since it was read, as `If-Match` or the version says. Nothing was changed now.',
  request_timeout: 'The body did not arrive within 30 seconds.',
  method_not_allowed: 'The path does not support this method: `Allow` lists those it supports.',
  payload_too_large: 'The body is too large: 10 MiB for a batch, 64 KiB for an event or identify.',
  batch_too_large: 'More than 1,000 events. Nothing was stored.',
  unsupported_media_type:
    'The type is not JSON (or text/plain for beacons), the charset not UTF-8, or the encoding not gzip, deflate or br.',
  rate_limited:
    'Too much at once for this key, person or link, or from this address. Nothing was done; try again after `Retry-After` seconds.',
  unavailable: 'Overload, or the log is unreachable. Safe to try again after `Retry-After` seconds with a `messageId`.',
  not_yet: 'No report includes the writes of `Min-Log-Position` yet. Try again after `Retry-After` seconds.',
  internal_error: 'An internal error; the log of the service has the details.',
};
