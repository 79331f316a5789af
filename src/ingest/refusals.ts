// Faults of one event or one identify body: a closed set, with the words that a client reads. The zod schemas (schemas.ts) and
// the validator of the hot path (validate.ts) share the texts.
import {
  eventBytesMax,
  eventDepthMax,
  futureMsMax,
  hourMs,
  idCharsMax,
  messageIdCharsMax,
  objectDepthMax,
  objectKeyCharsMax,
  objectKeysMax,
} from '../../actors/limits.js';
import type {InexactNumber} from './inexact-numbers.js';
import type {BrokenBound} from './object-walk.js';
import {shown, shownPath} from './shown.js';

/** Fields whose objects are stored. */
export type StoredField = 'properties' | 'context' | 'traits' | 'traitsOnce';
type RefusedField = 'event' | 'userId' | 'anonymousId' | 'messageId' | 'timestamp' | 'sentAt' | StoredField;

export interface Refusal {
  /** `event_too_large` is 413 `payload_too_large` where the event is the whole body (docs/api/events.md). */
  readonly code: 'invalid_event' | 'event_too_large' | 'too_many_names' | 'unknown_name';
  readonly field?: RefusedField | '__proto__';
  readonly message: string;
}

const characters = `a string of 1 to ${idCharsMax} characters without control characters`;
const anId = (field: RefusedField): string =>
  `${field} must be ${characters}, without / or \\ at its start and without a segment . or .. (split at / and \\)`;
const bounded = (field: RefusedField): string =>
  `${field} must be a JSON object of at most ${objectKeysMax} keys per object, keys of at most ${objectKeyCharsMax} ` +
  `characters, ${objectDepthMax} levels, no key __proto__ and no number too large for a double`;

export const refusalTexts = {
  object: 'an event must be a JSON object',
  event: `event is required and must be ${characters}`,
  userId: anId('userId'),
  anonymousId: anId('anonymousId'),
  noId: 'userId or anonymousId is required, unless the key is one of pages',
  messageId: `messageId must be a string of 1 to ${messageIdCharsMax} characters without control characters, not blank`,
  properties: bounded('properties'),
  context: bounded('context'),
  traits: bounded('traits'),
  traitsOnce: bounded('traitsOnce'),
  timestamp: 'timestamp must be an ISO 8601 date or date and time, such as 2026-05-01T12:00:00Z, 1970 or later',
  corrected: 'timestamp, corrected by how far sentAt is ahead of its receipt, must be 1970 or later',
  sentAt: 'sentAt must be an ISO 8601 date or date and time, such as 2026-05-01T12:00:00Z',
  future: `timestamp is more than ${futureMsMax / hourMs} hours in the future`,
  proto: 'a key must not be __proto__',
  depth: `an event or identify body must not nest deeper than ${eventDepthMax} levels`,
  size: `an event or identify body must not exceed ${eventBytesMax} bytes of compact JSON`,
  mayNotIdentify: 'this key may track events but not identify users',
  tooManyNames:
    'this name is new, and there are as many names of events as EVENT_NAMES_MAX permits: check for names that are made of ids, ' +
    'then delete names or raise it',
  unknownName: 'there is no event of this name, and this key may only use names that exist',
} as const;

const invalid = (message: string, field?: Refusal['field']): Refusal =>
  field === undefined ? {code: 'invalid_event', message} : {code: 'invalid_event', field, message};

export const refusals = {
  object: invalid(refusalTexts.object),
  event: invalid(refusalTexts.event, 'event'),
  userId: invalid(refusalTexts.userId, 'userId'),
  anonymousId: invalid(refusalTexts.anonymousId, 'anonymousId'),
  noId: invalid(refusalTexts.noId, 'userId'),
  messageId: invalid(refusalTexts.messageId, 'messageId'),
  properties: invalid(refusalTexts.properties, 'properties'),
  context: invalid(refusalTexts.context, 'context'),
  traits: invalid(refusalTexts.traits, 'traits'),
  traitsOnce: invalid(refusalTexts.traitsOnce, 'traitsOnce'),
  timestamp: invalid(refusalTexts.timestamp, 'timestamp'),
  corrected: invalid(refusalTexts.corrected, 'timestamp'),
  sentAt: invalid(refusalTexts.sentAt, 'sentAt'),
  future: invalid(refusalTexts.future, 'timestamp'),
  proto: invalid(refusalTexts.proto, '__proto__'),
  depth: invalid(refusalTexts.depth),
  size: {code: 'event_too_large', message: refusalTexts.size},
  mayNotIdentify: invalid(refusalTexts.mayNotIdentify, 'traits'),
  tooManyNames: {code: 'too_many_names', field: 'event', message: refusalTexts.tooManyNames},
  unknownName: {code: 'unknown_name', field: 'event', message: refusalTexts.unknownName},
} as const satisfies Record<keyof typeof refusalTexts, Refusal>;

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;

/** Refuses a text that is none, such as `userId: 5`, or that breaks a rule of its field. */
export const noText = (field: 'event' | 'userId' | 'anonymousId' | 'messageId', value: unknown): Refusal =>
  value === undefined || value === null || typeof value === 'string'
    ? refusals[field]
    : invalid(`${field} must be a string, and is ${kindOf(value)}`, field);

/** Refuses a stored field whose value is not an object. */
export const notAnObject = (field: StoredField, value: unknown): Refusal =>
  invalid(`${field} must be a JSON object, and is ${kindOf(value)}`, field);

/** `path`: place in the field where the bound broke. */
export function outOfBounds(field: StoredField, broken: BrokenBound, path: readonly (string | number)[]): Refusal {
  const place = shownPath([field, ...path]);
  const messages: Readonly<Record<BrokenBound, string>> = {
    keys: `${place} has more than ${objectKeysMax} keys`,
    key: `a key is longer than ${objectKeyCharsMax} characters: ${place}`,
    levels: `${place} is nested deeper than ${objectDepthMax} levels`,
    proto: `${place} has a key __proto__`,
    number: `${place} is a number too large for a double`,
  };
  return invalid(messages[broken], field);
}

/** Refuses an integer that JavaScript would change: the service stores what was sent. */
export function inexact(field: StoredField, {path, digits}: InexactNumber): Refusal {
  const place = shownPath(path);
  return invalid(`${place} is ${shown(digits)}, which JSON readers round to a double: send it as a string`, field);
}
