// The entry of an event whose time is moved (src/ingest/request-order.ts).

import type {ByteWriter} from '../bytes/bytes.js';
import {isoText} from '../calendar.js';
import {
  beginUserEntry,
  contextKey,
  endEntry,
  entryKind,
  eventFlag,
  type Json,
  originalTimestamp,
  valueTag,
} from './entries.js';
import {type EntryView, PropertyCursor} from './entry-view.js';

/** Appends the event with another time, epoch ms. A time that the client sent stands in its context, as that of a corrected event. */
export function writeMovedEvent(writer: ByteWriter, entry: EntryView, timeMs: number): void {
  const {bytes, sentMs} = entry;
  const flags = sentMs === undefined ? entry.flags : entry.flags | eventFlag.corrected | eventFlag.properties;
  const start = beginUserEntry(writer, entryKind.event, flags, timeMs, entry.receivedMs);
  writer.reserve(entry.payloadEnd - entry.payloadStart);
  if (sentMs === undefined)
    writer.raw(bytes, entry.keyStart - lengthBytes(entry.keyEnd - entry.keyStart), entry.payloadEnd);
  else writeWithSentTime(writer, entry, sentMs);
  endEntry(writer, start);
}

/** Bytes of the varint before a string of this length. */
const lengthBytes = (length: number): number => (length > 0x7f ? 2 : 1);

function writeWithSentTime(writer: ByteWriter, entry: EntryView, sentMs: number): void {
  const {bytes} = entry;
  writer.stringBytes(bytes, entry.keyStart, entry.keyEnd);
  writer.stringBytes(bytes, entry.textStart, entry.textEnd);
  if (entry.hasMessageId) writer.stringBytes(bytes, entry.messageIdStart, entry.messageIdEnd);
  if (entry.anonymousIdEnd > 0) writer.stringBytes(bytes, entry.anonymousIdStart, entry.anonymousIdEnd);
  const context = JSON.parse(entry.contextJson() ?? '{}') as {[key: string]: Json};
  const pairs = new PropertyCursor(bytes);
  const count = pairs.open(entry.propertiesStart);
  writer.varint(pairs.isAtContext ? count : count + 1);
  pairs.passContext();
  writer.stringBytes(contextKey, 0, contextKey.length);
  writer.u8(valueTag.json);
  writer.string(JSON.stringify({...context, [originalTimestamp]: isoText(sentMs)}));
  if (entry.propertiesStart > 0) writer.raw(bytes, pairs.position, entry.payloadEnd);
}
