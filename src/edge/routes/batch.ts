// POST /v1/events/batch: up to 1,000 events, each with its own outcome (API.md, Ingestion).

import {batchEventsMax} from '../../../actors/limits.js';
import {type BatchReading, type EntrySink, type RefusedItem, readCheapBatch} from '../../ingest/batch.js';
import type {Commit, CommitWaiter} from '../../ingest/log-message.js';
import {tooManyBodies} from '../body-budget.js';
import type {Exchange} from '../exchange.js';
import {type Failure, invalidRequest, retryAfter, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import {largeBodyBytesMin, parseBytesMax} from '../large-bodies.js';
import type {EncodedEntries} from '../large-bodies-worker.js';
import {positionHeader} from '../log-position.js';
import type {Outcomes} from '../metrics/traffic.js';
import {invalidJson, noObject} from './track.js';

const bodyFailures: Readonly<Record<Exclude<BatchReading['kind'], 'read'>, Failure>> = {
  not_json: invalidJson,
  no_object: noObject,
  no_events: invalidRequest('events must be an array of at least one event', 'events'),
  too_many: {code: 'batch_too_large', message: `a batch has at most ${batchEventsMax} events`},
};
const allRefused: Failure = {code: 'invalid_event', message: 'no event of the batch is valid: see errors'};
const someUnavailable = unavailable('the log did not take all events: those listed as unavailable may be sent again');

export function trackBatch(front: Front, exchange: Exchange, bytes: Buffer): void {
  const receivedMs = front.wallMs();
  if (bytes.length > largeBodyBytesMin) {
    trackElsewhere(front, exchange, bytes, receivedMs);
    return;
  }
  const outcome = new BatchOutcome(exchange, front.traffic.events);
  const sink: EntrySink = (entries, start, end, partition, index) => {
    outcome.appended(index, front.publisher.append(partition, entries, start, end, outcome));
  };
  const reading = readCheapBatch(bytes, receivedMs, front.partitionCount, parseBytesMax, sink);
  if (reading === undefined) trackElsewhere(front, exchange, bytes, receivedMs);
  else finish(exchange, outcome, reading);
}

/** In the worker thread. */
function trackElsewhere(front: Front, exchange: Exchange, bytes: Buffer, receivedMs: number): void {
  const isTaken = front.largeBodies.encode(bytes, receivedMs, ({reading, entries}) => {
    // The client may be gone by now: its batch is complete and valid all the same, like any that is not waited for.
    const outcome = new BatchOutcome(exchange, front.traffic.events);
    appendAll(front, outcome, entries);
    finish(exchange, outcome, reading);
  });
  if (!isTaken) exchange.fail(tooManyBodies);
}

function appendAll(
  {publisher}: Front,
  outcome: BatchOutcome,
  {bytes, ends, partitions, indexes}: EncodedEntries,
): void {
  let start = 0;
  for (let i = 0; i < ends.length; i++) {
    outcome.appended(indexes[i], publisher.append(partitions[i], bytes, start, ends[i], outcome));
    start = ends[i];
  }
}

function finish(exchange: Exchange, outcome: BatchOutcome, reading: BatchReading): void {
  if (reading.kind !== 'read') {
    exchange.fail(bodyFailures[reading.kind]);
    return;
  }
  exchange.costs(reading.eventCount);
  outcome.complete(reading.refused);
}

interface ItemError {
  readonly index: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly messageId?: string;
}

/** Collects what became of each event, and answers when all of it is known. */
class BatchOutcome implements CommitWaiter {
  /** Messages that carry events of this batch: one per partition, or a few where one became full. */
  private readonly commits: Commit[] = [];
  /** Events that a message carries: index in the batch, and which message. */
  private readonly carried: number[] = [];
  private readonly carriers: Commit[] = [];
  /** Indexes of events that the log did not even take. */
  private readonly notTaken: number[] = [];
  private refused: readonly RefusedItem[] | undefined;
  private settledCount = 0;

  constructor(
    private readonly exchange: Exchange,
    private readonly counts: Outcomes,
  ) {}

  appended(index: number, commit: Commit | undefined): void {
    if (commit === undefined) {
      this.notTaken.push(index);
      return;
    }
    this.carried.push(index);
    this.carriers.push(commit);
    if (!this.commits.includes(commit)) this.commits.push(commit);
  }

  /** No more events will be appended. */
  complete(refused: readonly RefusedItem[]): void {
    this.refused = refused;
    this.answerWhenKnown();
  }

  settled(): void {
    this.settledCount += 1;
    this.answerWhenKnown();
  }

  private answerWhenKnown(): void {
    if (this.refused === undefined || this.settledCount < this.commits.length) return;
    const lost = this.lostIndexes();
    const received = this.carried.length + this.notTaken.length - lost.length;
    this.counts.accepted += received;
    this.counts.refused += this.refused.length;
    this.counts.unavailable += lost.length;
    this.answer(received, this.refused, lost);
  }

  private lostIndexes(): number[] {
    if (this.notTaken.length === 0 && this.commits.every(({outcome}) => outcome === 'stored')) return [];
    const lost = this.carried.filter((_, i) => this.carriers[i].outcome !== 'stored');
    return [...this.notTaken, ...lost];
  }

  private answer(received: number, refused: readonly RefusedItem[], lost: readonly number[]): void {
    const errors = [...refused.map(refusedError), ...lost.map(lostError)].sort((a, b) => a.index - b.index);
    const status = errors.length === 0 ? 'ok' : received > 0 ? 'partial' : 'rejected';
    const body = {status, received, rejected: errors.length, errors};
    const position = positionHeader(this.commits);
    if (lost.length > 0) this.exchange.failWith(someUnavailable, body, [...position, ...retryAfter]);
    else if (received === 0) this.exchange.failWith(allRefused, body, position);
    else this.exchange.json(errors.length === 0 ? '200 OK' : '207 Multi-Status', JSON.stringify(body), position);
  }
}

function refusedError({index, refusal, messageId}: RefusedItem): ItemError {
  const error = {index, ...refusal};
  return messageId === undefined ? error : {...error, messageId};
}

const lostError = (index: number): ItemError => ({
  index,
  code: 'unavailable',
  message: 'the log did not take this event',
});
