// Deduplication: the message ids that a partition has seen, and those of erased users.
//   Owns:    both sets, the ids added to them since the last snapshot, conflicts.
//   Does not own: what an entry does once it is admitted (partition.ts), nor logical time, which its callers pass.
//
//   DD1. An id is remembered for `dedupeMs` of logical time, or for as long as memory suffices. The id of an erased event has
//        no bound of memory: if it were dropped, a late copy would bring the event back.

import {dayMs, dedupeMs, tombstoneMs} from '../limits.js';
import {entryKind} from '../log/entries.js';
import {contentHash, fingerprint} from '../log/entry-fingerprint.js';
import type {EntryView} from '../log/entry-view.js';
import {Conflicts} from './conflicts.js';
import {FingerprintSet, fingerprintWords} from './fingerprints.js';
import {addFresh, type FreshFingerprints, StoredFingerprints} from './fresh-fingerprints.js';

/** `first`: the entry is applied. `duplicate`: its id is known. `erased`: its id is that of an erased event. */
type Admission = 'first' | 'duplicate' | 'erased';

interface EncodedFingerprints {
  readonly logicalDay: number;
  readonly count: number;
  readonly payload: Uint8Array;
}

/** Ids that a snapshot adds to the stored ones. The iterables can be read once. */
export interface DedupeDelta {
  /** New message ids that the set still holds, the newest last. */
  readonly fingerprints: Iterable<EncodedFingerprints>;
  /** New fingerprints of erased events. */
  readonly erasedIds: Iterable<EncodedFingerprints>;
}

export class Dedupe {
  readonly messageIds: FingerprintSet;
  private freshIds: FreshFingerprints[] = [];
  /** Fingerprints of the ids of erased events and identifies. DD1 */
  readonly tombstones = new FingerprintSet(Number.POSITIVE_INFINITY);
  private freshTombstones: FreshFingerprints[] = [];
  /** Duplicates that were not retries. */
  readonly conflicts = new Conflicts();
  /** Scratch: the fingerprint of the entry in `admit`. */
  private readonly print = new Uint32Array(fingerprintWords);

  /** `seeds`: the deployment's secret, which keys the fingerprints. `bytesMax`: memory of message ids. */
  constructor(
    private readonly seeds: readonly [number, number, number],
    bytesMax: number,
  ) {
    this.messageIds = new FingerprintSet(bytesMax);
  }

  /** Admits an entry that has a message id, and remembers that id. */
  admit(entry: EntryView, logicalMs: number): Admission {
    const {print} = this;
    fingerprint(entry, this.seeds, print);
    if (this.tombstones.count > 0 && this.tombstones.has(print)) return 'erased';
    const day = Math.floor(logicalMs / dayMs);
    const content = contentHash(entry, this.seeds[0]);
    if (!this.messageIds.add(print, 0, day, content)) {
      if (this.messageIds.contentOf(print) !== content) this.noteConflict(entry);
      return 'duplicate';
    }
    addFresh(this.freshIds, print, day, content);
    return 'first';
  }

  private noteConflict(entry: EntryView): void {
    this.conflicts.add({timeMs: entry.receivedMs, event: entry.kind === entryKind.event ? entry.text() : null});
  }

  fingerprintOf(entry: EntryView): Uint32Array {
    const words = new Uint32Array(fingerprintWords);
    fingerprint(entry, this.seeds, words);
    return words;
  }

  /** Remembers the ids of erased events and identifies: late copies of these are not counted. */
  addErased(prints: readonly Uint32Array[], logicalMs: number): void {
    const day = Math.floor(logicalMs / dayMs);
    for (const print of prints) if (this.tombstones.add(print, 0, day)) addFresh(this.freshTombstones, print, day);
  }

  expire(logicalMs: number): void {
    this.messageIds.expireBefore(Math.floor((logicalMs - dedupeMs) / dayMs));
    this.tombstones.expireBefore(this.erasedFromDay(logicalMs));
  }

  /** Logical day from which erased ids are remembered. */
  erasedFromDay(logicalMs: number): number {
    return Math.floor((logicalMs - tombstoneMs) / dayMs);
  }

  /** How far back, in logical ms, every message id is remembered: less than `dedupeMs` when memory does not suffice. */
  windowMs(logicalMs: number): number {
    return Math.min(dedupeMs, Math.max(0, logicalMs - this.messageIds.heldFromDay * dayMs));
  }

  /** First logical day of which the set holds all ids, for a snapshot; null: it dropped none for lack of memory. */
  get heldFromDay(): number | null {
    return Number.isFinite(this.messageIds.heldFromDay) ? this.messageIds.heldFromDay : null;
  }

  freeze(): DedupeDelta {
    const cut = {
      fingerprints: encodeFresh(this.freshIds, this.messageIds.count),
      erasedIds: encodeFresh(this.freshTombstones),
    };
    this.freshIds = [];
    this.freshTombstones = [];
    return cut;
  }

  restoreHeldFromDay(day: number | null): void {
    this.messageIds.heldFromDay = Math.max(this.messageIds.heldFromDay, day ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * Called for each part, oldest first. `forgotten`: number of ids that the parts hold and the snapshot no longer remembers: the
   * oldest ones, which are skipped. An id that was forgotten and came again is in the part of its last insertion.
   * @returns how many ids the next parts must still skip.
   */
  restoreMessageIds(day: number, payload: Uint8Array, forgotten: number): number {
    const stored = new StoredFingerprints(payload);
    const first = Math.min(forgotten, stored.count);
    stored.forEach(first, (print, content) => this.messageIds.add(print, 0, day, content));
    return forgotten - first;
  }

  restoreErasedIds(day: number, payload: Uint8Array): void {
    const stored = new StoredFingerprints(payload);
    this.tombstones.reserve(stored.count);
    stored.forEach(0, (print) => this.tombstones.add(print, 0, day));
  }
}

/** Encodes the newest `held` fingerprints at most: the set has forgotten the others. */
function* encodeFresh(
  fresh: readonly FreshFingerprints[],
  held = Number.POSITIVE_INFINITY,
): Generator<EncodedFingerprints> {
  let forgotten = Math.max(0, fresh.reduce((sum, {count}) => sum + count, 0) - held);
  for (const ofDay of fresh) {
    const skipped = Math.min(forgotten, ofDay.count);
    forgotten -= skipped;
    const count = ofDay.count - skipped;
    if (count > 0) yield {logicalDay: ofDay.day, count, payload: ofDay.bytesFrom(skipped)};
  }
}
