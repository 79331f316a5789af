// The question of Trends: up to six series over time, each of one event, one measure and its own conditions.
import type {FixedQuestionOf} from '../../../src/asks/question/flat.js';
import {usualRows} from '../../../src/asks/question/usual.js';
import {breakdownBy} from './breakdown-row.js';
import {isName, nameCharsMax, nameOrNone, one, type Parameter, type QuestionOf, word} from './codec.js';
import {
  type Condition,
  conditions,
  conditionText,
  numberedConditions,
  segment,
  usersOf,
  writeCondition,
} from './conditions.js';
import type {Interval} from './range.js';
import {compare, every, range, type Span, seriesMax, timesOf} from './report-address.js';
import {zone} from './zone.js';

export const measures = ['total', 'users', 'sum', 'avg', 'min', 'max', 'p50', 'p90', 'p95', 'p99'] as const;
export type Measure = (typeof measures)[number];
/** Whether the measure reads numbers of a property. */
export const isOfNumbers = (measure: Measure): boolean => measure !== 'total' && measure !== 'users';

/** Measure of a series, and the property that it reads. */
export interface Measured {
  readonly measure: Measure;
  /** The property that is summed or averaged; empty for counts of events and users. */
  readonly property: string;
}
export const counted: Measured = {measure: 'total', property: ''};

/** `users`, `sum:amount`. */
function readMeasured(text: string): Measured | undefined {
  const [, word, , property = ''] = /^([a-z0-9]+)(:([\s\S]+))?$/.exec(text) ?? [];
  const measure = measures.find((one) => one === word);
  if (measure === undefined || isOfNumbers(measure) !== property.length > 0) return undefined;
  return property.length <= nameCharsMax ? {measure, property} : undefined;
}

const measuredText = ({measure, property}: Measured): string => (property === '' ? measure : `${measure}:${property}`);

const isNumberedMeasure = (text: string): boolean =>
  Number(text[0]) <= seriesMax && /^[1-9]:/.test(text) && readMeasured(text.slice(2)) !== undefined;

/** A parameter of up to `seriesMax` events in their order. Null, an empty text in an address, is an event of any name. */
const events: Parameter<readonly (string | null)[]> = {
  absent: [],
  expected: `up to ${seriesMax} names of events`,
  read: (texts) =>
    texts.length <= seriesMax && texts.every((text) => text === '' || isName(text))
      ? texts.map((text) => (text === '' ? null : text))
      : undefined,
  write: (values) => values.map((value) => value ?? ''),
};

/** Measure per series; a series without one is counted. */
const measure: Parameter<readonly Measured[]> = {
  absent: [],
  expected: `a measure after the number of its event: 1:users, 2:sum:amount; measures are ${measures.join(', ')}`,
  isPart: isNumberedMeasure,
  read: (texts) => {
    const places = texts.map((text) => Number(text[0]) - 1);
    if (new Set(places).size < places.length) return undefined;
    return Array.from({length: Math.max(0, ...places.map((at) => at + 1))}, (_, at) => {
      const text = texts[places.indexOf(at)];
      return text === undefined ? counted : readMeasured(text.slice(2))!;
    });
  },
  write: (all) => all.flatMap((one, at) => (one.measure === 'total' ? [] : [`${at + 1}:${measuredText(one)}`])),
};

/** A property, or `trait:<name>`; null: not broken down. */
export const by = nameOrNone('the name of a property, or trait: and the name of a trait');

/** Values of a breakdown with rows of their own; null: as many as are usual. */
export const byLimit = one<number | null>(
  null,
  'a whole number from 1 to 999',
  (text) => (/^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined),
  String,
);

/** Number of the series, from 1, that the others are divided by; null: none. */
const divide: Parameter<number | null> = one<number | null>(
  null,
  `the number of an event, 1 to ${seriesMax}`,
  (text) => (/^[1-9]$/.test(text) && Number(text) <= seriesMax ? Number(text) : undefined),
  String,
);

export const trendsForm = {
  event: events,
  measure,
  where: numberedConditions(seriesMax),
  /** Conditions that every event must meet. */
  all_where: conditions,
  divide,
  user_where: conditions,
  segment,
  by,
  by_limit: byLimit,
  range,
  every,
  weeks: word<'sunday', null>(['sunday'], null),
  zone,
  compare,
} as const;
export type TrendsQuestion = QuestionOf<typeof trendsForm>;

export interface AskedSeries extends Measured {
  /** Null: of any name. */
  readonly event: string | null;
  readonly where: readonly Condition[];
}

export const seriesOf = ({event, measure: measured, where}: Pick<TrendsQuestion, 'event' | 'measure' | 'where'>) =>
  event.map((name, at): AskedSeries => ({event: name, ...(measured[at] ?? counted), where: where[at] ?? []}));

export const withSeries = (series: readonly AskedSeries[]): Pick<TrendsQuestion, 'event' | 'measure' | 'where'> => ({
  event: series.map(({event}) => event),
  measure: series.map(({measure: one, property}) => ({measure: one, property})),
  where: series.map(({where}) => where),
});

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

/** An event in words; null is one of any name. */
export const eventText = (event: string | null): string => event ?? 'any event';

/** `signup`, `users of signup`, `sum of amount of order_placed, plan is pro`. */
function seriesLabel({event, measure: one, property, where}: AskedSeries): string {
  const of = one === 'total' ? '' : one === 'users' ? 'users of ' : `${measureWords[one]} of ${property} of `;
  return [`${of}${eventText(event)}`, ...where.map(conditionText)].join(', ');
}

/** Labels of all series, equal ones told apart by a number: a chart and a table name each of them once. */
export function labelsOf(series: readonly AskedSeries[]): string[] {
  const labels = series.map(seriesLabel);
  return labels.map((label, at) => {
    const before = labels.slice(0, at).filter((one) => one === label).length;
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}

/** Index of the series that the others are divided by; undefined where there are no two. */
export const divisorIn = ({divide: number}: Pick<TrendsQuestion, 'divide'>, series: readonly unknown[]) =>
  number === null || number > series.length || series.length < 2 ? undefined : number - 1;

/** Whether all measures are counts, of events or of users. */
export const areCounts = (...all: readonly Measured[]): boolean => all.every(({measure: one}) => !isOfNumbers(one));

/** Part of the question that all series of a chart share. */
export interface Common {
  readonly user_where: readonly Condition[];
  readonly all_where?: readonly Condition[];
  readonly segment?: string | null;
  readonly by: string | null;
  readonly by_limit?: number | null;
  readonly weeks: 'sunday' | null;
}

export const seriesQuestion = (
  {event, measure: one, property, where}: AskedSeries,
  common: Common,
  span: Span,
  interval: Interval,
): FixedQuestionOf<'counts'> => ({
  report: 'counts',
  events: event === null ? [] : [{event}],
  where: [...(common.all_where ?? []), ...where].map(writeCondition),
  users: usersOf(common),
  measure: one === 'total' ? undefined : {of: one, property: property || undefined},
  breakdown: breakdownBy(common.by, common.by_limit ?? usualRows(span, interval)),
  interval,
  week_start: common.weeks ?? undefined,
  ...timesOf(span),
});
