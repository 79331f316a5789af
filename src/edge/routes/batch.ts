// POST /v1/events/batch: up to 1,000 events, each with its own outcome (docs/api.md, Ingestion).

import {assert} from '../../../actors/invariant.js';
import {batchEventsMax, entryBytesMax, objectKeysMax} from '../../../actors/limits.js';
import {type BatchRead, type BatchReading, type RefusedItem, readCheapBatch} from '../../ingest/batch.js';
import {type BatchEntries, markEntries} from '../../ingest/batch-entries.js';
import type {BatchLink} from '../../ingest/link-encoder.js';
import type {Commit, CommitWaiter} from '../../ingest/log-message.js';
import {refusals} from '../../ingest/refusals.js';
import {markOf} from '../admission/key-permissions.js';
import {largeBodyBytesMin, parseBytesMax} from '../admission/large-bodies.js';
import {logUnavailable} from '../admission/obstacles.js';
import {errorValue, type Failure, invalidRequest, retryAfter, statusOf, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import type {Outcomes} from '../http/exchange-counts.js';
import {passTime} from '../http/turn.js';
import {positionHeader} from './log-position.js';
import {lostLink, lostWrite} from './lost-writes.js';
import {invalidJson, mustUseKnownNames, namesUnread, noteHeaders} from './track.js';

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
  const reading =
    bytes.length > largeBodyBytesMin
      ? undefined
      : readCheapBatch(bytes, receivedMs, front.partitionCount, parseBytesMax);
  if (reading === undefined) trackElsewhere(front, exchange, bytes, receivedMs);
  else finish(front, exchange, reading);
  passTime();
}

/** Parses the batch in the worker thread. */
function trackElsewhere(front: Front, exchange: Exchange, bytes: Buffer, receivedMs: number): void {
  // The client may have left by then: its batch is complete and valid, and is stored like any other.
  front.largeBodies.encode(bytes, receivedMs, (reading) => finish(front, exchange, reading));
}

function finish(front: Front, exchange: Exchange, reading: BatchReading): void {
  if (reading.kind !== 'read') {
    exchange.fail(reading.kind === 'not_json' ? invalidJson(reading.message) : bodyFailures[reading.kind]);
    return;
  }
  front.traffic.noteEvents(reading.notes);
  exchange.costs(reading.eventCount);
  const named = front.named.ofBatch(reading, front.partitionCount, mustUseKnownNames(exchange));
  if (named === 'undecided') {
    front.traffic.events.unavailable += reading.eventCount;
    exchange.fail(namesUnread);
    return;
  }
  const outcome = new BatchOutcome(front, exchange, named);
  const {partitionCount, order, links} = front;
  markEntries(named.entries, partitionCount, markOf(exchange.key!));
  outcome.append(order.batch(named.entries, reading.eventCount, partitionCount, links?.acked));
  outcome.complete();
}

/** Entries of a partition go to the log in pieces of up to so many bytes: larger ones would leave messages unfilled. */
const pieceBytesMax = 64 * 1024;
assert(pieceBytesMax <= entryBytesMax, 'a piece of more than one entry fits wherever an entry does');

/** The entries from `first` to `end`, which leave together. */
interface Piece {
  readonly first: number;
  readonly end: number;
  /** Undefined: the log did not take them. */
  readonly commit: Commit | undefined;
}

/** Entries of a batch as they were appended. */
interface Pieces {
  readonly pieces: readonly Piece[];
  /** Index in the batch, by entry: the `indexes` of `BatchEntries`. */
  readonly indexes: Uint16Array;
}

const noPieces: Pieces = {pieces: [], indexes: new Uint16Array(0)};

interface ItemError {
  readonly index: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly messageId?: string;
}

/** Collects the outcome of each event, and answers when all are known. */
class BatchOutcome implements CommitWaiter {
  /** Messages that carry entries of this batch: one per partition, or a few where one became full. */
  private readonly commits = new Set<Commit>();
  private readonly counts: Outcomes;
  private events: Pieces = noPieces;
  private links: Pieces = noPieces;
  /** Kind of each entry of `links`. */
  private linked: readonly BatchLink[] = [];
  private isComplete = false;
  private settledCount = 0;

  constructor(
    private readonly front: Pick<Front, 'publisher' | 'partitionCount' | 'links' | 'rejected' | 'traffic'>,
    private readonly exchange: Exchange,
    private readonly reading: Pick<BatchRead, 'refused' | 'conflicts' | 'notes'>,
  ) {
    this.counts = front.traffic.events;
  }

  append(entries: BatchEntries): void {
    const needed = this.front.links?.ofBatch(entries);
    if (needed !== undefined) {
      this.linked = needed.links;
      this.links = this.appendAll(needed.entries);
    }
    this.events = this.appendAll(entries);
  }

  private appendAll(entries: BatchEntries): Pieces {
    const {partitionCount} = this.front;
    const {firsts, starts, indexes} = entries;
    const pieces: Piece[] = [];
    for (let partition = 0; partition < partitionCount; partition++) {
      this.appendRun(entries, partition, firsts[partition]!, firsts[partition + 1]!, starts[partition]!, pieces);
    }
    return {pieces, indexes: indexes.slice(0, firsts[partitionCount])};
  }

  private appendRun(
    {bytes, ends}: BatchEntries,
    partition: number,
    first: number,
    runEnd: number,
    start: number,
    pieces: Piece[],
  ): void {
    while (first < runEnd) {
      const end = pieceEnd(ends, first, runEnd, start);
      const endByte = ends[end - 1]!;
      const commit = this.front.publisher.append(partition, bytes, start, endByte, this, end - first);
      if (commit !== undefined) this.commits.add(commit);
      pieces.push({first, end, commit});
      start = endByte;
      first = end;
    }
  }

  /** Call it when all entries are appended. */
  complete(): void {
    this.isComplete = true;
    this.answerWhenKnown();
  }

  settled(): void {
    this.exchange.guard('answering a batch', () => {
      this.settledCount += 1;
      this.answerWhenKnown();
    });
  }

  private answerWhenKnown(): void {
    if (!this.isComplete || this.settledCount < this.commits.size) return;
    const lost = this.lostEvents();
    const received = this.events.indexes.length - lost.length;
    this.counts.accepted += received;
    this.counts.refused += this.reading.refused.length;
    this.noteRefused();
    this.counts.unavailable += lost.length;
    this.answer(received, this.reading.refused, lost);
  }

  /** Counts and lists each refused event; the code of the whole answer is not counted in addition. */
  private noteRefused(): void {
    const {traffic, key, path, route} = this.exchange;
    for (const {index, event, refusal} of this.reading.refused) {
      traffic.refused(refusal.code, route);
      traffic.refusalTap.note(refusal.code, path, {field: refusal.field, keyId: key?.id});
      if (key !== undefined) this.front.rejected.add(refusal.code, key.id, {index, event, field: refusal.field});
    }
  }

  private lostEvents(): ItemError[] {
    const failures = new Map<number, Failure>();
    const {linked} = this;
    for (const {first, end, commit} of this.links.pieces) {
      for (const link of this.links.indexes.subarray(first, end)) {
        const {pair, events} = linked[link]!;
        if (commit?.outcome === 'stored') this.front.links!.acked.acked(pair);
        else for (const index of events) failures.set(index, lostLink);
      }
    }
    for (const {first, end, commit} of this.events.pieces) {
      if (commit?.outcome === 'stored') continue;
      const failure = commit === undefined ? logUnavailable : lostWrite(commit);
      for (const index of this.events.indexes.subarray(first, end)) failures.set(index, failure);
    }
    return Array.from(failures, ([index, {code, message}]) => ({index, code, message}));
  }

  private answer(received: number, refused: readonly RefusedItem[], lost: readonly ItemError[]): void {
    const errors = [...refused.map(refusedError), ...lost].sort((a, b) => a.index - b.index);
    const status = errors.length === 0 ? 'ok' : received > 0 ? 'partial' : 'rejected';
    const {notes, conflicts} = this.reading;
    const {ignoredNames, aheadMs} = notes;
    const named = ignoredNames.length === 0 ? {} : {ignored_fields: ignoredNames};
    const body = {status, received, rejected: errors.length, errors, ...(conflicts && {conflicts}), ...named};
    const commits = this.events.pieces.flatMap(({commit}) => commit ?? []);
    const position = [...positionHeader(commits), ...noteHeaders(ignoredNames, aheadMs)];
    if (lost.length > 0) this.exchange.failWith(someUnavailable, body, [...position, ...retryAfter]);
    else if (received === 0)
      this.exchange.json(statusOf[allRefused.code], JSON.stringify(allRefusedBody(body)), position);
    else this.exchange.json(errors.length === 0 ? '200 OK' : '207 Multi-Status', JSON.stringify(body), position);
  }
}

const allRefusedBody = (body: object): object => ({error: errorValue(allRefused), ...body});

/** End of the piece that begins with entry `first`, at `start`: it has at least one entry. */
function pieceEnd(ends: Uint32Array, first: number, runEnd: number, start: number): number {
  if (ends[runEnd - 1]! - start <= pieceBytesMax) return runEnd;
  let end = first + 1;
  while (end < runEnd && ends[end]! - start <= pieceBytesMax) end += 1;
  return end;
}

function refusedError({index, refusal, messageId}: RefusedItem): ItemError {
  const error = {index, ...refusal};
  return messageId === undefined ? error : {...error, messageId};
}
