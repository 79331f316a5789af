// Draws by weight, in logarithmic time: for thousands of weights.

import type {Random} from '../../tools/random.js';

/** Draws an index with a chance in proportion to its weight: a binary search in the running sums. */
export class Weighted {
  readonly #sums: Float64Array;

  constructor(weights: readonly number[]) {
    this.#sums = new Float64Array(weights.length);
    let sum = 0;
    for (const [index, weight] of weights.entries()) this.#sums[index] = sum += weight;
  }

  draw(random: Random): number {
    const target = random.next() * this.#sums.at(-1)!;
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sums[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Rank r of n has weight 1 / r^exponent. */
export function zipf(count: number, exponent: number): Weighted {
  return new Weighted(Array.from({length: count}, (_, rank) => 1 / (rank + 1) ** exponent));
}

/** The highest rank whose share of all draws is at least `share`. Ranks start at 0. Returns 0 if every rank has a smaller share. */
export function zipfRankOf(count: number, exponent: number, share: number): number {
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sum += 1 / (rank + 1) ** exponent;
  return Math.min(count - 1, Math.max(0, Math.floor((share * sum) ** (-1 / exponent)) - 1));
}
