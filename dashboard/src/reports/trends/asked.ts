// Questions of the page Trends to the service, on a day.
import {type FixedQuestion, flatOf} from '../../../../src/asks/question/flat.js';
import {comparedDays, pastSoFar} from '../../address/compared.js';
import {timesIn} from '../../address/page-question.js';
import {daysOf, type Interval, type Past} from '../../address/range.js';
import {intervalOf, type Span} from '../../address/report-address.js';
import {wallMs} from '../../address/zone.js';
import {type Series, seriesQuestion, type TrendsDraft} from './series.js';

export interface TrendsAsked {
  readonly question: TrendsDraft;
  readonly series: readonly Series[];
  readonly days: Span;
  readonly interval: Interval;
  /** Undefined: it compares with nothing. */
  readonly past: Past | undefined;
  readonly zone: string;
  readonly ask: (series: Series) => FixedQuestion;
  readonly askUsers: (series: Series) => FixedQuestion;
  readonly askPast: (series: Series) => FixedQuestion | undefined;
}

/** `today`: the current day of the question's zone. `since`: the first one with data, where it is known. */
export function trendsAsked(question: TrendsDraft, today: number, since?: number): TrendsAsked {
  const {range, zone, every, compare} = timesIn(question);
  const days = {...daysOf(range, today), zone};
  const interval = intervalOf(every, days);
  const past = comparedDays(days, interval, compare, since);
  return {
    question,
    series: question.events ?? [],
    days,
    interval,
    past,
    zone,
    ask: (one) => seriesQuestion(one, question, days, interval),
    askUsers: (one) => seriesQuestion({...one, measure: {of: 'users'}}, question, days, interval),
    askPast: (one) => past && seriesQuestion(one, question, {...past, zone}, interval),
  };
}

/** What the lines need. */
export const linesQuestions = ({series, ask, askPast}: TrendsAsked): FixedQuestion[] =>
  distinct(series.flatMap((one) => [ask(one), askPast(one)]));

export const trendsQuestions = ({series, ask, askPast, askUsers}: TrendsAsked): FixedQuestion[] =>
  distinct(series.flatMap((one) => [ask(one), askPast(one), askUsers(one)]));

/** The compared range up to the same moment, once it is known up to when the numbers are exact; undefined when that is all of it. */
export function trendsUntil(
  {series, question, days, interval, past, zone}: TrendsAsked,
  today: number,
  asOfMs: number | undefined,
): {readonly askUntil: (series: Series) => FixedQuestion; readonly asks: readonly FixedQuestion[]} | undefined {
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(zone, asOfMs));
  if (soFar === undefined) return undefined;
  const askUntil = (one: Series): FixedQuestion => seriesQuestion(one, question, {...soFar, zone}, interval);
  return {askUntil, asks: distinct(series.map(askUntil))};
}

const distinct = (questions: readonly (FixedQuestion | undefined)[]): FixedQuestion[] => [
  ...new Map(questions.flatMap((one) => (one === undefined ? [] : [[flatOf(one), one] as const]))).values(),
];
