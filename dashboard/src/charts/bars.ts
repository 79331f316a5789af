// Geometry of stacked bars, and of stacked areas, above and below a line at zero.
//   BA1. Values are counts. Grid lines are at round numbers, and the same step holds above and below.
import type {Interval} from '../address/range.js';
import {clockText, dayText, monthText} from './format.js';
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

/** Segments of each bar, those of zero, too. */
function segmentsOf(series: readonly BarSeries[], barCount: number): Segment[][] {
  return Array.from({length: barCount}, (_, at) => {
    let [above, below] = [0, 0];
    return series.map(({values, isBelow = false}, index): Segment => {
      const value = values[at] ?? 0;
      const from = isBelow ? below : above;
      const to = isBelow ? from - value : from + value;
      if (isBelow) below = to;
      else above = to;
      return {series: index, from, to};
    });
  });
}

/** Lower and upper edge of each series, bar by bar. */
export function edgesOf(series: readonly BarSeries[], barCount: number): (readonly Segment[])[] {
  const bars = segmentsOf(series, barCount);
  return series.map((_, index) => bars.map((segments) => segments[index]!));
}

interface Area {
  readonly points: readonly (readonly [bar: number, value: number])[];
  readonly isOpen: boolean;
}

/** The area of a series, and the part of it that is not over: from the last bar that is to the end. `openFrom`: the first that is not. */
export function areasOf(edges: readonly Segment[], openFrom = edges.length): Area[] {
  const part = (from: number, to: number, isOpen: boolean): Area[] => {
    const bars = edges.slice(from, to).map((edge, at) => [from + at, edge] as const);
    if (bars.length === 0) return [];
    const upper = bars.map(([bar, edge]) => [bar, edge.to] as const);
    const lower = bars.map(([bar, edge]) => [bar, edge.from] as const).reverse();
    return [{points: [...upper, ...lower], isOpen}];
  };
  const isAnyOpen = openFrom < edges.length;
  return [...part(0, openFrom, false), ...(isAnyOpen ? part(Math.max(0, openFrom - 1), edges.length, true) : [])];
}

export function stacksOf(series: readonly BarSeries[], barCount: number): Stacks {
  const bars = segmentsOf(series, barCount).map((segments) => segments.filter(({from, to}) => from !== to));
  const ends = bars.flat().map(({to}) => to);
  const [top, bottom] = [Math.max(0, ...ends), -Math.min(0, ...ends)];
  const scale = ticksTo(Math.max(top, bottom), true);
  const step = scale[1]! - scale[0]!;
  const stepsTo = (value: number): number => Math.ceil(Number((value / step).toPrecision(12)));
  const downs = Array.from({length: stepsTo(bottom)}, (_, at) => -(at + 1) * step).reverse();
  const ups = Array.from({length: Math.max(stepsTo(top), downs.length === 0 ? 1 : 0) + 1}, (_, at) => at * step);
  return {bars, ticks: [...downs, ...ups]};
}

/** Short text of the bucket that begins then, below its bar. */
export function tickText(seconds: number, interval: Interval): string {
  if (interval === 'hour') return clockText(seconds).slice(0, 5);
  return interval === 'day' || interval === 'week' ? dayText(seconds) : monthText(seconds);
}
