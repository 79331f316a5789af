// Stored events and pages of them.
import {z} from 'zod';
import {eventId, instant, pageEnd, stored} from './fields.js';

export const storedEvent = z.strictObject({
  id: eventId(),
  event: z.string(),
  userId: z.string().nullable(),
  anonymousId: z.string().nullable(),
  properties: stored(),
  context: stored().optional(),
  timestamp: instant(),
  received_at: instant(),
  messageId: z.string().optional(),
  joined: z
    .literal(true)
    .optional()
    .describe('It was sent with the `anonymousId` alone, which is this user. Its `id` is that of the anonymous event.'),
  joins: z
    .literal(false)
    .optional()
    .describe('It has both ids and joins neither: its key may not identify. It is of the `userId`.'),
});
export type StoredEvent = z.infer<typeof storedEvent>;

export const historyAnswer = z.strictObject({
  data: z.array(storedEvent).describe('Newest first.'),
  ...pageEnd,
});
export type HistoryAnswer = z.infer<typeof historyAnswer>;
