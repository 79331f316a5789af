// Primitives of all our formats: little-endian numbers, LEB128 lengths, strings as WTF-8.
//   WTF-8 is UTF-8 that also carries lone surrogates, three bytes each. So every JavaScript string that JSON can express comes
//   back as it was sent (docs/api/README.md: nothing is changed silently).
import {assert} from '../invariant.js';

export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  private view: DataView;
  position = 0;

  constructor(capacityBytes: number) {
    this.bytes = new Uint8Array(capacityBytes);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for `bytes` more. Call it once before several writes. */
  reserve(bytes: number): void {
    const needed = this.position + bytes;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.position));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  u8(value: number): void {
    this.reserve(1);
    this.bytes[this.position++] = value;
  }

  u32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.position, value, true);
    this.position += 4;
  }

  f64(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.position, value, true);
    this.position += 8;
  }

  setU32At(position: number, value: number): void {
    this.view.setUint32(position, value, true);
  }

  setF64At(position: number, value: number): void {
    this.view.setFloat64(position, value, true);
  }

  /** Unsigned LEB128 of an integer in [0, 2^53). */
  varint(value: number): void {
    this.reserve(8);
    while (value > 0x7f) {
      this.bytes[this.position++] = (value % 0x80) | 0x80;
      value = value > 0x7fffffff ? Math.floor(value / 0x80) : value >>> 7;
    }
    this.bytes[this.position++] = value;
  }

  raw(source: Uint8Array, start = 0, end = source.length): void {
    this.reserve(end - start);
    this.bytes.set(source.subarray(start, end), this.position);
    this.position += end - start;
  }

  /** Writes length-prefixed WTF-8. */
  string(text: string): void {
    const chars = text.length;
    this.reserve(chars * 3 + 8);
    if (chars <= 0x7f && this.shortAscii(text, chars)) return;
    const lengthPosition = this.position;
    // The width of the length is known only afterwards: assume ASCII, and move the text if that was wrong.
    const widthGuess = varintWidth(chars);
    this.position += widthGuess;
    const start = this.position;
    this.wtf8(text);
    const length = this.position - start;
    const width = varintWidth(length);
    if (width !== widthGuess) this.bytes.copyWithin(lengthPosition + width, start, this.position);
    this.position = lengthPosition;
    this.varint(length);
    this.position += length;
  }

  /** Writes length-prefixed bytes that are WTF-8 already. */
  stringBytes(source: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.varint(length);
    this.reserve(length);
    const {bytes} = this;
    let at = this.position;
    // A loop: names and ids are short, and creating a view for set() costs more than the copy.
    for (let i = start; i < end; i++) bytes[at++] = source[i];
    this.position = at;
  }

  /** Writes the WTF-8 of a text, without its length. */
  text(text: string): void {
    this.reserve(text.length * 3);
    this.wtf8(text);
  }

  private shortAscii(text: string, chars: number): boolean {
    const bytes = this.bytes;
    let at = this.position + 1;
    for (let i = 0; i < chars; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[at++] = code;
    }
    bytes[this.position] = chars;
    this.position = at;
    return true;
  }

  private wtf8(text: string): void {
    const bytes = this.bytes;
    let at = this.position;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      if (code < 0x80) {
        bytes[at++] = code;
        continue;
      }
      if (code < 0x800) {
        bytes[at++] = 0xc0 | (code >> 6);
        bytes[at++] = 0x80 | (code & 0x3f);
        continue;
      }
      if (code >= 0xd800 && code < 0xdc00 && i + 1 < text.length) {
        const low = text.charCodeAt(i + 1);
        if (low >= 0xdc00 && low < 0xe000) {
          i += 1;
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          bytes[at++] = 0xf0 | (code >> 18);
          bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
          bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
          bytes[at++] = 0x80 | (code & 0x3f);
          continue;
        }
      }
      bytes[at++] = 0xe0 | (code >> 12);
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[at++] = 0x80 | (code & 0x3f);
    }
    this.position = at;
  }

  /** A copy of the bytes written so far. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.position);
  }
}

function varintWidth(value: number): number {
  let width = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) width += 1;
  return width;
}

export class ByteReader {
  readonly bytes: Uint8Array;
  /** Created for the first number that needs it: most readers of one row need none. */
  private lazyView: DataView | undefined;
  position: number;
  readonly end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  private get view(): DataView {
    const {bytes} = this;
    return (this.lazyView ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  get done(): boolean {
    return this.position >= this.end;
  }

  u8(): number {
    return this.bytes[this.skip(1)];
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.skip(8), true);
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  skipVarints(count: number): void {
    const {bytes, end} = this;
    let left = count;
    let at = this.position;
    for (; left > 0 && at < end; at++) if (bytes[at] < 0x80) left -= 1;
    assert(left === 0, 'bytes: read within bounds');
    this.position = at;
  }

  /** Skips a length-prefixed string; returns where its bytes start. Its end is then `position`. */
  skipString(): number {
    const length = this.varint();
    return this.skip(length);
  }

  string(): string {
    const length = this.varint();
    const start = this.skip(length);
    return readWtf8(this.bytes, start, start + length);
  }

  /** The next `length` bytes: a view, not a copy. */
  raw(length: number): Uint8Array {
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Skips `length` bytes; returns their start. */
  skip(length: number): number {
    const start = this.position;
    assert(start + length <= this.end, 'bytes: read within bounds');
    this.position = start + length;
    return start;
  }
}

const asciiRunMax = 4_096;

export function readWtf8(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  let at = start;
  while (at < end) {
    const units: number[] = [];
    while (at < end && units.length < asciiRunMax) {
      const lead = bytes[at];
      if (lead < 0x80) {
        units.push(lead);
        at += 1;
      } else if (lead < 0xe0) {
        units.push(((lead & 0x1f) << 6) | (bytes[at + 1] & 0x3f));
        at += 2;
      } else if (lead < 0xf0) {
        units.push(((lead & 0x0f) << 12) | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f));
        at += 3;
      } else {
        const code =
          ((lead & 0x07) << 18) |
          ((bytes[at + 1] & 0x3f) << 12) |
          ((bytes[at + 2] & 0x3f) << 6) |
          (bytes[at + 3] & 0x3f);
        units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
        at += 4;
      }
    }
    text += String.fromCharCode(...units);
  }
  return text;
}

/** The WTF-8 bytes of a string. */
export function wtf8(text: string): Uint8Array {
  const writer = new ByteWriter(text.length * 3 + 16);
  writer.string(text);
  const reader = new ByteReader(writer.bytes, 0, writer.position);
  const start = reader.skipString();
  return writer.bytes.slice(start, reader.position);
}

/** The array's bytes: a view, not a copy. */
export function bytesOf(array: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Whether bytes[start .. end) equals `wanted`. */
export function holds(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
