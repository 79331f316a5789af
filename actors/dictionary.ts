// The value dictionary of one open chunk: (column, value bytes) to a 16-bit code.
//   Bounded in entries, bytes and value length: a value past a bound is `codeInBody`, and a filter reads its body (R2).
import {hashBytes} from './hash.js';
import {chunkCodesMax, dictionaryBytesMax, dictionaryValueBytesMax} from './limits.js';
import {codeInBody} from './rows.js';

export class Dictionary {
  /** Codes given out; the first one is 1. */
  count = 0;
  private bytes = new Uint8Array(4_096);
  private offsets = new Uint32Array(258);
  private columns = new Uint8Array(257);
  private hashes = new Uint32Array(257);
  /** A code, or 0 where free. */
  private slots = new Uint16Array(1_024);

  /** Code of the value at bytes[start .. end), a new one when it is new and there is room. */
  code(column: number, source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > dictionaryValueBytesMax) return codeInBody;
    const hash = hashBytes(source, start, end, column + 1);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const code = this.slots[slot];
      if (this.hashes[code] === hash && this.columns[code] === column && this.holds(code, source, start, length))
        return code;
    }
    if (this.count === chunkCodesMax || this.offsets[this.count + 1] + length > dictionaryBytesMax) return codeInBody;
    this.append(column, source, start, end, hash);
    this.slots[slot] = this.count;
    if (this.count * 2 > this.slots.length) this.rehash();
    return this.count;
  }

  private holds(code: number, source: Uint8Array, start: number, length: number): boolean {
    const from = this.offsets[code];
    if (this.offsets[code + 1] - from !== length) return false;
    for (let i = 0; i < length; i++) if (this.bytes[from + i] !== source[start + i]) return false;
    return true;
  }

  private append(column: number, source: Uint8Array, start: number, end: number, hash: number): void {
    const code = this.count + 1;
    if (code + 1 >= this.offsets.length) this.growColumns();
    const from = this.offsets[code];
    if (from + end - start > this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    for (let i = start, at = from; i < end; i++, at++) this.bytes[at] = source[i];
    this.offsets[code + 1] = from + end - start;
    this.columns[code] = column;
    this.hashes[code] = hash;
    this.count = code;
  }

  private growColumns(): void {
    const capacity = this.columns.length * 2;
    const grow = <T extends Uint32Array | Uint8Array>(grown: T, old: T): T => {
      grown.set(old);
      return grown;
    };
    this.offsets = grow(new Uint32Array(capacity + 1), this.offsets);
    this.columns = grow(new Uint8Array(capacity), this.columns);
    this.hashes = grow(new Uint32Array(capacity), this.hashes);
  }

  private rehash(): void {
    this.slots = new Uint16Array(this.slots.length * 4);
    const mask = this.slots.length - 1;
    for (let code = 1; code <= this.count; code++) {
      let slot = this.hashes[code] & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = code;
    }
  }

  /** Views of the columns that a RowsView shows; valid until the next new value. */
  view(): {dictionary: Uint8Array; dictionaryOffsets: Uint32Array; codeColumns: Uint8Array} {
    return {
      dictionary: this.bytes.subarray(0, this.offsets[this.count + 1]),
      dictionaryOffsets: this.offsets.subarray(0, this.count + 2),
      codeColumns: this.columns.subarray(0, this.count + 1),
    };
  }

  /** Takes over the entries of a part. */
  restore(dictionary: Uint8Array, offsets: Uint32Array, columns: Uint8Array): void {
    for (let code = 1; code < columns.length; code++) {
      const [start, end] = [offsets[code], offsets[code + 1]];
      this.append(columns[code], dictionary, start, end, hashBytes(dictionary, start, end, columns[code] + 1));
    }
    while (this.count * 2 > this.slots.length) this.slots = new Uint16Array(this.slots.length * 4);
    const mask = this.slots.length - 1;
    for (let code = 1; code <= this.count; code++) {
      let slot = this.hashes[code] & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = code;
    }
  }
}
