// Places of the lines of a grid.

const factors = [1, 2, 2.5, 5, 10];
/** Factor against rounding: 0.3 / 0.1 is three steps and not four. */
const exact = 1 - 1e-9;

/**
 * Zero to the first round number at or above `max`, in three to five steps of 1, 2, 2.5 or 5 times a power of ten. `areCounts`: steps
 * are whole, so there may be fewer.
 */
export function ticksTo(max: number, areCounts = false): number[] {
  if (!(max > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(max / 3));
  const steps = factors.map((factor) => factor * power).filter((size) => !areCounts || Number.isInteger(size));
  const step = steps.find((size) => Math.ceil((max / size) * exact) <= 5) ?? 1;
  return Array.from({length: Math.ceil((max / step) * exact) + 1}, (_, at) => at * step);
}

/** Ticks from a round number at or below `low` to one at or above `high`; a `low` above zero counts as zero. */
export function ticksAround(low: number, high: number): number[] {
  if (low >= 0) return ticksTo(high);
  const step = ticksTo(Math.max(-low, high))[1]!;
  const [first, last] = [Math.floor((low / step) * exact), Math.ceil((high / step) * exact)];
  return Array.from({length: last - first + 1}, (_, at) => (first + at) * step);
}

/** The powers of ten around `low` and `high`, at least one decade; without any value that can be drawn, one to ten. */
export function decadesAround(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low > 0)) return [1, 10];
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [from, Math.max(to, from * 10)];
}

/**
 * Starts of every n-th bucket, about `apart` seconds from each other. `times`: starts of all buckets, at least two, in epoch
 * seconds. Months differ in length: a fifth of a bucket less than `apart` is enough.
 */
export function ticksOnBuckets(times: readonly number[], apart: number): number[] {
  const every = Math.max(1, Math.ceil(apart / (times[1]! - times[0]!) - 0.2));
  return times.filter((_, at) => at % every === 0);
}

export const isPowerOfTen = (value: number): boolean =>
  Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;

/** Pixels from the top for a value from zero to `top`. */
export const scaledTo =
  (top: number, height: number, pad: number): ((value: number) => number) =>
  (value) =>
    height - pad - (top > 0 ? value / top : 0) * (height - 2 * pad);
