// An interned table: byte strings (user keys, event names) to dense indexes and back.
//   Resident, so it is columns: an arena of bytes, offsets, and open addressing over 32-bit hashes. About 24 B and the
//   string itself per entry; a JavaScript Map of strings takes 100 B more and long garbage collections (docs/architecture.md).
//
//   block = head u32[4]: version entries bytes 0 | (length + 1):u16[entries], 0 of a removed one | hash:u32[entries] | bytes
//     `internedBlockEntries` entries but in the last block; each column is padded to 4 bytes.
//
//   I1. An index is given out once: a removed entry's index is never used again, its bytes are zeroed.
//   I2. Hashes stand in blocks, so that a start copies columns and fills slots; it took three times as long to take
//       keys apart, hash and copy them one by one. Another hash, or `tableSeed`, is another version of a block.

import {copyRange, equalRanges, viewOf} from '../bytes/byte-ranges.js';
import {type ByteWriter, readWtf8} from '../bytes/bytes.js';
import {hashBytes} from '../bytes/hash.js';
import {assert} from '../invariant.js';
import {PackedTable} from './packed-table.js';

export const internedBlockEntries = 4_096;
export const tableSeed = 0x7461626c; // 'tabl'
const arenaBytesMax = 2 ** 32 - 1;
/** Beside what is restored there is room for what comes then: a table that is full is copied for its next entry. */
const reservedShare = 9 / 8;
const free = 0;
const gone = 0xffffffff;
const blockVersion = 0x02ffffff;
const headWords = 4;
const keyBytesMax = 0xfffe;

/** What a snapshot takes of a table. `blocks`, by number, is iterated once. */
export interface EncodedTable {
  readonly count: number;
  readonly blocks: Iterable<readonly [block: number, payload: Uint8Array]>;
}

export class InternedTable {
  /** Entries ever given out: the next index. */
  count = 0;
  private arena = new Uint8Array(1_024);
  private arenaView = new DataView(this.arena.buffer);
  private arenaEnd = 0;
  /** Entry i is arena[offsets[i] .. offsets[i + 1]). */
  private offsets = new Uint32Array(65);
  private removed = new Set<number>();
  /** Two words a slot, so that a look-up reads one line of cache: index + 1, `free` or `gone`, and the entry's hash. */
  private slots = new Uint32Array(2 * 128);
  private slotsUsed = 0;
  /** Blocks that differ from their last encoded form. */
  private dirtyBlocks = new Set<number>();
  /** Of the last cut: entries, and blocks that are not encoded yet, or were before a key of theirs changed. */
  private cutCount = 0;
  private readonly cutBlocks = new Map<number, Uint8Array | undefined>();

  /** Index of these bytes, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.lookUp(bytes, start, end, hashBytes(bytes, start, end, tableSeed));
  }

  /** Index of these bytes; a new one when they are new: then it equals the old `count`. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    return this.internHashed(bytes, start, end, hashBytes(bytes, start, end, tableSeed));
  }

  /** The same; `hash` is that of the bytes, with `tableSeed`. */
  internHashed(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const found = this.lookUp(bytes, start, end, hash);
    return found >= 0 ? found : this.append(bytes, start, end, hash);
  }

  /** All entries with these bytes: those whose key was changed may have the same one. */
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

  /** Entries that were not removed. */
  get live(): number {
    return this.count - this.removed.size;
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

  /** Holds all entries stored so far but the one whose slot is being taken. */
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

  /** Bytes by what they are for, room for growth included. */
  memory(): {keys: number; offsets: number; slots: number} {
    return {keys: this.arena.byteLength, offsets: this.offsets.byteLength, slots: this.slots.byteLength};
  }

  has(index: number): boolean {
    return index < this.count && !this.removed.has(index);
  }

  /** The entry's bytes where they stand: good until the table changes. */
  bytesOf(index: number): Uint8Array {
    assert(this.has(index), 'interned: the entry exists');
    return this.arena.subarray(this.offsets[index], this.offsets[index + 1]);
  }

  text(index: number): string {
    assert(this.has(index), 'interned: the entry exists');
    return readWtf8(this.arena, this.offsets[index], this.offsets[index + 1]);
  }

  /** The same keys with the same indexes, as they are now. */
  pack(): PackedTable {
    assert(this.removed.size === 0, 'interned: nothing was removed from what is packed');
    return new PackedTable(this.arena.slice(0, this.arenaEnd), this.offsets.slice(0, this.count + 1));
  }

  /** Appends the entry's bytes, their length before them. */
  write(writer: ByteWriter, index: number): void {
    assert(this.has(index), 'interned: the entry exists');
    writer.stringBytes(this.arena, this.offsets[index], this.offsets[index + 1]);
  }

  /** Changes the first byte of the entry's key. Entries whose keys were changed may have equal ones: `findAll`. */
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

  /** Forgets the entry and zeroes its bytes. I1 */
  remove(index: number): void {
    this.leaveSlot(index);
    this.arena.fill(0, this.offsets[index], this.offsets[index + 1]);
    this.removed.add(index);
    this.dirtyBlocks.add(Math.floor(index / internedBlockEntries));
  }

  /**
   * The blocks to be written, ascending, which are clean from now on. Each is encoded when it is asked for, as it is now: entries
   * may come and keys may change until then, and none may be removed.
   */
  cut(): EncodedTable {
    const blocks = [...this.dirtyBlocks].sort((a, b) => a - b);
    this.dirtyBlocks.clear();
    this.cutCount = this.count;
    this.cutBlocks.clear();
    for (const block of blocks) this.cutBlocks.set(block, undefined);
    return {count: this.count, blocks: this.encodeBlocks()};
  }

  private *encodeBlocks(): Generator<readonly [number, Uint8Array]> {
    for (const [block, encoded] of this.cutBlocks) {
      this.cutBlocks.delete(block);
      yield [block, encoded ?? this.encodeBlock(block, this.cutCount)];
    }
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
   * Takes room for so many entries, before their blocks are restored: a table that grows with them is hashed and copied
   * again and again. `blockBytes`: of all these blocks. Memory that nothing was written to yet takes none of the machine's.
   */
  reserve(entries: number, blockBytes: number): void {
    const columnBytes = entries * (Uint16Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT);
    const keyBytes = Math.ceil(Math.max(0, blockBytes - columnBytes) * reservedShare);
    this.makeRoom(Math.min(keyBytes, arenaBytesMax - this.arenaEnd));
    const capacity = Math.ceil(entries * reservedShare) + 1;
    if (this.offsets.length < capacity) this.growOffsets(capacity);
    this.rehash(entries);
  }

  /** Appends the entries of a block; blocks come in order. I2 */
  restoreBlock(block: Uint8Array): void {
    const {lengths, hashes, keysAt, keyBytes} = openBlock(block);
    const entries = lengths.length;
    this.makeRoom(keyBytes);
    this.arena.set(block.subarray(keysAt), this.arenaEnd);
    if (this.offsets.length <= this.count + entries) this.growOffsets(this.count + entries + 1);
    if ((this.slotsUsed + entries) * 3 > this.slots.length) this.rehash(this.live + entries);
    this.takeColumns(lengths, hashes);
  }

  /** Room is there. A loop that writes no field and counts places in words takes half the time. */
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

/** The entries of one block, read where they stand. */
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

  /** By its place in the block; undefined for one that was removed. */
  bytesOf(place: number): Uint8Array | undefined {
    assert(place < this.lengths.length, 'interned: the block has the entry');
    return this.lengths[place] === 0 ? undefined : this.block.subarray(this.offsets[place], this.offsets[place + 1]);
  }
}

/** Columns and bytes of keys of a block. Columns that do not begin at a multiple of 4 are copied first. */
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

/** Where the columns of a block begin. */
function columnsOf(entries: number): {lengthsAt: number; hashesAt: number; keysAt: number} {
  const lengthsAt = headWords * 4;
  const hashesAt = lengthsAt + ((entries * 2 + 3) & ~3);
  return {lengthsAt, hashesAt, keysAt: hashesAt + entries * 4};
}

/** Of the block at `offset` of `buffer`. */
function viewColumns(entries: number, buffer: ArrayBufferLike, offset: number): BlockColumns {
  const {lengthsAt, hashesAt} = columnsOf(entries);
  return {
    lengths: new Uint16Array(buffer, offset + lengthsAt, entries),
    hashes: new Uint32Array(buffer, offset + hashesAt, entries),
  };
}

/** Its head is written. */
function newBlock(entries: number, keyBytes: number): BlockColumns & {bytes: Uint8Array; keysAt: number} {
  const {keysAt} = columnsOf(entries);
  const block = new ArrayBuffer(keysAt + keyBytes);
  new Uint32Array(block, 0, headWords).set([blockVersion, entries, keyBytes, 0]);
  return {...viewColumns(entries, block, 0), bytes: new Uint8Array(block), keysAt};
}
