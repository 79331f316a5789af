// /v1/webhooks: endpoints, how they fare, and what is to be sent again (docs/webhooks.md).
//   WH1. The start of an endpoint in each partition is written before its 201: it gets all events that are tracked after that.
import {randomUUID} from 'node:crypto';
import {isoText} from '../../../actors/calendar.js';
import {CursorRecord, cursorName} from '../../effects/cursor.js';
import {type Endpoint, endpointsMax} from '../../effects/endpoint.js';
import {wantedNames} from '../../effects/message.js';
import type {DeadLetter, EventsTrigger} from '../../effects/queued.js';
import {newSecret, rotated, rotationMs} from '../../effects/signature.js';
import {newStanding, type Standing, standingName} from '../../effects/standing.js';
import {messageId} from '../../effects/trigger.js';
import {BucketFault} from '../../keys/store.js';
import {isSilence} from '../../nats/error-codes.js';
import type {CreatedWebhookAnswer, DeliveriesAnswer, DeliveryAnswer} from '../answers.js';
import {invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {optional, wholeNumber, withDefault, word} from '../query/parameters.js';
import {noParameters, readPathId, readQuery} from '../query/query.js';
import {type Handle, variedSegment} from '../route.js';
import {readFields, readObject} from './json-fields.js';
import {
  contentOf,
  newWebhookBody,
  noFields,
  replayBody,
  shownAttempt,
  shownDead,
  shownWaiting,
  shownWebhook,
  unknownWebhook,
  wantsEvents,
  webhookChange,
} from './webhook-body.js';

/** Twenty types of fifty long names. */
export const webhookBodyBytesMax = 512 * 1024;
export const exampleWebhookId = 'wh_0123456789abcdef';
const deliveriesShown = 100;
const lettersLookedAt = 10_000;
const replayedEventsMax = 10_000;
const replayPageRows = 1_000;

const storeSilent = unavailable(
  'the store of webhooks does not respond: a change may or may not have been made, list the webhooks to see',
);

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
  await answer(front, exchange, known(front, segment));
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
  const ends = wantsEvents(content) ? await endsOf(front) : [];
  const created = await changed(front, async () => {
    const endpoint = await front.hooks.endpoints.create({...content, state: 'active', reason: null, secrets});
    await beginAt(front, endpoint.id, ends, false); // WH1
    return endpoint;
  });
  const shown: CreatedWebhookAnswer = {...shownWebhook(created, newStanding), ...(secret !== undefined && {secret})};
  exchange.json('201 Created', JSON.stringify(shown));
}

export async function changeWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {paused, ...change} = readFields(webhookChange, readObject(bytes));
  readQuery(exchange.query, noParameters);
  const endpoint = known(front, variedSegment(exchange));
  const edit = (one: Endpoint): Endpoint => {
    const {kind, url, types, batch, ordered} = one;
    const content = contentOf({
      kind,
      url: change.url ?? url,
      types: change.types ?? types,
      batch: change.batch ?? batch,
      ordered: change.ordered ?? ordered,
    });
    const state = paused === undefined || one.state === 'disabled' ? one.state : paused ? 'paused' : 'active';
    return {...one, ...content, state};
  };
  const edited = edit(endpoint);
  if (change.url !== undefined) checkUrl(front, change.url);
  const ends = wantsEvents(edited) && !wantsEvents(endpoint) ? await endsOf(front) : [];
  const stored = await changed(front, async () => {
    await beginAt(front, endpoint.id, ends, true);
    return front.hooks.endpoints.change(endpoint.id, edit);
  });
  if (stored === undefined) throw new RequestFailure(unknownWebhook);
  await answer(front, exchange, stored);
}

export const deleteWebhook: Handle = async (front, exchange, segment) => {
  readQuery(exchange.query, noParameters);
  const {id} = known(front, segment);
  const removed = await changed(front, () => front.hooks.endpoints.remove(id));
  if (removed === undefined) throw new RequestFailure(unknownWebhook);
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
  const secret = newSecret();
  const nowMs = front.wallMs();
  const edited = await changed(front, () =>
    front.hooks.endpoints.change(id, (one) => ({...one, secrets: rotated(one.secrets, secret, nowMs)})),
  );
  if (edited === undefined) throw new RequestFailure(unknownWebhook);
  exchange.json('200 OK', JSON.stringify({id, secret, old_secret_until: isoText(nowMs + rotationMs)}));
}

export async function resumeWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {id} = actedOn(front, exchange, bytes);
  const edited = await changed(front, () =>
    front.hooks.endpoints.change(id, (one) => ({...one, state: 'active', reason: null})),
  );
  if (edited === undefined) throw new RequestFailure(unknownWebhook);
  await answer(front, exchange, edited);
}

// ---- deliveries ----

export const deliveriesForm = {
  status: withDefault(word(['recent', 'pending', 'dead']), 'recent', {
    description:
      '`recent`: the newest 50 attempts, newest first. `pending`: what waits for an attempt, and `dead`: what nobody took, ' +
      'kept for 30 days; oldest first. Events that were not sent yet wait where they are stored, and are not listed.',
  }),
  cursor: optional(wholeNumber(999_999_999), {description: 'The `next_cursor` of the page before.'}),
};

export const listDeliveries: Handle = async (front, exchange, segment) => {
  const {status, cursor = 1} = readQuery(exchange.query, deliveriesForm);
  const {id} = known(front, segment);
  const shown = await tried(() => deliveriesOf(front, id, status, cursor));
  exchange.json('200 OK', JSON.stringify(shown));
};

async function deliveriesOf(front: Front, id: string, status: string, cursor: number): Promise<DeliveriesAnswer> {
  if (status === 'recent') {
    const {attempts} = await standingOf(front, id);
    return {data: attempts.map(shownAttempt), next_cursor: null};
  }
  const page = async <Content>(
    read: (endpoint: string, from: number, countMax: number) => Promise<readonly Placed<Content>[]>,
    shown: (content: Content) => DeliveryAnswer,
  ): Promise<DeliveriesAnswer> => {
    const found = await read(id, cursor, deliveriesShown + 1);
    const next = found[deliveriesShown]?.sequence;
    return {
      data: found.slice(0, deliveriesShown).map(({content}) => shown(content)),
      next_cursor: next === undefined ? null : String(next),
    };
  };
  const {letters} = front;
  return status === 'pending'
    ? page((...asked) => letters.waiting(...asked), shownWaiting)
    : page((...asked) => letters.dead(...asked), shownDead);
}

interface Placed<Content> {
  readonly sequence: number;
  readonly content: Content;
}

export async function replayWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {from, to, deliveries} = readFields(replayBody, readObject(bytes));
  readQuery(exchange.query, noParameters);
  const endpoint = known(front, variedSegment(exchange));
  const isRange = from !== undefined && to !== undefined;
  if (isRange === (deliveries !== undefined) || (from === undefined) !== (to === undefined))
    throw new RequestFailure(invalidRequest('a replay is of a time, from and to, or of deliveries'));
  const queued = isRange
    ? await replayRange(front, endpoint, Date.parse(from), Date.parse(to))
    : await tried(() => replayLetters(front, endpoint, deliveries!));
  exchange.json('202 Accepted', JSON.stringify({queued}));
}

/** Stored events of the rule by their times. */
async function replayRange(front: Front, endpoint: Endpoint, fromMs: number, toMs: number): Promise<number> {
  if (fromMs > toMs) throw new RequestFailure(invalidRequest('from must not be after to', 'from'));
  if (!wantsEvents(endpoint)) throw new RequestFailure(invalidRequest('the webhook takes no events', 'id'));
  const ends = await endsOf(front);
  const triggers: EventsTrigger[] = [];
  let count = 0;
  for (const {partition, generation, end} of ends) {
    const ordinals: number[] = [];
    for (const event of wantedNames(endpoint) ?? [undefined]) {
      for await (const page of historyPages(front, partition, {fromMs, toMs, event, ordinalEnd: end})) {
        count += page.length;
        if (count > replayedEventsMax)
          throw new RequestFailure(
            invalidRequest(`more than ${replayedEventsMax} events: ask for a shorter time`, 'from'),
          );
        ordinals.push(...page);
      }
    }
    triggers.push(
      ...triggersOf(
        front,
        endpoint,
        {partition, generation},
        ordinals.sort((a, b) => a - b),
      ),
    );
  }
  await tried(async () => {
    for (const trigger of triggers) await front.letters.queue(endpoint.id, again(front, trigger));
  });
  return triggers.length;
}

/** A retry within two minutes is one for the stream, unless its time differs. */
const again = <Told extends object>(front: Front, trigger: Told): Told & {readonly dueMs: number} => ({
  ...trigger,
  dueMs: front.wallMs(),
});

/** Deliveries of events as a tail forms them. */
function triggersOf(
  front: Front,
  {id, batch}: Endpoint,
  place: {readonly partition: number; readonly generation: number},
  ordinals: readonly number[],
): EventsTrigger[] {
  const triggers: EventsTrigger[] = [];
  const {partition, generation} = place;
  for (let at = 0; at < ordinals.length; at += batch.events) {
    const some = ordinals.slice(at, at + batch.events);
    const ends = batch.events > 1 ? [some[0]!, some.at(-1)!] : [some[0]!];
    triggers.push({
      v: 1,
      id: front.messageId(id, partition, generation, ...ends),
      type: 'event.tracked',
      timestampMs: front.wallMs(),
      of: {...place, ordinals: some},
    });
  }
  return triggers;
}

interface HistoryRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly event: string | undefined;
  readonly ordinalEnd: number;
}

async function* historyPages(front: Front, partition: number, range: HistoryRange): AsyncGenerator<readonly number[]> {
  const {event, ...bounds} = range;
  for (let before: {timeMs: number; partition: number; ordinal: number} | undefined; ; ) {
    const page = await front.asks.partition(
      partition,
      {ask: 'history', ...bounds, ...(event !== undefined && {event}), ...(before && {before}), limit: replayPageRows},
      ['history'],
    );
    yield page.ordinals;
    const [timeMs, ordinal] = [page.timesMs.at(-1), page.ordinals.at(-1)];
    if (!page.more || timeMs === undefined || ordinal === undefined) return;
    before = {timeMs, partition, ordinal};
  }
}

/** Dead letters go back to where they waited; of events that were passed over each becomes a delivery again. */
async function replayLetters(front: Front, endpoint: Endpoint, ids: readonly string[]): Promise<number> {
  const {letters} = front;
  const wanted = new Set(ids);
  const found = (await letters.dead(endpoint.id, 1, lettersLookedAt)).filter(({content}) => wanted.has(content.id));
  const missing = ids.find((id) => !found.some(({content}) => content.id === id));
  if (missing !== undefined)
    throw new RequestFailure(invalidRequest(`there is no dead letter ${missing}`, 'deliveries'));
  let queued = 0;
  for (const {sequence, content} of found) {
    const triggers = content.type === 'skipped' ? await skippedTriggers(front, endpoint, content) : [alive(content)];
    for (const trigger of triggers) await letters.queue(endpoint.id, again(front, trigger));
    await letters.exhume(sequence);
    queued += triggers.length;
  }
  return queued;
}

type Skipped = Extract<DeadLetter, {readonly type: 'skipped'}>;

function alive({why: _, endedMs: __, ...letter}: Exclude<DeadLetter, Skipped>) {
  const {attempts: ___, dueMs: ____, ...trigger} = letter;
  return trigger as Exclude<DeadLetter, Skipped>;
}

async function skippedTriggers(front: Front, endpoint: Endpoint, {of}: Skipped): Promise<EventsTrigger[]> {
  const ordinals: number[] = [];
  const names = wantedNames(endpoint);
  let generation = 0;
  for (let from = of.from; from < of.to; ) {
    const question = {ask: 'tail', from, limit: replayPageRows, ...(names && {names})} as const;
    const page = await front.asks.partition(of.partition, question, ['tail']);
    generation = page.generation;
    ordinals.push(...page.ordinals.filter((ordinal) => ordinal < of.to));
    if (ordinals.length > replayedEventsMax)
      throw new RequestFailure(
        invalidRequest(
          `more than ${replayedEventsMax} events were passed over: replay them by their times`,
          'deliveries',
        ),
      );
    if (page.next <= from) break;
    from = page.next;
  }
  return triggersOf(front, endpoint, {partition: of.partition, generation}, ordinals);
}

// ---- what they share ----

/** @throws RequestFailure */
function known({hooks}: Front, segment: string): Endpoint {
  const endpoint = hooks.endpoints.get(readPathId(segment));
  if (endpoint === undefined) throw new RequestFailure(unknownWebhook);
  return endpoint;
}

function actedOn(front: Front, exchange: Exchange, bytes: Buffer): Endpoint {
  readFields(noFields, readObject(bytes));
  readQuery(exchange.query, noParameters);
  return known(front, variedSegment(exchange));
}

async function answer(front: Front, exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const standing = await tried(() => standingOf(front, endpoint.id));
  exchange.json('200 OK', JSON.stringify(shownWebhook(endpoint, standing)));
}

async function standingOf({hooks}: Front, id: string): Promise<Standing> {
  const entry = await hooks.bucket.read(standingName(id));
  return entry === undefined || entry.text === ''
    ? newStanding
    : {...newStanding, ...(JSON.parse(entry.text) as Standing)};
}

function checkUrl({webhookAddresses}: Front, url: string): void {
  const fault = webhookAddresses.faultOf(url);
  if (fault !== undefined) throw new RequestFailure(invalidRequest(`nothing is sent to this url: ${fault}`, 'url'));
}

interface End {
  readonly partition: number;
  readonly generation: number;
  readonly end: number;
}

const endsOf = ({asks, partitionCount}: Front): Promise<End[]> =>
  Promise.all(
    Array.from({length: partitionCount}, async (_, partition) => {
      const {generation, end} = await asks.partition(partition, {ask: 'tail', from: 0, limit: 0}, ['tail']);
      return {partition, generation, end};
    }),
  );

/**
 * `isAgain`: over what is left of an earlier rule for events. Otherwise a process that delivers may have been faster, and later:
 * then that is where it begins.
 */
async function beginAt({hooks}: Front, id: string, ends: readonly End[], isAgain: boolean): Promise<void> {
  for (const {partition, generation, end} of ends) {
    const record = new CursorRecord(hooks.bucket, id, partition);
    if (isAgain) await record.read();
    await record.write({v: 1, generation, ordinal: end});
  }
}

async function forgetRecords({hooks, partitionCount}: Front, id: string): Promise<void> {
  const names = Array.from({length: partitionCount}, (_, partition) => cursorName(id, partition));
  for (const name of [...names, standingName(id)]) {
    const entry = await hooks.bucket.read(name);
    if (entry !== undefined) await hooks.bucket.write(name, '', entry.revision);
  }
}

/** @throws RequestFailure (503) when the change cannot be tried, or its outcome is unknown. */
async function changed<Value>({obstacles}: Front, change: () => Promise<Value>): Promise<Value> {
  const obstacle = obstacles.toChanges();
  if (obstacle !== undefined) throw new RequestFailure(obstacle);
  return tried(change);
}

/** @throws RequestFailure (503) when NATS does not answer. */
async function tried<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BucketFault || isSilence(error)) throw new RequestFailure(storeSilent);
    throw error;
  }
}
