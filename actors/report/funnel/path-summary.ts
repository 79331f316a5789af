// Sums of one series of a funnel over its paths: users by step, times between steps, conversion by bucket of the entry.
//   SM1. Times are whole ms. Their mean is rounded once (exact-sum.ts), their median is that of median.ts.
import {ExactSum} from '../rows/exact-sum.js';
import {DurationHistogram, type HistogramBin} from './duration-histogram.js';
import {medianOf, type NumberLists} from './median.js';
import type {PathLog} from './path-log.js';

/** Paths between two yields: a ms or two. */
const slicePaths = 16_384;
/** Bound up to which sums of whole numbers, and one gap more, stay exact in a double: no events are 100,000 years apart. */
const partMax = 2 ** 52;

export interface StepSummary {
  readonly count: number;
  /** Median since the step before; null for the first step, and if no user reached it. */
  readonly medianMs: number | null;
  readonly meanSeconds: number | null;
  readonly histogram: readonly HistogramBin[];
}

export interface PathSummary {
  readonly steps: readonly StepSummary[];
  /** Number of users who entered, and of those who reached the last step, by bucket of the entry. */
  readonly entered: Float64Array;
  readonly converted: Float64Array;
  readonly undecided: number;
}

interface SummaryShape {
  readonly stepCount: number;
  readonly bucketCount: number;
}

/** Sums up paths, and yields between slices. `paths`: their numbers; undefined: all. */
export function* summarize(
  log: PathLog,
  paths: Uint32Array | undefined,
  {stepCount, bucketCount}: SummaryShape,
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
  const steps: StepSummary[] = [{count, medianMs: null, meanSeconds: null, histogram: []}];
  for (let step = 1; step < stepCount; step++) {
    const gaps = new Gaps(lists);
    for (let i = 0; i < count; i++) {
      const path = at(i);
      if (log.depth(path) > step) gaps.add(log.gap(path, step));
      if (i % slicePaths === slicePaths - 1) yield;
    }
    steps.push(gaps.finish());
    yield;
  }
  return {steps, entered, converted, undecided};
}

class Gaps {
  private readonly lists: NumberLists;
  private readonly list;
  private readonly sum = new ExactSum();
  private readonly histogram = new DurationHistogram();
  /** Sum of the gaps that are not in `sum` yet. */
  private part = 0;

  constructor(lists: NumberLists) {
    this.lists = lists;
    this.list = lists.take();
  }

  add(ms: number): void {
    this.list.push(ms);
    this.histogram.add(ms);
    this.part += ms;
    if (this.part < partMax) return;
    this.sum.add(this.part);
    this.part = 0;
  }

  finish(): StepSummary {
    const {count} = this.list;
    this.sum.add(this.part);
    const summary = {
      count,
      medianMs: medianOf([this.list]),
      meanSeconds: count === 0 ? null : this.sum.rounded(count * 1_000),
      histogram: this.histogram.bins(),
    };
    this.lists.giveBack(this.list);
    return summary;
  }
}
