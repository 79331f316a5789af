// A set of 96-bit fingerprints with the logical day of each: the message ids of a partition, and erased users' ones.
//   Three keyed 32-bit words of (user, message id). A false hit would need two of n ids to agree in 96 bits: for the
//   31 million ids that the default bound holds the odds are 6 * 10^-15 over the whole window.
//   Memory: 13 B a slot, at most 3 of 4 slots taken: 17.3 B an id.
//   F1. A fingerprint keeps the day of its first insertion.
//   F2. Fingerprints come in generations: those of one day, or fewer where an eighth of the bound is full. At its bound the
//       set drops its oldest generation, so that the newest ones are always known, however many come in a day; the window
//       that is really held shrinks and says so (`heldFromDay`).
//       Slots of what was dropped are freed a few at a time, with what is added: a pass over all of them would hold up the fold
//       for 0.1 s and more.
//   F3. A free slot is three zeros; a fingerprint of three zeros is kept as (1, 0, 0).
import {assert, must} from './invariant.js';

const slotBytes = 13;
const initialSlots = 1_024;
/** At the bound. F2 */
const generationsAtBound = 8;
/** Of slots looked at with each fingerprint that is added: an eighth is freed before the next one is dropped. F2 */
const slotsFreedAtOnce = 16;
/** A slot has a byte for its generation. */
const tagsMax = 256;

/** Words of a fingerprint. */
export const fingerprintWords = 3;

/** Fingerprints of one day that came one after the other. */
interface Generation {
  /** Of all that are held no two have the same; below `tagsMax`. */
  readonly tag: number;
  readonly day: number;
  count: number;
  /** Slots may still be taken by some of it. F2 */
  isDropped: boolean;
}

export class FingerprintSet {
  count = 0;
  /** Everything added from this day on is held; some or all of the days before it was dropped for want of memory. */
  heldFromDay = Number.NEGATIVE_INFINITY;
  private readonly slotsMax: number;
  private readonly generationMax: number;
  /** The oldest first: by day, and by when they began. */
  private readonly generations: Generation[] = [];
  private readonly byTag = new Array<Generation | undefined>(tagsMax).fill(undefined);
  private lastTag = 0;
  /** Dropped, and in slots still. F2 */
  private dropped: Generation[] = [];
  /** All slots from here on may be those of dropped ones, while there are any. */
  private freedTo = 0;
  /** A slot's words stand together: a lookup reads one line of cache. */
  private words = new Uint32Array(initialSlots * fingerprintWords);
  private tags = new Uint8Array(initialSlots);

  /** `bytesMax`: may be infinite. */
  constructor(bytesMax: number) {
    this.slotsMax = Math.max(initialSlots, Math.floor(bytesMax / slotBytes));
    this.generationMax = Math.floor((this.slotsMax * 3) / 4 / generationsAtBound);
  }

  /** What the set takes now. */
  get byteLength(): number {
    return this.words.byteLength + this.tags.byteLength;
  }

  get bytesMax(): number {
    return this.slotsMax * slotBytes;
  }

  /** `from`: an array that holds the fingerprint's three words from `at` on. */
  has(from: Uint32Array, at = 0): boolean {
    return this.isHeld(this.slotOf(from, at));
  }

  /** Whether it was new. */
  add(from: Uint32Array, at: number, day: number): boolean {
    if (this.dropped.length > 0) this.freeSlots(slotsFreedAtOnce);
    const slot = this.slotOf(from, at);
    if (this.isHeld(slot)) return false;
    const generation = this.generationOf(day);
    this.take(slot, from, at, generation.tag);
    generation.count += 1;
    this.count += 1;
    if (this.count * 4 > this.tags.length * 3) this.makeRoom();
    return true;
  }

  /** F2 */
  private generationOf(day: number): Generation {
    const {generations} = this;
    const isOpen = (one: Generation | undefined): one is Generation =>
      one?.day === day && one.count < this.generationMax;
    const newest = generations.at(-1);
    if (isOpen(newest)) return newest;
    // Days come in order, but those that a snapshot tells one by one.
    const behind = generations.findLastIndex((one) => one.day <= day);
    const before = generations[behind];
    if (isOpen(before)) return before;
    const begun = {tag: this.freeTag(), day, count: 0, isDropped: false};
    generations.splice(behind + 1, 0, begun);
    this.byTag[begun.tag] = begun;
    return begun;
  }

  private freeTag(): number {
    assert(
      this.generations.length + this.dropped.length < tagsMax,
      'fingerprints: no more generations are held than a byte tells apart',
    );
    do this.lastTag = (this.lastTag + 1) % tagsMax;
    while (this.byTag[this.lastTag] !== undefined);
    return this.lastTag;
  }

  private isFree(slot: number): boolean {
    const {words} = this;
    const start = slot * fingerprintWords;
    return (words[start] | words[start + 1] | words[start + 2]) === 0;
  }

  private isHeld(slot: number): boolean {
    return !this.isFree(slot) && !this.isDropped(slot);
  }

  /** Of a slot that is taken. */
  private isDropped(slot: number): boolean {
    return must(this.byTag[this.tags[slot]], 'a taken slot is of a generation that is known').isDropped;
  }

  /** The slot that holds the fingerprint, or that it may take: a free one, or its own that was dropped. */
  private slotOf(from: Uint32Array, at: number): number {
    const {words} = this;
    const slots = this.tags.length;
    const second = from[at + 1];
    const third = from[at + 2];
    const first = firstWord(from, at);
    let slot = this.homeOf(first);
    for (;;) {
      const start = slot * fingerprintWords;
      if (words[start] === first && words[start + 1] === second && words[start + 2] === third) return slot;
      if ((words[start] | words[start + 1] | words[start + 2]) === 0) return slot;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  }

  /** Any capacity works, not only powers of two, so growth stops exactly at the memory bound. */
  private homeOf(first: number): number {
    return Math.floor((first / 2 ** 32) * this.tags.length);
  }

  private take(slot: number, from: Uint32Array, at: number, tag: number): void {
    const start = slot * fingerprintWords;
    this.words[start] = firstWord(from, at);
    this.words[start + 1] = from[at + 1];
    this.words[start + 2] = from[at + 2];
    this.tags[slot] = tag;
  }

  /**
   * Takes the memory for so many more at once. Fingerprints that come in the order of their slots, as `forEach` gives them,
   * must not come while there are few: all would belong into the first slots, and each would go over all before it.
   */
  reserve(count: number): void {
    let slots = this.tags.length;
    while ((this.count + count) * 4 > slots * 3 && slots < this.slotsMax) slots = Math.min(this.slotsMax, slots * 2);
    if (slots > this.tags.length) this.grow(slots);
  }

  private makeRoom(): void {
    if (this.tags.length < this.slotsMax) {
      this.grow(Math.min(this.slotsMax, this.tags.length * 2));
      return;
    }
    const [oldest] = this.generations;
    this.heldFromDay = must(oldest, 'a full set has a generation').day + 1;
    this.drop(1);
  }

  private grow(slots: number): void {
    this.freeSlots(this.tags.length);
    const {words, tags} = this;
    this.words = new Uint32Array(slots * fingerprintWords);
    this.tags = new Uint8Array(slots);
    for (let old = 0; old < tags.length; old++) {
      const start = old * fingerprintWords;
      if ((words[start] | words[start + 1] | words[start + 2]) === 0) continue;
      this.take(this.slotOf(words, start), words, start, tags[old]);
    }
  }

  /** Drops the days before `day`; whether there were any. */
  expireBefore(day: number): boolean {
    const kept = this.generations.findIndex((one) => one.day >= day);
    const expired = kept < 0 ? this.generations.length : kept;
    this.drop(expired);
    return expired > 0;
  }

  /** So many of the oldest generations. F2 */
  private drop(generations: number): void {
    if (generations === 0) return;
    this.freeSlots(this.tags.length);
    this.dropped = this.generations.splice(0, generations);
    for (const one of this.dropped) {
      one.isDropped = true;
      this.count -= one.count;
    }
    this.freedTo = 0;
  }

  /** Looks at so many slots more, and frees those of what was dropped. */
  private freeSlots(count: number): void {
    if (this.dropped.length === 0) return;
    const end = Math.min(this.freedTo + count, this.tags.length);
    for (let slot = this.freedTo; slot < end; slot++) {
      while (!this.isFree(slot) && this.isDropped(slot)) this.free(slot);
    }
    this.freedTo = end;
    if (end < this.tags.length) return;
    for (const {tag} of this.dropped) this.byTag[tag] = undefined;
    this.dropped = [];
  }

  /** What stands behind it moves up, as far as that is not before the slot where it belongs: no probe ends too soon. */
  private free(slot: number): void {
    const {words, tags} = this;
    const slots = tags.length;
    const behind = (from: number, to: number): number => (to < from ? to - from + slots : to - from);
    let hole = slot;
    for (let next = (slot + 1) % slots; !this.isFree(next); next = (next + 1) % slots) {
      const start = next * fingerprintWords;
      if (behind(this.homeOf(words[start]), next) < behind(hole, next)) continue;
      words.copyWithin(hole * fingerprintWords, start, start + fingerprintWords);
      tags[hole] = tags[next];
      hole = next;
    }
    words.fill(0, hole * fingerprintWords, (hole + 1) * fingerprintWords);
  }

  /** All entries: calls back with the array that holds the words, where they start in it, and the day. */
  forEach(visit: (words: Uint32Array, start: number, day: number) => void): void {
    for (let slot = 0; slot < this.tags.length; slot++) {
      if (!this.isHeld(slot)) continue;
      const {day} = must(this.byTag[this.tags[slot]], 'a taken slot is of a generation that is known');
      visit(this.words, slot * fingerprintWords, day);
    }
  }
}

/** F3 */
function firstWord(from: Uint32Array, at: number): number {
  return (from[at] | from[at + 1] | from[at + 2]) === 0 ? 1 : from[at];
}
