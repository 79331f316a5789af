// What retention was asked, and what is behind its numbers.
import type {RetentionAnswer} from '../../../../src/edge/answers/engagement.js';
import type {Draft} from '../../address/page-question';
import type {Days, Interval} from '../../address/range';
import type {Shown} from '../../service/reports';
import type {Behind} from '../../shell/explained';
import {retentionBehind} from './behind';

export interface RetentionAsked {
  readonly question: Draft<'retention'>;
  readonly days: Days & {readonly zone: string};
  readonly interval: Interval;
}

/** Explanation of a number of users. `cohort` undefined: all of them. `period` undefined: `value` is the size itself. */
export const retentionOf = (
  {question: {question, days, interval}, reports, freshness}: Shown<RetentionAsked>,
  value: number,
  size: number,
  cohort: {readonly at: number; readonly name: string} | undefined,
  period: number | undefined,
): Behind => {
  const {cohorts} = reports[0]!.value as RetentionAnswer;
  const dates = cohorts.map(({date}) => date);
  const asked = {question, days, interval, dates};
  return () => retentionBehind({...asked, value, size, cohort, period, freshness});
};
