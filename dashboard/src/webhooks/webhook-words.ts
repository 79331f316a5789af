// Kinds of webhooks, what they may be told, and their states, in words.
import type {WebhookAnswer} from '../../../src/edge/answers/webhooks.js';
import {count, duration} from '../charts/format.js';

export type WebhookKind = WebhookAnswer['kind'];
export type SubscribedType = WebhookAnswer['types'][number]['type'];

export const kindWords: Readonly<Record<WebhookKind, {readonly title: string; readonly gets: string}>> = {
  webhook: {title: 'Server', gets: 'Signed JSON, to an address of yours.'},
  slack: {title: 'Slack', gets: 'Lines of text, to an incoming webhook.'},
  discord: {title: 'Discord', gets: "Lines of text, to a channel's webhook."},
  teams: {title: 'Teams', gets: 'Cards, to a workflow that posts what a webhook sends.'},
  mail: {title: 'Mail', gets: 'Mails, to one address.'},
};

/** What the names of a subscription are of. */
export type NamedThings = 'events' | 'saved funnels' | 'alerts' | 'saved reports';

/** `names` absent: a subscription takes none. */
export const typeWords: Readonly<Record<SubscribedType, {readonly title: string; readonly names?: NamedThings}>> = {
  'event.tracked': {title: 'Events, as they are stored', names: 'events'},
  'user.identified': {title: 'Users who are identified'},
  'user.deleted': {title: 'Users who are deleted'},
  'funnel.completed': {title: 'Saved funnels that a user completes', names: 'saved funnels'},
  'funnel.stalled': {title: 'Saved funnels in which a user stalls', names: 'saved funnels'},
  'report.threshold': {title: 'Alerts', names: 'alerts'},
  'report.revised': {title: 'Days that change after they were complete', names: 'events'},
  'report.digest': {title: 'Digests', names: 'saved reports'},
};

/** Types that chats and mail can subscribe to. */
const chatTypes: readonly SubscribedType[] = ['report.threshold', 'report.revised', 'report.digest'];

export const typesFor = (kind: WebhookKind): readonly SubscribedType[] =>
  kind === 'webhook' ? (Object.keys(typeWords) as SubscribedType[]) : chatTypes;

/** How long events wait unless the webhook says otherwise. */
export const lagMinutesDefault = 1_440;

/** `up to 100 events a request, in order`; empty where nothing differs from the defaults. */
export function sendingText({batch, ordered, max_lag_minutes: lag}: WebhookAnswer): string {
  return [
    ...(batch.events > 1 ? [`up to ${count(batch.events)} events a request`] : []),
    ...(ordered ? ['in order'] : []),
    ...(lag === lagMinutesDefault ? [] : [`events skipped after ${duration(lag * 60)}`]),
  ].join(', ');
}

/** Words of a webhook's state, and the tone of its pill. */
export function stateOf({state, health}: WebhookAnswer): readonly [words: string, tone: '' | 'warn' | 'bad'] {
  if (state === 'disabled') return ['disabled', 'bad'];
  if (state === 'paused') return ['paused', 'warn'];
  if (health.probed) return ['failing', 'bad'];
  return health.failures > 0 ? ['retrying', 'warn'] : ['active', ''];
}

/** `A test is on its way to 2 receivers.` */
export const testedText = (receivers: number): string =>
  receivers === 0
    ? 'Nobody is reached, so no test is sent.'
    : `A test is on its way to ${receivers === 1 ? '1 receiver' : `${count(receivers)} receivers`}.`;

/** `reaches 2 receivers`, `reaches nobody`: webhooks, chats and mail addresses. */
export const reachText = (reaches: number): string =>
  reaches === 0 ? 'reaches nobody' : `reaches ${reaches === 1 ? '1 receiver' : `${count(reaches)} receivers`}`;
