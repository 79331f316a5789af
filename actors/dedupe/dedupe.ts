// Counted once: which message ids a partition has seen, and which belonged to erased users.
//   Owns:    both sets, what they gained since the last cut, conflicts.
//   Does not own: what an entry does once it is admitted (partition.ts), nor logical time, which its callers pass.
//
//   DD1. An id is remembered for `dedupeMs` of logical time, or as long as memory suffices; that of an erased event without a
//        bound of memory, as the event would come back with what was dropped.

import {dayMs, dedupeMs, tombstoneMs} from '../limits.js';
import {contentHash, type EntryView, entryKind, fingerprint} from '../log/entries.js';
import {Conflicts} from './conflicts.js';
import {FingerprintSet, fingerprintWords} from './fingerprints.js';
import {addFresh, type FreshFingerprints, StoredFingerprints} from './fresh-fingerprints.js';

/** `first`: it is applied. `duplicate`: its id was there before. `erased`: its id was that of an erased event. */
type Admission = 'first' | 'duplicate' | 'erased';

interface EncodedFingerprints {
  readonly logicalDay: number;
  readonly count: number;
  readonly payload: Uint8Array;
}

/** What a snapshot adds to the sets. What is iterable is iterated once. */
export interface DedupeCut {
  /** New message ids that are remembered, the newest last. */
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
  /** Duplicates that were no retries. */
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

  /** The entry has a message id, which is remembered from now on. */
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

  /** The ids of events and identifies that were erased: copies that come later are not counted. */
  addErased(prints: readonly Uint32Array[], logicalMs: number): void {
    const day = Math.floor(logicalMs / dayMs);
    for (const print of prints) if (this.tombstones.add(print, 0, day)) addFresh(this.freshTombstones, print, day);
  }

  expire(logicalMs: number): void {
    this.messageIds.expireBefore(Math.floor((logicalMs - dedupeMs) / dayMs));
    this.tombstones.expireBefore(this.erasedFromDay(logicalMs));
  }

  /** Erased ids of earlier logical days are remembered no more. */
  erasedFromDay(logicalMs: number): number {
    return Math.floor((logicalMs - tombstoneMs) / dayMs);
  }

  /** Logical time back to which every message id is remembered: less than `dedupeMs` once memory did not suffice. */
  windowMs(logicalMs: number): number {
    return Math.min(dedupeMs, Math.max(0, logicalMs - this.messageIds.heldFromDay * dayMs));
  }

  /** As `windowMs`, for a snapshot: the first day of which all ids are remembered; null: they are all there. */
  get heldFromDay(): number | null {
    return Number.isFinite(this.messageIds.heldFromDay) ? this.messageIds.heldFromDay : null;
  }

  cut(): DedupeCut {
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
   * Call it for each part, oldest first. `forgotten`: number of ids that the snapshot no longer remembers and the parts still
   * hold; they are the oldest ones, and are skipped. An id that was forgotten and came again is stored where it came last.
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

/** The newest `held` of them at most: the others are forgotten already. */
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
