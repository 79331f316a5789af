// Seeds derived from one seed.

/** Seed number `number` of a seed: the draws of one visitor do not depend on the number of others. */
export function seedOf(seed: number, number: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
