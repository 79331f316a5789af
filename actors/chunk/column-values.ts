// The values of one property column by code, in the form that takes the fewest bytes.
//   Owns: the forms. Does not own: the code of each row, and the layout of the part (property-columns.ts).
//
//   plain     the values' own bytes (tag included), one after the other
//   integers  frame of reference: value minus the smallest value, in 1, 2 or 4 bytes
//   texts     without their tags, padded with zeros to the longest
//
//   V1. A form is exact: `write` gives a value's own bytes again.
//   V2. Two values of a column are equal exactly when their stored bytes are. A search encodes the wanted value once and
//       compares bytes; nothing is decoded.
import {ByteWriter, holds} from '../bytes/bytes.js';
import {writeInteger, writeJsonString} from '../bytes/json-bytes.js';
import {assert} from '../invariant.js';
import {valueTag, writeNumber} from '../log/entries.js';
import {writeValueJson} from '../log/value-json.js';

interface ValuesForm {
  /** The stored bytes of this value; undefined when this form cannot store it, so no value of the column equals it. */
  storedForm(value: Uint8Array): Uint8Array | undefined;
  /** Appends the value whose stored bytes are stored[start .. end). */
  write(writer: ByteWriter, stored: Uint8Array, start: number, end: number): void;
  /** Appends its JSON text. */
  writeJson(writer: ByteWriter, stored: Uint8Array, start: number, end: number): void;
}

type Offsets = Uint16Array | Uint32Array;

/** The number of code c is smallest + above[c - 1]. */
export interface Integers {
  readonly smallest: number;
  readonly above: Uint8Array | Uint16Array | Uint32Array;
}

export class ColumnValues {
  /** Values have the codes 1 to `count`. */
  readonly count: number;
  readonly stored: Uint8Array;
  /** Start of each code's stored bytes (code 1 first), then the end of the last; undefined: all take `width` bytes. */
  readonly offsets: Offsets | undefined;
  private readonly width: number;
  private readonly form: ValuesForm;

  constructor(count: number, stored: Uint8Array, offsets: Offsets | undefined, width = 0, form = plainForm) {
    this.count = count;
    this.stored = stored;
    this.offsets = offsets;
    this.width = width;
    this.form = form;
  }

  /** The stored bytes of a code are stored[start(code) .. end(code)). */
  start(code: number): number {
    return this.offsets === undefined ? (code - 1) * this.width : this.offsets[code - 1];
  }

  end(code: number): number {
    return this.offsets === undefined ? code * this.width : this.offsets[code];
  }

  /** A copy with buffers of its own, so that it does not keep the part in memory. */
  copy(): ColumnValues {
    return new ColumnValues(this.count, this.stored.slice(), this.offsets?.slice(), this.width, this.form);
  }

  /** The stored bytes of this value, if the form has any. V2 */
  storedForm(value: Uint8Array): Uint8Array | undefined {
    return this.form.storedForm(value);
  }

  /** Appends the codes whose stored bytes equal `wanted`. V2 */
  find(wanted: Uint8Array, found: number[]): void {
    const words = wanted.length === this.width ? this.words() : undefined;
    if (words !== undefined) findWord(words, wordOf(wanted), found);
    else if (this.offsets === undefined) this.findAmongEqualWidths(wanted, found);
    else this.findAmongOffsets(this.offsets, wanted, found);
  }

  private findAmongEqualWidths(wanted: Uint8Array, found: number[]): void {
    const {count, stored, width} = this;
    if (wanted.length !== width) return;
    for (let code = 1, start = 0; code <= count; code++, start += width)
      if (holds(stored, start, start + width, wanted)) found.push(code);
  }

  private findAmongOffsets(offsets: Offsets, wanted: Uint8Array, found: number[]): void {
    const {count, stored} = this;
    for (let code = 1; code <= count; code++) {
      if (holds(stored, offsets[code - 1], offsets[code], wanted)) found.push(code);
    }
  }

  /** The stored bytes as an array of 8, 16 or 32 bit words, if values have such a width and are aligned. */
  private words(): Uint8Array | Uint16Array | Uint32Array | undefined {
    const {count, stored, width} = this;
    if (this.offsets !== undefined) return undefined;
    const {buffer, byteOffset} = stored;
    if (width === 1) return stored.subarray(0, count);
    if (width === 2 && byteOffset % 2 === 0) return new Uint16Array(buffer, byteOffset, count);
    return width === 4 && byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, count) : undefined;
  }

  /** Appends the value's bytes, tag included. V1 */
  write(code: number, writer: ByteWriter): void {
    this.form.write(writer, this.stored, this.start(code), this.end(code));
  }

  /** Appends the value's JSON text. */
  writeJson(code: number, writer: ByteWriter): void {
    this.form.writeJson(writer, this.stored, this.start(code), this.end(code));
  }

  /** The numbers of all codes, if the values are stored as integers. */
  integers(): Integers | undefined {
    if (!(this.form instanceof IntegersForm)) return undefined;
    return {smallest: this.form.smallest, above: this.words() ?? this.form.wordsOf(this.stored, this.count)};
  }

  /** Whether values are stored as their own bytes. */
  get isPlain(): boolean {
    return this.form === plainForm;
  }

  get bytes(): number {
    return this.stored.byteLength + (this.offsets?.byteLength ?? 0);
  }
}

/** Compares whole words: a property with tens of thousands of values has nearly one value a row in each chunk. */
function findWord(words: Uint8Array | Uint16Array | Uint32Array, word: number, found: number[]): void {
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) found.push(at + 1);
}

/** Bytes as a little-endian number, as parts store words (rows.ts). */
const wordOf = (bytes: Uint8Array): number => bytes.reduce((word, byte, i) => word + byte * 256 ** i, 0);

const plainForm: ValuesForm = {
  storedForm: (value) => value,
  write(writer, stored, start, end) {
    writer.reserve(end - start);
    const {bytes} = writer;
    let at = writer.position;
    // A loop: values are short, and creating a view for set() costs more than the copy.
    for (let i = start; i < end; i++) bytes[at++] = stored[i];
    writer.position = at;
  },
  writeJson: writeValueJson,
};

class IntegersForm implements ValuesForm {
  constructor(
    readonly smallest: number,
    private readonly width: number,
  ) {}

  storedForm(value: Uint8Array): Uint8Array | undefined {
    const number = integerAt(value, 0, value.length);
    if (number === undefined) return undefined;
    const difference = number - this.smallest;
    if (difference < 0 || difference >= 2 ** (this.width * 8)) return undefined;
    return Uint8Array.from({length: this.width}, (_, i) => difference >>> (i * 8));
  }

  /** The stored differences of values that are not aligned as words. */
  wordsOf(stored: Uint8Array, count: number): Uint32Array {
    const {width} = this;
    const words = new Uint32Array(count);
    for (let i = 0; i < stored.length; i++) words[Math.floor(i / width)] += stored[i] * 0x100 ** (i % width);
    return words;
  }

  write(writer: ByteWriter, stored: Uint8Array, start: number, end: number): void {
    writeNumber(writer, this.numberAt(stored, start, end));
  }

  writeJson(writer: ByteWriter, stored: Uint8Array, start: number, end: number): void {
    writeInteger(writer, this.numberAt(stored, start, end));
  }

  private numberAt(stored: Uint8Array, start: number, end: number): number {
    let difference = 0;
    for (let i = end - 1; i >= start; i--) difference = difference * 256 + stored[i];
    return this.smallest + difference;
  }
}

/**
 * The integer that these bytes encode; undefined for other values, and for an integer not in its shortest form (entries.ts E2).
 */
function integerAt(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (bytes[start] !== valueTag.int || end > start + 1 + varint32BytesMax) return undefined;
  let zigzag = 0;
  let shift = 0;
  let at = start + 1;
  // Every byte but the last has its continuation bit set.
  for (const last = end - 1; at < last; at++, shift += 7) {
    if (bytes[at] < 0x80) return undefined;
    zigzag |= (bytes[at] & 0x7f) << shift;
  }
  const byte = at < end ? bytes[at] : 0xff;
  const isShortest = byte < 0x80 && (byte !== 0 || shift === 0) && (shift < 28 || byte <= 0x0f);
  zigzag |= byte << shift;
  return isShortest ? (zigzag >>> 1) ^ -(zigzag & 1) : undefined;
}

const varint32BytesMax = 5;

/** A text is its tag, its length in one byte (longer texts have no code), and its bytes. */
const lengthBytes = 1;

class TextsForm implements ValuesForm {
  constructor(private readonly width: number) {}

  storedForm(value: Uint8Array): Uint8Array | undefined {
    if (!isText(value, 0, value.length) || value.length - 1 > this.width) return undefined;
    const stored = new Uint8Array(this.width);
    stored.set(value.subarray(1));
    return stored;
  }

  write(writer: ByteWriter, stored: Uint8Array, start: number): void {
    const end = start + lengthBytes + stored[start];
    writer.u8(valueTag.text);
    plainForm.write(writer, stored, start, end);
  }

  writeJson(writer: ByteWriter, stored: Uint8Array, start: number): void {
    const textStart = start + lengthBytes;
    writeJsonString(writer, stored, textStart, textStart + stored[start]);
  }
}

const isText = (bytes: Uint8Array, start: number, end: number): boolean =>
  bytes[start] === valueTag.text && bytes[start + 1] === end - start - 1 - lengthBytes && bytes[start + 1] < 0x80;

// ---- storing ----

const formNumber = {plain: 0, integers: 1, texts: 2} as const;

/** A column's values as a part stores them. */
export interface StoredValues {
  readonly form: number;
  /** Bytes of each stored value; 0: `offsets` has their ends. */
  readonly width: number;
  /** The smallest value as 32 bits, for integers; else 0. */
  readonly smallest: number;
  readonly offsets: Offsets | undefined;
  readonly stored: Uint8Array;
}

/** Columns of fewer values stay plain: packing saves little there, and they are read most. */
const packedValuesMin = 64;

/** Values as their own bytes: value i is bytes[starts[i] .. ends[i]). */
interface Gathered {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
}

/** Encodes the values of these codes, in this order. */
export function storeValues(values: ColumnValues, codes: Uint8Array | Uint16Array): StoredValues {
  const gathered = values.isPlain ? inPlace(values, codes) : writtenOut(values, codes);
  if (gathered.count < packedValuesMin) return storePlain(gathered);
  return storeIntegers(gathered) ?? storeTexts(gathered) ?? storePlain(gathered);
}

function inPlace(values: ColumnValues, codes: Uint8Array | Uint16Array): Gathered {
  const count = codes.length;
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    starts[i] = values.start(codes[i]);
    ends[i] = values.end(codes[i]);
  }
  return {bytes: values.stored, starts, ends, count};
}

function writtenOut(values: ColumnValues, codes: Uint8Array | Uint16Array): Gathered {
  const writer = new ByteWriter(codes.length * 10 + 64);
  const starts = new Uint32Array(codes.length);
  const ends = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) {
    starts[i] = writer.position;
    values.write(codes[i], writer);
    ends[i] = writer.position;
  }
  return {bytes: writer.bytes, starts, ends, count: codes.length};
}

function lengthOf({starts, ends, count}: Gathered): number {
  let length = 0;
  for (let i = 0; i < count; i++) length += ends[i] - starts[i];
  return length;
}

/** Width of every value in bytes; 0 when widths differ. */
function widthOf({starts, ends, count}: Gathered): number {
  const width = count === 0 ? 0 : ends[0] - starts[0];
  for (let i = 1; i < count; i++) if (ends[i] - starts[i] !== width) return 0;
  return width;
}

const offsetBytes = (length: number): number => (length <= 0xffff ? 2 : 4);

function storePlain(gathered: Gathered): StoredValues {
  const {bytes, starts, ends, count} = gathered;
  const width = widthOf(gathered);
  const stored = new Uint8Array(lengthOf(gathered));
  const offsets = offsetBytes(stored.length) === 2 ? new Uint16Array(count + 1) : new Uint32Array(count + 1);
  let to = 0;
  for (let i = 0; i < count; i++) {
    for (let at = starts[i]; at < ends[i]; at++) stored[to++] = bytes[at];
    offsets[i + 1] = to;
  }
  const hasOffsets = width === 0 && count > 0;
  return {
    form: formNumber.plain,
    width,
    smallest: 0,
    offsets: hasOffsets ? offsets : undefined,
    stored,
  };
}

function storeIntegers({bytes, starts, ends, count}: Gathered): StoredValues | undefined {
  const numbers = new Int32Array(count);
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const number = integerAt(bytes, starts[i], ends[i]);
    if (number === undefined) return undefined;
    numbers[i] = number;
    if (number < smallest) smallest = number;
    if (number > largest) largest = number;
  }
  const width = largest - smallest < 0x100 ? 1 : largest - smallest < 0x10000 ? 2 : 4;
  const stored = new Uint8Array(count * width);
  for (let i = 0, at = 0; i < count; i++) {
    const difference = numbers[i] - smallest;
    stored[at++] = difference;
    if (width === 1) continue;
    stored[at++] = difference >>> 8;
    if (width === 2) continue;
    stored[at++] = difference >>> 16;
    stored[at++] = difference >>> 24;
  }
  return {form: formNumber.integers, width, smallest: smallest >>> 0, offsets: undefined, stored};
}

/** Undefined when a value is no text, or when padding takes more bytes than offsets would. */
function storeTexts(gathered: Gathered): StoredValues | undefined {
  const {bytes, starts, ends, count} = gathered;
  let width = 0;
  for (let i = 0; i < count; i++) {
    if (!isText(bytes, starts[i], ends[i])) return undefined;
    if (ends[i] - starts[i] - 1 > width) width = ends[i] - starts[i] - 1;
  }
  const length = lengthOf(gathered);
  if (count * width >= length + count * offsetBytes(length)) return undefined;
  const stored = new Uint8Array(count * width);
  for (let i = 0; i < count; i++) {
    let to = i * width;
    for (let at = starts[i] + 1; at < ends[i]; at++) stored[to++] = bytes[at];
  }
  return {form: formNumber.texts, width, smallest: 0, offsets: undefined, stored};
}

/** Views a part's `count` values in place. */
export function viewValues(count: number, {form, width, smallest, offsets, stored}: StoredValues): ColumnValues {
  switch (form) {
    case formNumber.plain:
      return new ColumnValues(count, stored, offsets, width);
    case formNumber.integers:
      return new ColumnValues(count, stored, undefined, width, new IntegersForm(smallest | 0, width));
    default:
      assert(form === formNumber.texts, `rows: a column's values of form ${form} are unknown to this program`);
      return new ColumnValues(count, stored, undefined, width, new TextsForm(width));
  }
}
