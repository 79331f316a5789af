// Sums of one series of a funnel over its paths: users by step, times between steps, conversion by bucket of the entry.
//   SM1. Times are whole ms. Their mean is rounded once (exact-sum.ts), their median and percentiles are those of median.ts.
import {ExactSum} from '../rows/exact-sum.js';
import {DurationHistogram, type HistogramBin, type HistogramBounds} from './duration-histogram.js';
import type {FunnelResult} from './funnel.js';
import {medianOf, type NumberList, type NumberLists, percentilesOf} from './median.js';
import type {PathLog} from './path-log.js';

/** Paths between two yields: a ms or two. */
const slicePaths = 16_384;
/** Bound up to which sums of whole numbers, and one gap more, stay exact in a double: no events are 100,000 years apart. */
const partMax = 2 ** 52;

/** Percentiles of the time since the step before. */
export const timePercents = [75, 90, 95] as const;

export interface StepSummary {
  readonly count: number;
  /** Median since the step before; null for the first step, and if no user reached it. */
  readonly medianMs: number | null;
  readonly meanSeconds: number | null;
  /** By `timePercents`; undefined unless they are asked for. */
  readonly percentilesMs?: readonly (number | null)[];
  /** Undefined unless it is asked for. */
  readonly histogram?: readonly HistogramBin[];
}

export interface PathSummary {
  readonly steps: readonly StepSummary[];
  /** Number of users who entered, and of those who reached the last step, by bucket of the entry. */
  readonly entered: Float64Array;
  readonly converted: Float64Array;
  readonly undecided: number;
}

/** What a summary has beside counts, medians and means. */
interface SummaryExtras {
  readonly hasPercentiles: boolean;
  /** Undefined: no histograms. */
  readonly histogram: HistogramBounds | undefined;
}

interface SummaryShape extends SummaryExtras {
  readonly stepCount: number;
  readonly bucketCount: number;
}

/** Sums up paths, and yields between slices. `paths`: their numbers; undefined: all. */
export function* summarize(
  log: PathLog,
  paths: Uint32Array | undefined,
  {stepCount, bucketCount, ...extras}: SummaryShape,
  lists: NumberLists,
): Generator<void, PathSummary, void> {
  const count = paths === undefined ? log.count : paths.length;
  const at = (i: number): number => (paths === undefined ? i : paths[i]);
  const entered = new Float64Array(bucketCount);
  const converted = new Float64Array(bucketCount);
  let undecided = 0;
  for (let i = 0; i < count; i++) {
    const path = at(i);
    entered[log.bucket(path)] += 1;
    if (log.depth(path) === stepCount) converted[log.bucket(path)] += 1;
    if (log.isUndecided(path)) undecided += 1;
    if (i % slicePaths === slicePaths - 1) yield;
  }
  const steps: StepSummary[] = [firstStep(count, extras)];
  for (let step = 1; step < stepCount; step++) {
    const gaps = lists.take();
    for (let i = 0; i < count; i++) {
      const path = at(i);
      if (log.depth(path) > step) gaps.push(log.gap(path, step));
      if (i % slicePaths === slicePaths - 1) yield;
    }
    steps.push(yield* laterStep([gaps], extras));
    lists.giveBack(gaps);
  }
  return {steps, entered, converted, undecided};
}

/** Sums up walks of postings, in one bucket. */
export function* summarizeResults(
  results: readonly FunnelResult[],
  {stepCount, ...extras}: Omit<SummaryShape, 'bucketCount'>,
): Generator<void, PathSummary, void> {
  const reachedAt = (step: number): number => results.reduce((sum, {reached}) => sum + reached[step], 0);
  const steps: StepSummary[] = [firstStep(reachedAt(0), extras)];
  for (let step = 1; step < stepCount; step++)
    steps.push(
      yield* laterStep(
        results.map(({durations}) => durations[step]),
        extras,
      ),
    );
  const entered = Float64Array.of(reachedAt(0));
  const converted = Float64Array.of(reachedAt(stepCount - 1));
  return {steps, entered, converted, undecided: 0};
}

const firstStep = (count: number, {hasPercentiles, histogram}: SummaryExtras): StepSummary => ({
  ...{count, medianMs: null, meanSeconds: null},
  ...(hasPercentiles ? {percentilesMs: timePercents.map(() => null)} : {}),
  ...(histogram === undefined ? {} : {histogram: []}),
});

/** `lists`: ms since the step before. Yields between slices. */
function* laterStep(
  lists: readonly NumberList[],
  {hasPercentiles, histogram: bounds}: SummaryExtras,
): Generator<void, StepSummary, void> {
  const gaps = new GapSum();
  const histogram = bounds && new DurationHistogram(bounds);
  let count = 0;
  for (const list of lists) {
    count += list.count;
    for (const numbers of list.columns()) {
      gaps.addAll(numbers);
      histogram?.addAll(numbers);
      yield;
    }
  }
  return {
    count,
    medianMs: medianOf(lists),
    meanSeconds: gaps.meanSeconds(count),
    ...(hasPercentiles ? {percentilesMs: percentilesOf(lists, timePercents)} : {}),
    ...(histogram === undefined ? {} : {histogram: histogram.bins()}),
  };
}

class GapSum {
  private readonly sum = new ExactSum();
  /** Sum of the gaps that are not in `sum` yet. */
  private part = 0;

  addAll(gaps: Float64Array): void {
    for (let i = 0; i < gaps.length; i++) {
      this.part += gaps[i];
      if (this.part >= partMax) this.endPart();
    }
  }

  private endPart(): void {
    this.sum.add(this.part);
    this.part = 0;
  }

  meanSeconds(count: number): number | null {
    this.endPart();
    return count === 0 ? null : this.sum.rounded(count * 1_000);
  }
}
