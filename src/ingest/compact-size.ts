// How long the compact JSON of a body is at least, from its bytes: what is too long for one event need not be parsed to
// be refused. 500 KB of 60,000 keys take JSON.parse 60 ms, and this pass 1 ms.
//   C1. Never more than the length of the text without its white space, with every escape as one byte and every number as
//       one digit: what only looks long is parsed, and judged exactly (validate.ts).

import {backslash, quote, stringEnd} from './json-scanner.js';

const lowerU = 0x75;
const space = 0x20;

/** C1. Bytes of any content: what is no JSON fails where it is parsed, if it comes to that. */
export function compactBytesMin(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      const end = stringEnd(bytes, at);
      count += 2 + shownBytesMin(bytes, at + 1, end);
      at = end;
    } else if (byte > space && !(isOfNumber(byte) && isOfNumber(bytes[at - 1]!))) count += 1;
  }
  return count;
}

function shownBytesMin(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    if (bytes[at] === backslash) at += bytes[at + 1] === lowerU ? 5 : 1;
    count += 1;
  }
  return count;
}

/** Digits, signs, dot and exponent. Of a run of them one byte counts, also where it stands in `true` and `false`. */
function isOfNumber(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;
}
