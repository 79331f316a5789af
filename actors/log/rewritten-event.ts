// Writes the entry of an event again: with another time (src/ingest/request-order.ts), or with more members in its context
// (src/ingest/web-context.ts).

import type {ByteWriter} from '../bytes/bytes.js';
import {isoText} from '../calendar.js';
import type {Context, Members} from './context.js';
import {
  beginUserEntry,
  endEntry,
  entryKind,
  eventFlag,
  originalTimestamp,
  writeContextRest,
  writeMembers,
} from './entries.js';
import {type EntryView, PropertyCursor} from './entry-view.js';

/** Appends the event with another time, epoch ms. A time that the client sent stands in its context, as that of a corrected event. */
export function writeMovedEvent(writer: ByteWriter, entry: EntryView, timeMs: number): void {
  const {sentMs} = entry;
  const isCorrected = sentMs !== undefined;
  const start = beginRewritten(writer, entry, timeMs, isCorrected ? eventFlag.corrected | eventFlag.properties : 0);
  if (isCorrected) {
    const sentTime = {[originalTimestamp]: isoText(sentMs)};
    writeWithContext(writer, entry, (rest) => ({...rest, ...sentTime}), []);
  } else {
    const keyLengthBytes = entry.keyEnd - entry.keyStart > 0x7f ? 2 : 1;
    writer.raw(entry.bytes, entry.keyStart - keyLengthBytes, entry.payloadEnd);
  }
  endEntry(writer, start);
}

/** Appends the event with more members of its context; it has none of these. `restOf`: another rest, where it is to change. */
export function writeCompletedEvent(
  writer: ByteWriter,
  entry: EntryView,
  members: Members,
  restOf?: (rest: Context) => Context,
): void {
  const start = beginRewritten(writer, entry, entry.timeMs, eventFlag.properties);
  writeWithContext(writer, entry, restOf && ((rest) => rest && restOf(rest)), members);
  endEntry(writer, start);
}

/** @returns the start of the entry. `flags`: further ones. */
function beginRewritten(writer: ByteWriter, entry: EntryView, timeMs: number, flags: number): number {
  const start = beginUserEntry(writer, entryKind.event, entry.flags | flags, timeMs, entry.receivedMs);
  writer.reserve(entry.payloadEnd - entry.payloadStart);
  return start;
}

/** `restOf`: the rest of the context, out of the present one; undefined: it stays. */
function writeWithContext(
  writer: ByteWriter,
  entry: EntryView,
  restOf: ((rest: Context | undefined) => Context | undefined) | undefined,
  members: Members,
): void {
  const {bytes} = entry;
  writer.stringBytes(bytes, entry.keyStart, entry.keyEnd);
  writer.stringBytes(bytes, entry.textStart, entry.textEnd);
  if (entry.hasMessageId) writer.stringBytes(bytes, entry.messageIdStart, entry.messageIdEnd);
  if (entry.anonymousIdEnd > 0) writer.stringBytes(bytes, entry.anonymousIdStart, entry.anonymousIdEnd);
  const pairs = new PropertyCursor(bytes);
  const count = pairs.open(entry.propertiesStart) + members.length;
  if (restOf === undefined) writer.varint(count);
  else {
    const present = pairs.isAtContextRest && pairs.next() ? (pairs.json() as Context) : undefined;
    const rest = restOf(present);
    writer.varint(count + (rest === undefined ? 0 : 1) - (present === undefined ? 0 : 1));
    if (rest !== undefined) writeContextRest(writer, rest);
  }
  const contextStart = pairs.position;
  pairs.passContext();
  if (entry.propertiesStart > 0) writer.raw(bytes, contextStart, pairs.position);
  writeMembers(writer, members);
  if (entry.propertiesStart > 0) writer.raw(bytes, pairs.position, entry.payloadEnd);
}
