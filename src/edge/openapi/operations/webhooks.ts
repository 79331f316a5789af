// Webhooks.
import {
  createdWebhookAnswer,
  deletedWebhookAnswer,
  deliveriesAnswer,
  replayedWebhookAnswer,
  rotatedWebhookAnswer,
  testedWebhookAnswer,
  webhookAnswer,
  webhookChangedAnswer,
  webhooksAnswer,
} from '../../answers/webhooks.js';
import {noParameters} from '../../query/query.js';
import {newWebhookBody, noFields, replayBody, webhookChange} from '../../routes/webhook-body.js';
import {deliveriesForm} from '../../routes/webhook-deliveries.js';
import {exampleWebhookId} from '../../routes/webhooks.js';
import type {Operations, PathParameter} from '../operation.js';

const path: Readonly<Record<string, PathParameter>> = {
  id: {description: 'The id of the webhook.', schema: {type: 'string'}, example: exampleWebhookId},
};
const nothing = {schema: noFields, example: {}} as const;
const errors = ['not_found', 'unavailable'] as const;
const headers = {always: ['ETag']} as const;
const changedSince = {
  description: 'The webhook was changed since it was read. Nothing was changed now.',
  schema: webhookChangedAnswer,
  headers,
} as const;

export const webhooks: Operations = {
  'POST /v1/webhooks': {
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Tells a server or a chat what happens from now on: signed POST requests, at least once, under one `webhook-id`. The ' +
      'only answer that shows the secret. At most 100.',
    query: noParameters,
    body: {
      schema: newWebhookBody,
      example: {
        kind: 'webhook',
        url: 'https://hooks.example.com/millrace',
        types: [{type: 'event.tracked', names: ['purchase']}, {type: 'user.deleted'}],
      },
    },
    answers: {201: {description: 'The webhook, with its secret.', schema: createdWebhookAnswer, headers}},
    errors: ['unavailable'],
  },
  'GET /v1/webhooks': {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List the webhooks',
    query: noParameters,
    answers: {200: {description: 'All webhooks, and how they fare.', schema: webhooksAnswer}},
    errors: ['unavailable'],
  },
  'GET /v1/webhooks/{id}': {
    id: 'readWebhook',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    path,
    query: noParameters,
    answers: {200: {description: 'The webhook, and how it fares.', schema: webhookAnswer, headers}},
    errors,
  },
  'PATCH /v1/webhooks/{id}': {
    id: 'changeWebhook',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'Fields that are not named stay as they are, and so do its kind, its secret and how far it came. Other `types` count for ' +
      'events that are accepted after the answer; those that wait have the types of before. While it is paused, messages wait.',
    path,
    query: noParameters,
    isGuarded: true,
    body: {
      schema: webhookChange,
      example: {types: [{type: 'event.tracked', names: ['purchase', 'refund']}], batch: {events: 100, ms: 500}},
    },
    answers: {200: {description: 'The changed webhook.', schema: webhookAnswer, headers}, 412: changedSince},
    errors,
  },
  'DELETE /v1/webhooks/{id}': {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    path,
    query: noParameters,
    isGuarded: true,
    answers: {
      200: {description: 'The webhook is deleted, with the messages that waited for it.', schema: deletedWebhookAnswer},
      412: changedSince,
    },
    errors,
  },
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
