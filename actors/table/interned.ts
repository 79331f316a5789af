// An interned table: byte strings (user keys, event names) to dense indexes and back.
//   Columns, because it is resident: an arena of bytes, offsets, and open addressing over 32-bit hashes. An entry takes about
//   24 B and the string itself; a JavaScript Map takes 100 B more and long garbage collections.
//
//   block = head u32[4]: version entries bytes 0 | (length + 1):u16[entries], 0 of a removed one | hash:u32[entries] | bytes
//     `internedBlockEntries` entries but in the last block; each column is padded to 4 bytes.
//
//   I1. An index is given out once: a removed entry's index is not used again, and its bytes are zeroed.
//   I2. Blocks hold hashes, so that a start copies columns and fills slots; hashing and copying keys one by one took three
//       times as long. Another hash, or another `tableSeed`, needs another version of a block.

import type {FrozenPart} from '../actor.js';
import {copyRange, equalRanges, viewOf} from '../bytes/byte-ranges.js';
import {type ByteWriter, readWtf8} from '../bytes/bytes.js';
import {hashBytes} from '../bytes/hash.js';
import {assert} from '../invariant.js';
import {PackedTable} from './packed-table.js';

export const internedBlockEntries = 4_096;
export const tableSeed = 0x7461626c; // 'tabl'
const arenaBytesMax = 2 ** 32 - 1;
/** Room for new entries beside the restored ones: a full table would be copied for its next entry. */
const reservedShare = 9 / 8;
const free = 0;
const gone = 0xffffffff;
const blockVersion = 0x02ffffff;
const headWords = 4;
const keyBytesMax = 0xfffe;

/** Number of entries ever given out, and bytes of their keys: a table restored for these is allocated once. */
export interface TableSize {
  readonly count: number;
  readonly keyBytes: number;
}

export class InternedTable {
  /** Number of entries ever given out: the next index. */
  count = 0;
  private arena = new Uint8Array(1_024);
  private arenaView = new DataView(this.arena.buffer);
  private arenaEnd = 0;
  /** Entry i is arena[offsets[i] .. offsets[i + 1]). */
  private offsets = new Uint32Array(65);
  private removed = new Set<number>();
  /** Two words a slot, so that a look-up reads one cache line: index + 1, `free` or `gone`; and the entry's hash. */
  private slots = new Uint32Array(2 * 128);
  private slotsUsed = 0;
  /** Blocks that differ from their last encoded form. */
  private dirtyBlocks = new Set<number>();
  /** Number of entries at the last cut, and its blocks: undefined until encoded, or encoded early because a key changed. */
  private cutCount = 0;
  private readonly cutBlocks = new Map<number, Uint8Array | undefined>();

  /** Index of these bytes, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.lookUp(bytes, start, end, hashBytes(bytes, start, end, tableSeed));
  }

  /** Index of these bytes; for new bytes a new one, which equals the old `count`. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    return this.internHashed(bytes, start, end, hashBytes(bytes, start, end, tableSeed));
  }

  /** `intern` for bytes whose hash, with `tableSeed`, is known. */
  internHashed(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const found = this.lookUp(bytes, start, end, hash);
    return found >= 0 ? found : this.append(bytes, start, end, hash);
  }

  /** All entries with these bytes: changed keys may be equal. */
  findAll(bytes: Uint8Array, start: number, end: number): number[] {
    const hash = hashBytes(bytes, start, end, tableSeed);
    const {slots} = this;
    const mask = slots.length / 2 - 1;
    const found: number[] = [];
    for (let slot = hash & mask; slots[2 * slot] !== free; slot = (slot + 1) & mask) {
      const held = slots[2 * slot];
      if (slots[2 * slot + 1] === hash && held !== gone && this.holds(held - 1, bytes, start, end))
        found.push(held - 1);
    }
    return found.sort((a, b) => a - b);
  }

  private lookUp(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const {slots} = this;
    const mask = slots.length / 2 - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = slots[2 * slot];
      if (held === free) return -1;
      if (slots[2 * slot + 1] === hash && held !== gone && this.holds(held - 1, bytes, start, end)) return held - 1;
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
    this.store(bytes, start, end);
    this.takeSlot(index, hash);
    this.dirtyBlocks.add(Math.floor(index / internedBlockEntries));
    return index;
  }

  private store(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.makeRoom(length);
    if (this.count + 1 >= this.offsets.length) this.growOffsets(Math.ceil(this.offsets.length * 1.5) + 1);
    copyRange(viewOf(bytes), start, end, this.arenaView, this.arenaEnd);
    this.arenaEnd += length;
    this.count += 1;
    this.offsets[this.count] = this.arenaEnd;
  }

  private makeRoom(keyBytes: number): void {
    const needed = this.arenaEnd + keyBytes;
    if (needed <= this.arena.length) return;
    assert(needed <= arenaBytesMax, 'interned: offsets are 32 bits');
    const grown = new Uint8Array(Math.min(arenaBytesMax, Math.ceil(Math.max(this.arena.length * 1.5, needed) / 8) * 8));
    grown.set(this.arena.subarray(0, this.arenaEnd));
    this.arena = grown;
    this.arenaView = new DataView(grown.buffer);
  }

  private growOffsets(capacity: number): void {
    const offsets = new Uint32Array(capacity);
    offsets.set(this.offsets);
    this.offsets = offsets;
  }

  /** Number of entries that were not removed. */
  get live(): number {
    return this.count - this.removed.size;
  }

  /** Number of entries that were removed. */
  get removals(): number {
    return this.removed.size;
  }

  private takeSlot(index: number, hash: number): void {
    if ((this.slotsUsed + 1) * 3 > this.slots.length) this.rehash();
    this.fillSlot(index + 1, hash);
    this.slotsUsed += 1;
  }

  private fillSlot(held: number, hash: number): void {
    const {slots} = this;
    const mask = slots.length / 2 - 1;
    let slot = hash & mask;
    while (slots[2 * slot] !== free) slot = (slot + 1) & mask;
    slots[2 * slot] = held;
    slots[2 * slot + 1] = hash;
  }

  /** Inserts all entries stored so far into larger slots, except the one whose slot is being taken. */
  private rehash(entries = this.live): void {
    const {slots: old} = this;
    let capacity = old.length / 2;
    while (entries * 2 > capacity) capacity *= 2;
    this.slots = new Uint32Array(2 * capacity);
    this.slotsUsed = 0;
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === free || old[at] === gone) continue;
      this.fillSlot(old[at], old[at + 1]);
      this.slotsUsed += 1;
    }
  }

  /** Bytes of memory by purpose, room for growth included. */
  memory(): {keys: number; offsets: number; slots: number} {
    return {keys: this.arena.byteLength, offsets: this.offsets.byteLength, slots: this.slots.byteLength};
  }

  has(index: number): boolean {
    return index < this.count && !this.removed.has(index);
  }

  /** The entry's bytes in place: valid until the table changes. */
  bytesOf(index: number): Uint8Array {
    assert(this.has(index), 'interned: the entry exists');
    return this.arena.subarray(this.offsets[index], this.offsets[index + 1]);
  }

  text(index: number): string {
    assert(this.has(index), 'interned: the entry exists');
    return readWtf8(this.arena, this.offsets[index], this.offsets[index + 1]);
  }

  /** A read-only copy with the same indexes. */
  pack(): PackedTable {
    assert(this.removed.size === 0, 'interned: nothing was removed from what is packed');
    return new PackedTable(this.arena.slice(0, this.arenaEnd), this.offsets.slice(0, this.count + 1));
  }

  /** Appends the entry's bytes with their length. */
  write(writer: ByteWriter, index: number): void {
    assert(this.has(index), 'interned: the entry exists');
    writer.stringBytes(this.arena, this.offsets[index], this.offsets[index + 1]);
  }

  /** Changes the first byte of the entry's key. Changed keys may be equal: see `findAll`. */
  changeFirstByte(index: number, byte: number): void {
    const block = Math.floor(index / internedBlockEntries);
    if (this.cutBlocks.has(block) && this.cutBlocks.get(block) === undefined)
      this.cutBlocks.set(block, this.encodeBlock(block, this.cutCount));
    this.leaveSlot(index);
    this.arena[this.offsets[index]] = byte;
    this.takeSlot(index, hashBytes(this.arena, this.offsets[index], this.offsets[index + 1], tableSeed));
    this.dirtyBlocks.add(block);
  }

  private leaveSlot(index: number): void {
    assert(this.has(index), 'interned: the entry exists');
    const mask = this.slots.length / 2 - 1;
    let slot = hashBytes(this.arena, this.offsets[index], this.offsets[index + 1], tableSeed) & mask;
    while (this.slots[2 * slot] !== index + 1) slot = (slot + 1) & mask;
    this.slots[2 * slot] = gone;
    this.slots[2 * slot + 1] = 0;
  }

  /** Removes the entry and zeroes its bytes. I1 */
  remove(index: number): void {
    this.leaveSlot(index);
    this.arena.fill(0, this.offsets[index], this.offsets[index + 1]);
    this.removed.add(index);
    this.dirtyBlocks.add(Math.floor(index / internedBlockEntries));
  }

  /**
   * Freezes the dirty blocks as parts of this name, ascending, and marks them clean. Blocks are encoded lazily: entries may be added and keys changed
   * meanwhile, but none removed.
   */
  freeze(name: string): Iterable<FrozenPart> {
    const blocks = [...this.dirtyBlocks].sort((a, b) => a - b);
    this.dirtyBlocks.clear();
    this.cutCount = this.count;
    this.cutBlocks.clear();
    for (const block of blocks) this.cutBlocks.set(block, undefined);
    return this.frozenBlocks(name);
  }

  private *frozenBlocks(name: string): Generator<FrozenPart> {
    for (const [block, encoded] of this.cutBlocks) {
      this.cutBlocks.delete(block);
      yield {name, block, payload: encoded ?? this.encodeBlock(block, this.cutCount)};
    }
  }

  get size(): TableSize {
    return {count: this.count, keyBytes: this.arenaEnd};
  }

  private encodeBlock(block: number, count: number): Uint8Array {
    const first = block * internedBlockEntries;
    const end = Math.min(count, first + internedBlockEntries);
    const {offsets} = this;
    let keyBytes = 0;
    for (let index = first; index < end; index++)
      if (!this.removed.has(index)) keyBytes += offsets[index + 1] - offsets[index];
    const {bytes, lengths, hashes, keysAt} = newBlock(end - first, keyBytes);
    const keys = viewOf(bytes);
    for (let index = first, at = keysAt; index < end; index++) {
      if (this.removed.has(index)) continue;
      const length = offsets[index + 1] - offsets[index];
      assert(length <= keyBytesMax, 'interned: lengths in blocks are 16 bits');
      lengths[index - first] = length + 1;
      hashes[index - first] = hashBytes(this.arena, offsets[index], offsets[index + 1], tableSeed);
      copyRange(this.arenaView, offsets[index], offsets[index + 1], keys, at);
      at += length;
    }
    return bytes;
  }

  /**
   * Allocates for this many entries before their blocks are restored: a table that grows with them is rehashed and copied
   * repeatedly. Memory that is not written to yet costs nothing.
   */
  reserve({count, keyBytes}: TableSize): void {
    this.makeRoom(Math.min(Math.ceil(keyBytes * reservedShare), arenaBytesMax - this.arenaEnd));
    const capacity = Math.ceil(count * reservedShare) + 1;
    if (this.offsets.length < capacity) this.growOffsets(capacity);
    this.rehash(count);
  }

  /** Appends the entries of a block; blocks must come in order. I2 */
  restoreBlock(block: Uint8Array): void {
    const {lengths, hashes, keysAt, keyBytes} = openBlock(block);
    const entries = lengths.length;
    this.makeRoom(keyBytes);
    this.arena.set(block.subarray(keysAt), this.arenaEnd);
    if (this.offsets.length <= this.count + entries) this.growOffsets(this.count + entries + 1);
    if ((this.slotsUsed + entries) * 3 > this.slots.length) this.rehash(this.live + entries);
    this.takeColumns(lengths, hashes);
  }

  /** Inserts a block's entries; the caller made room. Local variables and word addresses take half the time of fields. */
  private takeColumns(lengths: Uint16Array, hashes: Uint32Array): void {
    const {slots, count: first} = this;
    const mask = slots.length - 1;
    let taken = 0;
    for (let i = 0; i < lengths.length; i++) {
      if (lengths[i] === 0) continue;
      const hash = hashes[i] | 0;
      let at = (2 * hash) & mask;
      while (slots[at] !== free) at = (at + 2) & mask;
      slots[at] = first + i + 1;
      slots[at + 1] = hash;
      taken += 1;
    }
    this.slotsUsed += taken;
    this.takeLengths(lengths);
  }

  private takeLengths(lengths: Uint16Array): void {
    const {offsets} = this;
    let {arenaEnd, count} = this;
    for (let i = 0; i < lengths.length; i++) {
      if (lengths[i] === 0) this.removed.add(count);
      else arenaEnd += lengths[i] - 1;
      count += 1;
      offsets[count] = arenaEnd;
    }
    this.arenaEnd = arenaEnd;
    this.count = count;
  }
}

/** The entries of one block, read in place. */
export class InternedBlock {
  private readonly block: Uint8Array;
  /** Entry i is block[offsets[i] .. offsets[i + 1]). */
  private readonly offsets: Uint32Array;
  private readonly lengths: Uint16Array;

  constructor(block: Uint8Array) {
    this.block = block;
    const {lengths, keysAt} = openBlock(block);
    this.lengths = lengths;
    this.offsets = new Uint32Array(lengths.length + 1);
    this.offsets[0] = keysAt;
    for (let i = 0; i < lengths.length; i++) this.offsets[i + 1] = this.offsets[i] + Math.max(0, lengths[i] - 1);
  }

  /** Whether the entry at this position of the block was not removed. */
  has(place: number): boolean {
    assert(place < this.lengths.length, 'interned: the block has the entry');
    return this.lengths[place] !== 0;
  }

  /** Bytes of the entry at this position of the block; undefined if it was removed. */
  bytesOf(place: number): Uint8Array | undefined {
    return this.has(place) ? this.block.subarray(this.offsets[place], this.offsets[place + 1]) : undefined;
  }

  /** Appends the entry at this position, which was not removed, as a length-prefixed string. */
  write(writer: ByteWriter, place: number): void {
    assert(this.has(place), 'interned: a removed entry has no bytes');
    writer.stringBytes(this.block, this.offsets[place], this.offsets[place + 1]);
  }
}

/** Columns and key bytes of a block. Columns at an address not divisible by 4 are copied first. */
function openBlock(block: Uint8Array): BlockColumns & {keysAt: number; keyBytes: number} {
  const head = viewOf(block);
  const version = head.getUint32(0, true);
  assert(version === blockVersion, `interned: block version ${version} is unknown to this program`);
  const [entries, keyBytes] = [head.getUint32(4, true), head.getUint32(8, true)];
  const {keysAt} = columnsOf(entries);
  const {buffer, byteOffset} = block.byteOffset % 4 === 0 ? block : new Uint8Array(block.subarray(0, keysAt));
  assert(keysAt + keyBytes === block.length, 'interned: the head says how long a block is');
  return {...viewColumns(entries, buffer, byteOffset), keysAt, keyBytes};
}

interface BlockColumns {
  readonly lengths: Uint16Array;
  readonly hashes: Uint32Array;
}

/** Byte positions of a block's columns. */
function columnsOf(entries: number): {lengthsAt: number; hashesAt: number; keysAt: number} {
  const lengthsAt = headWords * 4;
  const hashesAt = lengthsAt + ((entries * 2 + 3) & ~3);
  return {lengthsAt, hashesAt, keysAt: hashesAt + entries * 4};
}

/** Columns of the block at `offset` of `buffer`. */
function viewColumns(entries: number, buffer: ArrayBufferLike, offset: number): BlockColumns {
  const {lengthsAt, hashesAt} = columnsOf(entries);
  return {
    lengths: new Uint16Array(buffer, offset + lengthsAt, entries),
    hashes: new Uint32Array(buffer, offset + hashesAt, entries),
  };
}

/** A block whose head is written. */
function newBlock(entries: number, keyBytes: number): BlockColumns & {bytes: Uint8Array; keysAt: number} {
  const {keysAt} = columnsOf(entries);
  const block = new ArrayBuffer(keysAt + keyBytes);
  new Uint32Array(block, 0, headWords).set([blockVersion, entries, keyBytes, 0]);
  return {...viewColumns(entries, block, 0), bytes: new Uint8Array(block), keysAt};
}
