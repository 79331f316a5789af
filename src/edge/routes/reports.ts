// GET /v1/reports/*: turns parameters into a question, and the report role's answer into HTTP.
import {namesLimitDefault, namesLimitMax, seriesMax} from '../../../actors/limits.js';
import {trailingDays} from '../../../actors/report/active/active-plan.js';
import type {Condition} from '../../../actors/report/rows/condition.js';
import {isOfNumbers, type Measure, measures} from '../../../actors/report/rows/measures.js';
import {eventsAskedFor, propertiesAskedFor, quotedInHint} from '../../asked-names.js';
import type {ActiveMetric, HiddenTexts, ReportAnswer, ReportQuery} from '../../asks.js';
import {type NamesCursor, readNamesCursor} from '../../names-cursor.js';
import type {Zone} from '../../zone.js';
import {type Failure, type Header, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {
  activeBucketsOf,
  askedTime,
  bucketCount,
  bucketedForm,
  bucketsOf,
  optionalBoundsOf,
  timezone,
  zoneIn,
} from '../query/asked-times.js';
import {breakdownForm, breakdownOf} from '../query/breakdown.js';
import {userWhere, where} from '../query/conditions.js';
import {didForm, didOf, isAnything} from '../query/did.js';
import {
  anyText,
  name,
  optional,
  optionalList,
  position,
  type TextForm,
  wholeNumber,
  withDefault,
  word,
} from '../query/parameters.js';
import {type QueryForm, type QueryValues, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {isListing, nextCursorIn} from './list-csv.js';
import {answerIncluding, readMinPosition, reportIn} from './min-log-position.js';
import {csvTag, csvType, formatForm, jsonTags, reportCsv} from './report-csv.js';

/** `<property>=<value>`, split at the first `=`; an empty value is a value. */
const propertyFilter: TextForm<{property: string; value: string}> = {
  schema: {type: 'string', pattern: '^[^=]+='},
  expected: 'written as <property>=<value>',
  parse: (text) => {
    const equals = text.indexOf('=');
    return equals < 1 ? undefined : {property: text.slice(0, equals), value: text.slice(equals + 1)};
  },
};

/** Parameters of every report. */
export const ofEveryReport = {
  at: optional(position, {
    description:
      'The `Report-Log-Position` of an earlier answer: answers over the same snapshots, so that the tiles of a page agree. ' +
      'They are held for up to 10 minutes; then, and after the deletion of a user: 410 `snapshot_gone`.',
  }),
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

export const usersForm = {
  ...ofEveryReport,
  ...formatForm,
  ...didForm,
  ...bucketedForm,
  metric: withDefault(word<ActiveMetric>(['dau', 'wau', 'mau']), 'dau', {
    description:
      'Daily, weekly or monthly active users. While the interval is shorter than the unit of the metric, each bucket ' +
      'counts the trailing 1, 7 or 30 days; otherwise the distinct users of the bucket.',
  }),
  ...breakdownForm,
};

/** Days of the range without `from`. */
const recentDays = 30;
/** Later than every event. */
export const endOfTimeMs = 8.64e15;

/** Bounds of lists of what occurred. */
export const recentForm = {
  from: optional(askedTime, {
    description:
      'The first moment that counts, ISO 8601; a date is its first moment. Default: the 30 days that end with that of ' +
      '`to`, or with today.',
    example: '2026-05-01',
  }),
  to: optional(askedTime, {
    description: 'The last moment that counts, ISO 8601; a date is its last moment. Default: no end.',
    example: '2026-05-02',
  }),
  timezone,
};

type Recent = QueryValues<typeof recentForm>;

/** The range of a list: that of its cursor; else by default the last days, today included. */
export function recentOf(
  asked: Recent,
  start: {readonly fromMs: number; readonly toMs: number} | undefined,
  front: Front,
) {
  const {fromMs, toMs} = optionalBoundsOf(asked, front);
  const lastMs = toMs ?? start?.toMs ?? endOfTimeMs;
  const firstMs = fromMs ?? start?.fromMs ?? daysBefore(Math.min(lastMs, front.wallMs()), zoneIn(asked, front));
  return {fromMs: firstMs, toMs: lastMs};
}

/** First moment of the default range: the one that ends with the day of `lastMs`. */
const daysBefore = (lastMs: number, zone: Zone): number => zone.dayStart(zone.dayOf(lastMs) - (recentDays - 1));

/** `hidden=true` of lists from which something can be hidden. */
export const hiddenForm = {
  hidden: optional(word<'true'>(['true']), {
    description: '`true`: hidden ones are listed, too, and marked `"hidden":true`.',
  }),
};

/** What a question has of the hidden texts; nothing where nothing is hidden. */
export const hiddenIn = (
  texts: readonly string[],
  {hidden}: {readonly hidden: 'true' | undefined},
): {readonly hidden?: HiddenTexts} => (texts.length === 0 ? {} : {hidden: {texts, areShown: hidden === 'true'}});

export const namesForm = {
  ...ofEveryReport,
  ...formatForm,
  ...hiddenForm,
  prefix: optional(name, {description: 'Only names that begin with this.'}),
  include: optional(word(['users']), {
    description: '`users`: each name has `users`, the distinct users with such an event in the range.',
  }),
  ...recentForm,
  limit: withDefault(wholeNumber(namesLimitMax), namesLimitDefault, {description: 'Names on a page.'}),
  cursor: optional(anyText, {
    description:
      'The `next_cursor` of the page before, with the same `prefix`; it keeps the range, and `limit` may change. Pages ' +
      'of one `Report-Log-Position` fit together; between two of them names may change places.',
  }),
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

export const refused = (message: string, field: string): RequestFailure =>
  new RequestFailure(invalidRequest(message, field));

export const usersReport = reportRoute(usersForm, (values, front) => {
  const {metric, interval} = values;
  const {days, ...buckets} = activeBucketsOf(values, trailingDays(metric, interval), front);
  const asked = {...buckets, metric};
  const breakdown = breakdownOf(values, bucketCount(asked));
  if (isAnything(values) && breakdown === undefined)
    return {report: 'users', ...asked, ...(days === undefined ? {} : {days})};
  return {report: 'activity', ...asked, ...didOf(values), ...(breakdown === undefined ? {} : {breakdown})};
});

export const namesReport = reportRoute(namesForm, ({prefix, limit, cursor, include, hidden, ...times}, front) => {
  const asked = {...optionalBoundsOf(times, front), prefix};
  const start = cursor === undefined ? undefined : readNamesCursor(cursor);
  if (cursor !== undefined && !continues(start, asked)) throw new RequestFailure(foreignCursor);
  return {
    report: 'names',
    ...recentOf(times, start, front),
    limit,
    ...(prefix === undefined ? {} : {prefix}),
    ...(start === undefined ? {} : {after: start.after}),
    ...(include === undefined ? {} : {withUsers: true}),
    ...hiddenIn(front.keys.hidden.names, {hidden}),
  };
});

export const foreignCursor: Failure = {
  code: 'invalid_cursor',
  message: 'the cursor is damaged, or belongs to other parameters',
  field: 'cursor',
};

/** A parameter that a page leaves out keeps its value. */
const continues = (
  start: NamesCursor | undefined,
  {fromMs, toMs, prefix}: {fromMs: number | undefined; toMs: number | undefined; prefix: string | undefined},
): boolean =>
  start !== undefined &&
  (fromMs ?? start.fromMs) === start.fromMs &&
  (toMs ?? start.toMs) === start.toMs &&
  prefix === start.prefix;

type FilterForm = Pick<typeof countsForm, 'filter'>;

/** `read` turns the values into a question. */
export function reportRoute<Form extends QueryForm & typeof ofEveryReport>(
  form: Form,
  read: (values: QueryValues<Form>, front: Front) => ReportQuery,
): Handle {
  return async (front: Front, exchange: Exchange): Promise<void> => {
    const values = readQuery(exchange.query, form);
    const query = read(values, front);
    // Values are read as those of the forms that reports share: not every form has all of these.
    const {at, format, filter} = values as Partial<QueryValues<typeof ofEveryReport & typeof formatForm & FilterForm>>;
    const isCsv = format === 'csv';
    const ifNoneMatch = isCsv ? jsonTags(exchange.ifNoneMatch) : exchange.ifNoneMatch;
    const includes = readMinPosition(exchange, front.partitionCount);
    if (at !== undefined && includes !== undefined)
      throw new RequestFailure(invalidRequest('at and Min-Log-Position exclude each other', 'at'));
    const asked = {
      ask: 'report',
      query,
      ...(ifNoneMatch === undefined ? {} : {ifNoneMatch}),
      ...(at === undefined ? {} : {at}),
    } as const;
    const answer =
      includes === undefined
        ? reportIn(await front.asks.report(asked))
        : await answerIncluding(front, exchange, asked, includes);
    const hints = [...(filter === undefined ? [] : hintsOfFilter(filter)), ...hintsOfHidden(query, front)];
    answerReport(exchange, answer, hints, isCsv ? query : undefined);
  };
}

/** `plan!=pro` is the property `plan!`, as `filter` has always read it. */
const hintsOfFilter = ({property}: {readonly property: string}): readonly string[] =>
  /[!<>~]$/.test(property) ? ['operators go into where='] : [];

/** A funnel may have 50 steps; proxies take some 8 KB of headers. */
const hiddenHintsMax = 3;

/** Whoever asks for what lists leave out may have an old link. */
function hintsOfHidden(query: ReportQuery, {keys}: Front): readonly string[] {
  const {names, properties} = keys.hidden;
  if (names.length === 0 && properties.length === 0) return [];
  const hidden = [
    ...eventsAskedFor(query).flatMap((name) => (names.includes(name) ? [`event ${quotedInHint(name)}`] : [])),
    ...propertiesAskedFor(query).flatMap((name) =>
      properties.includes(name) ? [`property ${quotedInHint(name)}`] : [],
    ),
  ];
  return [...new Set(hidden)].slice(0, hiddenHintsMax).map((what) => `${what} is hidden from lists`);
}

/** `ofEdge`: hints, which come before those of the answer. `ofCsv`: the question, where CSV is asked for. */
function answerReport(
  exchange: Exchange,
  {headers, body}: Extract<ReportAnswer, {kind: 'report'}>,
  ofEdge: readonly string[],
  ofCsv: ReportQuery | undefined,
): void {
  const hints = [...ofEdge, headers['Report-Hint']].filter((one) => one !== undefined);
  const list = Object.entries({
    ...headers,
    ...(ofCsv && {ETag: csvTag(headers.ETag)}),
    ...(hints.length > 0 && {'Report-Hint': hints.join('; ')}),
  }) as Header[];
  if (body === null) exchange.answer('304 Not Modified', undefined, '', list);
  else if (ofCsv === undefined) exchange.json('200 OK', body, list);
  else {
    const next = isListing(ofCsv) ? nextCursorIn(body) : [];
    exchange.answer('200 OK', csvType, reportCsv(ofCsv, body), [...list, ...next]);
  }
}
