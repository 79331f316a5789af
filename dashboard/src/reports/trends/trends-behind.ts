// Explanations of the page's numbers.
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {SeriesLine} from '../../charts/series-lines';
import type {Shown} from '../../service/reports';
import type {Behind} from '../../shell/explained';
import type {TrendsAsked} from './asked';
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
    const {interval, days, zone} = question;
    const one = question.series[line.series]!;
    return trendBehind({
      value,
      series: isUsers ? {...one, measure: {of: 'users'}} : one,
      question: question.question,
      row: line.row,
      answer: of<CountsAnswer>(question.ask(one)).value,
      days,
      interval,
      bucket: at === undefined ? undefined : {dates: line.answer.data.map(({date}) => date), at, interval},
      when: `${when} (${zone})`,
      freshness,
    });
  };
