// A subscription of a webhook in words.
import type {WebhookAnswer} from '../../../../src/edge/answers/webhooks.js';
import {conditionWords} from '../../address/conditions.js';
import type {SubscribedType} from '../../webhooks/webhook-words.js';

const shownNamesMax = 3;

const shortWords: Readonly<Record<SubscribedType, string>> = {
  'event.tracked': 'events',
  'user.identified': 'identified users',
  'user.deleted': 'deleted users',
  'funnel.completed': 'completed funnels',
  'funnel.stalled': 'stalled users',
  'report.threshold': 'alerts',
  'report.revised': 'changed days',
  'report.digest': 'digests',
};

/** `events (signup, login, and 4 more) if plan is pro` */
export function subscriptionText({type, names = [], where = []}: WebhookAnswer['types'][number]): string {
  const more = names.length - shownNamesMax;
  const listed = [...names.slice(0, shownNamesMax), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  const conditions = where.map(conditionWords).join(' and ');
  return `${shortWords[type]}${listed === '' ? '' : ` (${listed})`}${conditions === '' ? '' : ` if ${conditions}`}`;
}
