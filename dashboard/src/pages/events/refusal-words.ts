// What was wrong with a refused event or body, for people who do not know the codes of the API (docs/api/events.md, Errors).
import {batchEventsMax} from '../../../../actors/limits.js';

const ofObjects = 'is no object, has too many keys or levels, or a number that a double would change';
const ofIds = 'is empty, too long, or has characters that an id may not have';
const ofFields: Readonly<Record<string, string>> = {
  event: 'The name of the event is missing, is no text, or is too long',
  userId: `There is no userId and no anonymousId, or the userId ${ofIds}`,
  anonymousId: `The anonymousId ${ofIds}`,
  messageId: 'The messageId is no text, is blank, or is too long',
  timestamp: 'The timestamp is no date and time, is before 1970, or is more than 24 hours ahead',
  sentAt: 'sentAt is no date and time',
  properties: `The object of properties ${ofObjects}`,
  context: `The object of context ${ofObjects}`,
  traits: `The object of traits ${ofObjects}`,
  events: 'The batch has no list of events',
  ['__proto__']: 'A key is __proto__',
};
const ofCodes: Readonly<Record<string, string>> = {
  invalid_json: 'The body is not JSON in UTF-8',
  invalid_request: 'The body is not as this route takes it',
  invalid_event: 'The event is no object, or nests too deep',
  event_too_large: 'The event is too large',
  too_many_names: 'The name is new, and there are as many names as EVENT_NAMES_MAX permits',
  unknown_name: 'The name is new, and the key may only use names that exist',
  payload_too_large: 'The body is too large',
  batch_too_large: `The batch has more than ${batchEventsMax.toLocaleString('en-US')} events`,
  unsupported_media_type: 'The body says that it is no JSON, or is packed in a way that is not known',
  request_timeout: 'The body did not arrive in time',
  conflict: 'The messageId was used before, for something else: this one was dropped',
  missing_key: 'The request had no key',
  invalid_key: 'The key is not known, or was revoked',
  insufficient_permissions: 'The key may not do this',
  origin_not_allowed: 'The site is not one of the key',
  rate_limited: 'Too many requests at once',
};

/** Codes that say more than the field does. */
const saysAll = new Set(['conflict', 'too_many_names', 'unknown_name']);

/** A sentence without its full stop; undefined for a code that has none here. */
export const refusalText = (code: string, field: string | null): string | undefined =>
  field === null || saysAll.has(code) ? ofCodes[code] : (ofFields[field] ?? ofCodes[code]);
