// A set of 96-bit fingerprints, each with its logical day and a 16-bit hash of its entry's content: the message ids of a
// partition, and those of erased users.
//   A fingerprint is three keyed 32-bit words of (user, message id). A false hit needs two of n ids that agree in 96 bits: for
//   the 27 million ids that the default bound holds, the odds are 5 * 10^-15 over the whole window.
//   Memory: 15 bytes a slot, at most 3 of 4 slots taken: 20 bytes an id at the bound.
//   F1. A fingerprint keeps the day of its first insertion.
//   F2. A generation is the fingerprints of one day, or a part of them once it holds a 64th of the bound. At its bound the set
//       drops its oldest generations, an eighth of the bound, so that it always knows the newest ids, however many come in a
//       day. `heldFromDay` is the day from which it still holds all ids.
//   F3. A free slot is three zeros; a fingerprint of three zeros is stored as (1, 0, 0).
//   F4. No addition delays the fold. Additions free the slots of dropped fingerprints a few at a time: one pass over all slots
//       takes 0.1 s and more. Slots are in segments by the fingerprint's first word, which grow at different times: growing all
//       at once took 0.45 s for 6 million ids, and twice their memory.
//   F5. A fingerprint keeps the content hash of its first insertion. It tells an entry with the same id and other content from a
//       retry, except for one in 65,536.
import {assert, must} from '../invariant.js';

const slotBytes = 15;
const initialSlots = 1_024;
/** Number of generations at the bound. F2 */
const generationsAtBound = 64;
const generationsDroppedAtOnce = 8;
/** Slots checked with each addition. F4 */
const slotsFreedAtOnce = 16;
const droppedMin = (3 / 4) * ((generationsDroppedAtOnce - 1) / generationsAtBound);
assert(slotsFreedAtOnce * droppedMin > 1, 'dropped slots are freed before as many new ones are taken');
/** Slots checked when days expire: a ms when most of them must be freed. F4 */
const slotsFreedByDays = 8_192;
/** A slot stores its generation in a byte. */
const tagsMax = 256;
/** Slots of a segment at the bound: moving them takes some 2 ms. In smaller segments the loads would differ more. F4 */
const segmentSlots = 65_536;
const segmentsMax = 256;
const segmentsUnbounded = 32;

/** Number of 32-bit words of a fingerprint. */
export const fingerprintWords = 3;

/** Fingerprints of one day that were added one after the other. F2 */
interface Generation {
  /** Unique among the generations in slots; below `tagsMax`. */
  readonly tag: number;
  readonly day: number;
  count: number;
  /** Some of its fingerprints may still be in slots. F2 */
  isDropped: boolean;
}

/** The slots of an equal share of all first words. F4 */
class SlotSegment {
  /** The three words of a slot are neighbours: a lookup reads one cache line. */
  words: Uint32Array;
  tags: Uint8Array;
  /** Content hash by slot. F5 */
  contents: Uint16Array;
  /** Slots that hold fingerprints, dropped ones that are not freed yet included. */
  taken = 0;
  /** Share of taken slots above which the segment grows; it differs between segments. F4 */
  readonly loadMax: number;

  constructor(slots: number, loadMax: number) {
    this.words = new Uint32Array(slots * fingerprintWords);
    this.tags = new Uint8Array(slots);
    this.contents = new Uint16Array(slots);
    this.loadMax = loadMax;
  }

  get slots(): number {
    return this.tags.length;
  }

  isFree(slot: number): boolean {
    const {words} = this;
    const start = slot * fingerprintWords;
    return (words[start] | words[start + 1] | words[start + 2]) === 0;
  }
}

export class FingerprintSet {
  count = 0;
  /** First day of which every id is held; ids of earlier days were dropped for lack of memory. */
  heldFromDay = Number.NEGATIVE_INFINITY;
  private readonly segmentSlotsMax: number;
  private readonly countMax: number;
  private readonly generationMax: number;
  /** Oldest first, by day and by when they began. */
  private readonly generations: Generation[] = [];
  private readonly byTag = new Array<Generation | undefined>(tagsMax).fill(undefined);
  private lastTag = 0;
  /** Dropped generations whose slots are being freed. F4 */
  private dropped: Generation[] = [];
  /** Generations dropped since that began: freed after these. */
  private droppedSince: Generation[] = [];
  /** Position of the pass that frees the slots of `dropped`. */
  private freedTo = {segment: 0, slot: 0};
  /** In ascending order of first words. */
  private readonly segments: readonly SlotSegment[];

  /** `bytesMax` may be infinite. */
  constructor(bytesMax: number) {
    const slotsMax = Math.max(initialSlots, Math.floor(bytesMax / slotBytes));
    const isBounded = Number.isFinite(slotsMax);
    const segments = isBounded ? clamp(Math.floor(slotsMax / segmentSlots), 1, segmentsMax) : segmentsUnbounded;
    const slots = Math.ceil(initialSlots / segments);
    this.segmentSlotsMax = Math.floor(slotsMax / segments);
    this.countMax = Math.floor((this.segmentSlotsMax * segments * 3) / 4);
    this.generationMax = Math.floor(this.countMax / generationsAtBound);
    this.segments = Array.from({length: segments}, (_, i) => new SlotSegment(slots, (5 + (i + 1) / segments) / 8));
  }

  /** Bytes of the slots now. */
  get byteLength(): number {
    return this.slots * slotBytes;
  }

  get bytesMax(): number {
    return this.segmentSlotsMax * this.segments.length * slotBytes;
  }

  private get slots(): number {
    return this.segments.reduce((sum, {slots}) => sum + slots, 0);
  }

  /** `from`: an array that holds the fingerprint's three words from `at` on. */
  has(from: Uint32Array, at = 0): boolean {
    const segment = this.segmentOf(firstWord(from, at));
    return this.isHeld(segment, this.slotOf(segment, from, at));
  }

  /** Content hash of a fingerprint that is held. F5 */
  contentOf(from: Uint32Array, at = 0): number {
    const segment = this.segmentOf(firstWord(from, at));
    return segment.contents[this.slotOf(segment, from, at)];
  }

  /** Visits the held fingerprints, in no order. The next visit overwrites `print`. */
  forEach(visit: (print: Uint32Array, day: number, content: number) => void): void {
    const print = new Uint32Array(fingerprintWords);
    for (const segment of this.segments) {
      const {words, tags, contents, slots} = segment;
      for (let slot = 0; slot < slots; slot++) {
        if (!this.isHeld(segment, slot)) continue;
        for (let i = 0; i < fingerprintWords; i++) print[i] = words[slot * fingerprintWords + i];
        visit(print, must(this.byTag[tags[slot]], 'a held slot is of a generation that is known').day, contents[slot]);
      }
    }
  }

  /** `content`: 16 bits. @returns whether the fingerprint was new. */
  add(from: Uint32Array, at: number, day: number, content = 0): boolean {
    if (this.dropped.length > 0) this.freeSlots(slotsFreedAtOnce);
    const segment = this.segmentOf(firstWord(from, at));
    const slot = this.slotOf(segment, from, at);
    if (this.isHeld(segment, slot)) return false;
    const generation = this.generationOf(day);
    if (segment.isFree(slot)) segment.taken += 1;
    this.take(segment, slot, from, at, generation.tag, content);
    generation.count += 1;
    this.count += 1;
    if (segment.taken > segment.slots * segment.loadMax && segment.slots < this.segmentSlotsMax) this.grow(segment);
    if (this.count > this.countMax) this.dropOldest();
    return true;
  }

  /** The generation to which a fingerprint of `day` is added. F2 */
  private generationOf(day: number): Generation {
    const {generations} = this;
    const isOpen = (one: Generation | undefined): one is Generation =>
      one?.day === day && one.count < this.generationMax;
    const newest = generations.at(-1);
    if (isOpen(newest)) return newest;
    // Days come in order, except those that a restore of a snapshot adds.
    const behind = generations.findLastIndex((one) => one.day <= day);
    const before = generations[behind];
    if (isOpen(before)) return before;
    const begun = {tag: this.freeTag(), day, count: 0, isDropped: false};
    generations.splice(behind + 1, 0, begun);
    this.byTag[begun.tag] = begun;
    return begun;
  }

  private freeTag(): number {
    // Days with a few ids each, after days that filled the slots, expire faster than the slots of those are freed.
    if (!this.hasFreeTag) this.freeAllSlots();
    assert(this.hasFreeTag, 'fingerprints: a byte numbers all generations');
    do this.lastTag = (this.lastTag + 1) % tagsMax;
    while (this.byTag[this.lastTag] !== undefined);
    return this.lastTag;
  }

  private get hasFreeTag(): boolean {
    return this.generations.length + this.dropped.length + this.droppedSince.length < tagsMax;
  }

  private isHeld(segment: SlotSegment, slot: number): boolean {
    return !segment.isFree(slot) && !this.isDropped(segment, slot);
  }

  /** The slot must be taken. */
  private isDropped({tags}: SlotSegment, slot: number): boolean {
    return must(this.byTag[tags[slot]], 'a taken slot is of a generation that is known').isDropped;
  }

  private segmentOf(first: number): SlotSegment {
    return this.segments[Math.floor((first / 2 ** 32) * this.segments.length)];
  }

  /** The slot that holds the fingerprint, or that it may take: a free one, or its own if it was dropped. */
  private slotOf(segment: SlotSegment, from: Uint32Array, at: number): number {
    const {words, slots} = segment;
    const second = from[at + 1];
    const third = from[at + 2];
    const first = firstWord(from, at);
    let slot = this.homeOf(segment, first);
    for (;;) {
      const start = slot * fingerprintWords;
      if (words[start] === first && words[start + 1] === second && words[start + 2] === third) return slot;
      if ((words[start] | words[start + 1] | words[start + 2]) === 0) return slot;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  }

  /** Any capacity works, not only powers of two, so growth stops at the memory bound. */
  private homeOf({slots}: SlotSegment, first: number): number {
    const place = (first / 2 ** 32) * this.segments.length;
    return Math.floor((place - Math.floor(place)) * slots);
  }

  private take(
    {words, tags, contents}: SlotSegment,
    slot: number,
    from: Uint32Array,
    at: number,
    tag: number,
    content: number,
  ): void {
    const start = slot * fingerprintWords;
    words[start] = firstWord(from, at);
    words[start + 1] = from[at + 1];
    words[start + 2] = from[at + 2];
    tags[slot] = tag;
    contents[slot] = content;
  }

  /**
   * Takes the memory for `count` more at once. In a small set, fingerprints in the order of their slots would fill the first
   * slots, and each addition would probe all of those.
   */
  reserve(count: number): void {
    const expected = (this.count + count) / this.segments.length;
    for (const segment of this.segments) {
      while (expected > segment.slots * segment.loadMax && segment.slots < this.segmentSlotsMax) this.grow(segment);
    }
  }

  /** Moves the fingerprints to a larger segment; dropped ones stay behind. */
  private grow(segment: SlotSegment): void {
    const {words, tags, contents, slots} = segment;
    const grown = Math.min(2 * slots, this.segmentSlotsMax);
    segment.words = new Uint32Array(grown * fingerprintWords);
    segment.tags = new Uint8Array(grown);
    segment.contents = new Uint16Array(grown);
    segment.taken = 0;
    for (let old = 0; old < slots; old++) {
      const start = old * fingerprintWords;
      if ((words[start] | words[start + 1] | words[start + 2]) === 0) continue;
      if (must(this.byTag[tags[old]], 'a taken slot is of a generation that is known').isDropped) continue;
      this.take(segment, this.slotOf(segment, words, start), words, start, tags[old], contents[old]);
      segment.taken += 1;
    }
  }

  /** Drops the days before `day`. */
  expireBefore(day: number): void {
    const kept = this.generations.findIndex((one) => one.day >= day);
    const expired = kept < 0 ? this.generations.length : kept;
    this.drop(expired);
    this.freeSlots(slotsFreedByDays);
  }

  /** Drops the oldest generations, an eighth of the bound at most but at least one. F2 */
  private dropOldest(): void {
    const {generations} = this;
    let dropped = 1;
    let sum = generations[0].count + generations[1].count;
    while (sum <= generationsDroppedAtOnce * this.generationMax) sum += generations[++dropped].count;
    this.heldFromDay = generations[dropped - 1].day + 1;
    this.drop(dropped);
  }

  /** Drops the `count` oldest generations. F4 */
  private drop(count: number): void {
    if (count === 0) return;
    const dropped = this.generations.splice(0, count);
    for (const one of dropped) {
      one.isDropped = true;
      this.count -= one.count;
    }
    this.droppedSince.push(...dropped);
    if (this.dropped.length === 0) this.freeNext();
  }

  /** Begins a pass over all slots, for the generations dropped since the last one. */
  private freeNext(): void {
    this.dropped = this.droppedSince;
    this.droppedSince = [];
    this.freedTo = {segment: 0, slot: 0};
  }

  private freeAllSlots(): void {
    while (this.dropped.length > 0) this.freeSlots(Number.POSITIVE_INFINITY);
  }

  /** Checks the next `count` slots, and frees those of dropped generations. */
  private freeSlots(count: number): void {
    const {freedTo, segments} = this;
    for (let left = count; left > 0 && this.dropped.length > 0; ) {
      const segment = segments[freedTo.segment];
      const end = Math.min(freedTo.slot + left, segment.slots);
      for (let slot = freedTo.slot; slot < end; slot++) {
        while (!segment.isFree(slot) && this.isDropped(segment, slot)) this.free(segment, slot);
      }
      left -= end - freedTo.slot;
      freedTo.slot = end;
      if (end < segment.slots) return;
      freedTo.slot = 0;
      freedTo.segment += 1;
      if (freedTo.segment < segments.length) continue;
      this.endFreeing();
      return;
    }
  }

  private endFreeing(): void {
    for (const {tag} of this.dropped) this.byTag[tag] = undefined;
    this.freeNext();
  }

  /** Frees a slot, and moves later fingerprints up unless that is before their home: no probe ends too soon. */
  private free(segment: SlotSegment, slot: number): void {
    const {words, tags, contents, slots} = segment;
    const behind = (from: number, to: number): number => (to < from ? to - from + slots : to - from);
    let hole = slot;
    for (let next = (slot + 1) % slots; !segment.isFree(next); next = (next + 1) % slots) {
      const start = next * fingerprintWords;
      if (behind(this.homeOf(segment, words[start]), next) < behind(hole, next)) continue;
      words.copyWithin(hole * fingerprintWords, start, start + fingerprintWords);
      tags[hole] = tags[next];
      contents[hole] = contents[next];
      hole = next;
    }
    words.fill(0, hole * fingerprintWords, (hole + 1) * fingerprintWords);
    segment.taken -= 1;
  }
}

const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(value, max));

/** The first word as a slot stores it. F3 */
function firstWord(from: Uint32Array, at: number): number {
  return (from[at] | from[at + 1] | from[at + 2]) === 0 ? 1 : from[at];
}
