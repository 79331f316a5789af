// Alerts.
import {
  alertAnswer,
  alertChangedAnswer,
  alertPreviewAnswer,
  alertsAnswer,
  deletedAlertAnswer,
} from '../../answers/alerts.js';
import {noParameters} from '../../query/query.js';
import {alertChange, newAlertBody, previewBody} from '../../routes/alert-body.js';
import {exampleAlertId} from '../../routes/alerts.js';
import type {Operations, PathParameter} from '../operation.js';

const path: Readonly<Record<string, PathParameter>> = {
  id: {description: 'The id of the alert.', schema: {type: 'string'}, example: exampleAlertId},
};

const headers = {always: ['ETag']} as const;
const changedSince = {
  description: 'The alert was changed since it was read. Nothing was changed now.',
  schema: alertChangedAnswer,
  headers,
} as const;

const rule = {
  kind: 'threshold',
  event: 'purchase',
  where: ['currency eq EUR'],
  minutes: 60,
  lte: 0,
} as const;

export const alerts: Operations = {
  'POST /v1/alerts': {
    id: 'createAlert',
    tag: 'Alerts',
    summary: 'Create an alert',
    description:
      'It is evaluated after each publication of reports, and sends `report.threshold` to its endpoints when its state changes; ' +
      'an alert of the kind `stalled` sends `funnel.stalled` for each user to webhooks. ' +
      'At most 200.',
    query: noParameters,
    body: {schema: newAlertBody, example: {name: 'No purchases', ...rule, for: 3, repeat_minutes: 1_440}},
    answers: {201: {description: 'The alert.', schema: alertAnswer, headers}},
    errors: ['unavailable'],
  },
  'GET /v1/alerts': {
    id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List the alerts',
    query: noParameters,
    answers: {200: {description: 'All alerts, with their states.', schema: alertsAnswer}},
    errors: ['unavailable'],
  },
  'POST /v1/alerts/preview': {
    id: 'previewAlert',
    tag: 'Alerts',
    summary: 'See when an alert would have fired',
    description:
      'Over the last 30 days, by the rule that would judge it, at steps: 10 minutes for counts of events, an hour for users, a ' +
      'day for funnels. Nothing is stored, and no message is sent.',
    query: noParameters,
    body: {schema: previewBody, example: rule},
    answers: {200: {description: 'How often, and when.', schema: alertPreviewAnswer}},
    errors: ['too_expensive', 'rate_limited', 'unavailable'],
  },
  'GET /v1/alerts/{id}': {
    id: 'readAlert',
    tag: 'Alerts',
    summary: 'Read an alert',
    path,
    query: noParameters,
    answers: {200: {description: 'The alert, with its state.', schema: alertAnswer, headers}},
    errors: ['not_found', 'unavailable'],
  },
  'PATCH /v1/alerts/{id}': {
    id: 'changeAlert',
    tag: 'Alerts',
    summary: 'Change an alert',
    description:
      'Fields that are not named stay as they are. With other fields of its kind its state starts again with the next evaluation: ' +
      'if it fired before and does not fire then, its endpoints get a message that it is over.',
    path,
    query: noParameters,
    isGuarded: true,
    body: {schema: alertChange, example: {repeat_minutes: null, paused: true}},
    answers: {200: {description: 'The changed alert.', schema: alertAnswer, headers}, 412: changedSince},
    errors: ['not_found', 'unavailable'],
  },
  'DELETE /v1/alerts/{id}': {
    id: 'deleteAlert',
    tag: 'Alerts',
    summary: 'Delete an alert',
    path,
    query: noParameters,
    isGuarded: true,
    answers: {
      200: {description: 'The alert is deleted. No message says that it is over.', schema: deletedAlertAnswer},
      412: changedSince,
    },
    errors: ['not_found', 'unavailable'],
  },
};
