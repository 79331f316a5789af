// The entry of an event that moves to the partition of its owner (actors/identity/moves.ts).

import type {ByteWriter} from '../bytes/bytes.js';
import {beginUserEntry, endEntry, entryKind, eventFlag, originKey, valueTag} from './entries.js';
import {type EntryView, PropertyCursor} from './entry-view.js';

/**
 * Appends the event of an anonymous user as one of its owner, whose key is `owner`. `origin`: its id, `<partition>-<ordinal>`.
 */
export function writeArrivedEvent(writer: ByteWriter, entry: EntryView, owner: Uint8Array, origin: string): void {
  const {bytes} = entry;
  const flags = entry.flags | eventFlag.anonymousId | eventFlag.properties;
  const start = beginUserEntry(writer, entryKind.event, flags, entry.timeMs, entry.receivedMs);
  writer.reserve(entry.payloadEnd - entry.payloadStart + owner.length + origin.length + 32);
  writer.stringBytes(owner, 0, owner.length);
  writer.stringBytes(bytes, entry.textStart, entry.textEnd);
  if (entry.hasMessageId) writer.stringBytes(bytes, entry.messageIdStart, entry.messageIdEnd);
  writer.stringBytes(bytes, entry.keyStart + 1, entry.keyEnd);
  const pairs = new PropertyCursor(bytes);
  writer.varint(pairs.open(entry.propertiesStart) + 1);
  const contextStart = pairs.position;
  pairs.passContext();
  if (entry.propertiesStart > 0) writer.raw(bytes, contextStart, pairs.position);
  writer.stringBytes(originKey, 0, originKey.length);
  writer.u8(valueTag.text);
  writer.string(origin);
  if (entry.propertiesStart > 0) writer.raw(bytes, pairs.position, entry.payloadEnd);
  endEntry(writer, start);
}
