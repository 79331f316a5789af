// Explanations of the page's numbers.
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {TrendsAsked} from '../../address/trends-asked';
import type {SeriesLine} from '../../charts/series-lines';
import type {Shown} from '../../service/reports';
import type {Behind} from '../../shell/explained';
import {trendBehind} from './behind';

interface NumberOfLine {
  readonly value: number;
  readonly when: string;
  /** Index of its bucket; absent: the whole range. */
  readonly at?: number;
  /** The distinct users of the line, whatever it measures. */
  readonly isUsers?: boolean;
}

export const lineBehind =
  (
    {question, of, freshness}: Shown<TrendsAsked>,
    line: SeriesLine,
    {value, when, at, isUsers = false}: NumberOfLine,
  ): Behind =>
  () => {
    const {interval, days, common, zone} = question;
    const one = question.series[line.series]!;
    return trendBehind({
      value,
      series: isUsers ? {...one, property: ''} : one,
      measure: isUsers ? 'users' : one.measure,
      common,
      row: line.row,
      answer: of<CountsAnswer>(question.ask(one)).value,
      days,
      interval,
      bucket: at === undefined ? undefined : {dates: line.answer.data.map(({date}) => date), at, interval},
      when: `${when} (${zone})`,
      freshness,
    });
  };
