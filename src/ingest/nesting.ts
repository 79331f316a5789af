// Structure bombs: nested arrays of 1 MB block JSON.parse for 181 ms; a scan of their bytes takes 1.3 ms.
//   N1. JSON.parse gets nothing deeper than `nestingMax`. The deepest event that may be accepted needs 13 levels in a batch
//       (batch, events, event, and the ten of its properties).
//   N2. Deeper containers are replaced by empty ones of their kind, which are still too deep for any field of an event: the check
//       of its bound refuses that event (validate.ts), and the others of its batch are unaffected.
//       refused where its bound is judged (validate.ts), and its neighbours in a batch are none the worse.

import {assert} from '../../actors/invariant.js';
import {eventDepthMax, objectDepthMax} from '../../actors/limits.js';
import {backslash, quote, stringEnd} from './json-scanner.js';

export const nestingMax = 32;
assert(nestingMax - 2 > eventDepthMax, 'a cut container lies too deep, also two levels down in a batch');
assert(eventDepthMax > objectDepthMax, 'objects are bounded below whole events');

/**
 * Whether containers nest deeper than `nestingMax`. Bytes of any content: invalid JSON fails in JSON.parse.
 * Written without calls: the same loop with functions takes 1.7 times as long.
 */
export function nestsTooDeep(bytes: Uint8Array): boolean {
  const end = bytes.length;
  let depth = 0;
  for (let i = 0; i < end; ) {
    const byte = bytes[i++]!;
    if (byte === quote) {
      for (let inner = 0; i < end && (inner = bytes[i++]!) !== quote; ) if (inner === backslash) i += 1;
    } else if (byte >= 0x5b) {
      // '[' and '{' differ in one bit, as do ']' and '}'.
      const bracket = byte & 0xdf;
      if (bracket === 0x5b) {
        depth += 1;
        if (depth > nestingMax) return true;
      } else if (bracket === 0x5d) depth -= 1;
    }
  }
  return false;
}

/** A copy in which the containers at level `nestingMax` are empty (N2). */
export function cutNesting(bytes: Uint8Array): Buffer {
  const kept = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    const start = i;
    if (byte === quote) i = stringEnd(bytes, i);
    if ((byte & 0xdf) === 0x5d && depth > 0) depth -= 1;
    if (depth < nestingMax) for (let at = start; at <= i && at < bytes.length; at++) kept[length++] = bytes[at]!;
    if ((byte & 0xdf) === 0x5b) depth += 1;
  }
  return kept.subarray(0, length);
}
