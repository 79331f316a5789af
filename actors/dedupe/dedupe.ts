// Deduplication: the message ids that a partition has seen, and those of erased users.
//   Owns:    both sets, the ids added to them since the last snapshot, conflicts.
//   Does not own: what an entry does once it is admitted (partition.ts), nor logical time, which its callers pass.
//
//   DD1. An id is remembered for `dedupeMs` of logical time, or for as long as memory suffices. The id of an erased event has
//        no bound of memory: if it were dropped, a late copy would bring the event back.

import {type Actor, bytesIn, type FrozenPart, jsonOf, jsonPart, type Moment, type Payload} from '../actor.js';
import {Journal, type JournalBlock} from '../journal.js';
import {dayMs, dedupeMs, tombstoneMs} from '../limits.js';
import {entryKind} from '../log/entries.js';
import {contentHash, fingerprint, type Identified} from '../log/entry-fingerprint.js';
import type {EntryView} from '../log/entry-view.js';
import {Conflicts} from './conflicts.js';
import {FingerprintSet, fingerprintWords} from './fingerprints.js';
import {addFresh, countIn, type FreshFingerprints, joinFingerprints, StoredFingerprints} from './fresh-fingerprints.js';

/** `first`: the entry is applied. `duplicate`: its id is known. `erased`: its id is that of an erased event. */
type Admission = 'first' | 'duplicate' | 'erased';

/** A part with this many message ids (12 MB) is not joined with others, so that it is removed once they are forgotten. */
const idsJoinedMax = 1_000_000;

/** Fingerprints of one logical day. */
interface EncodedFingerprints {
  readonly day: number;
  readonly count: number;
  readonly payload: Uint8Array;
}

/** Small state. `messageIds` and `erasedIds`: their parts, the newest last, each of one logical day. */
export interface DedupeState {
  /** Number of the oldest ids in the parts that are no longer remembered. */
  readonly forgotten: number;
  /** First logical day of which all message ids are held; null: none were dropped for lack of memory. */
  readonly heldFromDay: number | null;
  readonly messageIds: readonly JournalBlock<number>[];
  readonly erasedIds: readonly JournalBlock<number>[];
}

export class Dedupe implements Actor<EntryView> {
  readonly name = 'dedupe';
  readonly messageIds: FingerprintSet;
  private freshIds: FreshFingerprints[] = [];
  /** Fingerprints of the ids of erased events and identifies. DD1 */
  readonly tombstones = new FingerprintSet(Number.POSITIVE_INFINITY);
  private freshTombstones: FreshFingerprints[] = [];
  private readonly idParts = new Journal<number>('dedupe.ids');
  private readonly tombstoneParts = new Journal<number>('dedupe.erased');
  /** While a snapshot is restored: how many ids the next parts must still skip. */
  private skipped = 0;
  /** Duplicates that were not retries. */
  readonly conflicts = new Conflicts();
  /** Scratch: the fingerprint of the entry in `apply`. */
  private readonly print = new Uint32Array(fingerprintWords);

  /** `seeds`: the deployment's secret, which keys the fingerprints. `bytesMax`: memory of message ids. */
  constructor(
    private readonly seeds: readonly [number, number, number],
    bytesMax: number,
  ) {
    this.messageIds = new FingerprintSet(bytesMax);
  }

  /** Admits an entry that has a message id, and remembers that id. */
  apply(entry: EntryView, logicalMs: number): Admission {
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

  fingerprintOf(entry: Identified): Uint32Array {
    const words = new Uint32Array(fingerprintWords);
    fingerprint(entry, this.seeds, words);
    return words;
  }

  /** Remembers the ids of erased events and identifies: late copies of these are not counted. */
  addErased(prints: readonly Uint32Array[], logicalMs: number): void {
    const day = Math.floor(logicalMs / dayMs);
    for (const print of prints) this.adoptErased(print, day);
  }

  /** Remembers an id that another partition got on a logical day. Days ascend. */
  adopt(print: Uint32Array, day: number, content: number): void {
    if (this.messageIds.add(print, 0, day, content)) addFresh(this.freshIds, print, day, content);
  }

  /** Remembers the id of an erased event or identify since a logical day. */
  adoptErased(print: Uint32Array, day: number): void {
    if (this.tombstones.add(print, 0, day)) addFresh(this.freshTombstones, print, day);
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

  freeze({logicalMs}: Moment): Iterable<FrozenPart> {
    const {freshIds, freshTombstones, messageIds} = this;
    this.freshIds = [];
    this.freshTombstones = [];
    const {count, heldFromDay} = messageIds;
    return this.frozen(encodeFresh(freshIds, count), encodeFresh(freshTombstones), {count, heldFromDay, logicalMs});
  }

  private *frozen(
    ids: Iterable<EncodedFingerprints>,
    erased: Iterable<EncodedFingerprints>,
    {count, heldFromDay, logicalMs}: {count: number; heldFromDay: number; logicalMs: number},
  ): Generator<FrozenPart> {
    const {idParts, tombstoneParts} = this;
    for (const one of ids) yield appended(idParts, one);
    yield* idParts.drop(forgottenParts(idParts, count));
    const firstDay = this.erasedFromDay(logicalMs);
    for (const one of erased) yield appended(tombstoneParts, one);
    yield* tombstoneParts.drop(tombstoneParts.blocks.filter(({note}) => note < firstDay));
    yield jsonPart(this.name, {
      forgotten: idParts.count - count,
      heldFromDay: Number.isFinite(heldFromDay) ? heldFromDay : null,
      messageIds: idParts.blocks,
      erasedIds: tombstoneParts.blocks,
    } satisfies DedupeState);
  }

  restore(name: string, block: number, payload: Payload): void {
    if (name === this.name) this.restoreState(jsonOf(payload));
    else if (name === this.idParts.name) this.restoreMessageIds(this.idParts.noteOf(block), bytesIn(payload));
    else this.restoreErasedIds(this.tombstoneParts.noteOf(block), bytesIn(payload));
  }

  private restoreState({forgotten, heldFromDay, messageIds, erasedIds}: DedupeState): void {
    this.skipped = forgotten;
    this.idParts.restore(messageIds);
    this.tombstoneParts.restore(erasedIds);
    this.messageIds.heldFromDay = Math.max(this.messageIds.heldFromDay, heldFromDay ?? Number.NEGATIVE_INFINITY);
  }

  /** An id that was forgotten and came again is in the part of its last insertion. */
  private restoreMessageIds(day: number, payload: Uint8Array): void {
    const stored = new StoredFingerprints(payload);
    const first = Math.min(this.skipped, stored.count);
    stored.forEach(first, (print, content) => this.messageIds.add(print, 0, day, content));
    this.skipped -= first;
  }

  private restoreErasedIds(day: number, payload: Uint8Array): void {
    const stored = new StoredFingerprints(payload);
    this.tombstones.reserve(stored.count);
    stored.forEach(0, (print) => this.tombstones.add(print, 0, day));
  }
}

/** Appends a part; parts of one day are joined. */
function appended(parts: Journal<number>, {day, count, payload}: EncodedFingerprints): FrozenPart {
  const sameDay = parts.blocks.filter((part) => part.note === day && part.count < idsJoinedMax);
  return parts.append({count, note: day, encode: () => payload}, sameDay, (older) => {
    const payloads = [...older.map(bytesIn), payload];
    return {count: countIn(payloads), note: day, encode: () => joinFingerprints(payloads)};
  });
}

/** The parts of which no id is remembered. `held`: number of the newest ids that are. */
function forgottenParts({blocks, count}: Journal<number>, held: number): JournalBlock<number>[] {
  const forgotten: JournalBlock<number>[] = [];
  let left = count;
  for (const part of blocks) {
    left -= part.count;
    if (left < held) break;
    forgotten.push(part);
  }
  return forgotten;
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
    if (count > 0) yield {day: ofDay.day, count, payload: ofDay.bytesFrom(skipped)};
  }
}
