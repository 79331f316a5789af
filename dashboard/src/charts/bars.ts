// Geometry of stacked bars above and below a line at zero.
//   BA1. Values are counts. Grid lines are at round numbers, and the same step holds above and below.
import {ticksTo} from './ticks.js';

export interface BarSeries {
  readonly label: string;
  readonly tone: number;
  readonly values: readonly number[];
  /** Stacked below the line at zero. Values are positive all the same. */
  readonly isBelow?: boolean;
}

export interface Segment {
  /** Index of the series. */
  readonly series: number;
  /** Values at its ends, negative below zero. */
  readonly from: number;
  readonly to: number;
}

interface Stacks {
  /** Segments of each bar; those of zero are left out. */
  readonly bars: readonly (readonly Segment[])[];
  /** Values of the grid lines, ascending. BA1 */
  readonly ticks: readonly number[];
}

export function stacksOf(series: readonly BarSeries[], barCount: number): Stacks {
  const bars = Array.from({length: barCount}, (_, at) => {
    let [above, below] = [0, 0];
    return series.flatMap(({values, isBelow = false}, index): Segment[] => {
      const value = values[at] ?? 0;
      if (value === 0) return [];
      const from = isBelow ? below : above;
      const to = isBelow ? from - value : from + value;
      if (isBelow) below = to;
      else above = to;
      return [{series: index, from, to}];
    });
  });
  const ends = bars.flat().map(({to}) => to);
  const [top, bottom] = [Math.max(0, ...ends), -Math.min(0, ...ends)];
  const scale = ticksTo(Math.max(top, bottom), true);
  const step = scale[1]! - scale[0]!;
  const stepsTo = (value: number): number => Math.ceil(Number((value / step).toPrecision(12)));
  const downs = Array.from({length: stepsTo(bottom)}, (_, at) => -(at + 1) * step).reverse();
  const ups = Array.from({length: Math.max(stepsTo(top), downs.length === 0 ? 1 : 0) + 1}, (_, at) => at * step);
  return {bars, ticks: [...downs, ...ups]};
}
