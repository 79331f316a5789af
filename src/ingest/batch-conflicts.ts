// Events of one batch that have the messageId of another one before, of the same user, though they are other events.
//   BC1. The log takes them all, and the fold keeps the first: these are told to the client while it still knows what it sent.
//   BC2. A batch without message ids costs a look at a byte of each entry, one with them a hash of each id.
import {EntryView, entryHasMessageId, messageIdHash, sameContent, sameMessageId} from '../../actors/codec/entries.js';
import {assert} from '../../actors/invariant.js';
import {batchEventsMax} from '../../actors/limits.js';
import type {BatchEntries} from './batch-entries.js';

/** A power of two. */
const places = 2_048;
assert(places >= 2 * batchEventsMax, 'a search ends at a free place');

/** Of the first entry with a user and message id: where it begins, + 1 (0: the place is free), and the hash of both. */
const begins = new Uint32Array(places);
const hashes = new Uint32Array(places);

/** Indexes in the batch of those that are not the first, ascending. BC1 */
export function conflictsOf(entries: BatchEntries, partitionCount: number): readonly number[] {
  const {bytes, firsts, starts, ends, indexes} = entries;
  const found: number[] = [];
  let isCleared = false;
  for (let partition = 0; partition < partitionCount; partition++) {
    let start = starts[partition];
    for (let entry = firsts[partition]; entry < firsts[partition + 1]; start = ends[entry++]) {
      if (!entryHasMessageId(bytes, start)) continue;
      if (!isCleared) begins.fill(0);
      isCleared = true;
      if (isConflict(bytes, start)) found.push(indexes[entry]);
    }
  }
  return found.sort((a, b) => a - b);
}

/** Whether another entry with its id came before; if none did, it is the first. */
function isConflict(bytes: Uint8Array, start: number): boolean {
  const hash = messageIdHash(bytes, start);
  let place = hash % places;
  for (; begins[place] > 0; place = (place + 1) % places) {
    if (hashes[place] !== hash) continue;
    const first = entryAt(bytes, begins[place] - 1);
    const entry = entryAt(bytes, start);
    if (sameMessageId(first, entry)) return !sameContent(first, entry);
  }
  begins[place] = start + 1;
  hashes[place] = hash;
  return false;
}

function entryAt(bytes: Uint8Array, start: number): EntryView {
  const entry = new EntryView(bytes);
  entry.moveTo(start);
  return entry;
}
