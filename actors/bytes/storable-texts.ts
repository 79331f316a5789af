// JSON texts for stores that take neither half of a surrogate pair nor U+0000.
import {ascii} from './json-bytes.js';

const backslash = 0x5c;
const zero = 0x30;
const escapeLetter = 0x75; // 'u'
const unstorable = ascii('fffd');

/**
 * Replaces lone surrogates and U+0000 by U+FFFD in JSON texts, in place. JSON has both as escapes alone, which are as long as that
 * of U+FFFD.
 */
export function replaceUnstorable(json: Uint8Array): void {
  for (let at = json.indexOf(backslash); at !== -1; at = json.indexOf(backslash, at)) {
    const code = escapedUnit(json, at);
    const isHigh = code >= 0xd800 && code < 0xdc00;
    const next = isHigh ? escapedUnit(json, at + 6) : -1;
    if (next >= 0xdc00 && next < 0xe000) at += 12;
    else {
      if (code === 0 || (code >= 0xd800 && code < 0xe000)) json.set(unstorable, at + 2);
      at += code === -1 ? 2 : 6;
    }
  }
}

/** Code unit of the `\u` escape at this place; -1: something else is there. */
function escapedUnit(json: Uint8Array, at: number): number {
  if (json[at] !== backslash || json[at + 1] !== escapeLetter) return -1;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const byte = json[digit];
    unit = 16 * unit + (byte <= 0x39 ? byte - zero : (byte | 0x20) - 0x57);
  }
  return unit;
}
