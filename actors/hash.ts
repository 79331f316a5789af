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
