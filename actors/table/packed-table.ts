// A read-only copy of an interned table's keys: without room for growth and with slots of one word, in two thirds of the
// memory.
import {equalRanges, viewOf} from '../bytes/byte-ranges.js';
import {hashBytes} from '../bytes/hash.js';

const free = 0;
const seed = 1;

export class PackedTable {
  private readonly keys: Uint8Array;
  private readonly keysView: DataView;
  /** Key i is keys[offsets[i] .. offsets[i + 1]). */
  private readonly offsets: Uint32Array;
  /** Index + 1, open addressing by hash; at most two thirds are taken. */
  private readonly slots: Uint32Array;

  constructor(keys: Uint8Array, offsets: Uint32Array) {
    this.keys = keys;
    this.keysView = viewOf(keys);
    this.offsets = offsets;
    const count = offsets.length - 1;
    let capacity = 2;
    while (capacity * 2 < count * 3) capacity *= 2;
    this.slots = new Uint32Array(capacity);
    for (let index = 0; index < count; index++) {
      let slot = this.slotOf(keys, offsets[index], offsets[index + 1]);
      while (this.slots[slot] !== free) slot = (slot + 1) & (capacity - 1);
      this.slots[slot] = index + 1;
    }
  }

  get bytes(): number {
    return this.keys.byteLength + this.offsets.byteLength + this.slots.byteLength;
  }

  get count(): number {
    return this.offsets.length - 1;
  }

  /** The bytes of a key. */
  bytesOf(index: number): Uint8Array {
    return this.keys.subarray(this.offsets[index], this.offsets[index + 1]);
  }

  /** Index of the key bytes[start .. end); -1 if it is not in the table. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const {slots, offsets} = this;
    const view = viewOf(bytes);
    for (let slot = this.slotOf(bytes, start, end); slots[slot] !== free; slot = (slot + 1) & (slots.length - 1)) {
      const index = slots[slot] - 1;
      const from = offsets[index];
      if (offsets[index + 1] - from === end - start && equalRanges(this.keysView, from, view, start, end - start))
        return index;
    }
    return -1;
  }

  private slotOf(bytes: Uint8Array, start: number, end: number): number {
    return hashBytes(bytes, start, end, seed) & (this.slots.length - 1);
  }
}
