// The values of one property column by code, in whichever form takes the fewest bytes.
//   Owns: the forms. Does not own: which row has which code, and what of all this a part holds in which order (rows.ts).
//
//   plain     the values' own bytes (tag included), one after the other
//   integers  frame of reference: each less the smallest, in 1, 2 or 4 bytes
//   text      bit-packed: each character as its place in the column's alphabet, in as few bits as those need. All values
//             take the same bytes; where they are not all of one length, place 0 ends a shorter one
//
//   V1. A form is exact: `write` gives a value's own bytes again.
//   V2. Two values of a column are equal just when their stored bytes are: whoever looks for a value asks for its
//       stored form once and compares bytes. Nothing is decoded.
import {ByteWriter} from './codec/bytes.js';
import {valueTag, writeNumber} from './codec/entries.js';
import {assert} from './invariant.js';

export interface ValuesForm {
  /** How the value with these bytes is stored; undefined when no value in this form is equal to it. */
  storedForm(value: Uint8Array): Uint8Array | undefined;
  /** Appends the value that is stored at stored[start .. end). */
  write(writer: ByteWriter, stored: Uint8Array, start: number, end: number): void;
}

type Offsets = Uint16Array | Uint32Array;

export class ColumnValues {
  /** Values have the codes 1 to `count`. */
  readonly count: number;
  readonly stored: Uint8Array;
  /** Where the stored form of each code begins (code 1 first) and the last one ends; undefined: all take `width` bytes. */
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

  /** The stored form of a code is stored[start(code) .. end(code)). */
  start(code: number): number {
    return this.offsets === undefined ? (code - 1) * this.width : this.offsets[code - 1];
  }

  end(code: number): number {
    return this.offsets === undefined ? code * this.width : this.offsets[code];
  }

  /** V2 */
  storedForm(value: Uint8Array): Uint8Array | undefined {
    return this.form.storedForm(value);
  }

  /** Appends the value's bytes, tag included. V1 */
  write(code: number, writer: ByteWriter): void {
    this.form.write(writer, this.stored, this.start(code), this.end(code));
  }

  /** Stored in their own bytes. */
  get isPlain(): boolean {
    return this.form === plainForm;
  }

  get bytes(): number {
    return this.stored.byteLength + (this.offsets?.byteLength ?? 0);
  }
}

const plainForm: ValuesForm = {
  storedForm: (value) => value,
  write(writer, stored, start, end) {
    writer.reserve(end - start);
    const {bytes} = writer;
    let at = writer.position;
    // A loop: values are short, and a view for set() costs more than it copies.
    for (let i = start; i < end; i++) bytes[at++] = stored[i];
    writer.position = at;
  },
};

class IntegersForm implements ValuesForm {
  constructor(
    private readonly smallest: number,
    private readonly width: number,
  ) {}

  storedForm(value: Uint8Array): Uint8Array | undefined {
    const number = integerAt(value, 0, value.length);
    if (number === undefined) return undefined;
    const difference = number - this.smallest;
    if (difference < 0 || difference >= 2 ** (this.width * 8)) return undefined;
    return Uint8Array.from({length: this.width}, (_, i) => difference >>> (i * 8));
  }

  write(writer: ByteWriter, stored: Uint8Array, start: number, end: number): void {
    let difference = 0;
    for (let i = end - 1; i >= start; i--) difference = difference * 256 + stored[i];
    writeNumber(writer, this.smallest + difference);
  }
}

/** The integer whose bytes these are, if they are those of one; not a number that fits into fewer bytes (entries.ts E2). */
function integerAt(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (bytes[start] !== valueTag.int) return undefined;
  let zigzag = 0;
  let at = start + 1;
  for (let shift = 0; at < end && shift < 35; shift += 7) {
    const byte = bytes[at++];
    zigzag |= (byte & 0x7f) << shift;
    if (byte > 0x7f) continue;
    const isShortest = (byte !== 0 || shift === 0) && (shift < 28 || byte <= 0x0f);
    return isShortest && at === end ? (zigzag >>> 1) ^ -(zigzag & 1) : undefined;
  }
  return undefined;
}

/** A value is its tag, its length in one byte, its characters. */
const textHeadBytes = 2;
const textCharsMax = 0x7f;
/** Of a byte that is not in the alphabet. */
const noPlace = 0xff;

class TextForm implements ValuesForm {
  readonly width: number;
  private readonly bits: number;
  /** Place of the first character of the alphabet: places below end a value. */
  private readonly firstPlace: number;
  private readonly places = new Uint8Array(256).fill(noPlace);
  private readonly charOfPlace: Uint8Array;

  constructor(
    alphabet: Uint8Array,
    private readonly charsMax: number,
    private readonly isOneLength: boolean,
  ) {
    this.firstPlace = isOneLength ? 0 : 1;
    this.bits = Math.max(1, 32 - Math.clz32(alphabet.length + this.firstPlace - 1));
    this.width = Math.ceil((charsMax * this.bits) / 8);
    this.charOfPlace = new Uint8Array(1 << this.bits);
    this.charOfPlace.set(alphabet, this.firstPlace);
    alphabet.forEach((char, i) => {
      this.places[char] = i + this.firstPlace;
    });
  }

  storedForm(value: Uint8Array): Uint8Array | undefined {
    const stored = new Uint8Array(this.width);
    return this.pack(value, 0, value.length, stored, 0) ? stored : undefined;
  }

  /** Stores the value source[start .. end) at `at`; false when it is no text of such lengths and characters. */
  pack(source: Uint8Array, start: number, end: number, stored: Uint8Array, at: number): boolean {
    const {places, bits, charsMax} = this;
    const chars = end - start - textHeadBytes;
    if (source[start] !== valueTag.text || source[start + 1] !== chars) return false;
    if (chars > charsMax || (this.isOneLength && chars !== charsMax)) return false;
    let window = 0;
    let filled = 0;
    for (let i = start + textHeadBytes; i < end; i++) {
      const place = places[source[i]];
      if (place === noPlace) return false;
      window |= place << filled;
      filled += bits;
      if (filled < 8) continue;
      stored[at++] = window;
      window >>>= 8;
      filled -= 8;
    }
    if (filled > 0) stored[at] = window;
    return true;
  }

  write(writer: ByteWriter, stored: Uint8Array, start: number): void {
    const {bits, charsMax, charOfPlace, firstPlace} = this;
    writer.reserve(charsMax + textHeadBytes);
    const {bytes, position} = writer;
    let to = position + textHeadBytes;
    let at = start;
    let window = 0;
    let filled = 0;
    for (let i = 0; i < charsMax; i++) {
      if (filled < bits) {
        window |= stored[at++] << filled;
        filled += 8;
      }
      const place = window & (charOfPlace.length - 1);
      if (place < firstPlace) break;
      bytes[to++] = charOfPlace[place];
      window >>>= bits;
      filled -= bits;
    }
    bytes[position] = valueTag.text;
    bytes[position + 1] = to - position - textHeadBytes;
    writer.position = to;
  }
}

// ---- storing ----

const formNumber = {plain: 0, integers: 1, text: 2} as const;
const flagOneLength = 1 << 16;

/** What a part holds of a column's values. */
export interface StoredValues {
  readonly form: number;
  /** Bytes of each stored value; 0: `offsets` tell. */
  readonly width: number;
  /** Integers: the smallest one. Text: the longest one's characters, and `flagOneLength`. */
  readonly detail: number;
  readonly alphabet: Uint8Array;
  readonly offsets: Offsets | undefined;
  readonly stored: Uint8Array;
}

const noAlphabet = new Uint8Array(0);
/** Fewer values stay plain: they take little, and are read most. */
const packedValuesMin = 64;

/** Values in their own bytes: value i is bytes[starts[i] .. ends[i]). */
interface Gathered {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
}

/** The values of these codes, in this order. */
export function storeValues(values: ColumnValues, codes: Uint8Array | Uint16Array): StoredValues {
  const gathered = values.isPlain ? inPlace(values, codes) : writtenOut(values, codes);
  const packed = gathered.count < packedValuesMin ? undefined : (storeIntegers(gathered) ?? storeText(gathered));
  if (packed !== undefined && packed.alphabet.length + packed.stored.length < plainBytes(gathered)) return packed;
  return storePlain(gathered);
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

/** Bytes of every value, or 0 when they differ. */
function widthOf({starts, ends, count}: Gathered): number {
  const width = count === 0 ? 0 : ends[0] - starts[0];
  for (let i = 1; i < count; i++) if (ends[i] - starts[i] !== width) return 0;
  return width;
}

function plainBytes(gathered: Gathered): number {
  const length = lengthOf(gathered);
  return widthOf(gathered) > 0 ? length : length + (gathered.count + 1) * offsetBytes(length);
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
    detail: 0,
    alphabet: noAlphabet,
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
  const form = {form: formNumber.integers, detail: smallest >>> 0, alphabet: noAlphabet, offsets: undefined};
  return {...form, width, stored};
}

/** Most columns show all their characters, and their longest value, in so many values. */
const textSample = 256;

function storeText(gathered: Gathered): StoredValues | undefined {
  const {count} = gathered;
  return packText(gathered, Math.min(count, textSample)) ?? packText(gathered, count);
}

/** Undefined when the values have more than what the first `sample` of them show, or are no texts to be packed. */
function packText(gathered: Gathered, sample: number): StoredValues | undefined {
  const shown = charsOf(gathered, sample);
  if (shown === undefined) return undefined;
  const {alphabet, charsMin, charsMax} = shown;
  if (charsMax === 0 || alphabet.length > textCharsMax) return undefined;
  const isOneLength = charsMin === charsMax;
  const text = new TextForm(alphabet, charsMax, isOneLength);
  const {bytes, starts, ends, count} = gathered;
  const stored = new Uint8Array(count * text.width);
  for (let i = 0, at = 0; i < count; i++, at += text.width)
    if (!text.pack(bytes, starts[i], ends[i], stored, at)) return undefined;
  const form = {form: formNumber.text, detail: charsMax | (isOneLength ? flagOneLength : 0), offsets: undefined};
  return {...form, width: text.width, alphabet, stored};
}

/** Undefined: one of the first `sample` values is no text. */
function charsOf({bytes, starts, ends}: Gathered, sample: number) {
  const isUsed = new Uint8Array(256);
  let charsMin = textCharsMax;
  let charsMax = 0;
  for (let i = 0; i < sample; i++) {
    const start = starts[i];
    const end = ends[i];
    const chars = end - start - textHeadBytes;
    if (bytes[start] !== valueTag.text || bytes[start + 1] !== chars || chars > textCharsMax) return undefined;
    if (chars < charsMin) charsMin = chars;
    if (chars > charsMax) charsMax = chars;
    for (let at = start + textHeadBytes; at < end; at++) isUsed[bytes[at]] = 1;
  }
  const alphabet = Uint8Array.from([...isUsed.keys()].filter((char) => isUsed[char] === 1));
  return {alphabet, charsMin, charsMax};
}

/** `count` values out of a part. */
export function viewValues(
  count: number,
  {form, width, detail, alphabet, offsets, stored}: StoredValues,
): ColumnValues {
  switch (form) {
    case formNumber.plain:
      return new ColumnValues(count, stored, offsets, width);
    case formNumber.integers:
      return new ColumnValues(count, stored, undefined, width, new IntegersForm(detail | 0, width));
    default: {
      assert(form === formNumber.text, `rows: a column's values of form ${form} are unknown to this program`);
      const text = new TextForm(alphabet, detail & ~flagOneLength, (detail & flagOneLength) !== 0);
      assert(text.width === width, 'rows: values of packed text are as wide as their alphabet says');
      return new ColumnValues(count, stored, undefined, width, text);
    }
  }
}
