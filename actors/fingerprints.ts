// A set of 64-bit fingerprints with the logical day of each: the message ids of a partition, and erased users' ones.
//   Two keyed 32-bit halves of (user, message id). A false hit would need two of n ids to agree in 64 bits: for the
//   25 million ids that the default bound holds the odds are 2 * 10^-5 over the whole window.
//   Memory: 9 B a slot, at most 3 of 4 slots taken: 12 B an id.
//   F1. A fingerprint keeps the day of its first insertion.
//   F2. At its bound the set drops its oldest day: the window that is really held shrinks and says so (`oldestDay`).
import {assert} from './invariant.js';

const slotBytes = 9;
const initialSlots = 1_024;
/** Days are kept modulo 255, 0 being a free slot: no window is longer than 254 days. */
const dayCycle = 255;

export class FingerprintSet {
  count = 0;
  /** Logical days held: [oldestDay, newestDay]; NaN while empty. */
  oldestDay = Number.NaN;
  newestDay = Number.NaN;
  /** Days that were dropped for want of memory. */
  daysDropped = 0;
  private readonly slotsMax: number;
  private high = new Uint32Array(initialSlots);
  private low = new Uint32Array(initialSlots);
  private days = new Uint8Array(initialSlots);

  constructor(bytesMax: number) {
    this.slotsMax = Math.max(initialSlots, Math.floor(bytesMax / slotBytes));
  }

  has(high: number, low: number): boolean {
    return this.days[this.slotOf(high, low)] !== 0;
  }

  /** Whether it was new. */
  add(high: number, low: number, day: number): boolean {
    const slot = this.slotOf(high, low);
    if (this.days[slot] !== 0) return false;
    this.take(slot, high, low, day);
    return true;
  }

  private slotOf(high: number, low: number): number {
    const slots = this.days.length;
    // Any capacity works, not only powers of two, so growth stops exactly at the memory bound.
    let slot = Math.floor((high / 2 ** 32) * slots);
    while (this.days[slot] !== 0 && (this.high[slot] !== high || this.low[slot] !== low)) {
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
    return slot;
  }

  private take(slot: number, high: number, low: number, day: number): void {
    this.high[slot] = high;
    this.low[slot] = low;
    this.days[slot] = (day % dayCycle) + 1;
    this.count += 1;
    if (!(this.oldestDay <= day)) this.oldestDay = day;
    if (!(this.newestDay >= day)) this.newestDay = day;
    if (this.count * 4 > this.days.length * 3) this.makeRoom();
  }

  private makeRoom(): void {
    if (this.days.length < this.slotsMax) {
      this.rebuild(Math.min(this.slotsMax, this.days.length * 2), () => true);
      return;
    }
    this.daysDropped += 1;
    // The newest day alone filled the bound: nothing of it can be told from the rest, so it starts anew.
    const keepFrom = this.oldestDay === this.newestDay ? this.newestDay + 1 : this.oldestDay + 1;
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
    const {high, low, days} = this;
    const oldest = this.oldestDay;
    assert(!(this.newestDay - oldest >= dayCycle), 'fingerprints: the days held fit their cycle');
    this.high = new Uint32Array(capacity);
    this.low = new Uint32Array(capacity);
    this.days = new Uint8Array(capacity);
    this.count = 0;
    for (let old = 0; old < days.length; old++) {
      if (days[old] === 0) continue;
      const day = oldest + ((days[old] - 1 - (oldest % dayCycle) + dayCycle) % dayCycle);
      if (!keeps(day)) continue;
      const slot = this.slotOf(high[old], low[old]);
      this.high[slot] = high[old];
      this.low[slot] = low[old];
      this.days[slot] = days[old];
      this.count += 1;
    }
  }

  /** All entries: calls back with (high, low, day). */
  forEach(visit: (high: number, low: number, day: number) => void): void {
    for (let slot = 0; slot < this.days.length; slot++) {
      if (this.days[slot] === 0) continue;
      const day = this.oldestDay + ((this.days[slot] - 1 - (this.oldestDay % dayCycle) + dayCycle) % dayCycle);
      visit(this.high[slot], this.low[slot], day);
    }
  }
}
