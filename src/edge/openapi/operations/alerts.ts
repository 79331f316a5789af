// The preview of an alert.
import {alertPreviewAnswer} from '../../answers/alerts.js';
import {noParameters} from '../../query/query.js';
import {previewBody} from '../../routes/alert-body.js';
import type {Operations} from '../operation.js';

const rule = {
  kind: 'threshold',
  question: {report: 'counts', events: [{event: 'purchase'}], where: ['currency eq EUR']},
  minutes: 60,
  lte: 0,
} as const;

export const alerts: Operations = {
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
};
