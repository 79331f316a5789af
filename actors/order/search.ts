// Binary searches for the whole core.

type SortedNumbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/**
 * First place in [start, end) for which `isBefore` is false; it must be false for all later ones, too. `end` if there is none.
 */
export function firstPlace(start: number, end: number, isBefore: (place: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First place in [start, end) of ascending numbers whose value is at least `value`; `end` if there is none. */
export function lowerBound(ascending: SortedNumbers, value: number, start = 0, end = ascending.length): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First place in [start, end) of ascending numbers whose value is above `value`; `end` if there is none. */
export function upperBound(ascending: SortedNumbers, value: number, start = 0, end = ascending.length): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** End of the run of equal numbers that begins at `start`, sought near it. */
export function endOfRun(ascending: SortedNumbers, start: number): number {
  const value = ascending[start];
  let step = 1;
  while (start + step < ascending.length && ascending[start + step] === value) step *= 2;
  return upperBound(ascending, value, start + (step >>> 1), Math.min(start + step, ascending.length));
}
