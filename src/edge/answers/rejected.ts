// Events that were refused.
import {z} from 'zod';
import {rejectedCodes} from '../admission/rejected-events.js';
import {instant} from './fields.js';

const rejected = z.strictObject({
  at: instant(),
  code: z.enum([...rejectedCodes, 'conflict']),
  field: z.string().nullable(),
  index: z.int().min(0).nullable().describe('Index in its batch; null for a single event and for a whole body.'),
  event: z.string().nullable().describe('Name of the event, if it is valid. No other field of the event is kept.'),
  key_id: z.string().nullable().describe('Id of the key that sent it; null for a `conflict`.'),
});
export type ListedRejection = z.infer<typeof rejected>;

export const rejectedAnswer = z.strictObject({
  data: z.array(rejected).describe('Newest first.'),
  has_more: z.boolean().describe('Whether more than `limit` are kept.'),
  since: instant().describe('Time at which this process began to keep them.'),
  kept: z.literal('in memory only: lost when the process ends'),
});
export type RejectedAnswer = z.infer<typeof rejectedAnswer>;
