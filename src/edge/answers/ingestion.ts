// Answers to writes: events, profiles, links.
import {z} from 'zod';
import {errorAnswer} from './error.js';
import {count} from './fields.js';

export const trackAnswer = z.strictObject({status: z.literal('ok'), received: z.literal(1)});

/** Answer to a CORS preflight; browsers read its headers alone. */
export const preflightAnswer = z.strictObject({status: z.literal('ok')});

const itemError = z.strictObject({
  index: count().describe('Index of the event in the batch, from 0.'),
  code: z.enum(['invalid_event', 'event_too_large', 'too_many_names', 'unknown_name', 'unavailable']),
  message: z.string().min(1),
  field: z.string().optional(),
  messageId: z.string().optional().describe('The messageId of the event, when it was readable.'),
});

const batchOutcome = {
  received: count().describe('Events that are stored, known duplicates included.'),
  rejected: count(),
  errors: z.array(itemError),
  ignored_fields: z
    .array(z.string())
    .min(1)
    .max(10)
    .optional()
    .describe('Names of unknown fields, the first ten; long ones are cut.'),
  conflicts: z
    .array(count())
    .optional()
    .describe(
      'Indexes, from 0, of events whose messageId an earlier event of the batch has: received but not counted, as the first ' +
        'one wins. Absent if there are none.',
    ),
};

export const batchAnswer = z.strictObject({status: z.enum(['ok', 'partial']), ...batchOutcome});

/** Answer to a batch of which nothing was stored, or of which the log took only a part. */
export const batchErrorAnswer = z.strictObject({
  error: errorAnswer.shape.error,
  status: z.enum(['partial', 'rejected']),
  ...batchOutcome,
});

export const identifyAnswer = z.strictObject({status: z.literal('ok'), userId: z.string()});

export const linksAnswer = z.strictObject({
  stored: z.int().min(0).describe('Links that are on disk, those that were there before included.'),
  unknown: z.int().min(0).describe('Links of a `userId` that is no user: they are not stored.'),
});
