// Questions of the page Trends to the service, on a day.
import {comparedDays, pastSoFar} from './compared.js';
import {daysOf, type Interval, type Past} from './range.js';
import {intervalOf, type Span} from './report-address.js';
import {type AskedSeries, seriesOf, seriesPath, type TrendsQuestion} from './trends-address.js';
import {wallMs} from './zone.js';

export interface TrendsAsked {
  readonly series: readonly AskedSeries[];
  readonly common: TrendsQuestion;
  readonly days: Span;
  readonly interval: Interval;
  /** Undefined: it compares with nothing. */
  readonly past: Past | undefined;
  readonly zone: string;
  readonly pathOf: (series: AskedSeries) => string;
  readonly usersPathOf: (series: AskedSeries) => string;
  readonly pastPathOf: (series: AskedSeries) => string | undefined;
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
    pathOf: (one) => seriesPath(one, question, days, interval),
    usersPathOf: (one) => seriesPath({...one, measure: 'users', property: ''}, question, days, interval),
    pastPathOf: (one) => past && seriesPath(one, question, {...past, zone}, interval),
  };
}

export const trendsPaths = ({series, pathOf, pastPathOf, usersPathOf}: TrendsAsked): string[] =>
  distinct(series.flatMap((one) => [pathOf(one), pastPathOf(one), usersPathOf(one)]));

/** The compared range up to the same moment, once it is known up to when the numbers are exact; undefined when that is all of it. */
export function trendsUntil(
  {series, common, days, interval, past, zone}: TrendsAsked,
  today: number,
  asOfMs: number | undefined,
): {readonly untilPathOf: (series: AskedSeries) => string; readonly paths: readonly string[]} | undefined {
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(zone, asOfMs));
  if (soFar === undefined) return undefined;
  const untilPathOf = (one: AskedSeries): string => seriesPath(one, common, {...soFar, zone}, interval);
  return {untilPathOf, paths: distinct(series.map(untilPathOf))};
}

const distinct = (paths: readonly (string | undefined)[]): string[] => [
  ...new Set(paths.filter((path) => path !== undefined)),
];
