// The answer of a retention report as rows of a table and of a CSV.
//   CO1. A cell whose period has not begun is no zero: it is empty. One that may still grow is marked.
//   CO2. Cohorts before the first one with users are left out of the table and counted; the CSV has all.
import {bucketNext} from '../../../actors/calendar.js';
import type {RetentionAnswer} from '../../../src/edge/answers/engagement.js';
import type {Interval} from '../address/range.js';
import type {Cell} from './csv.js';
import {secondsOf} from './format.js';

export interface CohortCell {
  readonly count: number;
  /** Share of the cohort's users; null for a cohort without users. */
  readonly share: number | null;
  /** `open`: the period is not over for everybody. `ahead`: it has not begun. CO1 */
  readonly state: 'final' | 'open' | 'ahead';
}

interface CohortRow {
  readonly date: string;
  readonly size: number;
  readonly cells: readonly CohortCell[];
}

export interface Cohorts {
  readonly rows: readonly CohortRow[];
  /** Cohorts of nobody that are left out. CO2 */
  readonly leftOut: number;
}

/** `asOfMs`: what clocks of the zone showed then. */
export function cohortsOf({cohorts}: RetentionAnswer, interval: Interval, asOfMs: number): Cohorts {
  const first = cohorts.findIndex(({size}) => size > 0);
  const leftOut = first < 0 ? cohorts.length : first;
  const rows = cohorts.slice(leftOut).map(({date, size, cells}): CohortRow => {
    let startMs = secondsOf(date) * 1_000;
    return {
      date,
      size,
      cells: cells.map(({count, incomplete}) => {
        const hasBegun = startMs <= asOfMs;
        startMs = bucketNext(startMs, interval);
        const state = incomplete !== true ? 'final' : hasBegun || count > 0 ? 'open' : 'ahead';
        return {count, share: size === 0 ? null : count / size, state};
      }),
    };
  });
  return {rows, leftOut};
}

/** Rows of the file, equal to those of `format=csv` of the API. */
export const cohortCsv = ({cohorts}: RetentionAnswer): Cell[][] => [
  ['date', 'size', 'period', 'count', 'incomplete'],
  ...cohorts.flatMap(({date, size, cells}) =>
    cells.map(({count, incomplete}, period): Cell[] => [
      date,
      size,
      period,
      count,
      incomplete === true ? 'true' : null,
    ]),
  ),
];
