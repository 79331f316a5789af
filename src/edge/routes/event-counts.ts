// GET /v1/reports/events: counts of events, or measures of their numbers, by bucket.
import {seriesMax} from '../../../actors/limits.js';
import {isOfNumbers} from '../../../actors/report/rows/measures.js';
import type {CountsReportQuery} from '../../asks/counts.js';
import {type CountsQuestion, counts} from '../../asks/question/counts.js';
import {conditionsOf} from '../../asks/question/members.js';
import type {Front} from '../front.js';
import {bucketCount, bucketsOf} from '../query/asked-times.js';
import {breakdownIn, breakdownsForm, breakdownsOf} from '../query/breakdown.js';
import {whereTexts} from '../query/conditions.js';
import {flag, member, name, optional, optionalList, type TextForm} from '../query/parameters.js';
import type {QueryValues} from '../query/query.js';
import {bucketedForm, bucketsIn, bucketTimesOf} from '../query/question-times.js';
import {userFilterOf, usersForm, usersIn} from '../query/user-filter.js';
import {formatForm} from './report-format.js';
import {ofEveryReport, refused, reportRoute} from './reports.js';

/** `<property>=<value>`, split at the first `=`; an empty value is a value. */
const propertyFilter: TextForm<{property: string; value: string}> = {
  schema: {type: 'string', pattern: '^[^=]+='},
  expected: 'written as <property>=<value>',
  parse: (text) => {
    const equals = text.indexOf('=');
    return equals < 1 ? undefined : {property: text.slice(0, equals), value: text.slice(equals + 1)};
  },
};

/** Lists of names: at most `seriesMax`. */
const eventNames = optionalList(name, {
  countMax: seriesMax,
  description: 'The names of up to ten events, in place of `event`: one parameter per name. The answer has `series`.',
});

const measured = counts.shape.measure.unwrap().shape;

export const countsForm = {
  event: optional(name, {
    description: 'The name of the events to count. Either this, or `events[]`, or `any_event`.',
    example: 'signup',
  }),
  'events[]': eventNames,
  any_event: flag({description: '`true` in place of `event`: events of every name.'}),
  ...bucketedForm,
  ...ofEveryReport,
  ...formatForm,
  filter: optional(propertyFilter, {
    description:
      'Only events with this property value, as `<property>=<value>`: `plan=pro`, or `cart.currency=EUR` for a nested ' +
      'one. Compares with the text of a string, number or boolean.',
  }),
  where: whereTexts,
  ...usersForm,
  measure: member(measured.of.optional(), {description: measured.of.description!}),
  property: member(measured.property),
  ...breakdownsForm,
};

export const countsReport = reportRoute(countsForm, (values, front) => countsQuery(questionOf(values), front));

type Values = QueryValues<typeof countsForm>;

function questionOf(values: Values): CountsQuestion {
  const {filter, where, 'events[]': list} = values;
  return {
    report: 'counts',
    ...bucketsIn(values),
    events: eventsOf(values),
    series: list.length > 0,
    where: filter === undefined ? [...where] : [...where, {...filter, op: 'eq'}],
    ...usersIn(values),
    measure: measureOf(values),
    breakdown: breakdownIn(values),
  };
}

/** Empty: events of every name. */
function eventsOf({event, any_event: isAny, 'events[]': list}: Values): CountsQuestion['events'] {
  const given = [event !== undefined, isAny, list.length > 0].filter(Boolean).length;
  if (given === 0) throw refused('event is required', 'event');
  if (given > 1) throw refused('event, events[] and any_event exclude each other', 'event');
  return (event === undefined ? list : [event]).map((event) => ({event}));
}

function measureOf({measure, property}: Values): CountsQuestion['measure'] {
  if (measure === undefined && property !== undefined) throw refused(noNumbers, 'property');
  return measure && {of: measure, property};
}

const noNumbers = 'property goes with a measure of numbers: sum, avg, min, max, p50, p90, p95 or p99';

/** @throws RequestFailure */
export function countsQuery(question: CountsQuestion, front: Front): CountsReportQuery {
  const {events = [], measure} = question;
  const [first] = events;
  const asked = bucketsOf(bucketTimesOf(question, front), front);
  if (question.series && first?.event === undefined) throw refused('a series needs the name of its events', 'events');
  const breakdown = breakdownsOf(question.breakdown, bucketCount(asked));
  const names = first?.event === undefined ? undefined : events.map(({event}) => event!);
  const isList = question.series || events.length > 1;
  checkMeasure(measure);
  return {
    report: 'counts',
    ...(names === undefined ? {} : {events: names}),
    isList,
    ...asked,
    where: conditionsOf([...(first?.where ?? []), ...(question.where ?? [])]),
    ...userFilterOf(question, front),
    ...(measure === undefined ? {} : {measure: measure.of}),
    ...(measure?.property === undefined ? {} : {property: measure.property}),
    ...(breakdown === undefined ? {} : {breakdown}),
  };
}

function checkMeasure(measure: CountsQuestion['measure']): void {
  if (measure === undefined) return;
  const {of, property} = measure;
  if (isOfNumbers(of) && property === undefined)
    throw refused(`property is required: its numbers are what ${of} measures`, 'property');
  if (!isOfNumbers(of) && property !== undefined) throw refused(noNumbers, 'property');
}
