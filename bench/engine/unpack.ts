// F5: the least that anybody who reads a log message must do. Every entry is found, and every field and property of it.

import {MessageCursor, PropertyCursor} from '../../actors/log/entries.js';

/** Kept, so that no compiler finds the work useless. */
export const unpacked = {valueEnds: 0};

/** Returns the number of entries. */
export function unpackMessage(bytes: Uint8Array): number {
  const cursor = new MessageCursor(bytes);
  const properties = new PropertyCursor(bytes);
  let [entries, ends] = [0, 0];
  while (cursor.next()) {
    entries += 1;
    properties.open(cursor.entry.propertiesStart);
    while (properties.next()) ends += properties.valueEnd;
  }
  unpacked.valueEnds += ends;
  return entries;
}
