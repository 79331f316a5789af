// GET /v1/properties, /v1/traits and their values: what can be asked for in reports (docs/api.md, Discovery).
import {namesLimitDefault, namesLimitMax, objectKeyCharsMax} from '../../../actors/limits.js';
import type {ActiveWithin, ListQuery} from '../../asks/lists.js';
import {type ListCursor, listOf, readListCursor} from '../../list-cursor.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {askedTime, optionalBoundsOf, timezone} from '../query/asked-times.js';
import {anyText, name, optional, required, type TextForm, wholeNumber, withDefault} from '../query/parameters.js';
import {endOfTimeMs, recentForm, recentOf} from '../query/recent-range.js';
import {formatForm} from './report-csv.js';
import {foreignCursor, hiddenForm, hiddenIn, ofEveryReport, reportRoute} from './reports.js';

const levelsMax = 10;

/** A key of an object, or a path of keys: any characters. */
const key: TextForm<string> = {
  schema: {type: 'string', minLength: 1, maxLength: objectKeyCharsMax * levelsMax},
  expected: `a name of 1 to ${objectKeyCharsMax * levelsMax} characters`,
  parse: (text) => (text.length <= objectKeyCharsMax * levelsMax ? text : undefined),
};

const page = (items: string) => ({
  ...ofEveryReport,
  ...formatForm,
  prefix: optional(anyText, {description: `Only ${items} that begin with this.`}),
  limit: withDefault(wholeNumber(namesLimitMax), namesLimitDefault, {description: `${capital(items)} on a page.`}),
  cursor: optional(anyText, {
    description:
      'The `next_cursor` of the page before, with the same parameters; it keeps the range, and `limit` may change. Pages ' +
      'of one `Report-Log-Position` fit together; `at` asks for it.',
  }),
});

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const event = optional(name, {description: 'Only events of this name. Default: of every name.', example: 'signup'});

const activeRange = {
  from: optional(askedTime, {
    description:
      'Only users with an event at or after this ISO 8601 time; a date is its first moment. Without `from` and `to`: all users.',
  }),
  to: optional(askedTime, {
    description: 'Only users with an event at or before this ISO 8601 time; a date is its last moment.',
  }),
  timezone,
};

export const propertiesForm = {event, ...page('properties'), ...hiddenForm, ...recentForm};

export const propertyValuesForm = {
  event,
  property: required(key, {description: 'The property, as in `where`: dots name nested keys.', example: 'plan'}),
  ...page('values'),
  ...recentForm,
};

export const traitsForm = {...page('traits'), ...activeRange};

export const traitValuesForm = {
  trait: required(key, {description: 'The trait, as in `user_where`: dots name nested keys.', example: 'plan'}),
  ...page('values'),
  ...activeRange,
};

type Times = Parameters<typeof optionalBoundsOf>[0];
interface Page extends Times {
  readonly prefix: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const pageOf = ({prefix, limit}: Page, start: ListCursor | undefined) => ({
  limit,
  passed: start?.passed ?? 0,
  ...(prefix === undefined ? {} : {prefix}),
});

/** The cursor of a request, if it has one. @throws RequestFailure for a text that is none, and for one of another range */
function startOf({cursor, ...times}: Page, front: Front): ListCursor | undefined {
  const {fromMs, toMs} = optionalBoundsOf(times, front);
  if (cursor === undefined) return undefined;
  const start = readListCursor(cursor);
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

export const propertiesList = reportRoute(propertiesForm, (values, front) => {
  const start = startOf(values, front);
  const {event} = values;
  const range = recentOf(values, start?.range, front);
  const asked = {report: 'properties', ...range, ...(event === undefined ? {} : {event})} as const;
  const hidden = hiddenIn(front.keys.hidden.properties, values);
  return continued({...asked, ...pageOf(values, start), ...hidden}, start);
});

export const propertyValuesList = reportRoute(propertyValuesForm, (values, front) => {
  const start = startOf(values, front);
  const {event, property} = values;
  const range = recentOf(values, start?.range, front);
  const asked = {report: 'property_values', property, ...range, ...(event === undefined ? {} : {event})} as const;
  return continued({...asked, ...pageOf(values, start)}, start);
});

export const traitsList = reportRoute(traitsForm, (values, front) => {
  const start = startOf(values, front);
  return continued({report: 'traits', ...activeOf(values, start, front), ...pageOf(values, start)}, start);
});

export const traitValuesList = reportRoute(traitValuesForm, (values, front) => {
  const start = startOf(values, front);
  const asked = {report: 'trait_values', trait: values.trait} as const;
  return continued({...asked, ...activeOf(values, start, front), ...pageOf(values, start)}, start);
});

/** The earliest time of an event: 1970. */
function activeOf(asked: Page, start: ListCursor | undefined, front: Front): {readonly active?: ActiveWithin} {
  if (start !== undefined) return start.range === undefined ? {} : {active: start.range};
  const {fromMs, toMs} = optionalBoundsOf(asked, front);
  return fromMs === undefined && toMs === undefined ? {} : {active: {fromMs: fromMs ?? 0, toMs: toMs ?? endOfTimeMs}};
}
