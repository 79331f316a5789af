// Runs of one bench as series of its figures, and what is short of its reach.
import type {Figure, ListedRun} from '../../../../src/bench-run.js';
import {type Spread, spreadOf} from '../../charts/spread.js';
import {type Break, breakBetween} from './comparability.js';

export interface HistoryPoint {
  readonly run: ListedRun;
  readonly spread: Spread;
  /** Between this run and the one before it: they are not joined. */
  readonly breakBefore: Break | undefined;
}

export interface FigureHistory {
  /** The figure in the newest run. */
  readonly figure: Figure;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
}

export interface BenchHistory {
  readonly bench: string;
  /** Oldest first. */
  readonly runs: readonly ListedRun[];
  readonly figures: readonly FigureHistory[];
}

/** Histories per bench, in the order of their names. A figure that the newest run lacks comes last. */
export function historiesOf(runs: readonly ListedRun[]): BenchHistory[] {
  const benches = [...new Set(runs.map(({bench}) => bench))].sort();
  return benches.map((bench) => {
    const own = runs.filter((run) => run.bench === bench);
    const ids = new Set([...own].reverse().flatMap(({figures}) => figures.map(({id}) => id)));
    const newest = new Map(own.flatMap(({figures}) => figures.map((figure) => [figure.id, figure])));
    return {bench, runs: own, figures: [...ids].map((id) => ({figure: newest.get(id)!, points: pointsOf(id, own)}))};
  });
}

function pointsOf(id: string, runs: readonly ListedRun[]): HistoryPoint[] {
  const having = runs.flatMap((run) => {
    const figure = run.figures.find((one) => one.id === id);
    return figure === undefined ? [] : [{run, spread: spreadOf(figure.samples)}];
  });
  return having.map((point, at) => ({
    ...point,
    breakBefore: at === 0 ? undefined : breakBetween(having[at - 1]!.run, point.run),
  }));
}

export interface Shortfall {
  readonly bench: string;
  readonly figure: Figure;
  readonly run: ListedRun;
  readonly spread: Spread;
  /** Factor by which the median is off: 1.25 is a quarter above its limit, or a quarter below its reach. */
  readonly times: number;
}

/** Above 1: its reach is not met. Undefined: it has none. */
export function timesOff({reach, better}: Figure, median: number): number | undefined {
  if (reach === undefined) return undefined;
  return better === 'more' ? reach / median : median / reach;
}

/** Each figure by its newest run, worst first. */
export const shortOfReach = (histories: readonly BenchHistory[]): Shortfall[] =>
  histories
    .flatMap(({bench, figures}) =>
      figures.flatMap(({figure, points}) => {
        const {run, spread} = points.at(-1)!;
        const times = timesOff(figure, spread.median);
        return times === undefined || times <= 1 ? [] : [{bench, figure, run, spread, times}];
      }),
    )
    .sort((a, b) => b.times - a.times);
