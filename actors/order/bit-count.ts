/** Number of set bits of a 32-bit word. */
export function bitCount(word: number): number {
  // Sums of pairs of bits, of fours, of bytes, and of all four bytes.
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
