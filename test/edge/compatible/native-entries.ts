// What a request became, in the words of the API and in the order of its calls.

import {entryKind} from '../../../actors/log/entries.js';
import {EntryView, propertiesJson} from '../../../actors/log/entry-view.js';
import {type CallsRead, type CallsReading, readCalls} from '../../../src/edge/compatible/reading.js';
import type {CallForm} from '../../../src/edge/compatible/translator.js';
import {forEachStart} from '../../../src/ingest/batch-entries.js';

export const receivedMs = Date.UTC(2026, 10, 26, 12);
const partitionCount = 4;

export const read = (body: Buffer | string | object, form: CallForm): CallsReading =>
  readCalls(
    Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    form,
    receivedMs,
    partitionCount,
  );

export function readAll(
  body: Buffer | string | object,
  form: CallForm,
): CallsRead & {readonly key?: string | undefined} {
  const reading = read(body, form);
  if (reading.kind !== 'read') throw new Error(`${reading.kind}`);
  return reading;
}

export interface NativeEntry {
  /** Index of its call. */
  readonly call: number;
  readonly event?: string;
  readonly traits?: unknown;
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
    ...(view.isTimed && {time: new Date(Math.abs(view.timeMs)).toISOString()}),
  };
}

function contentOf(view: EntryView): Partial<NativeEntry> {
  if (view.kind === entryKind.identify) return {traits: JSON.parse(view.text())};
  const context = view.contextJson();
  const properties =
    view.propertiesStart === 0 ? undefined : JSON.parse(propertiesJson(view.bytes, view.propertiesStart));
  return {
    event: view.text(),
    ...(properties !== undefined && Object.keys(properties).length > 0 && {properties}),
    ...(context !== undefined && {context: JSON.parse(context)}),
  };
}
