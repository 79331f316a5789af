// Shares of a histogram below each of its bounds. They are exact, as its counts are; a percentile of it would be a guess.

export interface Bin {
  readonly seconds_from: number;
  readonly seconds_to: number;
  readonly count: number;
}

/** Share of all durations below the end of each bin; ends with 1. */
export function sharesBelow(bins: readonly Bin[]): number[] {
  const total = bins.reduce((sum, {count}) => sum + count, 0);
  let below = 0;
  return bins.map(({count}) => {
    below += count;
    return below / total;
  });
}
