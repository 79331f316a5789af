// What an answer of a report or list says of itself.
import {z} from 'zod';
import {count} from './fields.js';

export const meta = z.strictObject({
  as_of: z.string().describe('The answer includes every event that was acknowledged up to this time.'),
  log_position: z.string().describe('Up to where the log is in the answer: `at` of a later request asks for the same.'),
  next_by: z.string().describe('When the next publication is due.'),
  incomplete_from: z
    .string()
    .nullable()
    .describe('The first bucket that is still open; null when all of them are over.'),
  retained_from: z
    .string()
    .optional()
    .describe('Earlier events have expired; only where the question asks for earlier ones.'),
  hint: z.string().nullable().describe('What was probably meant. For people: the text may change.'),
  skipped: count().nullable().describe('Events whose property is not a number; null in an answer that compares none.'),
});
export type Meta = z.infer<typeof meta>;

/** The member of an answer to GET; POST /v1/query has it beside the answer. */
export const ownMeta = {meta: meta.optional()};
