// Webhooks, chats and mail addresses, with their health (docs/webhooks.md).
//   WH1. The start of a webhook in each partition is written before its 201: it gets all events that are tracked after that.
//   WH2. Other subscriptions count for events that are accepted after the answer. Those that were accepted before the request keep the
//        rule of then, also while they wait (src/webhooks/row-rules.ts). The rest of a definition counts for whatever is sent from then on.
import {mailAddressOf} from '../../mail/mail-address.js';
import {type Endpoint, endpointsMax, wantsEvents} from '../../webhooks/endpoint.js';
import {earlierRulesMax, earlierWith, hasEventRule} from '../../webhooks/row-rules.js';
import {newSecret} from '../../webhooks/signature.js';
import {readHealth} from '../../webhooks/stored-health.js';
import {createdWebhookAnswer, webhookAnswer} from '../answers/webhooks.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {contentOf, editedOfWebhook, newWebhookBody, shownWebhook, webhookChange} from '../routes/webhook-body.js';
import {beginAt, type End, endsOf, endsOfAccepted, forgetRecords, tried} from '../routes/webhook-records.js';
import {webhookBodyBytesMax} from '../routes/webhooks.js';
import {resourceOf} from './resource.js';

/** Bytes of a stored definition: a NATS message has room for a million. */
const definitionBytesMax = 900_000;

export const webhooks = resourceOf({
  noun: 'webhook',
  name: 'webhook',
  currentName: 'webhook',
  definitions: (store) => store.endpoints,
  countMax: endpointsMax,
  bodyBytesMax: webhookBodyBytesMax,
  // They send events and users to any address, and their secrets are shown once.
  roles: {reads: 'admin', changes: 'admin'},
  form: newWebhookBody,
  change: webhookChange,
  answer: webhookAnswer,
  made(fields, {secret}, front): Omit<Endpoint, 'v' | 'id' | 'createdMs'> {
    const content = contentOf(fields);
    checkUrl(front, content);
    const secrets = content.kind === 'webhook' ? [{value: secret}] : [];
    return {...content, state: 'active', reason: null, secrets};
  },
  async begins(content, front) {
    const ends = wantsEvents(content) ? await endsOf(front) : [];
    return (id) => beginAt(front, id, ends); // WH1
  },
  once: {
    answer: createdWebhookAnswer,
    newSecret,
    shown: (secret, {secrets}) => (secrets.length === 0 ? {} : {secret}),
  },
  edited: editedOfWebhook,
  async edit({paused, ...change}, _, front, known) {
    const contentWith = ({kind, url, types, batch, ordered}: Endpoint) =>
      contentOf({
        kind,
        url: change.url ?? url,
        types: change.types ?? types,
        batch: change.batch === undefined ? batch : change.batch,
        ordered: change.ordered === undefined ? ordered : change.ordered,
        max_lag_minutes: change.max_lag_minutes,
      });
    contentWith(known); // A refusal comes before the partitions are asked.
    if (change.url !== undefined) checkUrl(front, {kind: known.kind, url: change.url});
    const ends = change.types === undefined ? [] : await endsOfAccepted(front);
    return (held) => {
      const state = paused === undefined || held.state === 'disabled' ? held.state : paused ? 'paused' : 'active';
      return ruledFrom({...held, ...contentWith(held), state}, held, ends);
    };
  },
  shown: async (endpoint, {wallMs, kept: {store}}) =>
    shownWebhook(endpoint, await tried(() => readHealth(store.bucket, endpoint.id)), wallMs()),
  // No process serves a deleted webhook.
  forget: (id, front) => Promise.allSettled([front.kept.deliveryQueue.forget(id), forgetRecords(front, id)]),
  description: {
    tag: 'Webhooks',
    about:
      'Tells a server, a chat or a mail address what happens from now on: signed POST requests, at least once, under one `webhook-id`. The ' +
      'only answer that shows the secret.',
    ofChange:
      'Its kind, its secret and how far it came stay. Other `types` count for events that are accepted after the answer; those ' +
      'that wait have the types of before. While it is paused, messages wait.',
    example: {
      id: 'wh_0123456789abcdef',
      body: {
        kind: 'webhook',
        url: 'https://hooks.example.com/millrace',
        types: [{type: 'event.tracked', names: ['purchase']}, {type: 'user.deleted'}],
      },
      change: {types: [{type: 'event.tracked', names: ['purchase', 'refund']}], batch: {events: 100, ms: 500}},
    },
  },
});

/** The edited endpoint, with the rules of the rows before these ends. @throws RequestFailure WH2 */
function ruledFrom(edited: Endpoint, before: Endpoint, ends: readonly End[]): Endpoint {
  const {earlier: _, ...rest} = edited;
  const places = ends.map(({generation, end}) => ({generation, ordinal: end}));
  const earlier = earlierWith(before, edited.types, places);
  const ruled = {...rest, ...(earlier && {earlier})};
  if (!hasEventRule(ruled)) return rest;
  const isTooLong = Buffer.byteLength(JSON.stringify(ruled)) > definitionBytesMax;
  if (isTooLong || (earlier?.length ?? 0) > earlierRulesMax)
    throw new RequestFailure(
      invalidRequest('events wait by too many earlier types: change them again when these events are told', 'types'),
    );
  return ruled;
}

const mailFault = (url: string, sendsMail: boolean): string | undefined =>
  mailAddressOf(url) === undefined
    ? 'it must be mailto: and one mail address'
    : sendsMail
      ? undefined
      : 'the service has no mail server (SMTP_URL)';

/** @throws RequestFailure */
function checkUrl({kept: {webhookAddresses, sendsMail}}: Front, {kind, url}: Pick<Endpoint, 'kind' | 'url'>): void {
  const fault = kind === 'mail' ? mailFault(url, sendsMail) : webhookAddresses.faultOf(url);
  if (fault !== undefined) throw new RequestFailure(invalidRequest(`nothing is sent to this url: ${fault}`, 'url'));
}
