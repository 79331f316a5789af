// Conflicts within a batch: events with the messageId of an earlier event of the same user, but other content.
//   BC1. The log takes all of them, and the fold keeps the first: the client is told while it still knows what it sent.
//   BC2. A batch without message ids costs reading a byte of each entry, one with them a hash of each id.
//   BC3. An id is compared with at most `comparedMax` others that have its hash. A client can make a thousand ids with one
//        hash, which took 300 ms. Only the fold finds conflicts of further ids.

import {assert} from '../../actors/invariant.js';
import {batchEventsMax} from '../../actors/limits.js';
import {entryHasMessageId, messageIdHash} from '../../actors/log/entries.js';
import {sameContent, sameMessageId} from '../../actors/log/entry-fingerprint.js';
import {EntryView} from '../../actors/log/entry-view.js';
import type {BatchEntries} from './batch-entries.js';

/** A power of two. */
const places = 2_048;
assert(places >= 2 * batchEventsMax, 'a search ends at a free place');

/** BC3. Two of a thousand honest ids have one hash in one of 10,000 batches. */
const comparedMax = 4;

/** Start + 1 of the first entry with a user and message id (0: the place is free), and the hash of the two. */
const begins = new Uint32Array(places);
const hashes = new Uint32Array(places);

/** Indexes in the batch of the conflicts, ascending. BC1 */
export function conflictsOf(entries: BatchEntries, partitionCount: number): readonly number[] {
  const {bytes, firsts, starts, ends, indexes} = entries;
  const found: number[] = [];
  let isCleared = false;
  for (let partition = 0; partition < partitionCount; partition++) {
    let start = starts[partition]!;
    for (let entry = firsts[partition]!; entry < firsts[partition + 1]!; start = ends[entry++]!) {
      if (!entryHasMessageId(bytes, start)) continue;
      if (!isCleared) begins.fill(0);
      isCleared = true;
      if (isConflict(bytes, start)) found.push(indexes[entry]!);
    }
  }
  return found.sort((a, b) => a - b);
}

/** Whether an earlier event has its id and other content; without an earlier one it becomes the first with that id. */
function isConflict(bytes: Uint8Array, start: number): boolean {
  const hash = messageIdHash(bytes, start);
  let place = hash % places;
  let compared = 0;
  for (; begins[place]! > 0; place = (place + 1) % places) {
    if (hashes[place] !== hash) continue;
    const first = entryAt(bytes, begins[place]! - 1);
    const entry = entryAt(bytes, start);
    if (sameMessageId(first, entry)) return !sameContent(first, entry);
    compared += 1;
    if (compared === comparedMax) return false;
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
