// The validator of the hot path: one event or identify body as JSON.parse returned it. Hand-written, because zod with rich types
// costs four times JSON.parse; schemas.ts has the same rules in zod, and a test compares the two.
//   V1. Size is checked before fields (docs/api/errors.md, order of checks). Unknown fields count towards it; they are named, and
//       ignored.
//   V2. `null` is an absent optional field.
//   V3. Nothing is changed: an accepted body is stored verbatim.

import {eventBytesMax, futureMsMax, idCharsMax, messageIdCharsMax} from '../../actors/limits.js';
import type {AcceptedEvent} from '../../actors/log/entries.js';
import type {Json} from '../../actors/log/json.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import type {InexactNumber} from './inexact-numbers.js';
import {codePoints, ObjectWalk} from './object-walk.js';
import {inexact, noText, notAnObject, outOfBounds, type Refusal, refusals, type StoredField} from './refusals.js';

/** An event being read. One instance serves all events: each is written to the log before the next one is read. */
export class EventDraft implements AcceptedEvent {
  event = '';
  userId: string | undefined;
  anonymousId: string | undefined;
  messageId: string | undefined;
  properties: {[key: string]: Json} | undefined;
  timeMs = 0;
  receivedMs = 0;
  sentMs: number | undefined;
  context: {[key: string]: Json} | undefined;
  /** Names of its ignored fields. */
  ignored: string[] = [];
}

export interface AcceptedIdentify {
  readonly userId: string;
  /** The anonymous user that it is; undefined: it names none. */
  readonly anonymousId: string | undefined;
  /** Compact JSON text of the traits object. */
  readonly traitsJson: string;
  /** Compact JSON text of the traits that are set once; undefined: there are none. */
  readonly traitsOnceJson: string | undefined;
  readonly messageId: string | undefined;
  /** The time that the client names for the traits, corrected like an event's, epoch ms; undefined: it names none. */
  readonly sentMs: number | undefined;
  /** Names of the body's ignored fields. */
  readonly ignored: readonly string[];
}

type JsonObject = {readonly [key: string]: unknown};

/** Clocks are often wrong by less than this: a time that is less ahead is neither corrected nor counted. */
export const clockAheadMsMin = 5 * 60_000;
/** Last time whose year ISO 8601 writes with four digits. */
const timestampMsMax = Date.UTC(10_000, 0, 1) - 1;

/** Use of each field of a body; a field that is not in the map is ignored. */
type FieldUses = ReadonlyMap<string, 'read' | 'stored'>;
const eventFields: FieldUses = new Map([
  ...(['event', 'userId', 'anonymousId', 'messageId', 'timestamp', 'sentAt'] as const).map(
    (name) => [name, 'read'] as const,
  ),
  ...(['properties', 'context'] as const).map((name) => [name, 'stored'] as const),
]);
const identifyFields: FieldUses = new Map([
  ...(['userId', 'anonymousId', 'messageId', 'timestamp', 'sentAt'] as const).map((name) => [name, 'read'] as const),
  ...(['traits', 'traitsOnce'] as const).map((name) => [name, 'stored'] as const),
]);

const walk = new ObjectWalk();

/** Facts about an event or identify call that its parsed value does not have. */
export interface EventOrigin {
  /** Used for an absent timestamp. */
  readonly receivedMs: number;
  /** Time at which the client sent the request, by its own clock; an event's own `sentAt` wins. */
  readonly sentAtMs?: number | undefined;
  readonly inexact?: InexactNumber | undefined;
  /** anonymousId of an event that names nobody; undefined: such an event is refused. */
  readonly visitor?: string | undefined;
}

/** Fills `draft` from `value`, or returns why it is refused. */
export function readEvent(value: unknown, origin: EventOrigin, draft: EventDraft): Refusal | undefined {
  if (!isJsonObject(value)) return refusals.object;
  if (draft.ignored.length > 0) draft.ignored = [];
  const refusal = walkFields(value, eventFields, draft.ignored) ?? inexactRefusal(origin.inexact);
  if (refusal !== undefined) return orTooLarge(value, refusal);
  if (walk.weight > eventBytesMax && isTooLarge(value)) return refusals.size;
  const fieldRefusal = readStrings(value, draft) ?? setTimes(value, origin, draft);
  if (fieldRefusal !== undefined) return fieldRefusal;
  if (draft.userId !== undefined || draft.anonymousId !== undefined) return undefined;
  draft.anonymousId = origin.visitor;
  return origin.visitor === undefined ? refusals.noId : undefined;
}

/** Refusals of fields have the code `invalid_event`; the answer to an identify says `invalid_request` (docs/api/errors.md). */
export function readIdentify(value: JsonObject, origin: EventOrigin): AcceptedIdentify | Refusal {
  const ignored: string[] = [];
  const refusal = walkFields(value, identifyFields, ignored) ?? inexactRefusal(origin.inexact);
  if (refusal !== undefined) return orTooLarge(value, refusal);
  if (walk.weight > eventBytesMax && isTooLarge(value)) return refusals.size;
  const {userId, traits, traitsOnce} = value;
  const anonymousId = value.anonymousId ?? undefined; // V2
  const messageId = value.messageId ?? undefined;
  if (!isNewId(userId)) return noText('userId', userId);
  if (anonymousId !== undefined && !isNewId(anonymousId)) return noText('anonymousId', anonymousId);
  if (messageId !== undefined && !isMessageId(messageId)) return noText('messageId', messageId);
  const times = readTimes(value, origin);
  if (times !== undefined && 'code' in times) return times;
  const traitsJson = objectJson(traits);
  const onceJson = objectJson(traitsOnce);
  const traitsOnceJson = onceJson === noTraits ? undefined : onceJson;
  return {userId, anonymousId, traitsJson, traitsOnceJson, messageId, sentMs: times?.timeMs, ignored};
}

/** JSON of the traits of a call that has none. */
export const noTraits = '{}';
const objectJson = (traits: unknown): string =>
  traits === undefined || traits === null ? noTraits : JSON.stringify(traits); // V2

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readStrings(value: JsonObject, draft: EventDraft): Refusal | undefined {
  const {event} = value;
  const userId = value.userId ?? undefined; // V2
  const anonymousId = value.anonymousId ?? undefined;
  const messageId = value.messageId ?? undefined;
  if (!isName(event)) return noText('event', event);
  if (userId !== undefined && !isNewId(userId)) return noText('userId', userId);
  if (anonymousId !== undefined && !isNewId(anonymousId)) return noText('anonymousId', anonymousId);
  if (messageId !== undefined && !isMessageId(messageId)) return noText('messageId', messageId);
  draft.event = event;
  draft.userId = userId;
  draft.anonymousId = anonymousId;
  draft.messageId = messageId;
  draft.properties = (value.properties ?? undefined) as EventDraft['properties'];
  draft.context = (value.context ?? undefined) as EventDraft['context'];
  return undefined;
}

function setTimes(value: JsonObject, origin: EventOrigin, draft: EventDraft): Refusal | undefined {
  const times = readTimes(value, origin);
  if (times !== undefined && 'code' in times) return times;
  draft.receivedMs = origin.receivedMs;
  draft.timeMs = times?.timeMs ?? origin.receivedMs;
  draft.sentMs = times?.sentMs;
  return undefined;
}

/** The time as sent and as corrected, epoch ms; undefined when the client sent none. */
function readTimes(
  {timestamp, sentAt}: JsonObject,
  {receivedMs, sentAtMs: requestSentAtMs}: EventOrigin,
): {readonly sentMs: number; readonly timeMs: number} | Refusal | undefined {
  const sentAtMs = readSentAt(sentAt) ?? requestSentAtMs ?? receivedMs;
  if (Number.isNaN(sentAtMs)) return refusals.sentAt;
  if (timestamp === undefined || timestamp === null) return undefined; // V2
  if (typeof timestamp !== 'string') return refusals.timestamp;
  const sentMs = parseTimestamp(timestamp);
  if (!(sentMs >= 0 && sentMs <= timestampMsMax)) return refusals.timestamp;
  const timeMs = sentMs - correctionMs(sentAtMs, receivedMs);
  if (timeMs < 0) return refusals.corrected;
  return timeMs > receivedMs + futureMsMax ? refusals.future : {sentMs, timeMs};
}

/** Epoch ms; undefined without `sentAt`; NaN when it is no time. */
export function readSentAt(sentAt: unknown): number | undefined {
  if (sentAt === undefined || sentAt === null) return undefined;
  return typeof sentAt === 'string' ? parseTimestamp(sentAt) : Number.NaN;
}

/**
 * Lead of a client's clock, ms. A clock that is behind is not corrected: it looks like a request that waited for a network.
 */
function correctionMs(sentAtMs: number, receivedMs: number): number {
  return sentAtMs - receivedMs > clockAheadMsMin ? sentAtMs - receivedMs : 0;
}

/** Walks every field, and collects the names of ignored ones. */
function walkFields(value: JsonObject, uses: FieldUses, ignored: string[]): Refusal | undefined {
  walk.reset();
  for (const key in value) {
    if (key === '__proto__') return refusals.proto;
    walk.key(key);
    const field = value[key];
    const use = uses.get(key);
    if (use === 'stored') {
      const refusal = storedRefusal(key as StoredField, field);
      if (refusal !== undefined) return refusal;
      continue;
    }
    if (use === undefined) ignored.push(key);
    const wrong = walk.ignored(field, 2);
    if (wrong !== undefined) return refusals[wrong];
  }
  return undefined;
}

function storedRefusal(field: StoredField, value: unknown): Refusal | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) return notAnObject(field, value);
  const broken = walk.bounded(value, 1);
  return broken && outOfBounds(field, broken, walk.path.toReversed());
}

const inexactRefusal = (integer: InexactNumber | undefined): Refusal | undefined =>
  integer && inexact(integer.path[0] as StoredField, integer);

/** The walk that found a fault has not measured the whole event: size wins (V1). */
function orTooLarge(value: JsonObject, refusal: Refusal): Refusal {
  return isTooLarge(value) ? refusals.size : refusal;
}

/** Exact, and as expensive as printing the event: called only when the walk's upper bound cannot decide. */
function isTooLarge(value: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > eventBytesMax;
}

/** 1-256 characters, no control characters, no lone surrogates (docs/api/events.md). */
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

const slashFirst = /^[/\\]/;
/** One of `.` or `..` between slashes or backslashes. */
const dotSegment = /(?:^|[/\\])\.\.?(?:[/\\]|$)/;

/**
 * Whether an event with this id may be stored. Proxies decode a path, resolve its dots and join slashes: `a/../ada` and `/ada`
 * would both name the user `ada` there.
 */
export function isNewId(value: unknown): value is string {
  return isName(value) && !slashFirst.test(value) && !(value.includes('.') && dotSegment.test(value));
}

/** The name in a value that was sent as an event, if it is valid. */
export function eventName(value: unknown): string | undefined {
  const event = isJsonObject(value) ? value.event : undefined;
  return isName(event) ? event : undefined;
}

/** 1-128 characters, no control characters, not all of them white space (docs/api/events.md). */
export function isMessageId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2 * messageIdCharsMax || value.trim() === '') return false;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return false;
  }
  return value.length <= messageIdCharsMax || codePoints(value) <= messageIdCharsMax;
}
