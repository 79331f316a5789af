// What each code of a refusal says to whoever gets it (docs/api.md, Errors).
import type {ErrorCode} from './failure.js';

export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'The body is no JSON in UTF-8.',
  invalid_request: 'A parameter or the body is wrong: `field` names which.',
  invalid_event: 'The event is wrong: `field` names where.',
  event_too_large: 'One event of a batch has more than 64 KiB; the others are not concerned.',
  invalid_cursor: 'The cursor is damaged, or belongs to other filters. Start without one.',
  missing_key: 'There is no Authorization header, nor a `write_key`.',
  invalid_key: 'The key is malformed, unknown or revoked.',
  insufficient_permissions: 'A write key, where a secret key is needed; or one that may not identify.',
  origin_not_allowed: 'Pages of this origin may not use this key.',
  host_not_allowed: 'The dashboard is not served under this host name: see DASHBOARD_HOSTS.',
  not_signed_in: 'Of the dashboard: nobody is signed in, or the session is over.',
  sign_in_failed: 'Of the dashboard: neither a valid token nor an unused link.',
  role_not_sufficient: 'Of the dashboard: the role of who is signed in does not allow this.',
  user_not_found: 'No event and no identify names this user, or it was deleted.',
  not_found: 'There is nothing at this path, or no such id.',
  request_timeout: 'The body did not arrive within 30 seconds.',
  method_not_allowed: 'The path does not have this method: `Allow` lists those it has.',
  payload_too_large: 'The body is too large: 10 MiB for a batch, 64 KiB for an event or identify.',
  batch_too_large: 'More than 1,000 events. Nothing was stored.',
  unsupported_media_type:
    'The type is not JSON (or text/plain for beacons), the charset not UTF-8, or the encoding not gzip, deflate or br.',
  rate_limited:
    'Too much at once for this key, or from this address with it. Nothing was done; try again after `Retry-After` seconds.',
  unavailable:
    'Overload, or the log cannot be reached. Safe to try again after `Retry-After` seconds with a `messageId`.',
  internal_error: 'A fault of the service; its log says more.',
};
