/** First place in [start, end) of ascending numbers whose value is `value` or more; `end` when there is none. */
export function lowerBound(ascending: Uint32Array, value: number, start = 0, end = ascending.length): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
