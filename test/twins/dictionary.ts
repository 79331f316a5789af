// The value dictionary of one open chunk: (column, value bytes) to a 16-bit code.
//   Bounded in entries, bytes and value length: a value past a bound is `codeInBody`, and a filter reads its body (property-columns.ts PC1).
//
//   D1. Of a column whose values are nearly all different (sessions, amounts) each value gets a code of its own, looked up
//       or not: to look for equal ones would cost more than it saves. Two codes may then stand for equal values.
//   D2. Which columns those are is decided at the first row of each block, from the rows before: a chunk that was restored
//       from its parts goes on as it would have. A column that became one stays one: all its values are new from then on.
//       Of a chunk that was erased from it may be decided otherwise than when its rows came: then a bound may leave no room
//       for a value that had a code, and that no body tells.
import {copyRange, equalRanges, viewOf} from '../../actors/bytes/byte-ranges.js';
import {hashBytes} from '../../actors/bytes/hash.js';
import {ColumnValues} from '../../actors/chunk/column-values.js';
import {codesReserved, distinctSampleMin, distinctShare} from '../../actors/chunk/event-rows.js';
import {codeAbsent, codeInBody} from '../../actors/chunk/property-columns.js';
import {chunkCodesMax, chunkColumnsMax, dictionaryBytesMax, dictionaryValueBytesMax} from '../../actors/limits.js';

/** Places in which a column looks for a value before it hashes it; a power of two. */
const recentPerColumn = 64;

export class Dictionary {
  /** Codes given out; the first one is 1. */
  count = 0;
  private bytes: Uint8Array;
  private bytesView: DataView;
  private offsets: Uint32Array;
  private columns: Uint8Array;
  private hashes: Uint32Array;
  /** A code, or 0 where free. */
  private slots = new Uint16Array(1_024);
  private slotsUsed = 0;
  /** Codes that stood for a value of the column lately. */
  private readonly recent = new Uint16Array(chunkColumnsMax * recentPerColumn);
  /** By column: values that have a code, codes, and whether D1 holds. */
  private readonly values = new Uint32Array(chunkColumnsMax);
  private readonly codes = new Uint32Array(chunkColumnsMax);
  private readonly isDistinct = new Uint8Array(chunkColumnsMax);

  constructor() {
    const capacity = 257;
    this.bytes = new Uint8Array(4_096);
    this.bytesView = viewOf(this.bytes);
    this.offsets = new Uint32Array(capacity + 1);
    this.columns = new Uint8Array(capacity);
    this.hashes = new Uint32Array(capacity);
  }

  /** Code of the value at source[start .. end), a new one when it is new and there is room. */
  code(column: number, source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > dictionaryValueBytesMax) return codeInBody;
    const code =
      this.isDistinct[column] === 1
        ? this.ownCode(column, source, start, end)
        : this.sharedCode(column, source, start, end);
    if (code !== codeInBody) this.values[column] += 1;
    return code;
  }

  private ownCode(column: number, source: Uint8Array, start: number, end: number): number {
    if (this.count >= chunkCodesMax - codesReserved || !this.hasRoom(end - start)) return codeInBody;
    return this.append(column, source, start, end, 0);
  }

  private sharedCode(column: number, source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    // Mixes what differs in short values of one kind: their length, and bytes near both ends.
    const mixed = length + source[end - 1] * 5 + source[start + (length >> 1)] * 17;
    const place = column * recentPerColumn + (mixed & (recentPerColumn - 1));
    const recent = this.recent[place];
    if (recent !== codeAbsent && this.holds(recent, source, start, length)) return recent;
    const code = this.lookUp(column, source, start, end);
    if (code !== codeInBody) this.recent[place] = code;
    return code;
  }

  private lookUp(column: number, source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const hash = hashBytes(source, start, end, column + 1);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const code = this.slots[slot];
      if (this.hashes[code] === hash && this.columns[code] === column && this.holds(code, source, start, length))
        return code;
    }
    if (this.count === chunkCodesMax || !this.hasRoom(length)) return codeInBody;
    const code = this.append(column, source, start, end, hash);
    this.slots[slot] = code;
    this.slotsUsed += 1;
    if (this.slotsUsed * 2 > this.slots.length) this.rehash();
    return code;
  }

  private hasRoom(length: number): boolean {
    return this.offsets[this.count + 1] + length <= dictionaryBytesMax;
  }

  private holds(code: number, source: Uint8Array, start: number, length: number): boolean {
    const from = this.offsets[code];
    if (this.offsets[code + 1] - from !== length) return false;
    return equalRanges(this.bytesView, from, viewOf(source), start, length);
  }

  private append(column: number, source: Uint8Array, start: number, end: number, hash: number): number {
    const code = this.count + 1;
    if (code + 1 >= this.offsets.length) this.growColumns();
    const from = this.offsets[code];
    if (from + end - start > this.bytes.length) this.growBytes();
    copyRange(viewOf(source), start, end, this.bytesView, from);
    this.offsets[code + 1] = from + end - start;
    this.columns[code] = column;
    this.hashes[code] = hash;
    this.codes[column] += 1;
    this.count = code;
    return code;
  }

  private growBytes(): void {
    this.bytes = grown(this.bytes, this.bytes.length * 2);
    this.bytesView = viewOf(this.bytes);
  }

  private growColumns(): void {
    const capacity = this.columns.length * 2;
    this.offsets = grown(this.offsets, capacity + 1);
    this.columns = grown(this.columns, capacity);
    this.hashes = grown(this.hashes, capacity);
  }

  private rehash(): void {
    const {slots: old} = this;
    this.slots = new Uint16Array(old.length * 4);
    for (const code of old) if (code !== 0) this.takeSlot(code);
  }

  private takeSlot(code: number): void {
    const mask = this.slots.length - 1;
    let slot = this.hashes[code] & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = code;
  }

  /** The next row is the first of a block. D2 */
  beginBlock(): void {
    for (let column = 0; column < chunkColumnsMax; column++) {
      const values = this.values[column];
      if (values >= distinctSampleMin && this.codes[column] > values * distinctShare) this.isDistinct[column] = 1;
    }
  }

  /** The values by code; valid until the next new one. */
  view(): ColumnValues {
    const {bytes, count, offsets} = this;
    return new ColumnValues(count, bytes.subarray(0, offsets[count + 1]), offsets.subarray(1, count + 2));
  }
}

function grown<T extends Uint8Array | Uint32Array>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(capacity);
  larger.set(array);
  return larger;
}
