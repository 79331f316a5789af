// What is done to one webhook: a test message, another secret, an end of its pause. src/edge/resources/webhooks.ts has the webhooks.
import {randomUUID} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import type {Endpoint} from '../../webhooks/endpoint.js';
import {newSecret, rotated, rotationMs, secretsMax, validSecrets} from '../../webhooks/signature.js';
import {readHealth} from '../../webhooks/stored-health.js';
import {messageId} from '../../webhooks/trigger.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {variedSegment} from '../route.js';
import {authorOf} from './author.js';
import {etagOf} from './if-match.js';
import {readFields, readObject} from './json-fields.js';
import {storedChange} from './stored-change.js';
import {noFields, shownWebhook, unknownWebhook} from './webhook-body.js';
import {storeSilent, tried, webhookOf} from './webhook-records.js';

/** Bytes of a body: enough for twenty types of fifty long names. */
export const webhookBodyBytesMax = 512 * 1024;
const tooManySecrets = invalidRequest(
  `${secretsMax} secrets sign already: one that was replaced does so for a day`,
  'id',
);

export async function testWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const endpoint = actedOn(front, exchange, bytes);
  const id = messageId(randomUUID());
  const data = {test: true, sent_at: isoText(front.wallMs())};
  await tried(() =>
    front.kept.deliveryQueue.queue(endpoint.id, {v: 1, id, type: 'test', timestampMs: front.wallMs(), data}),
  );
  exchange.json('202 Accepted', JSON.stringify({id}));
}

export async function rotateWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {id, kind} = actedOn(front, exchange, bytes);
  if (kind !== 'webhook') throw new RequestFailure(invalidRequest('messages to chats and mails are not signed', 'id'));
  const author = authorOf(front, exchange);
  const secret = newSecret();
  const nowMs = front.wallMs();
  const edited = await storedChange(front, storeSilent, () =>
    front.kept.store.endpoints.change(id, (one) => {
      if (validSecrets(one, nowMs).length >= secretsMax) throw new RequestFailure(tooManySecrets);
      return {...one, secrets: rotated(one.secrets, secret, nowMs)};
    }),
  );
  if (edited === undefined) throw new RequestFailure(unknownWebhook);
  front.kept.audit.defined('webhook.secret-rotated', author, id);
  exchange.json('200 OK', JSON.stringify({id, secret, old_secret_until: isoText(nowMs + rotationMs)}));
}

export async function resumeWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {id} = actedOn(front, exchange, bytes);
  const author = authorOf(front, exchange);
  const edited = await storedChange(front, storeSilent, () =>
    front.kept.store.endpoints.change(id, (one) => ({...one, state: 'active', reason: null})),
  );
  if (edited === undefined) throw new RequestFailure(unknownWebhook);
  front.kept.audit.defined('webhook.changed', author, id);
  const webhook = shownWebhook(edited, await tried(() => readHealth(front.kept.store.bucket, id)), front.wallMs());
  exchange.json('200 OK', JSON.stringify(webhook), [etagOf(webhook.version)]);
}

/** The webhook of a request without fields. @throws RequestFailure */
function actedOn(front: Front, exchange: Exchange, bytes: Buffer): Endpoint {
  readFields(noFields, bytes.length === 0 && exchange.contentType === '' ? {} : readObject(bytes));
  readQuery(exchange.query, noParameters);
  return webhookOf(front, variedSegment(exchange));
}
