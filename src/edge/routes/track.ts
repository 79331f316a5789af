// POST /v1/events and POST /v1/users/identify: one entry a request. The hot path: plain code, no promise.

import {eventBytesMax} from '../../../actors/limits.js';
import {aheadMsOfEntry} from '../../../actors/log/entries.js';
import type {LinkedPair} from '../../ingest/acked-links.js';
import {compactBytesMin} from '../../ingest/compact-size.js';
import {NoteTaker} from '../../ingest/event-notes.js';
import {ignoredFieldsText} from '../../ingest/ignored-fields.js';
import {inexactNumber} from '../../ingest/inexact-numbers.js';
import {jsonFault} from '../../ingest/json-fault.js';
import {parseJson} from '../../ingest/json-text.js';
import type {Commit} from '../../ingest/log-message.js';
import {type Refusal, refusals} from '../../ingest/refusals.js';
import {
  type AcceptedIdentify,
  EventDraft,
  eventName,
  isJsonObject,
  readEvent,
  readIdentify,
} from '../../ingest/validate.js';
import {positionText} from '../../log-position.js';
import {markOf} from '../admission/key-permissions.js';
import {logUnavailable} from '../admission/obstacles.js';
import {type Failure, type Header, invalidRequest, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {CommitAnswer, Exchange} from '../http/exchange.js';
import type {Outcomes} from '../http/exchange-counts.js';
import {isOfPages} from '../web/web.js';
import {appendLinked} from './linked-write.js';
import {hasPosition} from './log-position.js';
import {lostLink, lostWrite} from './lost-writes.js';
import {noSalt, visitorOfPage} from './visitor.js';

/** `message`: from json-fault.ts. */
export const invalidJson = (message: string): Failure => ({code: 'invalid_json', message});
export const noObject = invalidRequest('the body must be a JSON object');
/** KN3 (src/ingest/known-names.ts) */
export const namesUnread = unavailable('the service does not know yet which names of events exist');
const draft = new EventDraft();

/** Answers a request once its one entry is in the log, or refused by it. */
class WriteAnswer implements CommitAnswer {
  constructor(
    private readonly body: string,
    readonly kind: 'events' | 'identifies',
    private readonly notes: readonly Header[] = [],
  ) {}

  settled(exchange: Exchange, commit: Commit): void {
    if (commit.outcome === 'stored') {
      exchange.traffic[this.kind].accepted += 1;
      const {notes} = this;
      const position = positionOf(commit);
      exchange.json('200 OK', this.body, notes.length === 0 ? position : [...position, ...notes]);
    } else {
      this.lost(exchange, lostWrite(commit));
    }
  }

  linkLost(exchange: Exchange): void {
    this.lost(exchange, lostLink);
  }

  lost(exchange: Exchange, failure: Failure): void {
    exchange.traffic[this.kind].unavailable += 1;
    exchange.fail(failure);
  }
}

/** Pages of other origins may read them. `aheadMs`: how far the event is ahead that is so furthest; 0 without any. */
export function noteHeaders(
  ignoredNames: readonly string[],
  aheadMs: number,
  more: readonly Header[] = [],
): readonly Header[] {
  const notes = [...more];
  if (ignoredNames.length > 0) notes.push(['Ignored-Fields', ignoredFieldsText(ignoredNames)]);
  if (aheadMs > 0) notes.push(['Event-Time-Ahead', String(Math.round(aheadMs / 1_000))]);
  return notes.length === 0
    ? notes
    : [...notes, ['Access-Control-Expose-Headers', notes.map(([name]) => name).join(', ')]];
}

const trackedBody = '{"status":"ok","received":1}';
/** Shared by all requests. */
const tracked = new WriteAnswer(trackedBody, 'events');

/** The newest position header: the entries of a message are settled one after the other, and have one position. */
const newest = {partition: -1, generation: 0, sequence: -1, headers: [] as readonly Header[]};

function positionOf(commit: Commit): readonly Header[] {
  const {partition, generation, sequence} = commit;
  if (sequence !== newest.sequence || partition !== newest.partition || generation !== newest.generation) {
    newest.partition = partition;
    newest.generation = generation;
    newest.sequence = sequence;
    newest.headers = hasPosition(commit) ? [['Log-Position', positionText(commit)]] : [];
  }
  return newest.headers;
}

export function track(front: Front, exchange: Exchange, bytes: Buffer): void {
  const counts = front.operations.traffic.events;
  const receivedMs = front.wallMs();
  if (bytes.length <= eventBytesMax && front.writes.encoder.plainEvent(bytes, receivedMs)) {
    appendNamed(front, exchange, front.writes.encoder.isAhead ? trackedAhead(front) : tracked);
    return;
  }
  const value = readObject(exchange, bytes, counts, singleRefusal);
  if (value === undefined) return;
  const origin = {receivedMs, inexact: inexactNumber(bytes)};
  let refusal = readEvent(value, origin, draft);
  if (refusal === refusals.noId && isOfPages(exchange.caller.key!)) {
    const visitor = visitorOfPage(front, exchange, receivedMs);
    if (visitor === undefined) {
      exchange.fail(noSalt);
      return;
    }
    refusal = readEvent(value, {...origin, visitor}, draft);
  }
  if (refusal !== undefined) {
    counts.refused += 1;
    exchange.fail({...singleRefusal(refusal), event: eventName(value)});
    return;
  }
  front.writes.encoder.event(draft);
  const taker = new NoteTaker();
  taker.take(draft);
  front.operations.traffic.noteEvents(taker);
  const notes = noteHeaders(taker.ignoredNames, taker.aheadMs);
  const answer = notes.length === 0 ? tracked : new WriteAnswer(trackedBody, 'events', notes);
  appendNamed(front, exchange, answer);
}

/** Appends the event that was encoded last, if its name may be stored. */
function appendNamed(front: Front, exchange: Exchange, answer: WriteAnswer): void {
  const {named, encoder} = front.writes;
  const {traffic} = front.operations;
  const refusal = named.refuse(encoder.bytes, encoder.start, mustUseKnownNames(exchange));
  if (refusal === undefined) append(front, exchange, answer, linkOfEvent(front, exchange));
  else if (refusal === 'undecided') answer.lost(exchange, namesUnread);
  else {
    traffic.events.refused += 1;
    exchange.fail({...refusal, event: named.newestName(encoder.bytes)});
  }
}

export const mustUseKnownNames = ({caller: {key}}: Exchange): boolean => key?.options?.mustUseKnownNames === true;

/** Answer to the newest plain event, which is ahead of the clock. */
function trackedAhead({writes: {encoder}, operations: {traffic}}: Front): WriteAnswer {
  traffic.noteAhead();
  return new WriteAnswer(trackedBody, 'events', noteHeaders([], aheadMsOfEntry(encoder.bytes, encoder.start)));
}

/** Completes the newest event with what its request and those before say about it, and writes the link that it needs, if any. */
function linkOfEvent({writes: {links, encoder, order, web}}: Front, exchange: Exchange): LinkedPair | undefined {
  const request = web.requestOf(exchange);
  if (request !== undefined) encoder.complete(web.context, request);
  encoder.mark(markOf(exchange.caller.key!));
  encoder.keepOrder(order);
  return links?.ofEvent(encoder.bytes, encoder.start);
}

export function identify(front: Front, exchange: Exchange, bytes: Buffer): void {
  const counts = front.operations.traffic.identifies;
  const value = readObject(exchange, bytes, counts, identifyRefusal);
  if (value === undefined) return;
  const receivedMs = front.wallMs();
  const read = readIdentify(value, {receivedMs, inexact: inexactNumber(bytes)});
  if (isRefusal(read)) {
    counts.refused += 1;
    exchange.fail(identifyRefusal(read));
    return;
  }
  const entryCount = front.writes.encoder.identify(read, receivedMs, markOf(exchange.caller.key!));
  const body = `{"status":"ok","userId":${JSON.stringify(read.userId)}}`;
  const taker = new NoteTaker();
  for (const name of read.ignored) taker.takeIgnored(name);
  front.operations.traffic.noteEvents(taker);
  const {userId, anonymousId} = read;
  const link = anonymousId === undefined ? undefined : front.writes.links?.ofIds(userId, anonymousId, receivedMs);
  append(front, exchange, new WriteAnswer(body, 'identifies', noteHeaders(taker.ignoredNames, 0)), link, entryCount);
}

/** @returns undefined when the body is refused; the answer is sent then. */
function readObject(
  exchange: Exchange,
  bytes: Buffer,
  counts: Outcomes,
  failureOf: (refusal: Refusal) => Failure,
): Record<string, unknown> | undefined {
  if (isTooLong(bytes)) {
    counts.refused += 1;
    exchange.fail(failureOf(refusals.size));
    return undefined;
  }
  const value = parseJson(bytes);
  if (isJsonObject(value)) return value;
  exchange.fail(value === undefined ? invalidJson(jsonFault(bytes)) : noObject);
  return undefined;
}

/** `link`: of the newest single link, if the write needs one. `entryCount`: of the newest entries. */
function append(
  front: Front,
  exchange: Exchange,
  answer: WriteAnswer,
  link: LinkedPair | undefined,
  entryCount = 1,
): void {
  const {publisher, encoder} = front.writes;
  const {partition, bytes, start, end} = encoder;
  const isTaken =
    link === undefined
      ? publisher.append(partition, bytes, start, end, exchange.awaitCommit(answer), entryCount) !== undefined
      : appendLinked(front, exchange, link, answer, entryCount);
  if (!isTaken) answer.lost(exchange, logUnavailable);
}

/** A check before parsing: an event that exceeds its bound for certain must not cost a parse. */
const isTooLong = (bytes: Buffer): boolean => bytes.length > eventBytesMax && compactBytesMin(bytes) > eventBytesMax;

const isRefusal = (read: AcceptedIdentify | Refusal): read is Refusal => 'code' in read;

/** Refusal of a single event: the event is the whole body, so too large is 413. */
function singleRefusal(refusal: Refusal): Failure {
  return refusal.code === 'event_too_large' ? {...refusal, code: 'payload_too_large'} : refusal;
}

function identifyRefusal(refusal: Refusal): Failure {
  return {...refusal, code: refusal.code === 'event_too_large' ? 'payload_too_large' : 'invalid_request'};
}
