// /v1/webhooks: endpoints and their standing (docs/webhooks.md).
//   WH1. The start of an endpoint in each partition is written before its 201: it gets all events that are tracked after that.
//   WH2. Other subscriptions count for events that are accepted after the answer. Those that were accepted before the request keep the
//        rule of then, also while they wait (src/effects/row-rules.ts). The rest of a definition counts for whatever is sent from then on.
import {randomUUID} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import {type Endpoint, endpointsMax, wantsEvents} from '../../effects/endpoint.js';
import {earlierRulesMax, earlierWith, hasEventRule} from '../../effects/row-rules.js';
import {newSecret, rotated, rotationMs, secretsMax, validSecrets} from '../../effects/signature.js';
import {newStanding} from '../../effects/standing.js';
import {readStanding, readStandings} from '../../effects/standings.js';
import {messageId} from '../../effects/trigger.js';
import type {CreatedWebhookAnswer, WebhookAnswer, WebhookChangedAnswer} from '../answers/webhooks.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {type Handle, variedSegment} from '../route.js';
import {authorOf} from './author.js';
import {changedSinceRead, changeMeant, etagOf, meantVersion} from './if-match.js';
import {readFields, readObject} from './json-fields.js';
import {removeDefinition} from './removed-definition.js';
import {storedChange} from './stored-change.js';
import {
  contentOf,
  newWebhookBody,
  noFields,
  shownWebhook,
  unknownWebhook,
  versionOfWebhook,
  webhookChange,
} from './webhook-body.js';
import {
  beginAt,
  type End,
  endsOf,
  endsOfAccepted,
  forgetRecords,
  storeSilent,
  tried,
  webhookOf,
} from './webhook-records.js';

/** Bytes of a body: enough for twenty types of fifty long names. */
export const webhookBodyBytesMax = 512 * 1024;
/** Bytes of a stored definition: a NATS message has room for a million. */
const definitionBytesMax = 900_000;
const tooManySecrets = invalidRequest(
  `${secretsMax} secrets sign already: one that was replaced does so for a day`,
  'id',
);
export const exampleWebhookId = 'wh_0123456789abcdef';

export const listWebhooks: Handle = async (front, exchange) => {
  readQuery(exchange.query, noParameters);
  const standings = await tried(() => readStandings(front.hooks));
  const data = standings.map(({endpoint, standing}) => shownWebhook(endpoint, standing, front.wallMs()));
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
    await beginAt(front, endpoint.id, ends); // WH1
    return endpoint;
  });
  front.audit.defined('webhook.created', author, created.id);
  const answered: CreatedWebhookAnswer = {
    ...shownWebhook(created, newStanding, front.wallMs()),
    ...(secret !== undefined && {secret}),
  };
  exchange.json('201 Created', JSON.stringify(answered), [etagOf(answered.version)]);
}

export async function changeWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {paused, ...change} = readFields(webhookChange, readObject(bytes));
  readQuery(exchange.query, noParameters);
  const endpoint = webhookOf(front, variedSegment(exchange));
  const isMeant = meantWebhook(exchange);
  const contentWith = ({kind, url, types, batch, ordered}: Endpoint) =>
    contentOf({
      kind,
      url: change.url ?? url,
      types: change.types ?? types,
      batch: change.batch ?? batch,
      ordered: change.ordered ?? ordered,
      max_lag_minutes: change.max_lag_minutes,
    });
  contentWith(endpoint); // A refusal comes before the partitions are asked.
  if (change.url !== undefined) checkUrl(front, change.url);
  const author = authorOf(front, exchange);
  const ends = change.types === undefined ? [] : await endsOfAccepted(front);
  const edit = (one: Endpoint): Endpoint => {
    const state = paused === undefined || one.state === 'disabled' ? one.state : paused ? 'paused' : 'active';
    return ruledFrom({...one, ...contentWith(one), state}, one, ends);
  };
  const changed = await storedChange(front, storeSilent, () =>
    changeMeant(front.hooks.endpoints, endpoint.id, isMeant, edit),
  );
  if (changed === undefined) throw new RequestFailure(unknownWebhook);
  if (changed.isOutdated) return failOutdated(front, exchange, changed.definition);
  front.audit.defined('webhook.changed', author, endpoint.id);
  await answer(front, exchange, changed.definition);
}

/** Whether the client means this version of a webhook; undefined: any. @throws RequestFailure */
function meantWebhook(exchange: Exchange): ((endpoint: Endpoint) => boolean) | undefined {
  const isMeant = meantVersion(exchange);
  return isMeant && ((endpoint) => isMeant(versionOfWebhook(endpoint)));
}

async function failOutdated(front: Front, exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const webhook = await shown(front, endpoint);
  const more: Omit<WebhookChangedAnswer, 'error'> = {webhook};
  exchange.failWith(changedSinceRead('webhook'), more, [etagOf(webhook.version)]);
}

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

export const deleteWebhook: Handle = async (front, exchange, segment) => {
  readQuery(exchange.query, noParameters);
  const {id} = webhookOf(front, segment);
  const removed = await removeDefinition(front, exchange, front.hooks.endpoints, id, {
    what: 'webhook.deleted',
    unknown: unknownWebhook,
    outcomeUnknown: storeSilent,
    isMeant: meantWebhook(exchange),
  });
  if (removed.isOutdated) return failOutdated(front, exchange, removed.definition);
  // Records that are left do no harm: no process serves a deleted webhook.
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
    front.hooks.endpoints.change(id, (one) => {
      if (validSecrets(one, nowMs).length >= secretsMax) throw new RequestFailure(tooManySecrets);
      return {...one, secrets: rotated(one.secrets, secret, nowMs)};
    }),
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
  const webhook = await shown(front, endpoint);
  exchange.json('200 OK', JSON.stringify(webhook), [etagOf(webhook.version)]);
}

/** @throws RequestFailure (503) when NATS does not answer. */
async function shown({hooks, wallMs}: Front, endpoint: Endpoint): Promise<WebhookAnswer> {
  return shownWebhook(endpoint, await tried(() => readStanding(hooks.bucket, endpoint.id)), wallMs());
}

/** @throws RequestFailure */
function checkUrl({webhookAddresses}: Front, url: string): void {
  const fault = webhookAddresses.faultOf(url);
  if (fault !== undefined) throw new RequestFailure(invalidRequest(`nothing is sent to this url: ${fault}`, 'url'));
}
