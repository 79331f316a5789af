// JSON text as UTF-8 bytes, exactly as JSON.stringify makes it, of strings that are WTF-8 already.
//   JB1. Quotes, backslashes and control characters are escaped; so is each lone surrogate, which UTF-8 cannot carry.
import type {ByteWriter} from './bytes.js';

/** Bytes of an ASCII text. */
export function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
/** First byte of the surrogates in WTF-8, and of some other characters. */
const surrogateLead = 0xed;

/** Whether a JSON string has the byte as it is. Not a table: pages would load it with the columns that they never read. */
const isPlain = (byte: number): boolean =>
  byte >= 0x20 && byte !== quote && byte !== backslash && byte !== surrogateLead;

/** Appends the JSON string of source[start .. end), which is WTF-8. JB1 */
export function writeJsonString(writer: ByteWriter, source: Uint8Array, start: number, end: number): void {
  writer.reserve(end - start + 2);
  const {bytes} = writer;
  let to = writer.position;
  bytes[to++] = quote;
  for (let at = start; at < end; at++) {
    const byte = source[at];
    if (!isPlain(byte)) {
      writer.position = to;
      writeEscaped(writer, source, at, end);
      return;
    }
    bytes[to++] = byte;
  }
  bytes[to++] = quote;
  writer.position = to;
}

/** The rest of a string, from the first byte that may need an escape, and the quote after it. */
function writeEscaped(writer: ByteWriter, source: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const byte = source[at];
    if (isPlain(byte)) writer.u8(byte);
    else if (byte !== surrogateLead) writer.text(JSON.stringify(String.fromCharCode(byte)).slice(1, -1));
    else if (source[at + 1] < 0xa0) writer.u8(byte);
    else {
      writer.text(unicodeEscape(0xd000 | ((source[at + 1] & 0x3f) << 6) | (source[at + 2] & 0x3f)));
      at += 2;
    }
  }
  writer.u8(quote);
}

const unicodeEscape = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** Appends bytes one by one: of few, creating a view for `set` costs more than the copy. */
export function writeBytes(writer: ByteWriter, source: Uint8Array): void {
  const {length} = source;
  writer.reserve(length);
  const {bytes} = writer;
  let to = writer.position;
  for (let at = 0; at < length; at++) bytes[to++] = source[at];
  writer.position = to;
}

/** Appends a safe integer. */
export function writeInteger(writer: ByteWriter, value: number): void {
  writer.reserve(17);
  const {bytes} = writer;
  let rest = value;
  if (value < 0) {
    bytes[writer.position++] = 0x2d;
    rest = -value;
  }
  let digits = 1;
  for (let bound = 10; rest >= bound; bound *= 10) digits += 1;
  let to = writer.position + digits;
  writer.position = to;
  for (; digits > 0; digits--) {
    const quotient = Math.floor(rest / 10);
    bytes[--to] = zero + (rest - quotient * 10);
    rest = quotient;
  }
}
