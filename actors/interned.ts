// An interned table: byte strings (user keys, event names) to dense indexes and back.
//   Resident, so it is columns: an arena of bytes, offsets, and open addressing over 32-bit hashes. About 30 B and the
//   string itself per entry; a JavaScript Map of strings takes 100 B more and long garbage collections (DESIGN.md).
//
//   block = entry*, `internedBlockEntries` of them but in the last block; entry = (length + 1):varint bytes | 0:varint
//
//   I1. An index is given out once: a removed entry's index is never used again, its bytes are zeroed.

import {copyRange, equalRanges, viewOf} from './byte-ranges.js';
import {ByteReader, ByteWriter, readWtf8} from './codec/bytes.js';
import {hashBytes} from './hash.js';
import {assert} from './invariant.js';

export const internedBlockEntries = 4_096;
const tableSeed = 0x7461626c; // 'tabl'
/** A power of two. */
const recentPlaces = 64;
const free = 0;
const gone = 0xffffffff;

export class InternedTable {
  /** Entries ever given out: the next index. */
  count = 0;
  private arena = new Uint8Array(1_024);
  private arenaView = new DataView(this.arena.buffer);
  private arenaEnd = 0;
  /** Entry i is arena[offsets[i] .. offsets[i + 1]). */
  private offsets = new Float64Array(65);
  private hashes = new Uint32Array(64);
  private removed = new Set<number>();
  /** index + 1, or 0, of entries that were asked for lately. */
  private readonly recent = new Uint32Array(recentPlaces);
  /** index + 1, `free` or `gone`. */
  private slots = new Uint32Array(128);
  private slotsUsed = 0;
  /** Blocks that differ from their last encoded form. */
  private dirtyBlocks = new Set<number>();

  /**
   * Like `intern`, for few strings that come again and again: what was asked for lately is looked for before it is hashed.
   */
  internFrequent(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const mixed = length + bytes[end - 1] * 5 + bytes[start + (length >> 1)] * 17;
    const place = mixed & (recentPlaces - 1);
    const recent = this.recent[place] - 1;
    if (recent >= 0 && !this.removed.has(recent) && this.holds(recent, bytes, start, end)) return recent;
    const index = this.intern(bytes, start, end);
    this.recent[place] = index + 1;
    return index;
  }

  /** Index of these bytes, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.lookUp(bytes, start, end, hashBytes(bytes, start, end, tableSeed));
  }

  /** Index of these bytes; a new one when they are new: then it equals the old `count`. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashBytes(bytes, start, end, tableSeed);
    const found = this.lookUp(bytes, start, end, hash);
    return found >= 0 ? found : this.append(bytes, start, end, hash);
  }

  private lookUp(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = this.slots[slot];
      if (held === free) return -1;
      if (held !== gone && this.hashes[held - 1] === hash && this.holds(held - 1, bytes, start, end)) return held - 1;
    }
  }

  private holds(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.offsets[index];
    if (this.offsets[index + 1] - from !== end - start) return false;
    return equalRanges(this.arenaView, from, viewOf(bytes), start, end - start);
  }

  private append(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const index = this.count;
    assert(index < gone - 1, 'interned: indexes are 32 bits');
    this.store(bytes, start, end, hash);
    this.takeSlot(index, hash);
    this.dirtyBlocks.add(Math.floor(index / internedBlockEntries));
    return index;
  }

  private store(bytes: Uint8Array, start: number, end: number, hash: number): void {
    const length = end - start;
    if (this.arenaEnd + length > this.arena.length) {
      const grown = new Uint8Array(Math.max(this.arena.length * 1.5, this.arenaEnd + length) | 7);
      grown.set(this.arena);
      this.arena = grown;
      this.arenaView = new DataView(grown.buffer);
    }
    if (this.count + 1 >= this.offsets.length) this.growColumns();
    copyRange(viewOf(bytes), start, end, this.arenaView, this.arenaEnd);
    this.arenaEnd += length;
    this.hashes[this.count] = hash;
    this.count += 1;
    this.offsets[this.count] = this.arenaEnd;
  }

  private growColumns(): void {
    const capacity = Math.ceil(this.offsets.length * 1.5);
    const offsets = new Float64Array(capacity + 1);
    offsets.set(this.offsets);
    this.offsets = offsets;
    const hashes = new Uint32Array(capacity);
    hashes.set(this.hashes);
    this.hashes = hashes;
  }

  /** Entries that were not removed. */
  get live(): number {
    return this.count - this.removed.size;
  }

  private takeSlot(index: number, hash: number): void {
    if ((this.slotsUsed + 1) * 3 > this.slots.length * 2) this.rehash();
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== free) slot = (slot + 1) & mask;
    this.slots[slot] = index + 1;
    this.slotsUsed += 1;
  }

  /** Holds all entries stored so far but the one whose slot is being taken. */
  private rehash(): void {
    const {live} = this;
    let capacity = this.slots.length;
    while (live * 2 > capacity) capacity *= 2;
    const taken = this.slots.filter((held) => held !== free && held !== gone);
    this.slots = new Uint32Array(capacity);
    const mask = capacity - 1;
    for (const held of taken) {
      let slot = this.hashes[held - 1] & mask;
      while (this.slots[slot] !== free) slot = (slot + 1) & mask;
      this.slots[slot] = held;
    }
    this.slotsUsed = taken.length;
  }

  /** Bytes by what they are for, room for growth included. */
  memory(): {keys: number; offsets: number; hashes: number; slots: number} {
    return {
      keys: this.arena.byteLength,
      offsets: this.offsets.byteLength,
      hashes: this.hashes.byteLength,
      slots: this.slots.byteLength,
    };
  }

  has(index: number): boolean {
    return index < this.count && !this.removed.has(index);
  }

  text(index: number): string {
    assert(this.has(index), 'interned: the entry exists');
    return readWtf8(this.arena, this.offsets[index], this.offsets[index + 1]);
  }

  /** Appends the entry's bytes, their length before them. */
  write(writer: ByteWriter, index: number): void {
    assert(this.has(index), 'interned: the entry exists');
    writer.stringBytes(this.arena, this.offsets[index], this.offsets[index + 1]);
  }

  /** Forgets the entry and zeroes its bytes. I1 */
  remove(index: number): void {
    assert(this.has(index), 'interned: the entry exists');
    const mask = this.slots.length - 1;
    let slot = this.hashes[index] & mask;
    while (this.slots[slot] !== index + 1) slot = (slot + 1) & mask;
    this.slots[slot] = gone;
    this.arena.fill(0, this.offsets[index], this.offsets[index + 1]);
    this.hashes[index] = 0;
    this.removed.add(index);
    this.dirtyBlocks.add(Math.floor(index / internedBlockEntries));
  }

  /** Blocks to be written, encoded; marks them clean. */
  takeDirtyBlocks(): Map<number, Uint8Array> {
    const blocks = new Map<number, Uint8Array>();
    for (const block of [...this.dirtyBlocks].sort((a, b) => a - b)) blocks.set(block, this.encodeBlock(block));
    this.dirtyBlocks.clear();
    return blocks;
  }

  private encodeBlock(block: number): Uint8Array {
    const first = block * internedBlockEntries;
    const end = Math.min(this.count, first + internedBlockEntries);
    const writer = new ByteWriter(this.offsets[end] - this.offsets[first] + (end - first) * 3 + 16);
    for (let index = first; index < end; index++) {
      if (this.removed.has(index)) {
        writer.varint(0);
        continue;
      }
      writer.varint(this.offsets[index + 1] - this.offsets[index] + 1);
      writer.raw(this.arena, this.offsets[index], this.offsets[index + 1]);
    }
    return writer.finish();
  }

  /** Appends the entries of a block; blocks come in order. */
  restoreBlock(bytes: Uint8Array): void {
    const reader = new ByteReader(bytes);
    while (!reader.done) {
      const length = reader.varint();
      const index = this.count;
      if (length === 0) {
        this.store(bytes, 0, 0, 0);
        this.removed.add(index);
        continue;
      }
      const start = reader.position;
      reader.raw(length - 1);
      const hash = hashBytes(bytes, start, reader.position, tableSeed);
      this.store(bytes, start, reader.position, hash);
      this.takeSlot(index, hash);
    }
  }
}
