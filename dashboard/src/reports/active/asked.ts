// Questions of the page Active users to the service, on a day.
import type {FixedQuestion} from '../../../../src/asks/question/flat.js';
import {comparedDays, pastSoFar} from '../../address/compared.js';
import {askedOver, type Draft, timesIn} from '../../address/page-question.js';
import {daysOf, type Interval, type Past} from '../../address/range.js';
import {intervalOf, metrics, type Span} from '../../address/report-address.js';
import {wallMs} from '../../address/zone.js';

interface ActiveAsked {
  readonly days: Span & {readonly zone: string};
  readonly interval: Interval;
  /** Undefined: it compares with nothing. */
  readonly past: Past | undefined;
  /** One for each metric, in the order of `metrics`. */
  readonly asks: readonly FixedQuestion[];
  readonly pastAsks: readonly FixedQuestion[];
  /** Undefined: it is not broken down. */
  readonly asksBy: FixedQuestion | undefined;
}

/** `today`: the current day of the question's zone. `since`: the first one with data, where it is known. */
export function activeAsked(question: Draft<'active'>, today: number, since?: number): ActiveAsked {
  const {range, zone, every, compare} = timesIn(question);
  const days = {...daysOf(range, today), zone};
  const interval = intervalOf(every, days);
  const past = comparedDays(days, interval, compare, since);
  const asksOf = (span: Span) => metrics.map((metric) => askedOver({...inAll(question), metric}, span, interval));
  return {
    days,
    interval,
    past,
    asks: asksOf(days),
    pastAsks: past === undefined ? [] : asksOf({...past, zone}),
    asksBy: question.breakdown && askedOver(question, days, interval),
  };
}

export const inAll = ({breakdown: _, ...question}: Draft<'active'>): Draft<'active'> => question;

/** The daily users of the compared range up to the same moment, once that is known; undefined when that is all of it. */
export function activeUntilQuestion(
  question: Draft<'active'>,
  {days, interval, past}: ActiveAsked,
  today: number,
  asOfMs: number | undefined,
): FixedQuestion | undefined {
  const {zone} = days;
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(zone, asOfMs));
  return soFar && askedOver({...inAll(question), metric: 'dau'}, {...soFar, zone}, interval);
}
