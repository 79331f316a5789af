// Hashing of byte strings: one function for partitioning and hash tables, two seeds of it for fingerprints.
// MurmurHash3 x86_32 (Austin Appleby, public domain): its avalanche keeps open addressing short, and it needs only
// 32-bit multiplications, which V8 compiles to single instructions.
//   H1. `partitionOf` must never change: it decides where a user's history lives.

export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let h = seed | 0;
  let i = start;
  for (const blocksEnd = end - 3; i < blocksEnd; i += 4) {
    let k = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    k = Math.imul(k, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= Math.imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  const tailBytes = end - i;
  if (tailBytes > 0) {
    let tail = bytes[i];
    if (tailBytes > 1) tail |= bytes[i + 1] << 8;
    if (tailBytes > 2) tail |= bytes[i + 2] << 16;
    tail = Math.imul(tail, 0xcc9e2d51);
    tail = (tail << 15) | (tail >>> 17);
    h ^= Math.imul(tail, 0x1b873593);
  }
  h ^= end - start;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Two keyed 32-bit hashes of the same bytes in one pass; `low` is what `hashPair` leaves beside its result. */
export const pair = {low: 0};

/** Returns the high half, and leaves the low one in `pair.low`: two numbers without an allocation. */
export function hashPair(bytes: Uint8Array, start: number, end: number, highSeed: number, lowSeed: number): number {
  let high = highSeed | 0;
  let low = lowSeed | 0;
  for (let i = start; i < end; i += 4) {
    // Past the end there are zeros: the length, mixed in below, keeps 'a' and 'a\0' apart.
    const word =
      i + 4 <= end
        ? bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
        : bytes[i] | ((i + 1 < end ? bytes[i + 1] : 0) << 8) | ((i + 2 < end ? bytes[i + 2] : 0) << 16);
    let k = Math.imul(word, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    high ^= Math.imul(k, 0x1b873593);
    high = (Math.imul((high << 13) | (high >>> 19), 5) + 0xe6546b64) | 0;
    k = Math.imul(word, 0x239b961b);
    k = (k << 16) | (k >>> 16);
    low ^= Math.imul(k, 0xab0e9789);
    low = (Math.imul((low << 17) | (low >>> 15), 5) + 0x561ccd1b) | 0;
  }
  pair.low = hashUint32(low ^ (end - start));
  return hashUint32(high ^ (end - start));
}

/** Mixes one 32-bit integer (Murmur3 finaliser): for tables keyed by small integers. */
export function hashUint32(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const partitionSeed = 0x6d696c6c; // 'mill'

/** The partition of a user key (kind byte + id bytes, codec/entries.ts). H1 */
export function partitionOf(bytes: Uint8Array, start: number, end: number, partitionCount: number): number {
  return hashBytes(bytes, start, end, partitionSeed) % partitionCount;
}
