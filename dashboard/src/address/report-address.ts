// The questions of the report pages: the forms of their addresses, and what they ask the service.
import {dateText, isoText} from '../../../actors/calendar.js';
import {namesLimitMax} from '../../../actors/limits.js';
import type {FixedQuestion, FixedQuestionOf} from '../../../src/asks/question/flat.js';
import {nameOrNone, one, word} from './codec.js';
import {
  type Compare,
  compares,
  type Days,
  type Interval,
  intervals,
  parseRange,
  type Range,
  rangeText,
  usualInterval,
} from './range.js';
import {homeZone, isZone, utc} from './zone.js';

// -- Forms -------------------------------------------------------------------------------------------------------------

export const range = one<Range>(
  {kind: 'last', amount: 30, unit: 'day'},
  'a range such as 30d, 12mo, 2026-10 or 2026-11-03..2026-11-09',
  parseRange,
  rangeText,
);
/** Null: what is usual for the range. */
export const every = word<Interval, null>(intervals, null);
export const compare = word<Compare, Compare>(compares, 'before');

export const idOrNone = (prefix: string, noun: string) =>
  one<string | null>(
    null,
    `the id of a ${noun}`,
    (text) => (new RegExp(`^${prefix}_[0-9a-f]{16}$`).test(text) ? text : undefined),
    (text) => text,
  );
/** Segment whose users do not count; null: everybody does. */
export const not_segment = idOrNone('sg', 'segment');

/** Null: that of the service. */
export const zone = one<string | null>(
  null,
  'a time zone such as Europe/Berlin',
  (text) => (isZone(text) ? text : undefined),
  (text) => text,
);

export const overviewForm = {range, every, compare, zone, not_segment} as const;

export const peopleForm = {
  user: nameOrNone('an id of 1 to 256 characters'),
  anonymous: nameOrNone('an id of 1 to 256 characters'),
  receipt: nameOrNone('the id of a deletion'),
} as const;

/** Interval of the buckets of a page. */
export const intervalOf = (every: Interval | null, days: Days): Interval => every ?? usualInterval(days);

// -- Questions ---------------------------------------------------------------------------------------------------------

/** Days, or what lies between two moments of the first and the last one. Of another zone the moment is what its wall clock shows. */
export interface Span extends Days {
  readonly untilMs?: number;
  readonly fromMs?: number;
  /** Absent: that of the service. */
  readonly zone?: string;
  /** Segment whose users do not count; absent: everybody does. */
  readonly not_segment?: string | null;
}

/** The bounds of a span as the service reads them in its zone: dates, or moments. */
export function boundsText({from, to, fromMs, untilMs, zone = homeZone()}: Span): readonly [from: string, to: string] {
  const boundOf = (day: number, ms: number | undefined): string =>
    ms === undefined ? dateText(day) : isoText(ms).replace(zone === utc ? '' : 'Z', '');
  return [boundOf(from, fromMs), boundOf(to, untilMs)];
}

/** The span and its zone, as members of a question: pages name theirs, also where it is that of the service. */
export function timesOf(span: Span) {
  const [from, to] = boundsText(span);
  return {timezone: span.zone ?? homeZone(), range: {from, to}};
}

/** The same for a question of the page that no form makes: the page says whose events count. */
const scopeOf = ({not_segment, ...span}: Span) => ({...timesOf(span), ...(not_segment && {users: {not_segment}})});

export const countsQuestion = (event: string, span: Span, interval: Interval): FixedQuestionOf<'counts'> => ({
  report: 'counts',
  events: [{event}],
  interval,
  ...scopeOf(span),
});

export const metrics = ['dau', 'wau', 'mau'] as const;
export type Metric = (typeof metrics)[number];
export const usersQuestion = (metric: Metric, span: Span, interval: Interval): FixedQuestionOf<'active'> => ({
  report: 'active',
  metric,
  interval,
  ...scopeOf(span),
});

/** The service gives at most this number of names at once. */
export const namesMax = namesLimitMax;
export const namesQuestion = (span: Span, limit: number, prefix?: string): FixedQuestionOf<'names'> => ({
  report: 'names',
  prefix: prefix || undefined,
  limit,
  ...scopeOf(span),
});

/** Questions for the lists that pickers choose from: properties of events, traits of users, and their values. */
/** Source of keys: events of these days, of one name or of all; or the users' current traits. */
export type Keys =
  | {readonly of: 'events'; readonly event: string | undefined; readonly days: Days}
  | {readonly of: 'users'};

export function keysQuestion(keys: Keys, limit: number, prefix?: string): FixedQuestion {
  const page = {limit, prefix: prefix || undefined};
  if (keys.of === 'users') return {report: 'traits', ...page};
  return {report: 'properties', event: keys.event, ...page, ...timesOf(keys.days)};
}

export function valuesQuestion(keys: Keys, key: string, limit: number, prefix?: string): FixedQuestion {
  const page = {limit, prefix: prefix || undefined};
  if (keys.of === 'users') return {report: 'trait_values', trait: key, ...page};
  return {report: 'values', property: key, event: keys.event, ...page, ...timesOf(keys.days)};
}

// -- Paths of what is no question -------------------------------------------------------------------------------------

export type PersonId = {readonly kind: 'user' | 'anonymous'; readonly id: string};
const ofPerson = ({kind, id}: PersonId): string =>
  new URLSearchParams({[kind === 'user' ? 'userId' : 'anonymousId']: id}).toString();
export const personPath = (person: PersonId): string => `v1/user?${ofPerson(person)}`;
export const personFunnelsPath = (person: PersonId): string => `v1/user/funnels?${ofPerson(person)}`;
export const personExportPath = (person: PersonId): string => `v1/user/export?${ofPerson(person)}`;
export const historyPath = (person: PersonId, limit: number, cursor?: string): string =>
  `v1/events?${ofPerson(person)}&limit=${limit}${cursor === undefined ? '' : `&${new URLSearchParams({cursor})}`}`;
export const deletionPath = (deletion: string): string => `v1/deletion?${new URLSearchParams({id: deletion})}`;

/** The command that asks the service the same. */
export const curlOf = (serviceAddress: string, path: string): string =>
  `curl -H "Authorization: Bearer $MILLRACE_SECRET_KEY" \\\n  '${serviceAddress}/${path.replaceAll("'", '%27')}'`;
