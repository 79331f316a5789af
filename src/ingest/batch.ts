// A batch body: JSON to entries, event by event. The same code on the edge thread and in the worker for large bodies.
import {isUtf8} from 'node:buffer';
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchEventsMax} from '../../actors/limits.js';
import {aheadMsOfEntry, writeEvent} from '../../actors/log/entries.js';
import {conflictsOf} from './batch-conflicts.js';
import {type BatchEntries, EntryList} from './batch-entries.js';
import {kernelFor, type PlainReader} from './batch-kernel.js';
import {type EventNotes, NoteTaker} from './event-notes.js';
import {inexactNumber, inexactNumbers} from './inexact-numbers.js';
import {jsonFault} from './json-fault.js';
import {parseJson} from './json-text.js';
import type {Refusal} from './refusals.js';
import {EventDraft, type EventOrigin, eventName, isJsonObject, isMessageId, readEvent, readSentAt} from './validate.js';

export interface RefusedItem {
  readonly index: number;
  readonly refusal: Refusal;
  /** Name of the event, if it is valid. */
  readonly event: string | undefined;
  /** The event's messageId, if it is a valid one. */
  readonly messageId?: string;
}

export type BatchReading =
  | {readonly kind: 'no_object' | 'no_events' | 'too_many' | 'no_sent_at'}
  | {readonly kind: 'not_json'; readonly message: string}
  | BatchRead;

export interface BatchRead {
  readonly kind: 'read';
  readonly eventCount: number;
  readonly refused: readonly RefusedItem[];
  /** Indexes of events with the messageId of an earlier, other event of the batch; absent without any. */
  readonly conflicts?: readonly number[];
  /** Entries of the events that are not refused. Valid until the next batch is read. */
  readonly entries: BatchEntries;
  readonly notes: EventNotes;
}

const draft = new EventDraft();
const list = new EntryList();

export function readBatch(bytes: Buffer, receivedMs: number, partitionCount: number): BatchReading {
  const reading = readPlain(bytes, receivedMs, partitionCount) ?? readParsed(bytes, receivedMs, partitionCount);
  return withConflicts(reading, partitionCount);
}

/**
 * Reads a batch like `readBatch`, for a thread that must not stall: undefined when more than `parseBytesMax` would have to be
 * parsed. Plain events are read in any number.
 */
export function readCheapBatch(
  bytes: Buffer,
  receivedMs: number,
  partitionCount: number,
  parseBytesMax: number,
): BatchReading | undefined {
  const reading = readPlain(bytes, receivedMs, partitionCount, parseBytesMax);
  if (reading !== undefined) return withConflicts(reading, partitionCount);
  if (bytes.length > parseBytesMax) return undefined;
  return withConflicts(readParsed(bytes, receivedMs, partitionCount), partitionCount);
}

function withConflicts(reading: BatchReading, partitionCount: number): BatchReading {
  if (reading.kind !== 'read') return reading;
  const conflicts = conflictsOf(reading.entries, partitionCount);
  return conflicts.length === 0 ? reading : {...reading, conflicts};
}

/** Undefined when the body must be parsed as a whole, or more than `parseBytesMax` of it. */
export function readPlain(
  bytes: Buffer,
  receivedMs: number,
  partitionCount: number,
  parseBytesMax = Number.POSITIVE_INFINITY,
  reader: PlainReader = kernelFor(bytes.length),
): BatchRead | undefined {
  if (!isUtf8(bytes)) return undefined;
  const refused: RefusedItem[] = [];
  const taker = new NoteTaker();
  let parsedBytes = 0;
  const entries = reader.read(bytes, receivedMs, partitionCount, (text, index, writer) => {
    parsedBytes += text.length;
    if (parsedBytes > parseBytesMax) return false;
    const event = parseJson(text);
    if (event === undefined) return false;
    const refusal = encode(event, {receivedMs, inexact: inexactNumber(text)}, writer, taker);
    if (refusal !== undefined) refused.push(refusedItem(index, refusal, event));
    return true;
  });
  if (entries === undefined) return undefined;
  if (reader.aheadCount > 0) taker.takeAhead(reader.aheadCount, aheadMsOf(entries, partitionCount));
  return {kind: 'read', eventCount: reader.eventCount, refused, entries, notes: taker.notes()};
}

/** Lead of the entry that is furthest ahead, ms. Few batches have such an entry. */
function aheadMsOf({bytes, firsts, starts, ends}: BatchEntries, partitionCount: number): number {
  let aheadMs = 0;
  for (let partition = 0; partition < partitionCount; partition++) {
    let start = starts[partition]!;
    for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!)
      aheadMs = Math.max(aheadMs, aheadMsOfEntry(bytes, start));
  }
  return aheadMs;
}

export function readParsed(bytes: Buffer, receivedMs: number, partitionCount: number): BatchReading {
  const body = parseJson(bytes);
  if (body === undefined) return {kind: 'not_json', message: jsonFault(bytes)};
  if (!isJsonObject(body)) return {kind: 'no_object'};
  const {events, sentAt, ...ignored} = body;
  if (!Array.isArray(events) || events.length === 0) return {kind: 'no_events'};
  if (events.length > batchEventsMax) return {kind: 'too_many'};
  const sentAtMs = readSentAt(sentAt);
  if (Number.isNaN(sentAtMs)) return {kind: 'no_sent_at'};
  const refused: RefusedItem[] = [];
  const taker = new NoteTaker();
  const inexact = inexactNumbers(bytes);
  list.clear();
  for (let index = 0; index < events.length; index++) {
    const refusal = encode(events[index], {receivedMs, sentAtMs, inexact: inexact.get(index)}, list.writer, taker);
    if (refusal !== undefined) refused.push(refusedItem(index, refusal, events[index]));
    list.endEvent();
  }
  for (const name of Object.keys(ignored)) taker.takeIgnored(name);
  const entries = list.group(partitionCount);
  return {kind: 'read', eventCount: events.length, refused, entries, notes: taker.notes()};
}

/** Appends the event's entry, or returns why it is refused. */
function encode(event: unknown, origin: EventOrigin, entries: ByteWriter, taker: NoteTaker): Refusal | undefined {
  const refusal = readEvent(event, origin, draft);
  if (refusal !== undefined) return refusal;
  writeEvent(entries, draft);
  taker.take(draft);
  return undefined;
}

function refusedItem(index: number, refusal: Refusal, event: unknown): RefusedItem {
  const messageId = isJsonObject(event) ? event.messageId : undefined;
  const item = {index, refusal, event: eventName(event)};
  return isMessageId(messageId) ? {...item, messageId} : item;
}
