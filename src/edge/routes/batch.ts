// POST /v1/events/batch: up to 1,000 events, each with its own outcome (docs/api/events.md).

import {batchEventsMax, objectKeysMax} from '../../../actors/limits.js';
import {
  type BatchOrigin,
  type BatchRead,
  type BatchReading,
  type RefusedItem,
  readCheapBatch,
} from '../../ingest/batch.js';
import {type BatchEntries, bytesOf, markEntries} from '../../ingest/batch-entries.js';
import {refusals} from '../../ingest/refusals.js';
import {markOf} from '../admission/key-permissions.js';
import {largeBodyBytesMin, parseBytesMax} from '../admission/large-bodies.js';
import {errorValue, type Failure, invalidRequest, retryAfter, statusOf, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {passTime} from '../http/turn.js';
import {isOfPages} from '../web/web.js';
import {BatchOutcome, type KnownOutcome, type LostEntry} from './batch-outcome.js';
import {positionHeader} from './log-position.js';
import {invalidJson, mustUseKnownNames, namesUnread, noteHeaders} from './track.js';
import {noSalt, visitorOfPage} from './visitor.js';

const bodyFailures: Readonly<Record<Exclude<BatchReading['kind'], 'read' | 'not_json'>, Failure>> = {
  no_object: invalidRequest('the body must be a JSON object that has the events: {"events":[…]}'),
  no_events: invalidRequest('events must be an array of at least one event', 'events'),
  no_sent_at: invalidRequest(refusals.sentAt.message, refusals.sentAt.field),
  too_many: {code: 'batch_too_large', message: `a batch has at most ${batchEventsMax} events`},
  too_many_fields: invalidRequest(`a batch has at most ${objectKeysMax} fields`),
};
const allRefused: Failure = {code: 'invalid_event', message: 'no event of the batch is valid: see errors'};
const someUnavailable = unavailable(
  'some events could not be confirmed: send those listed as unavailable again, with the same messageId',
);

export function trackBatch(front: Front, exchange: Exchange, bytes: Buffer): void {
  const receivedMs = front.wallMs();
  const visitor = isOfPages(exchange.caller.key!) ? visitorOfPage(front, exchange, receivedMs) : undefined;
  const origin = {receivedMs, visitor};
  const reading =
    bytes.length > largeBodyBytesMin ? undefined : readCheapBatch(bytes, origin, front.partitionCount, parseBytesMax);
  if (reading === undefined) trackElsewhere(front, exchange, bytes, origin);
  else finish(front, exchange, reading);
  passTime();
}

/** Parses the batch in the worker thread. */
function trackElsewhere(front: Front, exchange: Exchange, bytes: Buffer, origin: BatchOrigin): void {
  // The client may have left by then: its batch is complete and valid, and is stored like any other.
  front.writes.largeBodies.encode(exchange.caller.key!.id, bytes, origin, (reading) =>
    finish(front, exchange, reading),
  );
}

function finish(front: Front, exchange: Exchange, reading: BatchReading): void {
  if (reading.kind !== 'read') {
    exchange.fail(reading.kind === 'not_json' ? invalidJson(reading.message) : bodyFailures[reading.kind]);
    return;
  }
  const isOfNobody = ({refusal}: RefusedItem): boolean => refusal.message === refusals.noId.message;
  if (isOfPages(exchange.caller.key!) && reading.refused.some(isOfNobody)) {
    exchange.fail(noSalt);
    return;
  }
  front.operations.traffic.noteEvents(reading.notes);
  exchange.caller.costs(reading.eventCount);
  const named = front.writes.named.ofBatch(reading, front.partitionCount, mustUseKnownNames(exchange));
  if (named === 'undecided') {
    front.operations.traffic.events.unavailable += reading.eventCount;
    exchange.fail(namesUnread);
    return;
  }
  store(front, exchange, named, (outcome) => answer(exchange, named, outcome));
}

/** Stores what was read, and answers once the outcome is known. */
export function store(
  front: Front,
  exchange: Exchange,
  reading: BatchRead,
  answer: (outcome: KnownOutcome) => void,
): void {
  const outcome = new BatchOutcome(front, exchange, reading, answer);
  const {partitionCount} = front;
  const {order, links, web, largeBodies} = front.writes;
  const {entries, eventCount} = reading;
  const append = (completed: BatchEntries): void => {
    markEntries(completed, partitionCount, markOf(exchange.caller.key!));
    outcome.append(order.batch(completed, eventCount, partitionCount, links?.acked));
    outcome.complete();
  };
  const request = web.requestOf(exchange);
  if (request === undefined) append(entries);
  else if (bytesOf(entries, partitionCount) <= parseBytesMax)
    append(web.context.batch(entries, eventCount, partitionCount, request));
  // Parsing all of its contexts would keep this thread for too long.
  else largeBodies.complete(exchange.caller.key!.id, entries, eventCount, request, append);
}

interface ItemError extends LostEntry {
  readonly field?: string;
  readonly messageId?: string;
}

function answer(
  exchange: Exchange,
  {notes, conflicts}: Pick<BatchRead, 'conflicts' | 'notes'>,
  {received, refused, lost, commits}: KnownOutcome,
): void {
  const errors = [...refused.map(refusedError), ...lost].sort((a, b) => a.index - b.index);
  const status = errors.length === 0 ? 'ok' : received > 0 ? 'partial' : 'rejected';
  const {ignoredNames, aheadMs} = notes;
  const named = ignoredNames.length === 0 ? {} : {ignored_fields: ignoredNames};
  const body = {status, received, rejected: errors.length, errors, ...(conflicts && {conflicts}), ...named};
  const position = [...positionHeader(commits), ...noteHeaders(ignoredNames, aheadMs)];
  if (lost.length > 0) exchange.failWith(someUnavailable, body, [...position, ...retryAfter]);
  else if (received === 0) exchange.json(statusOf[allRefused.code], JSON.stringify(allRefusedBody(body)), position);
  else exchange.json(errors.length === 0 ? '200 OK' : '207 Multi-Status', JSON.stringify(body), position);
}

const allRefusedBody = (body: object): object => ({error: errorValue(allRefused), ...body});

function refusedError({index, refusal, messageId}: RefusedItem): ItemError {
  const error = {index, ...refusal};
  return messageId === undefined ? error : {...error, messageId};
}
