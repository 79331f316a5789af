// Bodies of the write routes as zod schemas. The API description is generated from them, and tests compare the validator of the
// hot path (validate.ts) with them (test/ingest/body-issues.ts). Texts are in refusals.ts.
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
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {refusalTexts} from './refusals.js';
import {clockAheadMsMin} from './validate.js';

// Lone surrogates alone match: with the flag u a pair is one character.
const loneSurrogate = /\p{Surrogate}/u;

const characters = (text: string): number => [...text].length;

const text = (error: string, charactersMax: number) =>
  z
    .string(error)
    .min(1, error)
    .refine((value) => characters(value) <= charactersMax, error)
    .meta({maxLength: charactersMax});

const name = (error: string) =>
  text(error, idCharsMax).refine((value) => !isControlled(value) && !loneSurrogate.test(value), error);

const isDots = (segment: string): boolean => segment === '.' || segment === '..';

const isControlled = (value: string): boolean => /[\u0000-\u001f\u007f]/.test(value);

const messageId = text(refusalTexts.messageId, messageIdCharsMax).refine(
  (value) => !isControlled(value) && value.trim() !== '',
  refusalTexts.messageId,
);

/** Whether a proxy would take the id in a path for another one. */
const isOtherInPath = (value: string): boolean => {
  const segments = value.split(/[/\\]/);
  return (segments.length > 1 && segments[0] === '') || segments.some(isDots);
};

const id = (error: string) => name(error).refine((value) => !isOtherInPath(value), error);

/** Checks keys, key lengths, levels and numbers of a stored object. */
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

const time = (error: string, isValid: (timeMs: number) => boolean) =>
  z
    .string(error)
    .refine((value) => isValid(parseTimestamp(value)), error)
    .meta({pattern: '^\\d{4}-\\d\\d-\\d\\d'});

const isAnyTime = (timeMs: number): boolean => !Number.isNaN(timeMs);

/** The time of an event by the service's clock, as far as `sentAt` shows that the client's clock is ahead. */
function correctedMs(timestamp: string, sentAt: string | null | undefined, receivedMs: number): number {
  const aheadMs = parseTimestamp(sentAt ?? '') - receivedMs;
  return parseTimestamp(timestamp) - (aheadMs > clockAheadMsMin ? aheadMs : 0);
}

const sentAt = () => time(refusalTexts.sentAt, isAnyTime).nullish();

const timestamp = () =>
  time(refusalTexts.timestamp, (timeMs) => timeMs >= 0 && timeMs < Date.UTC(10_000, 0, 1)).nullish();

/** A body whose `timestamp` its `sentAt` corrects. */
const withTimes = <Shape extends z.ZodRawShape & {timestamp: ReturnType<typeof timestamp>}>(
  receivedMs: () => number,
  shape: Shape,
) =>
  z
    .looseObject({
      ...shape,
      sentAt: sentAt().describe(
        'When it was sent, by the same clock. More than 5 minutes ahead of the service, it moves `timestamp` back by as much.',
      ),
    })
    .superRefine((value, context) => {
      const {timestamp, sentAt} = value as {timestamp?: string | null; sentAt?: string | null};
      if (!timestamp) return;
      const timeMs = correctedMs(timestamp, sentAt, receivedMs());
      const report = (message: string) => context.addIssue({code: 'custom', message, path: ['timestamp']});
      if (timeMs < 0) report(refusalTexts.corrected);
      if (timeMs > receivedMs() + futureMsMax) report(refusalTexts.future);
    });

/** `receivedMs`: the time from which a timestamp counts as future. */
export const eventSchema = (receivedMs: () => number) =>
  withTimes(receivedMs, {
    event: name(refusalTexts.event).describe('The name of what happened.'),
    userId: id(refusalTexts.userId)
      .nullish()
      .describe('Your identifier of the user. This or `anonymousId` is required, unless the key is one of pages.'),
    anonymousId: id(refusalTexts.anonymousId)
      .nullish()
      .describe(
        'An identifier of somebody without a userId yet. With `userId` beside it, events that were or will be sent with ' +
          'it alone become events of that user.',
      ),
    messageId: messageId
      .nullish()
      .describe('An idempotency key of this user: a second copy is acknowledged and not counted.'),
    properties: storedObject(refusalTexts.properties).describe(
      `What is known about the event. Up to ${objectDepthMax} levels.`,
    ),
    context: storedObject(refusalTexts.context).describe(
      'What surrounded the event, such as page and library: kept with it, and filters reach it as `context.page.path`. Keys of pages get more into it.',
    ),
    timestamp: timestamp().describe(
      'When it happened. Without an offset it is UTC; absent, it is now. Up to 24 hours ahead.',
    ),
  }).refine((value) => (value.userId ?? value.anonymousId ?? undefined) !== undefined, {
    error: refusalTexts.noId,
    path: ['userId'],
  });

export const batchSchema = (event: ReturnType<typeof eventSchema>) =>
  z.looseObject({
    events: z.array(event).min(1).max(batchEventsMax),
    sentAt: sentAt().describe('When the batch was sent, for events that do not say it themselves.'),
  });

/** `receivedMs` as for events. */
export const identifySchema = (receivedMs: () => number) =>
  withTimes(receivedMs, {
    userId: id(refusalTexts.userId).describe('Your identifier of the user.'),
    anonymousId: id(refusalTexts.anonymousId)
      .nullish()
      .describe('The identifier that the user had before: its events become events of the user.'),
    traits: storedObject(refusalTexts.traits).describe('What is set or updated; other traits stay as they are.'),
    traitsOnce: storedObject(refusalTexts.traitsOnce).describe(
      'Traits that are set only where no identify has set them in `traits`, earlier or later. Of several values the earliest counts.',
    ),
    messageId: messageId
      .nullish()
      .describe("An idempotency key of this user's identify calls: a second copy is acknowledged and changes nothing."),
    timestamp: timestamp().describe(
      'When the traits were set: what a later identify has set stays. Absent, it is now. Up to 24 hours ahead.',
    ),
  });
