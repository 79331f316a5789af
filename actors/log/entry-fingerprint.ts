// Decides when two entries are the same: by message id, and by content.
//   Message ids of secret keys are a scope of their own. Everyone can send with a public key, so an id that came with one says
//   nothing about what a server sends: it suppresses no entry of a secret key.
//   The content of an event or identify is what a retry repeats: name or traits, ids, properties in their order, and the time as
//   sent, if there is one. Receipt, correction and context are not part of it: they differ between two tries.

import {equalRanges, viewOf} from '../bytes/byte-ranges.js';
import {hashBytes, hashUint32, hashWords} from '../bytes/hash.js';
import {entryKind} from './entries.js';
import type {EntryView} from './entry-view.js';

/** Message ids of identifies are a scope of their own: an event of the same user may have an equal one. 'iden' */
const identifyDomain = 0x6964656e;
/** An identify call has an entry of each kind if it also sets traits once: both have its message id. 'once' */
const onceDomain = 0x6f6e6365;
/** 'secr' */
const secretDomain = 0x73656372;

/** What of an entry identifies it. */
export type Identified = Pick<
  EntryView,
  'kind' | 'timeMs' | 'isSecret' | 'bytes' | 'keyStart' | 'keyEnd' | 'messageIdStart' | 'messageIdEnd'
>;

/** Keyed 96-bit fingerprint of (kind of entry, kind of key, user, message id), written to `words`. */
export function fingerprint(entry: Identified, seeds: readonly [number, number, number], words: Uint32Array): void {
  const ofKind = entry.kind !== entryKind.identify ? 0 : entry.timeMs < 0 ? onceDomain : identifyDomain;
  const domain = ofKind ^ (entry.isSecret ? secretDomain : 0);
  words[0] = seeds[0] ^ domain;
  words[1] = seeds[1] ^ domain;
  words[2] = seeds[2] ^ domain;
  hashWords(entry.bytes, entry.keyStart, entry.keyEnd, words);
  words[0] ^= seeds[0];
  words[1] ^= seeds[1];
  words[2] ^= seeds[2];
  hashWords(entry.bytes, entry.messageIdStart, entry.messageIdEnd, words);
}

/** Keyed 16-bit hash of the content. */
export function contentHash(entry: EntryView, seed: number): number {
  const {bytes, pairsStart} = entry;
  // The content of an identify has no time: each try corrects it by another amount.
  const sentMs = entry.kind === entryKind.event ? entry.sentMs : undefined;
  let hash = hashBytes(bytes, entry.keyStart, entry.textEnd, seed);
  if (entry.anonymousIdEnd > 0) hash = hashBytes(bytes, entry.anonymousIdStart, entry.anonymousIdEnd, hash);
  if (pairsStart < entry.payloadEnd) hash = hashBytes(bytes, pairsStart, entry.payloadEnd, hash + 1);
  if (sentMs !== undefined) hash = hashUint32(hash ^ hashUint32(sentMs >>> 0) ^ Math.floor(sentMs / 2 ** 32));
  return hash & 0xffff;
}

/** Whether two entries in the same bytes have the same content. */
export const sameContent = (a: EntryView, b: EntryView): boolean =>
  a.sentMs === b.sentMs &&
  sameRange(a.bytes, a.keyStart, a.textEnd, b.keyStart, b.textEnd) &&
  sameRange(a.bytes, a.anonymousIdStart, a.anonymousIdEnd, b.anonymousIdStart, b.anonymousIdEnd) &&
  sameRange(a.bytes, a.pairsStart, a.payloadEnd, b.pairsStart, b.payloadEnd);

/** Whether two entries in the same bytes have the same user and message id. */
export const sameMessageId = (a: EntryView, b: EntryView): boolean =>
  sameRange(a.bytes, a.keyStart, a.keyEnd, b.keyStart, b.keyEnd) &&
  sameRange(a.bytes, a.messageIdStart, a.messageIdEnd, b.messageIdStart, b.messageIdEnd);

function sameRange(bytes: Uint8Array, aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  const view = viewOf(bytes);
  return aEnd - aStart === bEnd - bStart && equalRanges(view, aStart, view, bStart, aEnd - aStart);
}
