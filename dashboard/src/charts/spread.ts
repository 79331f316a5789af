// Median and ends of a few samples.

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** `values` has at least one. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return {median, low: sorted[0]!, high: sorted.at(-1)!};
}

/** Between the two nearest values, by their distance. `share` 0 is the smallest, 1 the largest. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}
