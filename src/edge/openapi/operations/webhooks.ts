// What is done to one webhook, and its deliveries.
import {
  deliveriesAnswer,
  replayedWebhookAnswer,
  rotatedWebhookAnswer,
  testedWebhookAnswer,
  webhookAnswer,
} from '../../answers/webhooks.js';
import {noParameters} from '../../query/query.js';
import {noFields, replayBody} from '../../routes/webhook-body.js';
import {deliveriesForm} from '../../routes/webhook-deliveries.js';
import type {Operations, PathParameter} from '../operation.js';

const path: Readonly<Record<string, PathParameter>> = {
  id: {description: 'The id of the webhook.', schema: {type: 'string'}, example: 'wh_0123456789abcdef'},
};
const nothing = {schema: noFields, example: {}} as const;
const errors = ['not_found', 'unavailable'] as const;
const headers = {always: ['ETag']} as const;

export const webhooks: Operations = {
  'POST /v1/webhooks/{id}/test': {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test message',
    path,
    query: noParameters,
    body: nothing,
    answers: {
      202: {description: 'It is queued. `GET …/deliveries` says what became of it.', schema: testedWebhookAnswer},
    },
    errors,
  },
  'POST /v1/webhooks/{id}/rotate': {
    id: 'rotateWebhook',
    tag: 'Webhooks',
    summary: 'Change the secret',
    description:
      'The old secret signs, too, for a day: messages have several signatures. At most ten secrets sign at once.',
    path,
    query: noParameters,
    body: nothing,
    answers: {200: {description: 'The new secret.', schema: rotatedWebhookAnswer}},
    errors,
  },
  'POST /v1/webhooks/{id}/resume': {
    id: 'resumeWebhook',
    tag: 'Webhooks',
    summary: 'Resume a paused or disabled webhook',
    path,
    query: noParameters,
    body: nothing,
    answers: {200: {description: 'The changed webhook.', schema: webhookAnswer, headers}},
    errors,
  },
  'GET /v1/webhooks/{id}/deliveries': {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List attempts, waiting messages and dead letters',
    path,
    query: deliveriesForm,
    answers: {200: {description: 'Deliveries, without what they said.', schema: deliveriesAnswer}},
    errors,
  },
  'POST /v1/webhooks/{id}/replay': {
    id: 'replayWebhook',
    tag: 'Webhooks',
    summary: 'Send again',
    description:
      'Either stored events of a time, at most 10,000, or dead letters by their ids. They keep their `webhook-id`s.',
    path,
    query: noParameters,
    body: {schema: replayBody, example: {from: '2026-05-01T00:00:00Z', to: '2026-05-01T23:59:59Z'}},
    answers: {202: {description: 'How many messages are queued.', schema: replayedWebhookAnswer}},
    errors: [...errors, 'rate_limited'],
  },
};
