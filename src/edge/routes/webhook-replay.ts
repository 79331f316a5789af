// POST /v1/webhooks/{id}/replay: queues deliveries again, of stored events by their time or of dead letters.
import type {Endpoint} from '../../effects/endpoint.js';
import {wantedNames} from '../../effects/message.js';
import type {DeadLetter, EventsTrigger} from '../../effects/queued.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import {variedSegment} from '../route.js';
import {readFields, readObject} from './json-fields.js';
import {replayBody, wantsEvents} from './webhook-body.js';
import {endsOf, tried, webhookOf} from './webhook-records.js';

const lettersReadMax = 10_000;
const replayedEventsMax = 10_000;
const replayPageRows = 1_000;

export async function replayWebhook(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const {from, to, deliveries} = readFields(replayBody, readObject(bytes));
  readQuery(exchange.query, noParameters);
  const endpoint = webhookOf(front, variedSegment(exchange));
  const isRange = from !== undefined && to !== undefined;
  if (isRange === (deliveries !== undefined) || (from === undefined) !== (to === undefined))
    throw new RequestFailure(invalidRequest('a replay is of a time, from and to, or of deliveries'));
  const queued = isRange
    ? await replayRange(front, endpoint, Date.parse(from), Date.parse(to))
    : await tried(() => replayLetters(front, endpoint, deliveries!));
  exchange.json('202 Accepted', JSON.stringify({queued}));
}

/** Queues the stored events of the rule by their times. @returns the number of deliveries */
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

/** The trigger with a due time of its own: without it the stream would drop a second replay within two minutes. */
const again = <Told extends object>(front: Front, trigger: Told): Told & {readonly dueMs: number} => ({
  ...trigger,
  dueMs: front.wallMs(),
});

/** Deliveries of events, formed as a tail forms them. */
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

/** Queues dead letters again. Skipped events become deliveries. @returns the number of deliveries */
async function replayLetters(front: Front, endpoint: Endpoint, ids: readonly string[]): Promise<number> {
  const {letters} = front;
  const wanted = new Set(ids);
  const found = (await letters.dead(endpoint.id, 1, lettersReadMax)).filter(({content}) => wanted.has(content.id));
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
