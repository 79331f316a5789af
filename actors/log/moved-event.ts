// The entry of an event whose time is moved (src/ingest/request-order.ts).

import type {ByteWriter} from '../bytes/bytes.js';
import {isoText} from '../calendar.js';
import type {Context} from './context.js';
import {beginUserEntry, endEntry, entryKind, eventFlag, originalTimestamp, writeContextRest} from './entries.js';
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
  const pairs = new PropertyCursor(bytes);
  const count = pairs.open(entry.propertiesStart);
  writer.varint(pairs.isAtContextRest ? count : count + 1);
  const rest = pairs.isAtContextRest && pairs.next() ? (pairs.json() as Context) : undefined;
  writeContextRest(writer, {...rest, [originalTimestamp]: isoText(sentMs)});
  if (entry.propertiesStart > 0) writer.raw(bytes, pairs.position, entry.payloadEnd);
}
