// A set of users as bits by index.
import {bitCount} from '../order/bit-count.js';

export class UserSet {
  private words = new Uint32Array(0);
  count = 0;

  get byteLength(): number {
    return this.words.byteLength;
  }

  has(user: number): boolean {
    return (this.words[user >>> 5] & (1 << (user & 31))) !== 0;
  }

  add(user: number): void {
    const word = user >>> 5;
    if (word >= this.words.length) {
      const words = new Uint32Array(Math.max(64, Math.ceil((word + 1) * 1.5)));
      words.set(this.words);
      this.words = words;
    }
    if (this.has(user)) return;
    this.words[word] |= 1 << (user & 31);
    this.count += 1;
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  /** Adds all users of another set. */
  addAll({words: others}: UserSet): void {
    if (others.length > this.words.length) {
      const words = new Uint32Array(others.length);
      words.set(this.words);
      this.words = words;
    }
    const {words} = this;
    let count = 0;
    for (let word = 0; word < others.length; word++) words[word] |= others[word];
    for (let word = 0; word < words.length; word++) count += bitCount(words[word]);
    this.count = count;
  }

  /** Ascending. */
  *members(): Generator<number, void, void> {
    const {words} = this;
    for (let word = 0; word < words.length; word++)
      for (let left = words[word]; left !== 0; left &= left - 1) yield 32 * word + 31 - Math.clz32(left & -left);
  }

  copy(): UserSet {
    const set = new UserSet();
    set.words = this.words.slice();
    set.count = this.count;
    return set;
  }

  /** Encodes the set as u32 words: user 32 * w + b is bit b of word w. */
  encode(): Uint8Array {
    const end = this.words.findLastIndex((word) => word !== 0) + 1;
    return new Uint8Array(this.words.slice(0, end).buffer);
  }

  /** Replaces the set by an encoded one. */
  restore(bytes: Uint8Array): void {
    this.words = new Uint32Array(new Uint8Array(bytes).buffer); // A `slice` of a Buffer is no copy.
    this.count = this.words.reduce((sum, word) => sum + bitCount(word), 0);
  }
}
