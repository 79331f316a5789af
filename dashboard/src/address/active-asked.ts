// Questions of the page Active users to the service, on a day.
import type {FixedQuestion} from '../../../src/asks/question/flat.js';
import {type ActiveQuestion, activeUsersQuestion} from './active-address.js';
import {comparedDays, pastSoFar} from './compared.js';
import {daysOf, type Interval, type Past} from './range.js';
import {intervalOf, metrics, type Span} from './report-address.js';
import {wallMs} from './zone.js';

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
export function activeAsked(question: ActiveQuestion, today: number, since?: number): ActiveAsked {
  const {zone, by, metric} = question;
  const days = {...daysOf(question.range, today), zone};
  const interval = intervalOf(question.every, days);
  const past = comparedDays(days, interval, question.compare, since);
  const asksOf = (span: Span) => metrics.map((one) => activeUsersQuestion(question, one, span, interval));
  return {
    days,
    interval,
    past,
    asks: asksOf(days),
    pastAsks: past === undefined ? [] : asksOf({...past, zone}),
    asksBy: by === null ? undefined : activeUsersQuestion(question, metric, days, interval, by),
  };
}

/** The daily users of the compared range up to the same moment, once that is known; undefined when that is all of it. */
export function activeUntilQuestion(
  question: ActiveQuestion,
  {days, interval, past}: ActiveAsked,
  today: number,
  asOfMs: number | undefined,
): FixedQuestion | undefined {
  const {zone} = days;
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(zone, asOfMs));
  return soFar && activeUsersQuestion(question, 'dau', {...soFar, zone}, interval);
}
