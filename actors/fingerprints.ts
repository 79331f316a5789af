// A set of 96-bit fingerprints with the logical day of each: the message ids of a partition, and erased users' ones.
//   Three keyed 32-bit words of (user, message id). A false hit would need two of n ids to agree in 96 bits: for the
//   31 million ids that the default bound holds the odds are 6 * 10^-15 over the whole window.
//   Memory: 13 B a slot, at most 3 of 4 slots taken: 17.3 B an id.
//   F1. A fingerprint keeps the day of its first insertion.
//   F2. At its bound the set drops its oldest day: the window that is really held shrinks and says so (`oldestDay`).
//   F3. A free slot is three zeros; a fingerprint of three zeros is kept as (1, 0, 0).
import {assert} from './invariant.js';

const slotBytes = 13;
const initialSlots = 1_024;
/** Days are kept modulo 256: no window is longer than 255 days. */
const dayCycle = 256;

/** Words of a fingerprint. */
export const fingerprintWords = 3;

export class FingerprintSet {
  count = 0;
  /** Logical days held: [oldestDay, newestDay]; NaN while empty. */
  oldestDay = Number.NaN;
  newestDay = Number.NaN;
  /** Days that were dropped for want of memory. */
  daysDropped = 0;
  /** Everything added from this day on is held; days before it were dropped for want of memory. */
  heldFromDay = Number.NEGATIVE_INFINITY;
  private readonly slotsMax: number;
  /** A slot's words stand together: a lookup reads one line of cache. */
  private words = new Uint32Array(initialSlots * fingerprintWords);
  private days = new Uint8Array(initialSlots);

  constructor(bytesMax: number) {
    this.slotsMax = Math.max(initialSlots, Math.floor(bytesMax / slotBytes));
  }

  /** What the set takes now. */
  get byteLength(): number {
    return this.words.byteLength + this.days.byteLength;
  }

  get bytesMax(): number {
    return this.slotsMax * slotBytes;
  }

  /** `from`: an array that holds the fingerprint's three words from `at` on. */
  has(from: Uint32Array, at = 0): boolean {
    return !this.isFree(this.slotOf(from, at));
  }

  /** Whether it was new. */
  add(from: Uint32Array, at: number, day: number): boolean {
    const slot = this.slotOf(from, at);
    if (!this.isFree(slot)) return false;
    this.take(slot, from, at, day % dayCycle);
    if (!(this.oldestDay <= day)) this.oldestDay = day;
    if (!(this.newestDay >= day)) this.newestDay = day;
    if (this.count * 4 > this.days.length * 3) this.makeRoom();
    return true;
  }

  private isFree(slot: number): boolean {
    const {words} = this;
    const start = slot * fingerprintWords;
    return (words[start] | words[start + 1] | words[start + 2]) === 0;
  }

  /** The slot that holds the fingerprint, or the free one where it belongs. */
  private slotOf(from: Uint32Array, at: number): number {
    const {words} = this;
    const slots = this.days.length;
    const second = from[at + 1];
    const third = from[at + 2];
    const first = firstWord(from, at);
    // Any capacity works, not only powers of two, so growth stops exactly at the memory bound.
    let slot = Math.floor((first / 2 ** 32) * slots);
    for (;;) {
      const start = slot * fingerprintWords;
      if (words[start] === first && words[start + 1] === second && words[start + 2] === third) return slot;
      if ((words[start] | words[start + 1] | words[start + 2]) === 0) return slot;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  }

  private take(slot: number, from: Uint32Array, at: number, dayInCycle: number): void {
    const start = slot * fingerprintWords;
    this.words[start] = firstWord(from, at);
    this.words[start + 1] = from[at + 1];
    this.words[start + 2] = from[at + 2];
    this.days[slot] = dayInCycle;
    this.count += 1;
  }

  private makeRoom(): void {
    if (this.days.length < this.slotsMax) {
      this.rebuild(Math.min(this.slotsMax, this.days.length * 2), () => true);
      return;
    }
    this.daysDropped += 1;
    // The newest day alone filled the bound: nothing of it can be told from the rest, so it starts anew.
    const keepFrom = this.oldestDay === this.newestDay ? this.newestDay + 1 : this.oldestDay + 1;
    this.heldFromDay = keepFrom;
    this.expireBefore(keepFrom);
  }

  /** Drops the days before `day`. */
  expireBefore(day: number): void {
    if (!(this.oldestDay < day)) return;
    const newest = this.newestDay;
    this.rebuild(this.days.length, (slotDay) => slotDay >= day);
    this.oldestDay = newest >= day ? day : Number.NaN;
    this.newestDay = newest >= day ? newest : Number.NaN;
  }

  private rebuild(capacity: number, keeps: (day: number) => boolean): void {
    const {words, days} = this;
    assert(!(this.newestDay - this.oldestDay >= dayCycle), 'fingerprints: the days held fit their cycle');
    const dayOf = this.dayReader();
    this.words = new Uint32Array(capacity * fingerprintWords);
    this.days = new Uint8Array(capacity);
    this.count = 0;
    for (let old = 0; old < days.length; old++) {
      const start = old * fingerprintWords;
      if ((words[start] | words[start + 1] | words[start + 2]) === 0) continue;
      if (keeps(dayOf(days[old]))) this.take(this.slotOf(words, start), words, start, days[old]);
    }
  }

  /** All entries: calls back with the array that holds the words, where they start in it, and the day. */
  forEach(visit: (words: Uint32Array, start: number, day: number) => void): void {
    const dayOf = this.dayReader();
    for (let slot = 0; slot < this.days.length; slot++) {
      if (!this.isFree(slot)) visit(this.words, slot * fingerprintWords, dayOf(this.days[slot]));
    }
  }

  /** From a day in the cycle to the logical day, given the oldest one that is held. */
  private dayReader(): (dayInCycle: number) => number {
    const {oldestDay} = this;
    return (dayInCycle) => oldestDay + ((((dayInCycle - oldestDay) % dayCycle) + dayCycle) % dayCycle);
  }
}

/** F3 */
function firstWord(from: Uint32Array, at: number): number {
  return (from[at] | from[at + 1] | from[at + 2]) === 0 ? 1 : from[at];
}
