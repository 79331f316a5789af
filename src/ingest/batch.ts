// A batch body: JSON to entries, event by event. The same code on the edge thread and in the worker for large bodies.
import {batchEventsMax} from '../../actors/limits.js';
import type {EntryEncoder} from './entry-encoder.js';
import {notJson, parseJson} from './json-text.js';
import type {Refusal} from './refusals.js';
import {EventDraft, isJsonObject, isMessageId, readEvent} from './validate.js';

/** Gets the entry in `encoder` of the event at `index`; the next one overwrites it. */
export type EntrySink = (encoder: EntryEncoder, index: number) => void;

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

/** Nothing reaches `sink` unless the batch as a whole is in order. */
export function readBatch(bytes: Buffer, receivedMs: number, encoder: EntryEncoder, sink: EntrySink): BatchReading {
  const body = parseJson(bytes);
  if (body === notJson) return {kind: 'not_json'};
  if (!isJsonObject(body)) return {kind: 'no_object'};
  const {events} = body;
  if (!Array.isArray(events) || events.length === 0) return {kind: 'no_events'};
  if (events.length > batchEventsMax) return {kind: 'too_many'};
  const refused: RefusedItem[] = [];
  for (let index = 0; index < events.length; index++) {
    const refusal = readEvent(events[index], receivedMs, draft);
    if (refusal !== undefined) {
      refused.push(refusedItem(index, refusal, events[index]));
      continue;
    }
    encoder.event(draft);
    sink(encoder, index);
  }
  return {kind: 'read', eventCount: events.length, refused};
}

function refusedItem(index: number, refusal: Refusal, event: unknown): RefusedItem {
  const messageId = isJsonObject(event) ? event.messageId : undefined;
  return isMessageId(messageId) ? {index, refusal, messageId} : {index, refusal};
}
