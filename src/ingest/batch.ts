// A batch body: JSON to entries, event by event. The same code on the edge thread and in the worker for large bodies.
import {isUtf8} from 'node:buffer';
import type {ByteWriter} from '../../actors/codec/bytes.js';
import {writeEvent} from '../../actors/codec/entries.js';
import {batchEventsMax} from '../../actors/limits.js';
import {type BatchEntries, EntryList} from './batch-entries.js';
import {threadKernel as kernel, kernelBodyBytesMax} from './batch-kernel.js';
import {notJson, parseJson} from './json-text.js';
import {PlainBatch, type PlainReader} from './plain-batch.js';
import type {Refusal} from './refusals.js';
import {EventDraft, isJsonObject, isMessageId, readEvent} from './validate.js';

export interface RefusedItem {
  readonly index: number;
  readonly refusal: Refusal;
  /** As the client gave it, where it is one. */
  readonly messageId?: string;
}

export type BatchReading = {readonly kind: 'not_json' | 'no_object' | 'no_events' | 'too_many'} | BatchRead;

export interface BatchRead {
  readonly kind: 'read';
  readonly eventCount: number;
  readonly refused: readonly RefusedItem[];
  /** Of the events that are not refused. Valid until the next batch is read. */
  readonly entries: BatchEntries;
}

const draft = new EventDraft();
const list = new EntryList();
const plain = new PlainBatch(list);

/** What reads a plain body of so many bytes best on this machine. */
const readerFor = (bytes: number): PlainReader => (kernel === undefined || bytes > kernelBodyBytesMax ? plain : kernel);

export function readBatch(bytes: Buffer, receivedMs: number, partitionCount: number): BatchReading {
  return readPlain(bytes, receivedMs, partitionCount) ?? readParsed(bytes, receivedMs, partitionCount);
}

/**
 * The same for a thread that must not stall: undefined when more than `parseBytesMax` would have to be parsed. What is
 * plain is read in any length.
 */
export function readCheapBatch(
  bytes: Buffer,
  receivedMs: number,
  partitionCount: number,
  parseBytesMax: number,
): BatchReading | undefined {
  const reading = readPlain(bytes, receivedMs, partitionCount, parseBytesMax);
  if (reading !== undefined || bytes.length > parseBytesMax) return reading;
  return readParsed(bytes, receivedMs, partitionCount);
}

/** Undefined when the body is to be parsed as a whole, or more than `parseBytesMax` of it. */
export function readPlain(
  bytes: Buffer,
  receivedMs: number,
  partitionCount: number,
  parseBytesMax = Number.POSITIVE_INFINITY,
  reader = readerFor(bytes.length),
): BatchRead | undefined {
  if (!isUtf8(bytes)) return undefined;
  const refused: RefusedItem[] = [];
  let parsedBytes = 0;
  const entries = reader.read(bytes, receivedMs, partitionCount, (text, index, writer) => {
    parsedBytes += text.length;
    if (parsedBytes > parseBytesMax) return false;
    const event = parseJson(text);
    if (event === notJson) return false;
    encode(event, index, receivedMs, writer, refused);
    return true;
  });
  return entries && {kind: 'read', eventCount: reader.eventCount, refused, entries};
}

export function readParsed(bytes: Buffer, receivedMs: number, partitionCount: number): BatchReading {
  const body = parseJson(bytes);
  if (body === notJson) return {kind: 'not_json'};
  if (!isJsonObject(body)) return {kind: 'no_object'};
  const {events} = body;
  if (!Array.isArray(events) || events.length === 0) return {kind: 'no_events'};
  if (events.length > batchEventsMax) return {kind: 'too_many'};
  const refused: RefusedItem[] = [];
  list.clear();
  for (let index = 0; index < events.length; index++) {
    encode(events[index], index, receivedMs, list.writer, refused);
    list.endEvent();
  }
  return {kind: 'read', eventCount: events.length, refused, entries: list.group(partitionCount)};
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
