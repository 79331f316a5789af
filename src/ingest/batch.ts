// A batch body: JSON to entries, event by event. The same code on the edge thread and in the worker for large bodies.
import {isUtf8} from 'node:buffer';
import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {eventBytesMax} from '../../actors/limits.js';
import {aheadMsOfEntry, writeEvent} from '../../actors/log/entries.js';
import {readBatchBody} from './batch-body.js';
import {conflictsOf} from './batch-conflicts.js';
import {type BatchEntries, EntryList} from './batch-entries.js';
import {kernelFor, type PlainReader} from './batch-kernel.js';
import {compactBytesMin} from './compact-size.js';
import {type EventNotes, NoteTaker} from './event-notes.js';
import {inexactNumber} from './inexact-numbers.js';
import {jsonFault} from './json-fault.js';
import {token} from './json-scanner.js';
import {isJson} from './json-syntax.js';
import {parseJson} from './json-text.js';
import {ObjectMembers} from './object-members.js';
import {type Refusal, refusals} from './refusals.js';
import {EventDraft, type EventOrigin, eventName, isJsonObject, isMessageId, readEvent, readSentAt} from './validate.js';

export interface RefusedItem {
  readonly index: number;
  readonly refusal: Refusal;
  /** Name of the event, if it is valid. */
  readonly event: string | undefined;
  /** The event's messageId, if it is a valid one. */
  readonly messageId?: string;
  /** It was an identify call, in a request that may have both (mixed-entries.ts). */
  readonly isIdentify?: true;
}

export type BatchReading =
  | {readonly kind: 'no_object' | 'no_events' | 'too_many' | 'too_many_fields' | 'no_sent_at'}
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
  /** Set if some entries may be identify calls (mixed-entries.ts). */
  readonly mixed?: MixedCalls;
}

/** What the indexes of mixed entries stand for. */
export interface MixedCalls {
  /** Index in the request of the call that each entry came from. */
  readonly calls: Uint16Array;
  /** Indexes of entries that are identify calls. */
  readonly identifies: ReadonlySet<number>;
}

const draft = new EventDraft();
const list = new EntryList();

/** What every event of a batch has in common. */
export type BatchOrigin = Pick<EventOrigin, 'receivedMs' | 'visitor'>;

export function readBatch(bytes: Buffer, origin: BatchOrigin, partitionCount: number): BatchReading {
  const reading = readPlain(bytes, origin, partitionCount) ?? readParsed(bytes, origin, partitionCount);
  return withConflicts(reading, partitionCount);
}

/**
 * Reads a batch like `readBatch`, for a thread that must not stall: undefined when more than `parseBytesMax` would have to be
 * parsed. Plain events are read in any number.
 */
export function readCheapBatch(
  bytes: Buffer,
  origin: BatchOrigin,
  partitionCount: number,
  parseBytesMax: number,
): BatchReading | undefined {
  const reading = readPlain(bytes, origin, partitionCount, parseBytesMax);
  if (reading !== undefined) return withConflicts(reading, partitionCount);
  if (bytes.length > parseBytesMax) return undefined;
  return withConflicts(readParsed(bytes, origin, partitionCount), partitionCount);
}

function withConflicts(reading: BatchReading, partitionCount: number): BatchReading {
  if (reading.kind !== 'read') return reading;
  const conflicts = conflictsOf(reading.entries, partitionCount);
  return conflicts.length === 0 ? reading : {...reading, conflicts};
}

/** Undefined when the body must be parsed as a whole, or more than `parseBytesMax` of it. */
export function readPlain(
  bytes: Buffer,
  origin: BatchOrigin,
  partitionCount: number,
  parseBytesMax = Number.POSITIVE_INFINITY,
  reader: PlainReader = kernelFor(bytes.length),
): BatchRead | undefined {
  if (!isUtf8(bytes)) return undefined;
  const refused: RefusedItem[] = [];
  const taker = new NoteTaker();
  let parsedBytes = 0;
  const entries = reader.read(bytes, origin.receivedMs, partitionCount, (text, index, writer) => {
    parsedBytes += text.length;
    return parsedBytes <= parseBytesMax && readItem(text, {index, ...origin}, {writer, taker, refused});
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

/** Each event is parsed by itself. BB2 (batch-body.ts) */
export function readParsed(bytes: Buffer, origin: BatchOrigin, partitionCount: number): BatchReading {
  const body = readBatchBody(bytes);
  if (body.kind === 'not_json') return notJson(bytes);
  if (body.kind !== 'body') return body;
  const {events = [], fields} = body;
  const sentAtMs = readSentAt(fields.get('sentAt'));
  if (events.length === 0) return {kind: 'no_events'};
  if (Number.isNaN(sentAtMs)) return events.every(isJson) ? {kind: 'no_sent_at'} : notJson(bytes);
  const refused: RefusedItem[] = [];
  const taker = new NoteTaker();
  const {writer} = list;
  list.clear();
  for (const [index, text] of events.entries()) {
    if (!readItem(text, {index, ...origin, sentAtMs}, {writer, taker, refused})) return notJson(bytes);
    list.endEvent();
  }
  for (const name of fields.keys()) if (name !== 'sentAt') taker.takeIgnored(name);
  const entries = list.group(partitionCount);
  return {kind: 'read', eventCount: events.length, refused, entries, notes: taker.notes()};
}

const notJson = (bytes: Buffer): BatchReading => ({kind: 'not_json', message: jsonFault(bytes)});

type ItemOrigin = Omit<EventOrigin, 'inexact'> & {readonly index: number};

/** What the events of a batch come to. */
interface ItemTakers {
  readonly writer: ByteWriter;
  readonly taker: NoteTaker;
  readonly refused: RefusedItem[];
}

/** Takes the event in `text`, or its refusal. @returns false when it is not JSON. */
function readItem(text: Buffer, {index, ...origin}: ItemOrigin, {writer, taker, refused}: ItemTakers): boolean {
  if (isTooLong(text)) {
    if (!isJson(text)) return false;
    refused.push(refusedUnparsed(text, index));
    return true;
  }
  const event = parseJson(text);
  if (event === undefined) return false;
  const refusal = encode(event, {...origin, inexact: inexactNumber(text)}, writer, taker);
  if (refusal !== undefined) refused.push(refusedItem(index, refusal, event));
  return true;
}

/** An event that exceeds its bound for certain must not cost a parse. */
const isTooLong = (text: Buffer): boolean => text.length > eventBytesMax && compactBytesMin(text) > eventBytesMax;

/** Fields that the refusal of an event names. */
const namedFields = new Set(['event', 'messageId']);

/** The refusal of an event that is too long. Of its fields only those are parsed that the refusal names. */
function refusedUnparsed(text: Buffer, index: number): RefusedItem {
  const named: Record<string, unknown> = {};
  const members = new ObjectMembers(text);
  if (members.peek() !== token.openBrace) return refusedItem(index, refusals.object, undefined);
  members.takeAll((key) => {
    const raw = members.takeRaw();
    if (namedFields.has(key)) named[key] = raw.length > eventBytesMax ? undefined : parseJson(raw);
    return true;
  });
  return refusedItem(index, refusals.size, named);
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
