// POST /v1/webhooks/{id}/replay: queues deliveries again, of stored events by their time or of dead letters.

import type {Generations} from '../../../actors/generations.js';
import {must} from '../../../actors/invariant.js';
import type {Asker} from '../../asks/asker.js';
import type {PartitionAnswer} from '../../asks/partition.js';
import {neverStops} from '../../pacing/stop.js';
import {type Endpoint, wantsEvents} from '../../webhooks/endpoint.js';
import {type DeliveredRow, eventDeliveries} from '../../webhooks/event-deliveries.js';
import {eventRule, type StoredEvent, wantedNames} from '../../webhooks/payload.js';
import type {Attempts, DeadLetter, EventsTrigger} from '../../webhooks/queued-delivery.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askerOf} from '../query/asker-of.js';
import {noParameters, readQuery} from '../query/query.js';
import {variedSegment} from '../route.js';
import {authorOf} from './author.js';
import {readFields, readObject} from './json-fields.js';
import {replayBody} from './webhook-body.js';
import {type End, endsOf, endsOfAccepted, tried, webhookOf} from './webhook-records.js';

const lettersReadMax = 10_000;
const replayedEventsMax = 10_000;
const replayPageRows = 1_000;

export async function replayWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {from, to, deliveries} = readFields(replayBody, readObject(bytes));
  readQuery(exchange.query, noParameters);
  const endpoint = webhookOf(front, variedSegment(exchange));
  const author = authorOf(front, exchange);
  const isRange = from !== undefined && to !== undefined;
  if (isRange === (deliveries !== undefined) || (from === undefined) !== (to === undefined))
    throw new RequestFailure(invalidRequest('a replay is of a time, from and to, or of deliveries'));
  // Its reads take the caller's turns, and go on when the client leaves.
  const asker: Asker = {...askerOf(exchange), gone: neverStops};
  const queued = isRange
    ? await replayRange(front, asker, endpoint, Date.parse(from), Date.parse(to))
    : await tried(() => replayLetters(front, asker, endpoint, deliveries!));
  front.kept.audit.defined('webhook.replayed', author, endpoint.id);
  exchange.json('202 Accepted', JSON.stringify({queued}));
}

/** Queues the stored events of the rule by their times. @returns the number of deliveries */
async function replayRange(
  front: Front,
  asker: Asker,
  endpoint: Endpoint,
  fromMs: number,
  toMs: number,
): Promise<number> {
  if (fromMs > toMs) throw new RequestFailure(invalidRequest('from must not be after to', 'from'));
  if (!wantsEvents(endpoint)) throw new RequestFailure(invalidRequest('the webhook takes no events', 'id'));
  const ends = await endsOfAccepted(front); // A replay includes what was accepted before it.
  const triggers: EventsTrigger[] = [];
  let count = 0;
  for (const {partition, end} of ends) {
    const ordinals: number[] = [];
    for (const event of wantedNames(endpoint) ?? [undefined]) {
      for await (const page of historyPages(front, asker, partition, {fromMs, toMs, event, ordinalEnd: end})) {
        count += page.length;
        if (count > replayedEventsMax)
          throw new RequestFailure(
            invalidRequest(`more than ${replayedEventsMax} events: ask for a shorter time`, 'from'),
          );
        ordinals.push(...page);
      }
    }
    ordinals.sort((a, b) => a - b);
    const rows = await rowsAt(front, asker, endpoint, partition, ordinals);
    triggers.push(...(await triggersOf(front, endpoint, ends, {partition, rows})));
  }
  await tried(async () => {
    for (const trigger of triggers) await front.kept.deliveryQueue.queue(endpoint.id, again(front, trigger));
  });
  return triggers.length;
}

/** The trigger with a due time of its own: without it the stream would drop a second replay within two minutes. */
const again = <Told extends object>(
  front: Front,
  trigger: Told,
): Told & Required<Pick<Attempts, 'dueMs' | 'waitMs'>> => ({
  ...trigger,
  dueMs: front.wallMs(),
  waitMs: 0,
});

/** Reads the rows that the rule wants. */
async function rowsAt(
  {reads: {asks}}: Front,
  asker: Asker,
  endpoint: Endpoint,
  partition: number,
  ordinals: readonly number[],
): Promise<DeliveredRow[]> {
  const rows: DeliveredRow[] = [];
  for (let at = 0; at < ordinals.length; ) {
    const asked = ordinals.slice(at, at + replayPageRows);
    const {events, users} = await asks.partition(
      partition,
      {ask: 'bodies', ordinals: asked},
      ['bodies'],
      undefined,
      asker,
    );
    rows.push(...wantedRows(endpoint, {ordinals: asked, events, users}));
    at += Math.max(1, events.length);
  }
  return rows;
}

function wantedRows(
  endpoint: Endpoint,
  {ordinals, events, users}: Pick<Extract<PartitionAnswer, {kind: 'tail'}>, 'ordinals' | 'events' | 'users'>,
): DeliveredRow[] {
  const isWanted = eventRule(endpoint);
  return events.flatMap((text, at) => {
    const [ordinal, user] = [ordinals[at], users[at]];
    if (text === null || ordinal === undefined || typeof user !== 'number') return [];
    const event = JSON.parse(text) as StoredEvent;
    const {id, timestamp, received_at} = event;
    return isWanted(event) ? [{ordinal, user, event: {id, timestamp, received_at}, chars: text.length}] : [];
  });
}

/** Deliveries of events, formed as a tail forms them. */
async function triggersOf(
  {kept: {messageId}}: Front,
  endpoint: Endpoint,
  ends: readonly End[],
  {partition, rows}: {readonly partition: number; readonly rows: readonly DeliveredRow[]},
): Promise<EventsTrigger[]> {
  const generationsOf = (number: number): Generations => must(ends[number], 'an event came of a partition').generations;
  const of = {endpoint, partition, generations: generationsOf(partition), rows};
  return (await eventDeliveries(of, {generationsOf, messageId})).map(({trigger}) => trigger);
}

interface HistoryRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly event: string | undefined;
  readonly ordinalEnd: number;
}

async function* historyPages(
  front: Front,
  asker: Asker,
  partition: number,
  range: HistoryRange,
): AsyncGenerator<readonly number[]> {
  const {event, ...bounds} = range;
  for (let before: {timeMs: number; partition: number; ordinal: number} | undefined; ; ) {
    const page = await front.reads.asks.partition(
      partition,
      {ask: 'history', ...bounds, ...(event !== undefined && {event}), ...(before && {before}), limit: replayPageRows},
      ['history'],
      undefined,
      asker,
    );
    yield page.ordinals;
    const [timeMs, ordinal] = [page.timesMs.at(-1), page.ordinals.at(-1)];
    if (!page.more || timeMs === undefined || ordinal === undefined) return;
    before = {timeMs, partition, ordinal};
  }
}

/** Queues dead letters again. Skipped events become deliveries. @returns the number of deliveries */
async function replayLetters(front: Front, asker: Asker, endpoint: Endpoint, ids: readonly string[]): Promise<number> {
  const {deliveryQueue} = front.kept;
  const wanted = new Set(ids);
  const found = (await deliveryQueue.dead(endpoint.id, 1, lettersReadMax)).filter(({content}) =>
    wanted.has(content.id),
  );
  const missing = ids.find((id) => !found.some(({content}) => content.id === id));
  if (missing !== undefined)
    throw new RequestFailure(invalidRequest(`there is no dead letter ${missing}`, 'deliveries'));
  let queued = 0;
  for (const {sequence, content} of found) {
    const triggers =
      content.type === 'skipped' ? await skippedTriggers(front, asker, endpoint, content) : [alive(content)];
    for (const trigger of triggers) await deliveryQueue.queue(endpoint.id, again(front, trigger));
    await deliveryQueue.exhume(sequence);
    queued += triggers.length;
  }
  return queued;
}

type Skipped = Extract<DeadLetter, {readonly type: 'skipped'}>;

function alive({why: _, endedMs: __, ...letter}: Exclude<DeadLetter, Skipped>) {
  const {attempts: ___, dueMs: ____, ...trigger} = letter;
  return trigger as Exclude<DeadLetter, Skipped>;
}

async function skippedTriggers(
  front: Front,
  asker: Asker,
  endpoint: Endpoint,
  {of}: Skipped,
): Promise<EventsTrigger[]> {
  const rows: DeliveredRow[] = [];
  const {partition} = of;
  const names = wantedNames(endpoint);
  for (let from = of.from; from < of.to; ) {
    const question = {ask: 'tail', from, limit: replayPageRows, ...(names && {names})} as const;
    const page = await front.reads.asks.partition(partition, question, ['tail'], undefined, asker);
    rows.push(...wantedRows(endpoint, page).filter(({ordinal}) => ordinal < of.to));
    if (rows.length > replayedEventsMax)
      throw new RequestFailure(
        invalidRequest(
          `more than ${replayedEventsMax} events were passed over: replay them by their times`,
          'deliveries',
        ),
      );
    if (page.next <= from) break;
    from = page.next;
  }
  return triggersOf(front, endpoint, await endsOf(front), {partition, rows});
}
