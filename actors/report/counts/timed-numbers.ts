// Some rows of one chunk by time, with the numbers of a property: those of a bucket are side by side, and no row is read for
// them.

import type {RowsView} from '../../chunk/rows.js';
import {chunkRowsMax} from '../../limits.js';
import {lowerBound, upperBound} from '../../order/search.js';
import type {PropertyValues} from '../rows/property-values.js';
import type {Buckets} from './buckets.js';

export interface TimedNumbers {
  readonly bytes: number;
  readonly timeBase: number;
  /** Times less `timeBase`, ascending. */
  readonly times: Uint32Array | Float64Array;
  /** Number of each row; NaN: it does not have the property. Integers if all are. Empty: rows are counted alone. */
  readonly numbers: Int32Array | Float64Array;
  /** One above the largest number, if all are integers and none is negative; else 0. */
  readonly end: number;
}

/** `values` is open for the chunk; without it rows have no numbers. Undefined: a row has a value that is no number. */
export function timedNumbers(rows: RowsView, chosen: Uint16Array, values?: PropertyValues): TimedNumbers | undefined {
  const byTime = inOrder(rows.order, chosen);
  const numbers = values === undefined ? noNumbers : numbersOf(byTime, values);
  if (numbers === undefined) return undefined;
  const times = rows.times instanceof Uint32Array ? new Uint32Array(byTime.length) : new Float64Array(byTime.length);
  for (let i = 0; i < byTime.length; i++) times[i] = rows.times[byTime[i]];
  const bytes = times.byteLength + numbers.byteLength;
  return {bytes, timeBase: rows.timeBase, times, numbers, end: endOf(numbers)};
}

const noNumbers = new Int32Array(0);

function numbersOf(rows: Uint16Array, values: PropertyValues): Int32Array | Float64Array | undefined {
  const doubles = new Float64Array(rows.length);
  return values.readNumbers(rows, doubles) > 0 ? undefined : (integersOf(doubles) ?? doubles);
}

/** The chosen rows by time. `order` contains all of them. */
function inOrder(order: Uint16Array, chosen: Uint16Array): Uint16Array {
  const isChosen = new Uint8Array(chunkRowsMax);
  for (let i = 0; i < chosen.length; i++) isChosen[chosen[i]] = 1;
  const rows = new Uint16Array(chosen.length);
  let count = 0;
  for (let at = 0; at < order.length && count < rows.length; at++) {
    rows[count] = order[at];
    count += isChosen[order[at]];
  }
  return rows;
}

function integersOf(doubles: Float64Array): Int32Array | undefined {
  const integers = new Int32Array(doubles.length);
  for (let i = 0; i < doubles.length; i++) {
    integers[i] = doubles[i];
    if (integers[i] !== doubles[i]) return undefined;
  }
  return integers;
}

function endOf(numbers: Int32Array | Float64Array): number {
  if (!(numbers instanceof Int32Array)) return 0;
  let [least, largest] = [0, -1];
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] > largest) largest = numbers[i];
    if (numbers[i] < least) least = numbers[i];
  }
  return least < 0 ? 0 : largest + 1;
}

/** Rows [start, end) are in [from, to] of the buckets. */
export function rowsWithin({times, timeBase}: TimedNumbers, {fromMs, toMs}: Buckets): readonly [number, number] {
  const end = upperBound(times, toMs - timeBase);
  return [lowerBound(times, fromMs - timeBase, 0, end), end];
}

/** Calls `each` with the rows [start, end) of each bucket. */
export function forEachBucket(
  chunk: TimedNumbers,
  buckets: Buckets,
  each: (bucket: number, start: number, end: number) => void,
): void {
  const {times, timeBase} = chunk;
  const {edges} = buckets;
  const [first, last] = rowsWithin(chunk, buckets);
  for (let start = first; start < last; ) {
    const bucket = buckets.indexOf(timeBase + times[start]);
    const end = lowerBound(times, edges[bucket + 1] - timeBase, start + 1, last);
    each(bucket, start, end);
    start = end;
  }
}
