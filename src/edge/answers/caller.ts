// Who asks.
import {z} from 'zod';
import {count} from './fields.js';
import {listedKey} from './keys.js';

const perTime = (what: string) => count().nullable().describe(`${what} Null: without a limit.`);

export const callerAnswer = z.strictObject({
  key: listedKey.pick({id: true, name: true, kind: true, options: true}),
  may: z.strictObject({
    track: z.boolean().describe('Track events.'),
    identify: z.boolean().describe('Set traits and join ids.'),
    read: z.boolean().describe('Read reports, events and users.'),
    manage: z.boolean().describe('Manage what people keep, webhooks and alerts, and delete users.'),
  }),
  limits: z.strictObject({
    events_per_second: perTime('Events of this key.'),
    reads_per_minute: perTime('Reads of this key.'),
    deletions_per_second: perTime('Deletions of this key.'),
    event_bytes: count().describe('Of one event, as compact JSON.'),
    batch_events: count(),
    batch_bytes: count(),
  }),
  links: z.strictObject({docs: z.string(), openapi: z.string(), dashboard: z.string()}).describe('Paths.'),
});
export type CallerAnswer = z.infer<typeof callerAnswer>;
