// Webhooks and their deliveries.
import {z} from 'zod';
import {endpointKinds, subscribedTypes} from '../../webhooks/endpoint.js';
import {count, instant, pageEnd, version} from './fields.js';

const webhookFields = {
  id: z.string().regex(/^wh_[0-9a-f]{16}$/),
  kind: z.enum(endpointKinds),
  url: z.string().describe('Address; the one of a chat without its secret part.'),
  types: z.array(
    z.strictObject({
      type: z.enum(subscribedTypes),
      names: z.array(z.string()).readonly().optional(),
      where: z.array(z.string()).readonly().optional(),
    }),
  ),
  batch: z.strictObject({events: z.int(), ms: z.int()}),
  ordered: z.boolean(),
  max_lag_minutes: z.int(),
  state: z.enum(['active', 'paused', 'disabled']),
  reason: z.string().nullable().describe('Why it is disabled.'),
  version,
  created_at: instant(),
  health: z.strictObject({
    probed: z.boolean().describe('It failed 20 times in a row, and gets one message at a time.'),
    failures: count().describe('Attempts that failed since the last that did not.'),
    failing_since: instant().nullable(),
    last_success_at: instant().nullable(),
    lag_seconds: count().describe('Age of the oldest event that was not sent, in seconds.'),
    delivered: count(),
    failed: count().describe('Attempts.'),
    dead: count().describe('Messages that it did not take in ten attempts.'),
    skipped_events: count().describe(
      'Events that were passed over because they had waited for more than `max_lag_minutes`.',
    ),
  }),
};

export const webhookAnswer = z.strictObject(webhookFields);
export type WebhookAnswer = z.infer<typeof webhookAnswer>;

export const createdWebhookAnswer = z.strictObject({
  ...webhookFields,
  secret: z.string().optional().describe('Signs its messages. Shown this once; chats and mail have none.'),
});
export type CreatedWebhookAnswer = z.infer<typeof createdWebhookAnswer>;

export const testedWebhookAnswer = z.strictObject({id: z.string().describe('`webhook-id` of the test message.')});

export const rotatedWebhookAnswer = z.strictObject({
  id: z.string(),
  secret: z.string().describe('Shown this once.'),
  old_secret_until: instant().describe('Until then the old secret signs, too.'),
});

export const replayedWebhookAnswer = z.strictObject({queued: count().describe('Messages.')});

const delivery = z.strictObject({
  id: z.string().describe('`webhook-id`.'),
  type: z.string(),
  status: z.enum(['delivered', 'failed', 'erased', 'pending', 'dead', 'skipped']),
  at: instant().describe('Time of the last attempt, of the end, or of the next attempt.'),
  attempts: count(),
  answer: z.int().nullable().describe('Status of the answer.'),
  why: z.string().nullable(),
  events: count().optional().describe('Upper bound of the number of events; only with `skipped`.'),
});
export type DeliveryAnswer = z.infer<typeof delivery>;

export const deliveriesAnswer = z.strictObject({data: z.array(delivery), ...pageEnd});
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>;
