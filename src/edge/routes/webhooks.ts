// /v1/webhooks: endpoints and their standing (docs/webhooks.md).
//   WH1. The start of an endpoint in each partition is written before its 201: it gets all events that are tracked after that.
import {randomUUID} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import {type Endpoint, endpointsMax} from '../../effects/endpoint.js';
import {newSecret, rotated, rotationMs} from '../../effects/signature.js';
import {newStanding} from '../../effects/standing.js';
import {messageId} from '../../effects/trigger.js';
import type {CreatedWebhookAnswer} from '../answers/webhooks.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {type Handle, variedSegment} from '../route.js';
import {authorOf} from './author.js';
import {readFields, readObject} from './json-fields.js';
import {storedChange} from './stored-change.js';
import {
  contentOf,
  newWebhookBody,
  noFields,
  shownWebhook,
  unknownWebhook,
  wantsEvents,
  webhookChange,
} from './webhook-body.js';
import {beginAt, endsOf, forgetRecords, standingOf, storeSilent, tried, webhookOf} from './webhook-records.js';

/** Bytes of a body: enough for twenty types of fifty long names. */
export const webhookBodyBytesMax = 512 * 1024;
export const exampleWebhookId = 'wh_0123456789abcdef';

export const listWebhooks: Handle = async (front, exchange) => {
  readQuery(exchange.query, noParameters);
  const endpoints = front.hooks.endpoints.list();
  const data = await tried(() =>
    Promise.all(endpoints.map(async (one) => shownWebhook(one, await standingOf(front, one.id)))),
  );
  exchange.json('200 OK', JSON.stringify({data}));
};

export const readWebhook: Handle = async (front, exchange, segment) => {
  readQuery(exchange.query, noParameters);
  await answer(front, exchange, webhookOf(front, segment));
};

export async function createWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const content = contentOf(readFields(newWebhookBody, body));
  checkUrl(front, content.url);
  if (front.hooks.endpoints.list().length >= endpointsMax)
    throw new RequestFailure(invalidRequest(`there are ${endpointsMax} webhooks already: delete one first`));
  const secret = content.kind === 'webhook' ? newSecret() : undefined;
  const secrets = secret === undefined ? [] : [{value: secret}];
  const author = authorOf(front, exchange);
  const ends = wantsEvents(content) ? await endsOf(front) : [];
  const created = await storedChange(front, storeSilent, async () => {
    const endpoint = await front.hooks.endpoints.create({...content, state: 'active', reason: null, secrets});
    await beginAt(front, endpoint.id, ends, false); // WH1
    return endpoint;
  });
  front.audit.defined('webhook.created', author, created.id);
  const shown: CreatedWebhookAnswer = {...shownWebhook(created, newStanding), ...(secret !== undefined && {secret})};
  exchange.json('201 Created', JSON.stringify(shown));
}

export async function changeWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {paused, ...change} = readFields(webhookChange, readObject(bytes));
  readQuery(exchange.query, noParameters);
  const endpoint = webhookOf(front, variedSegment(exchange));
  const edit = (one: Endpoint): Endpoint => {
    const {kind, url, types, batch, ordered} = one;
    const content = contentOf({
      kind,
      url: change.url ?? url,
      types: change.types ?? types,
      batch: change.batch ?? batch,
      ordered: change.ordered ?? ordered,
      max_lag_minutes: change.max_lag_minutes,
    });
    const state = paused === undefined || one.state === 'disabled' ? one.state : paused ? 'paused' : 'active';
    return {...one, ...content, state};
  };
  const edited = edit(endpoint);
  if (change.url !== undefined) checkUrl(front, change.url);
  const author = authorOf(front, exchange);
  const ends = wantsEvents(edited) && !wantsEvents(endpoint) ? await endsOf(front) : [];
  const stored = await storedChange(front, storeSilent, async () => {
    await beginAt(front, endpoint.id, ends, true);
    return front.hooks.endpoints.change(endpoint.id, edit);
  });
  if (stored === undefined) throw new RequestFailure(unknownWebhook);
  front.audit.defined('webhook.changed', author, endpoint.id);
  await answer(front, exchange, stored);
}

export const deleteWebhook: Handle = async (front, exchange, segment) => {
  readQuery(exchange.query, noParameters);
  const {id} = webhookOf(front, segment);
  const author = authorOf(front, exchange);
  const removed = await storedChange(front, storeSilent, () => front.hooks.endpoints.remove(id));
  if (removed === undefined) throw new RequestFailure(unknownWebhook);
  front.audit.defined('webhook.deleted', author, id);
  // Its remains do no harm: no process serves it any more.
  await Promise.allSettled([front.letters.forget(id), forgetRecords(front, id)]);
  exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
};

export async function testWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const endpoint = actedOn(front, exchange, bytes);
  const id = messageId(randomUUID());
  const data = {test: true, sent_at: isoText(front.wallMs())};
  await tried(() => front.letters.queue(endpoint.id, {v: 1, id, type: 'test', timestampMs: front.wallMs(), data}));
  exchange.json('202 Accepted', JSON.stringify({id}));
}

export async function rotateWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {id, kind} = actedOn(front, exchange, bytes);
  if (kind !== 'webhook') throw new RequestFailure(invalidRequest('messages to chats are not signed', 'id'));
  const author = authorOf(front, exchange);
  const secret = newSecret();
  const nowMs = front.wallMs();
  const edited = await storedChange(front, storeSilent, () =>
    front.hooks.endpoints.change(id, (one) => ({...one, secrets: rotated(one.secrets, secret, nowMs)})),
  );
  if (edited === undefined) throw new RequestFailure(unknownWebhook);
  front.audit.defined('webhook.secret-rotated', author, id);
  exchange.json('200 OK', JSON.stringify({id, secret, old_secret_until: isoText(nowMs + rotationMs)}));
}

export async function resumeWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {id} = actedOn(front, exchange, bytes);
  const author = authorOf(front, exchange);
  const edited = await storedChange(front, storeSilent, () =>
    front.hooks.endpoints.change(id, (one) => ({...one, state: 'active', reason: null})),
  );
  if (edited === undefined) throw new RequestFailure(unknownWebhook);
  front.audit.defined('webhook.changed', author, id);
  await answer(front, exchange, edited);
}

/** The webhook of a request without fields. @throws RequestFailure */
function actedOn(front: Front, exchange: Exchange, bytes: Buffer): Endpoint {
  readFields(noFields, bytes.length === 0 && exchange.contentType === '' ? {} : readObject(bytes));
  readQuery(exchange.query, noParameters);
  return webhookOf(front, variedSegment(exchange));
}

async function answer(front: Front, exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const standing = await tried(() => standingOf(front, endpoint.id));
  exchange.json('200 OK', JSON.stringify(shownWebhook(endpoint, standing)));
}

/** @throws RequestFailure */
function checkUrl({webhookAddresses}: Front, url: string): void {
  const fault = webhookAddresses.faultOf(url);
  if (fault !== undefined) throw new RequestFailure(invalidRequest(`nothing is sent to this url: ${fault}`, 'url'));
}
