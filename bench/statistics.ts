// Median and spread of a few rounds, and a line through points.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return {median, min: sorted[0]!, max: sorted.at(-1)!};
}

/** Slope of the least-squares line through (x, y). */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const products = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return products / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
