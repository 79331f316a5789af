// GET /v1/properties, /v1/traits and their values: what can be asked for in reports (docs/api/lists.md).
import type {ActiveWithin, ListQuery} from '../../asks/lists.js';
import {
  type PropertiesQuestion,
  properties,
  type TraitsQuestion,
  type TraitValuesQuestion,
  traits,
  traitValues,
  type ValuesQuestion,
  values,
} from '../../asks/question/lists.js';
import {endOfTimeMs, timesOf} from '../../asks/question/times.js';
import {type ListCursor, listOf, readListCursor} from '../../list-cursor.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {optionalBoundsOf} from '../query/asked-times.js';
import {flag, member, ofPageBefore} from '../query/parameters.js';
import type {QueryValues} from '../query/query.js';
import {openRangeForm} from '../query/question-times.js';
import {openRangeIn, recentForm, recentOf} from '../query/recent-range.js';
import {formatForm} from './report-format.js';
import {foreignCursor, hiddenIn, ofEveryReport, reportRoute} from './reports.js';

type PageShape = Pick<typeof values.shape, 'prefix' | 'limit' | 'cursor'>;

const page = ({prefix, limit, cursor}: PageShape) => ({
  ...ofEveryReport,
  ...formatForm,
  prefix: member(prefix),
  limit: member(limit),
  cursor: member(cursor, {description: ofPageBefore}),
});

const activeRange = openRangeForm(
  'Only users with an event at or after this ISO 8601 time; a date is its first moment. Without `from` and `to`: all users.',
  'Only users with an event at or before this ISO 8601 time; a date is its last moment.',
);

const event = member(properties.shape.event, {example: 'signup'});

export const propertiesForm = {
  event,
  ...page(properties.shape),
  hidden: flag({description: properties.shape.hidden.description!}),
  ...recentForm,
};

export const propertyValuesForm = {
  event,
  property: member(values.shape.property, {example: 'plan'}),
  ...page(values.shape),
  ...recentForm,
};

export const traitsForm = {...page(traits.shape), ...activeRange};

export const traitValuesForm = {
  trait: member(traitValues.shape.trait, {example: 'plan'}),
  ...page(traitValues.shape),
  ...activeRange,
};

const pageIn = ({prefix, limit, cursor, ...times}: QueryValues<typeof traitsForm>) => ({
  ...openRangeIn(times),
  prefix,
  limit,
  cursor,
});

export const propertiesList = reportRoute(propertiesForm, (asked, front) =>
  propertiesQuery({report: 'properties', event: asked.event, hidden: asked.hidden, ...pageIn(asked)}, front),
);

export const propertyValuesList = reportRoute(propertyValuesForm, (asked, front) =>
  valuesQuery({report: 'values', property: asked.property, event: asked.event, ...pageIn(asked)}, front),
);

export const traitsList = reportRoute(traitsForm, (asked, front) =>
  traitsQuery({report: 'traits', ...pageIn(asked)}, front),
);

export const traitValuesList = reportRoute(traitValuesForm, (asked, front) =>
  traitValuesQuery({report: 'trait_values', trait: asked.trait, ...pageIn(asked)}, front),
);

// -- questions --

type Page = TraitsQuestion | PropertiesQuestion | ValuesQuestion | TraitValuesQuestion;

const pageOf = ({prefix, limit}: Page, start: ListCursor | undefined) => ({
  limit,
  passed: start?.passed ?? 0,
  ...(prefix === undefined ? {} : {prefix}),
});

/** The cursor of a question, if it has one. @throws RequestFailure for a text that is none, and for one of another range */
function startOf(question: Page, front: Front): ListCursor | undefined {
  const {fromMs, toMs} = optionalBoundsOf(timesOf(question, front), front);
  if (question.cursor === undefined) return undefined;
  const start = readListCursor(question.cursor);
  const isSame = (asked: number | undefined, ofStart: number | undefined) => asked === undefined || asked === ofStart;
  if (start === undefined || !isSame(fromMs, start.range?.fromMs) || !isSame(toMs, start.range?.toMs))
    throw new RequestFailure(foreignCursor);
  return start;
}

/** @throws RequestFailure for the cursor of another list */
function continued<Query extends ListQuery>(query: Query, start: ListCursor | undefined): Query {
  if (start !== undefined && start.list !== listOf(query)) throw new RequestFailure(foreignCursor);
  return query;
}

/** @throws RequestFailure */
export function propertiesQuery(question: PropertiesQuestion, front: Front): ListQuery {
  const start = startOf(question, front);
  const {event, hidden} = question;
  const range = recentOf(timesOf(question, front), start?.range, front);
  const asked = {report: 'properties', ...range, ...(event === undefined ? {} : {event})} as const;
  return continued(
    {...asked, ...pageOf(question, start), ...hiddenIn(front.kept.keys.lists.properties, hidden)},
    start,
  );
}

/** @throws RequestFailure */
export function valuesQuery(question: ValuesQuestion, front: Front): ListQuery {
  const start = startOf(question, front);
  const {event, property} = question;
  const range = recentOf(timesOf(question, front), start?.range, front);
  const asked = {report: 'property_values', property, ...range, ...(event === undefined ? {} : {event})} as const;
  return continued({...asked, ...pageOf(question, start)}, start);
}

/** @throws RequestFailure */
export function traitsQuery(question: TraitsQuestion, front: Front): ListQuery {
  const start = startOf(question, front);
  return continued({report: 'traits', ...activeOf(question, start, front), ...pageOf(question, start)}, start);
}

/** @throws RequestFailure */
export function traitValuesQuery(question: TraitValuesQuestion, front: Front): ListQuery {
  const start = startOf(question, front);
  const asked = {report: 'trait_values', trait: question.trait} as const;
  return continued({...asked, ...activeOf(question, start, front), ...pageOf(question, start)}, start);
}

/** The earliest time of an event: 1970. */
function activeOf(asked: Page, start: ListCursor | undefined, front: Front): {readonly active?: ActiveWithin} {
  if (start !== undefined) return start.range === undefined ? {} : {active: start.range};
  const {fromMs, toMs} = optionalBoundsOf(timesOf(asked, front), front);
  return fromMs === undefined && toMs === undefined ? {} : {active: {fromMs: fromMs ?? 0, toMs: toMs ?? endOfTimeMs}};
}
