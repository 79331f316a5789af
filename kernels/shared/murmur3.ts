// MurmurHash3 (32 bits) of bytes in memory, as in actors/bytes/hash.ts: kernels and hosts share tables.

/** Reads up to three bytes after the end. */
@inline
export function murmur3(at: usize, length: u32, seed: u32): u32 {
  const end = at + length;
  let h = seed;
  for (; at + 4 <= end; at += 4) {
    h ^= rotl(load<u32>(at) * 0xcc9e2d51, 15) * 0x1b873593;
    h = rotl(h, 13) * 5 + 0xe6546b64;
  }
  const rest = <u32>(end - at);
  if (rest > 0) {
    const tail = load<u32>(at) & ((1 << (8 * rest)) - 1);
    h ^= rotl(tail * 0xcc9e2d51, 15) * 0x1b873593;
  }
  h ^= length;
  h = (h ^ (h >>> 16)) * 0x85ebca6b;
  h = (h ^ (h >>> 13)) * 0xc2b2ae35;
  return h ^ (h >>> 16);
}
