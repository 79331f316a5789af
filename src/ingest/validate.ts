// The validator of the hot path: one event or identify body as JSON.parse returned it. Hand-written, because zod with
// rich types costs four times JSON.parse; schemas.ts says the same in zod, and a test holds the two against each other.
//   V1. Size is judged before fields (API.md, order of checks); unknown fields count towards it and are ignored otherwise.
//   V2. `null` is an absent optional field.
//   V3. Nothing is changed: what is accepted is stored verbatim.
import type {AcceptedEvent, Json} from '../../actors/codec/entries.js';
import {eventBytesMax, futureMsMax, idCharsMax, messageIdCharsMax} from '../../actors/limits.js';
import {parseTimestamp} from '../../actors/timestamp.js';
import {codePoints, ObjectWalk} from './object-walk.js';
import {type Refusal, refusals} from './refusals.js';

/** An event being read. One instance serves all: it is written to the log before the next one is read. */
export class EventDraft implements AcceptedEvent {
  event = '';
  userId: string | undefined;
  anonymousId: string | undefined;
  messageId: string | undefined;
  properties: {[key: string]: Json} | undefined;
  timeMs = 0;
  receivedMs = 0;
  sentMs: number | undefined;
}

export interface AcceptedIdentify {
  readonly userId: string;
  /** Compact JSON text of the traits object. */
  readonly traitsJson: string;
  readonly messageId: string | undefined;
  /** When the client says that they were set, epoch ms; undefined: it does not say. */
  readonly sentMs: number | undefined;
}

type JsonObject = {readonly [key: string]: unknown};

const walk = new ObjectWalk();

/** Fills `draft` from `value`, or says why not. `receivedMs` stands in for an absent timestamp. */
export function readEvent(value: unknown, receivedMs: number, draft: EventDraft): Refusal | undefined {
  if (!isJsonObject(value)) return refusals.object;
  const refusal = walkFields(value, 'properties');
  if (refusal !== undefined) return orTooLarge(value, refusal);
  if (walk.weight > eventBytesMax && isTooLarge(value)) return refusals.size;
  const fieldRefusal = readStrings(value, draft) ?? readTimestamp(value.timestamp, receivedMs, draft);
  if (fieldRefusal !== undefined) return fieldRefusal;
  return draft.userId === undefined && draft.anonymousId === undefined ? refusals.noId : undefined;
}

/** Field refusals carry the code `invalid_event`; the answer to an identify says `invalid_request` (API.md, Errors). */
export function readIdentify(value: JsonObject, receivedMs: number): AcceptedIdentify | Refusal {
  const refusal = walkFields(value, 'traits');
  if (refusal !== undefined) return orTooLarge(value, refusal);
  if (walk.weight > eventBytesMax && isTooLarge(value)) return refusals.size;
  const {userId, traits} = value;
  const messageId = value.messageId ?? undefined; // V2
  if (!isNewId(userId)) return refusals.userId;
  if (messageId !== undefined && !isMessageId(messageId)) return refusals.messageId;
  const sentMs = sentTime(value.timestamp, receivedMs);
  if (typeof sentMs === 'object') return sentMs;
  const traitsJson = traits === undefined || traits === null ? '{}' : JSON.stringify(traits);
  return {userId, traitsJson, messageId, sentMs};
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readStrings(value: JsonObject, draft: EventDraft): Refusal | undefined {
  const {event} = value;
  const userId = value.userId ?? undefined; // V2
  const anonymousId = value.anonymousId ?? undefined;
  const messageId = value.messageId ?? undefined;
  if (!isName(event)) return refusals.event;
  if (userId !== undefined && !isNewId(userId)) return refusals.userId;
  if (anonymousId !== undefined && !isNewId(anonymousId)) return refusals.anonymousId;
  if (messageId !== undefined && !isMessageId(messageId)) return refusals.messageId;
  draft.event = event;
  draft.userId = userId;
  draft.anonymousId = anonymousId;
  draft.messageId = messageId;
  draft.properties = (value.properties ?? undefined) as EventDraft['properties'];
  return undefined;
}

function readTimestamp(timestamp: unknown, receivedMs: number, draft: EventDraft): Refusal | undefined {
  const sentMs = sentTime(timestamp, receivedMs);
  if (typeof sentMs === 'object') return sentMs;
  draft.receivedMs = receivedMs;
  draft.timeMs = sentMs ?? receivedMs;
  draft.sentMs = sentMs;
  return undefined;
}

/** Epoch ms; undefined: the client says no time. */
function sentTime(timestamp: unknown, receivedMs: number): number | Refusal | undefined {
  if (timestamp === undefined || timestamp === null) return undefined; // V2
  if (typeof timestamp !== 'string') return refusals.timestamp;
  const timeMs = parseTimestamp(timestamp);
  if (!(timeMs >= 0)) return refusals.timestamp;
  return timeMs > receivedMs + futureMsMax ? refusals.future : timeMs;
}

/** Walks every field; `stored` names the one whose bounds matter. */
function walkFields(value: JsonObject, stored: 'properties' | 'traits'): Refusal | undefined {
  walk.reset();
  for (const key in value) {
    if (key === '__proto__') return refusals.proto;
    walk.key(key);
    const field = value[key];
    if (key !== stored) {
      const wrong = walk.ignored(field, 2);
      if (wrong !== undefined) return refusals[wrong];
    } else if (field !== null && !(isJsonObject(field) && walk.bounded(field, 1))) return refusals[stored];
  }
  return undefined;
}

/** V1. The walk that found something wrong did not get to the end: it knows no size. */
function orTooLarge(value: JsonObject, refusal: Refusal): Refusal {
  return isTooLarge(value) ? refusals.size : refusal;
}

/** Exact, and as dear as printing the event: asked only where the walk's upper bound cannot decide. */
function isTooLarge(value: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > eventBytesMax;
}

/** 1-256 characters, no control characters, no lone surrogates (API.md, Ingestion). */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 2 * idCharsMax) return false;
  let pairs = 0;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return false;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const low = value.charCodeAt(i + 1);
    if (unit > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return false;
    pairs += 1;
    i += 1;
  }
  return value.length - pairs <= idCharsMax;
}

/** What may be asked for and deleted: HTTP clients normalise `.` and `..` away, so that nobody has such an id. */
export function isId(value: unknown): value is string {
  return isName(value) && value !== '.' && value !== '..';
}

/** One of `.` or `..` between slashes or backslashes. */
const dotSegment = /(?:^|[/\\])\.\.?(?:[/\\]|$)/;

/**
 * What may be stored: proxies decode a path and resolve its dots, so that an id with a segment `.` or `..` would name another
 * user there.
 */
export function isNewId(value: unknown): value is string {
  return isName(value) && !(value.includes('.') && dotSegment.test(value));
}

export function isMessageId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0) return false;
  return (
    value.length <= messageIdCharsMax ||
    (value.length <= 2 * messageIdCharsMax && codePoints(value) <= messageIdCharsMax)
  );
}
