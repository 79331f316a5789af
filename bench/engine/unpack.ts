// F5: the least work of any reader of a log message: it finds every entry, and every field and property of it.

import {MessageCursor, PropertyCursor} from '../../actors/log/entry-view.js';

/** Sink: without a use the JIT would drop the work. */
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
