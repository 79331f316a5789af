// The point of a chart that a click means: the bucket that is nearest to it, and there the nearest line.
import {ticksAround} from './ticks.js';

export interface Lines {
  /** Epoch seconds of the buckets' starts, ascending. */
  readonly times: readonly number[];
  readonly series: readonly {
    /** Null: not known. */
    readonly values: readonly (number | null)[];
    readonly before?: readonly (number | null)[];
  }[];
}

/** Place in the plot: shares of its width from the left and of its height from the bottom. */
export interface Place {
  readonly across: number;
  readonly up: number;
}

/** Edges of the plot, px of the window. */
interface Edges {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** px around the plot: what is written beside it begins there. */
const reachPx = 8;

/**
 * Place of a click, in px of the window; undefined where it is not in the plot. The first and the last point, a zero and the largest
 * number lie on the edge of the plot, half of each beside it: a click that near means the edge.
 */
export function placeIn(plot: Edges, x: number, y: number): Place | undefined {
  const beside = Math.max(plot.left - x, x - plot.right, plot.top - y, y - plot.bottom);
  if (beside > reachPx) return undefined;
  const shareOf = (length: number, all: number): number => Math.min(1, Math.max(0, length / all));
  return {
    across: shareOf(x - plot.left, plot.right - plot.left),
    up: shareOf(plot.bottom - y, plot.bottom - plot.top),
  };
}

/**
 * Indexes of the bucket and of the line; undefined where no line has a value. The scales are those of the chart (time-chart.tsx).
 * `only`: index of the one line that can be meant; absent: each of them.
 */
export function pointAt(
  {times, series}: Lines,
  {across, up}: Place,
  only?: number,
): {readonly at: number; readonly line: number} | undefined {
  const seconds = times[0]! + across * (times.at(-1)! - times[0]!);
  const at = nearest(times, seconds);
  const drawn = series.flatMap(({values, before = []}) => [...values, ...before]).filter((value) => value !== null);
  const ticks = ticksAround(Math.min(0, ...drawn), Math.max(0, ...drawn));
  const value = ticks[0]! + up * (ticks.at(-1)! - ticks[0]!);
  const here = series.map(({values}, index) =>
    only === undefined || only === index ? (values[at] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
  );
  const line = nearest(here, value);
  return at < 0 || line < 0 || here[line] === Number.POSITIVE_INFINITY ? undefined : {at, line};
}

/** Index of the number that is nearest to `wanted`, of equal ones the first; -1 without numbers. */
function nearest(numbers: readonly number[], wanted: number): number {
  let best = -1;
  for (const [at, number] of numbers.entries())
    if (best < 0 || Math.abs(number - wanted) < Math.abs(numbers[best]! - wanted)) best = at;
  return best;
}
