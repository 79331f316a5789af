// A table keyed by two unsigned 32-bit integers, with a count each: cells of (name, hour), members of (day, user).
//   Open addressing over three columns: no object a key, so millions cost no garbage collection.
import {hashUint32} from './hash.js';

const initialCapacity = 1_024;

export class PairTable {
  size = 0;
  private first = new Uint32Array(initialCapacity);
  private second = new Uint32Array(initialCapacity);
  private values = new Float64Array(initialCapacity);
  private taken = new Uint8Array(initialCapacity);

  /** Adds to the value of (a, b), which starts at 0; a key stays once it was added to. */
  add(a: number, b: number, delta: number): void {
    const slot = this.slotOf(a, b);
    if (this.taken[slot] === 0) {
      this.take(slot, a, b, delta);
      return;
    }
    this.values[slot] += delta;
  }

  private slotOf(a: number, b: number): number {
    const mask = this.taken.length - 1;
    let slot = hashUint32(Math.imul(a, 0x9e3779b1) ^ b) & mask;
    while (this.taken[slot] !== 0 && (this.first[slot] !== a || this.second[slot] !== b)) slot = (slot + 1) & mask;
    return slot;
  }

  private take(slot: number, a: number, b: number, value: number): void {
    this.taken[slot] = 1;
    this.first[slot] = a;
    this.second[slot] = b;
    this.values[slot] = value;
    this.size += 1;
    if (this.size * 2 > this.taken.length) this.grow();
  }

  private grow(): void {
    const {first, second, values, taken} = this;
    const capacity = taken.length * 2;
    this.first = new Uint32Array(capacity);
    this.second = new Uint32Array(capacity);
    this.values = new Float64Array(capacity);
    this.taken = new Uint8Array(capacity);
    for (let old = 0; old < taken.length; old++) {
      if (taken[old] === 0) continue;
      const slot = this.slotOf(first[old], second[old]);
      this.taken[slot] = 1;
      this.first[slot] = first[old];
      this.second[slot] = second[old];
      this.values[slot] = values[old];
    }
  }

  /** All entries by (a, b). */
  sorted(): {first: Uint32Array; second: Uint32Array; values: Float64Array} {
    // a * 2^32 + b is exact for a < 2^21: hours (till year 2209), days. Sorting doubles is native, sorting slots by a
    // comparator ten times slower.
    const keys = new Float64Array(this.size);
    let count = 0;
    for (let slot = 0; slot < this.taken.length; slot++) {
      if (this.taken[slot] !== 0) keys[count++] = this.first[slot] * 2 ** 32 + this.second[slot];
    }
    keys.sort();
    const first = new Uint32Array(count);
    const second = new Uint32Array(count);
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      first[i] = Math.floor(keys[i] / 2 ** 32);
      second[i] = keys[i] % 2 ** 32;
      values[i] = this.values[this.slotOf(first[i], second[i])];
    }
    return {first, second, values};
  }
}
