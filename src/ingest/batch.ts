// A batch body: JSON to entries, event by event. The same code on the edge thread and in the worker for large bodies.
import type {ByteWriter} from '../../actors/codec/bytes.js';
import {partitionOfEntry, writeEvent} from '../../actors/codec/entries.js';
import {batchEventsMax} from '../../actors/limits.js';
import {notJson, parseJson} from './json-text.js';
import {PlainBatch} from './plain-batch.js';
import type {Refusal} from './refusals.js';
import {EventDraft, isJsonObject, isMessageId, readEvent} from './validate.js';

/** Gets the entry of the event at `index` as `bytes[start, end)`; valid until the next batch is read. */
export type EntrySink = (bytes: Uint8Array, start: number, end: number, partition: number, index: number) => void;

export interface RefusedItem {
  readonly index: number;
  readonly refusal: Refusal;
  /** As the client gave it, where it is one. */
  readonly messageId?: string;
}

export type BatchReading =
  | {readonly kind: 'not_json' | 'no_object' | 'no_events' | 'too_many'}
  | {readonly kind: 'read'; readonly eventCount: number; readonly refused: readonly RefusedItem[]};

const draft = new EventDraft();
const plain = new PlainBatch();

/** Nothing reaches `sink` unless the batch as a whole is in order. */
export function readBatch(bytes: Buffer, receivedMs: number, partitionCount: number, sink: EntrySink): BatchReading {
  const reading = readPlain(bytes, receivedMs) ?? readParsed(bytes, receivedMs);
  if (reading.kind === 'read') emit(reading.eventCount, partitionCount, sink);
  return reading;
}

/**
 * The same for a thread that must not stall: undefined, and nothing happened, when more than `parseBytesMax` would have
 * to be parsed. What is plain is read in any length.
 */
export function readCheapBatch(
  bytes: Buffer,
  receivedMs: number,
  partitionCount: number,
  parseBytesMax: number,
  sink: EntrySink,
): BatchReading | undefined {
  let reading = readPlain(bytes, receivedMs, parseBytesMax);
  if (reading === undefined && bytes.length > parseBytesMax) return undefined;
  reading ??= readParsed(bytes, receivedMs);
  if (reading.kind === 'read') emit(reading.eventCount, partitionCount, sink);
  return reading;
}

/** Undefined when the body is to be parsed as a whole, or more than `parseBytesMax` of it. */
export function readPlain(
  bytes: Buffer,
  receivedMs: number,
  parseBytesMax = Number.POSITIVE_INFINITY,
): BatchReading | undefined {
  const refused: RefusedItem[] = [];
  let parsedBytes = 0;
  const isRead = plain.read(bytes, receivedMs, (text, index, entries) => {
    parsedBytes += text.length;
    if (parsedBytes > parseBytesMax) return false;
    const event = parseJson(text);
    if (event === notJson) return false;
    encode(event, index, receivedMs, entries, refused);
    return true;
  });
  return isRead ? {kind: 'read', eventCount: plain.eventCount, refused} : undefined;
}

export function readParsed(bytes: Buffer, receivedMs: number): BatchReading {
  const body = parseJson(bytes);
  if (body === notJson) return {kind: 'not_json'};
  if (!isJsonObject(body)) return {kind: 'no_object'};
  const {events} = body;
  if (!Array.isArray(events) || events.length === 0) return {kind: 'no_events'};
  if (events.length > batchEventsMax) return {kind: 'too_many'};
  const refused: RefusedItem[] = [];
  plain.entries.position = 0;
  for (let index = 0; index < events.length; index++) {
    encode(events[index], index, receivedMs, plain.entries, refused);
    plain.ends[index] = plain.entries.position;
  }
  return {kind: 'read', eventCount: events.length, refused};
}

function encode(event: unknown, index: number, receivedMs: number, entries: ByteWriter, refused: RefusedItem[]): void {
  const refusal = readEvent(event, receivedMs, draft);
  if (refusal === undefined) writeEvent(entries, draft);
  else refused.push(refusedItem(index, refusal, event));
}

function refusedItem(index: number, refusal: Refusal, event: unknown): RefusedItem {
  const messageId = isJsonObject(event) ? event.messageId : undefined;
  return isMessageId(messageId) ? {index, refusal, messageId} : {index, refusal};
}

/** Hands on the entries in order; a refused event has none. */
function emit(eventCount: number, partitionCount: number, sink: EntrySink): void {
  const {bytes} = plain.entries;
  let start = 0;
  for (let index = 0; index < eventCount; index++) {
    const end = plain.ends[index];
    if (end > start) sink(bytes, start, end, partitionOfEntry(bytes, start, partitionCount), index);
    start = end;
  }
}
