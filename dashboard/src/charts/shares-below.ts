// Shares of a histogram below each of its bounds. They are exact, as its counts are; a percentile of it would be a guess.
import {duration} from './format.js';

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

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** A bound in all its units, as `duration` leaves out the smaller ones: `1 h 23 min 20 s`. */
export function boundText(seconds: number): string {
  if (seconds < 1) return duration(seconds);
  let rest = seconds;
  const parts = units.map(([size, name]) => {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    return amount === 0 ? '' : `${amount} ${name}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
