// Two runs of one bench, figure by figure, with an honest verdict.
//   CO1. Fewer than four rounds on either side are too few for any verdict.
//   CO2. A figure is better or worse when the exact test says so at 5 % and the change is above the band of noise. The test
//        alone would call one unchanged figure in twenty.
//   CO3. The band is what neighbouring runs of the same host and options differ by, three times in four, and never below 2 %.
//   CO4. On another host only ratios keep their verdict: both of their measurements ran on the same one.
import type {Figure, ListedRun} from '../../../../src/bench-run.js';
import {quantileOf, type Spread, spreadOf} from '../../charts/spread.js';
import {breakBetween, isSameHost} from './comparability.js';
import {mannWhitneyP} from './mann-whitney.js';

/** Verdicts in the order in which they are shown. */
export const verdicts = ['worse', 'better', 'too few rounds', 'other host', 'no difference seen'] as const;
export type Verdict = (typeof verdicts)[number];

export const roundsMin = 4;
const significance = 0.05;
export const bandMin = 0.02;
export const bandChangesMin = 6;
const bandRunsMax = 30;
const bandShare = 0.75;

export interface ComparedFigure {
  readonly figure: Figure;
  readonly a: Spread;
  readonly b: Spread;
  /** (median of B - median of A) / median of A: 0.1 says that B has ten percent more. */
  readonly change: number;
  readonly band: number;
  /** The p-value of the exact test; undefined where there are too few rounds. */
  readonly p: number | undefined;
  readonly verdict: Verdict;
}

export interface Comparison {
  readonly a: ListedRun;
  readonly b: ListedRun;
  readonly rows: readonly ComparedFigure[];
  /** Names of figures that only one of the two has. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  readonly isOtherHost: boolean;
}

/** `runs`: all that are known, for the bands; oldest first. */
export function compareRuns(a: ListedRun, b: ListedRun, runs: readonly ListedRun[]): Comparison {
  const isOtherHost = !isSameHost(a, b);
  const figureOfA = new Map(a.figures.map((figure) => [figure.id, figure]));
  const rows = b.figures.flatMap((figure) => {
    const before = figureOfA.get(figure.id);
    return before === undefined ? [] : [comparedFigure(before, figure, bandOf(figure.id, b, runs), isOtherHost)];
  });
  const missing = (from: ListedRun, other: ListedRun): string[] =>
    from.figures.filter(({id}) => other.figures.every((figure) => figure.id !== id)).map(({name}) => name);
  return {a, b, rows: rows.sort(byVerdict), onlyA: missing(a, b), onlyB: missing(b, a), isOtherHost};
}

function comparedFigure(before: Figure, figure: Figure, band: number, isOtherHost: boolean): ComparedFigure {
  const [a, b] = [spreadOf(before.samples), spreadOf(figure.samples)];
  const change = changeOf(a.median, b.median);
  const isEnough = Math.min(before.samples.length, figure.samples.length) >= roundsMin; // CO1
  const p = isEnough ? mannWhitneyP(before.samples, figure.samples) : undefined;
  const verdict = verdictOf({change, band, p, better: figure.better, isBarred: isOtherHost && figure.unit !== 'ratio'});
  return {figure, a, b, change, band, p, verdict};
}

function verdictOf({
  change,
  band,
  p,
  better,
  isBarred,
}: {
  readonly change: number;
  readonly band: number;
  readonly p: number | undefined;
  readonly better: Figure['better'];
  readonly isBarred: boolean;
}): Verdict {
  if (isBarred) return 'other host'; // CO4
  if (p === undefined) return 'too few rounds';
  if (p > significance || Math.abs(change) <= band) return 'no difference seen'; // CO2
  return change > 0 === (better === 'more') ? 'better' : 'worse';
}

const changeOf = (before: number, after: number): number => (before === after ? 0 : after / before - 1);

/** CO3 */
export function bandOf(figureId: string, of: ListedRun, runs: readonly ListedRun[]): number {
  const changes = neighbourChanges(figureId, of, runs);
  return changes.length < bandChangesMin ? bandMin : Math.max(bandMin, quantileOf(changes, bandShare));
}

function neighbourChanges(figureId: string, of: ListedRun, runs: readonly ListedRun[]): number[] {
  const last = runs.filter((run) => run.bench === of.bench && isSameHost(run, of)).slice(-bandRunsMax);
  const medianOf = (run: ListedRun): number | undefined => {
    const figure = run.figures.find(({id}) => id === figureId);
    return figure && spreadOf(figure.samples).median;
  };
  return last.slice(1).flatMap((run, at) => {
    const [before, after] = [medianOf(last[at]!), medianOf(run)];
    if (before === undefined || after === undefined || breakBetween(last[at]!, run) !== undefined) return [];
    const change = Math.abs(changeOf(before, after));
    return Number.isFinite(change) ? [change] : [];
  });
}

/** Order by verdict, and within one the largest change in relation to its band first. */
function byVerdict(a: ComparedFigure, b: ComparedFigure): number {
  const size = ({change, band}: ComparedFigure): number => Math.abs(change) / band;
  return verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict) || size(b) - size(a);
}

/** `2 worse, 1 better, 31 no difference seen, 3 with too few rounds` */
export function summaryOf(rows: readonly ComparedFigure[]): string {
  const count = (wanted: Verdict): number => rows.filter(({verdict}) => verdict === wanted).length;
  const others = [
    [count('too few rounds'), 'with too few rounds'],
    [count('other host'), 'not judged on another host'],
  ] as const;
  return [
    `${count('worse')} worse`,
    `${count('better')} better`,
    `${count('no difference seen')} no difference seen`,
    ...others.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`),
  ].join(', ');
}
