// Bodies of the write routes as zod schemas: what the API description is generated from, and what the validator of the
// hot path (validate.ts) is held against in tests (test/ingest/body-issues.ts). Texts come from refusals.ts.
import {z} from 'zod';
import {
  batchEventsMax,
  futureMsMax,
  idCharsMax,
  messageIdCharsMax,
  objectDepthMax,
  objectKeyCharsMax,
  objectKeysMax,
} from '../../actors/limits.js';
import {parseTimestamp} from '../../actors/timestamp.js';
import {refusalTexts} from './refusals.js';

// With the flag u a pair is one character: only lone surrogates match.
const loneSurrogate = /\p{Surrogate}/u;

const characters = (text: string): number => [...text].length;

const text = (error: string, charactersMax: number) =>
  z
    .string(error)
    .min(1, error)
    .refine((value) => characters(value) <= charactersMax, error)
    .meta({maxLength: charactersMax});

const name = (error: string) =>
  text(error, idCharsMax).refine((value) => !/[\u0000-\u001f\u007f]/.test(value) && !loneSurrogate.test(value), error);

const isDots = (segment: string): boolean => segment === '.' || segment === '..';

const id = (error: string) => name(error).refine((value) => !value.split(/[/\\]/).some(isDots), error);

/** Keys, key lengths, levels and numbers of a stored object. */
function isBounded(value: unknown, depth = 1): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > objectDepthMax) return false;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  if (keys.length > objectKeysMax || keys.some((key) => characters(key) > objectKeyCharsMax)) return false;
  return Object.values(value).every((item) => isBounded(item, depth + 1));
}

const storedObject = (error: string) =>
  z
    .record(z.string(), z.unknown(), error)
    .refine((value) => isBounded(value), error)
    .meta({maxProperties: objectKeysMax, propertyNames: {maxLength: objectKeyCharsMax}})
    .nullish();

const timestamp = (receivedMs: () => number) =>
  z
    .string(refusalTexts.timestamp)
    .refine((value) => parseTimestamp(value) >= 0, {error: refusalTexts.timestamp, abort: true})
    .refine((value) => parseTimestamp(value) <= receivedMs() + futureMsMax, refusalTexts.future)
    .meta({pattern: '^\\d{4}-\\d\\d-\\d\\d'});

const oneId = (field: 'userId' | 'anonymousId') => ({
  type: 'object',
  required: [field],
  properties: {[field]: {type: 'string'}},
});

/** `receivedMs` is the time against which a timestamp counts as future. */
export const eventSchema = (receivedMs: () => number) =>
  z
    .looseObject({
      event: name(refusalTexts.event).describe('The name of what happened.'),
      userId: id(refusalTexts.userId)
        .nullish()
        .describe('Your identifier of the user. This or `anonymousId` is required.'),
      anonymousId: id(refusalTexts.anonymousId).nullish().describe('An identifier of somebody without a userId yet.'),
      messageId: text(refusalTexts.messageId, messageIdCharsMax)
        .nullish()
        .describe('An idempotency key of this user: a second copy is acknowledged and not counted.'),
      properties: storedObject(refusalTexts.properties).describe(
        `What is known about the event. Up to ${objectDepthMax} levels.`,
      ),
      timestamp: timestamp(receivedMs)
        .nullish()
        .describe('When it happened. Without an offset it is UTC; absent, it is now. Up to 24 hours ahead.'),
    })
    .refine((value) => (value.userId ?? value.anonymousId ?? undefined) !== undefined, {
      error: refusalTexts.noId,
      path: ['userId'],
    })
    .meta({allOf: [{anyOf: [oneId('userId'), oneId('anonymousId')]}]});

export const batchSchema = (event: ReturnType<typeof eventSchema>) =>
  z.looseObject({events: z.array(event).min(1).max(batchEventsMax)});

/** `receivedMs` as for events. */
export const identifySchema = (receivedMs: () => number) =>
  z.looseObject({
    userId: id(refusalTexts.userId).describe('Your identifier of the user.'),
    traits: storedObject(refusalTexts.traits).describe('What is set or updated; other traits stay as they are.'),
    messageId: text(refusalTexts.messageId, messageIdCharsMax)
      .nullish()
      .describe("An idempotency key of this user's identify calls: a second copy is acknowledged and changes nothing."),
    timestamp: timestamp(receivedMs)
      .nullish()
      .describe(
        'When the traits were set: what a later identify has set stays. Absent, it is now. Up to 24 hours ahead.',
      ),
  });
