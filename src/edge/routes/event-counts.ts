// GET /v1/reports/events: counts of events, or measures of their numbers, by bucket.
import {seriesMax} from '../../../actors/limits.js';
import type {Condition} from '../../../actors/report/rows/condition.js';
import {isOfNumbers, type Measure, measures} from '../../../actors/report/rows/measures.js';
import {bucketCount, bucketedForm, bucketsOf} from '../query/asked-times.js';
import {breakdownForm, breakdownOf} from '../query/breakdown.js';
import {userWhere, where} from '../query/conditions.js';
import {name, optional, optionalList, type TextForm, word} from '../query/parameters.js';
import type {QueryValues} from '../query/query.js';
import {formatForm} from './report-csv.js';
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

export const countsForm = {
  event: optional(name, {
    description: 'The name of the events to count. Either this, or `events[]`, or `any_event`.',
    example: 'signup',
  }),
  'events[]': eventNames,
  any_event: optional(word(['true']), {description: '`true` in place of `event`: events of every name.'}),
  ...bucketedForm,
  ...ofEveryReport,
  ...formatForm,
  filter: optional(propertyFilter, {
    description:
      'Only events with this property value, as `<property>=<value>`: `plan=pro`, or `cart.currency=EUR` for a nested ' +
      'one. Compares with the text of a string, number or boolean.',
  }),
  where,
  user_where: userWhere,
  measure: optional(word(measures), {
    description:
      'What stands as `value` beside the count: `total` (the count), distinct `users`, or the exact `sum`, `avg`, `min`, ' +
      '`max`, `p50`, `p90`, `p95`, `p99` (nearest rank) of the numbers of `property`.',
  }),
  property: optional(name, {description: 'The property whose JSON numbers are measured.'}),
  ...breakdownForm,
};

export const countsReport = reportRoute(countsForm, (values, front) => {
  const {filter, where} = values;
  const asked = bucketsOf(values, front);
  const events = eventsOf(values);
  const breakdown = breakdownOf(values, bucketCount(asked));
  const isList = values['events[]'].length > 0;
  const isPlain = values.user_where.length === 0 && values.measure === undefined && breakdown === undefined && !isList;
  const plainFilter = where.length === 0 ? filter : filter === undefined ? equality(where) : undefined;
  if (isPlain && events !== undefined && (where.length === 0 || plainFilter !== undefined))
    return {report: 'events', event: events[0]!, ...asked, ...(plainFilter === undefined ? {} : {filter: plainFilter})};
  return {
    report: 'measured',
    ...(events === undefined ? {} : {events}),
    isList,
    ...asked,
    where: filter === undefined ? where : [...where, {property: filter.property, op: 'eq', values: [filter.value]}],
    userWhere: values.user_where,
    ...measureOf(values),
    ...(breakdown === undefined ? {} : {breakdown}),
  };
});

/** A single condition that means the same as `filter`, for which there are indexes. */
function equality(where: readonly Condition[]): {property: string; value: string} | undefined {
  const [only] = where;
  if (where.length !== 1 || only?.op !== 'eq') return undefined;
  return {property: only.property, value: only.values[0]!};
}

/** Undefined: events of every name. */
function eventsOf(values: QueryValues<typeof countsForm>): readonly string[] | undefined {
  const {event, any_event: anyEvent, 'events[]': list} = values;
  const given = [event !== undefined, anyEvent !== undefined, list.length > 0].filter(Boolean).length;
  if (given === 0) throw refused('event is required', 'event');
  if (given > 1) throw refused('event, events[] and any_event exclude each other', 'event');
  if (anyEvent !== undefined) return undefined;
  return event === undefined ? list : [event];
}

function measureOf({measure, property}: {measure: Measure | undefined; property: string | undefined}) {
  if (isOfNumbers(measure) && property === undefined)
    throw refused(`property is required: its numbers are what ${measure} measures`, 'property');
  if (!isOfNumbers(measure) && property !== undefined)
    throw refused('property goes with a measure of numbers: sum, avg, min, max, p50, p90, p95 or p99', 'property');
  return {...(measure === undefined ? {} : {measure}), ...(property === undefined ? {} : {property})};
}
