// The series of Trends, each of one event, one measure and its own conditions: in words, and as questions of their own.
import {isOfNumbers, labelAt, type Measure} from '../../../../src/asks/address.js';
import type {FixedQuestionOf} from '../../../../src/asks/question/flat.js';
import {conditionText} from '../../address/conditions.js';
import {askedOver, conditionsOf, type Draft} from '../../address/page-question.js';
import type {Interval} from '../../address/range.js';
import type {Span} from '../../address/report-address.js';
import {formulaLabel} from '../../charts/computed.js';

export type TrendsDraft = Draft<'counts'>;
/** Without an event: of any name. Without a measure: its events are counted. */
export type Series = NonNullable<TrendsDraft['events']>[number];

export type Formulas = NonNullable<TrendsDraft['formulas']>;

export const measureOf = ({measure}: Series): Measure => measure?.of ?? 'total';

export const measureWords: Readonly<Record<Measure, string>> = {
  total: 'events',
  users: 'users',
  sum: 'sum',
  avg: 'average',
  min: 'smallest',
  max: 'largest',
  p50: 'median',
  p90: '90th percentile',
  p95: '95th percentile',
  p99: '99th percentile',
};

/** An event in words. */
export const eventText = (event: string | undefined): string => event ?? 'any event';

/** `signup`, `users of signup`, `sum of amount of order_placed, plan is pro`. */
function seriesLabel(series: Series): string {
  const measure = measureOf(series);
  const numbers = `${measureWords[measure]} of ${series.measure?.property} of `;
  const of = measure === 'total' ? '' : measure === 'users' ? 'users of ' : numbers;
  return [`${of}${eventText(series.event)}`, ...conditionsOf(series.where).map(conditionText)].join(', ');
}

/** Labels of all series, equal ones told apart by a number: a chart and a table name each of them once. */
export function labelsOf(series: readonly Series[] = []): string[] {
  const labels = series.map(seriesLabel);
  return labels.map((label, at) => {
    const before = labels.slice(0, at).filter((one) => one === label).length;
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}

/** Its formulas in words. */
export const formulaLabels = ({events, formulas = []}: TrendsDraft): string[] =>
  formulas.map((one) => formulaLabel(one, labelsOf(events)));

/** The formulas after one of the events is gone: those of it are gone, and the letters of the others move up. */
export function fittingFormulas(formulas: Formulas, before: readonly Series[], after: readonly Series[]): Formulas {
  const gone = before.findIndex((one, at) => one !== after[at]);
  if (after.length >= before.length || gone < 0) return formulas;
  const moved = (text: string): string =>
    text.replace(/[A-Z]\b/g, (letter) =>
      letter > labelAt(gone) ? labelAt(letter.charCodeAt(0) - labelAt(1).charCodeAt(0)) : letter,
    );
  return formulas
    .filter(({is}) => !is.includes(labelAt(gone)))
    .map(({as, is}) => ({as: as === is ? moved(is) : as, is: moved(is)}));
}

/** Whether all measures are counts, of events or of users. */
export const areCounts = (series: readonly Series[]): boolean => !series.map(measureOf).some(isOfNumbers);

/** The question of one of its series. */
export const seriesQuestion = (
  {event, measure, where = []}: Series,
  {where: ofAll = [], formulas: _, ...question}: TrendsDraft,
  span: Span,
  interval: Interval,
): FixedQuestionOf<'counts'> =>
  askedOver<'counts'>(
    {...question, events: event === undefined ? [] : [{event}], where: [...ofAll, ...where], measure},
    span,
    interval,
  );
