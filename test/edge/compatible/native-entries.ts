// What a request became, in the words of the API and in the order of its calls.

import {readFileSync} from 'node:fs';
import {entryKind} from '../../../actors/log/entries.js';
import {EntryView, propertiesJson} from '../../../actors/log/entry-view.js';
import {type CallsRead, type CallsReading, readCalls} from '../../../src/edge/compatible/reading.js';
import type {CallForm, Nameless} from '../../../src/edge/compatible/translator.js';
import {forEachStart} from '../../../src/ingest/batch-entries.js';

export const receivedMs = Date.UTC(2026, 10, 26, 12);
const partitionCount = 4;

export const read = (body: Buffer | string | object, form: CallForm, nameless?: Nameless): CallsReading =>
  readCalls(
    Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    [form],
    receivedMs,
    partitionCount,
    nameless,
  );

export function readAll(
  body: Buffer | string | object,
  form: CallForm,
  nameless?: Nameless,
): CallsRead & {readonly key?: string | undefined} {
  const reading = read(body, form, nameless);
  if (reading.kind !== 'read') throw new Error(`${reading.kind}`);
  return reading;
}

export interface NativeEntry {
  /** Index of its call. */
  readonly call: number;
  readonly event?: string;
  readonly traits?: unknown;
  /** The traits are set once. */
  readonly isOnce?: true;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly messageId?: string;
  /** Absent: the receipt. */
  readonly time?: string;
  readonly properties?: unknown;
  readonly context?: unknown;
}

export function entriesOf({entries, mixed}: CallsRead): NativeEntry[] {
  const found: NativeEntry[] = [];
  const view = new EntryView(entries.bytes);
  forEachStart(entries, partitionCount, (start, entry) => {
    view.moveTo(start);
    const index = entries.indexes[entry]!;
    found[index] = {call: mixed!.calls[index]!, ...idsOf(view), ...contentOf(view)};
  });
  return found;
}

function idsOf(view: EntryView): Partial<NativeEntry> {
  const key = view.userKey();
  const isUser = key.startsWith('u');
  const anonymousId = isUser ? (view.anonymousIdEnd > 0 ? view.anonymousId() : undefined) : key.slice(1);
  return {
    ...(isUser && {userId: key.slice(1)}),
    ...(anonymousId !== undefined && {anonymousId}),
    ...(view.hasMessageId && {messageId: view.messageId()}),
    ...(view.isTimed && view.timeMs !== -receivedMs && {time: new Date(Math.abs(view.timeMs)).toISOString()}),
  };
}

function contentOf(view: EntryView): Partial<NativeEntry> {
  if (view.kind === entryKind.identify)
    return {traits: JSON.parse(view.text()), ...(view.timeMs < 0 && {isOnce: true as const})};
  const context = view.contextJson();
  const properties =
    view.propertiesStart === 0 ? undefined : JSON.parse(propertiesJson(view.bytes, view.propertiesStart));
  return {
    event: view.text(),
    ...(properties !== undefined && Object.keys(properties).length > 0 && {properties}),
    ...(context !== undefined && {context: JSON.parse(context)}),
  };
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** What its query has, decoded. */
  readonly queryDecoded?: {readonly data: object};
}

/** Requests of a real client. */
export function recordedRequests(client: string): readonly RecordedRequest[] {
  const file = new URL(`./recordings/${client}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as {requests: readonly RecordedRequest[]}).requests;
}

/** Name or traits, ids, properties. */
export const short = ({event, traits, userId, anonymousId, properties}: NativeEntry) => [
  event ?? {traits},
  userId ?? null,
  anonymousId ?? null,
  ...(properties === undefined ? [] : [properties]),
];

/** Entries of one call, without its index. */
export const entriesOfOne = (call: object, form: CallForm): Omit<NativeEntry, 'call'>[] =>
  entriesOf(readAll([call], form)).map(({call: _, ...entry}) => entry);
