// The JSON text of a stored value (entries.ts E2), as bytes.
import type {ByteWriter} from '../bytes/bytes.js';
import {writeInteger, writeJsonString} from '../bytes/json-bytes.js';
import {valueTag} from './entries.js';

const doubleBytes = 8;

/** Appends the JSON text of the value whose tag is at `start`. @returns the end of the value. */
export function writeValueJson(writer: ByteWriter, bytes: Uint8Array, start: number): number {
  const tag = bytes[start];
  let at = start + 1;
  if (tag <= valueTag.true) {
    writer.text(tag === valueTag.null ? 'null' : tag === valueTag.false ? 'false' : 'true');
    return at;
  }
  if (tag === valueTag.double) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, doubleBytes);
    writer.text(JSON.stringify(view.getFloat64(0, true)));
    return at + doubleBytes;
  }
  // A whole number, or the length of a text.
  let number = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = bytes[at++];
    number += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  if (tag === valueTag.int) {
    writeInteger(writer, number % 2 === 0 ? number / 2 : -(number + 1) / 2);
    return at;
  }
  if (tag === valueTag.text) writeJsonString(writer, bytes, at, at + number);
  else writer.raw(bytes, at, at + number);
  return at + number;
}
