// Questions of the page Trends to the service, on a day.
import {type FixedQuestion, flatOf} from '../../../src/asks/question/flat.js';
import {comparedDays, pastSoFar} from './compared.js';
import {daysOf, type Interval, type Past} from './range.js';
import {intervalOf, type Span} from './report-address.js';
import {type AskedSeries, seriesOf, seriesQuestion, type TrendsQuestion} from './trends-address.js';
import {wallMs} from './zone.js';

export interface TrendsAsked {
  readonly series: readonly AskedSeries[];
  readonly common: TrendsQuestion;
  readonly days: Span;
  readonly interval: Interval;
  /** Undefined: it compares with nothing. */
  readonly past: Past | undefined;
  readonly zone: string;
  readonly ask: (series: AskedSeries) => FixedQuestion;
  readonly askUsers: (series: AskedSeries) => FixedQuestion;
  readonly askPast: (series: AskedSeries) => FixedQuestion | undefined;
}

/** `today`: the current day of the question's zone. `since`: the first one with data, where it is known. */
export function trendsAsked(question: TrendsQuestion, today: number, since?: number): TrendsAsked {
  const {zone} = question;
  const days = {...daysOf(question.range, today), zone};
  const interval = intervalOf(question.every, days);
  const past = comparedDays(days, interval, question.compare, since);
  return {
    series: seriesOf(question),
    common: question,
    days,
    interval,
    past,
    zone,
    ask: (one) => seriesQuestion(one, question, days, interval),
    askUsers: (one) => seriesQuestion({...one, measure: 'users', property: ''}, question, days, interval),
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
  {series, common, days, interval, past, zone}: TrendsAsked,
  today: number,
  asOfMs: number | undefined,
): {readonly askUntil: (series: AskedSeries) => FixedQuestion; readonly asks: readonly FixedQuestion[]} | undefined {
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(zone, asOfMs));
  if (soFar === undefined) return undefined;
  const askUntil = (one: AskedSeries): FixedQuestion => seriesQuestion(one, common, {...soFar, zone}, interval);
  return {askUntil, asks: distinct(series.map(askUntil))};
}

const distinct = (questions: readonly (FixedQuestion | undefined)[]): FixedQuestion[] => [
  ...new Map(questions.flatMap((one) => (one === undefined ? [] : [[flatOf(one), one] as const]))).values(),
];
