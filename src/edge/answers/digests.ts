// Digests.
import {z} from 'zod';
import {weekdays} from '../../digests/definition.js';
import {count, instant, version} from './fields.js';

export const digestAnswer = z.strictObject({
  id: z.string().regex(/^dg_[0-9a-f]{16}$/),
  of: z.string(),
  name: z.string().nullable().describe('Null once the report or board was deleted: nothing is sent then.'),
  weekday: z.enum(weekdays).optional(),
  hour: z.int(),
  timezone: z.string(),
  endpoints: z.array(z.string()).optional(),
  paused: z.boolean(),
  created_at: instant(),
  reaches: count().describe('Webhooks and chats that get it now.'),
  version,
});
export type DigestAnswer = z.infer<typeof digestAnswer>;
