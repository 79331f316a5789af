// The questions of the report pages: the forms of their addresses, and the paths that ask the service.
import {dateText, isoText} from '../../../actors/calendar.js';
import {funnelStepsMax, namesLimitMax} from '../../../actors/limits.js';
import {isName, names, one, type Parameter, type QuestionOf, word} from './codec.js';
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

// -- Forms -------------------------------------------------------------------------------------------------------------

const range = one<Range>(
  {kind: 'last', amount: 30, unit: 'day'},
  'a range such as 30d, 12mo, 2026-10 or 2026-11-03..2026-11-09',
  parseRange,
  rangeText,
);
/** Null: what is usual for the range. */
export const every = word<Interval, null>(intervals, null);
const compare = word<Compare, Compare>(compares, 'before');

/** `<property>=<value>`, split at the first `=`, as the API takes it. */
export const isFilter = (text: string): boolean => /^[^=]+=/.test(text);
const filter: Parameter<string | null> = one<string | null>(
  null,
  'written as <property>=<value>',
  (text) => (isFilter(text) ? text : undefined),
  (text) => text,
);

export const overviewForm = {range, every, compare} as const;

export const seriesMax = 6;
/** `filter2` is of the second `event`. */
const filterNames = ['filter1', 'filter2', 'filter3', 'filter4', 'filter5', 'filter6'] as const;
export const trendsForm = {
  event: names(seriesMax),
  filter1: filter,
  filter2: filter,
  filter3: filter,
  filter4: filter,
  filter5: filter,
  filter6: filter,
  range,
  every,
  compare,
} as const;
export type TrendsQuestion = QuestionOf<typeof trendsForm>;

/** Events of one name, those with a property alone where there is a filter. */
export interface AskedSeries {
  readonly event: string;
  readonly filter: string | null;
}

export const seriesOf = (question: TrendsQuestion): AskedSeries[] =>
  question.event.map((event, at) => ({event, filter: question[filterNames[at]!]}));

export const seriesLabel = ({event, filter}: AskedSeries): string => (filter === null ? event : `${event}, ${filter}`);

export const withSeries = (question: TrendsQuestion, series: readonly AskedSeries[]): TrendsQuestion => ({
  ...question,
  event: series.map(({event}) => event),
  ...(Object.fromEntries(filterNames.map((name, at) => [name, series[at]?.filter ?? null])) as Pick<
    TrendsQuestion,
    (typeof filterNames)[number]
  >),
});

export const stepsMax = funnelStepsMax;
export const isWindow = (text: string): boolean => /^[1-9]\d{0,8}[smhd]$/.test(text);
export const funnelForm = {
  step: names(stepsMax),
  window: one<string | null>(
    null,
    'a time such as 30m, 12h or 7d',
    (text) => (isWindow(text) ? text : undefined),
    (text) => text,
  ),
  range,
} as const;

export const activeForm = {range, every, compare} as const;

const id = (expected: string): Parameter<string | null> =>
  one<string | null>(
    null,
    expected,
    (text) => (isName(text) ? text : undefined),
    (text) => text,
  );
export const peopleForm = {
  user: id('an id of 1 to 256 characters'),
  anonymous: id('an id of 1 to 256 characters'),
  receipt: id('the id of a deletion'),
} as const;

/** Interval of the buckets of a page. */
export const intervalOf = (every: Interval | null, days: Days): Interval => every ?? usualInterval(days);

// -- Paths, below the service's or the dashboard's own address --------------------------------------------------------------

/** Pages count in UTC, whatever zone the service has for requests that name none (REPORT_TIMEZONE). */
export const inUtc = ['timezone', 'UTC'] as const;

/** Days, or days until a moment of the last one. */
export interface Span extends Days {
  readonly untilMs?: number;
}

export function queryOf(
  {from, to, untilMs}: Span,
  more: readonly (readonly [name: string, value: string | null | undefined])[],
) {
  const query = new URLSearchParams();
  for (const [name, value] of more) if (value !== null && value !== undefined) query.append(name, value);
  query.append('from', dateText(from));
  query.append('to', untilMs === undefined ? dateText(to) : isoText(untilMs));
  return query.toString();
}

export const countsPath = ({event, filter}: AskedSeries, span: Span, interval: Interval): string =>
  `v1/reports/events?${queryOf(span, [['event', event], ['filter', filter], ['interval', interval], inUtc])}`;

export type Metric = 'dau' | 'wau' | 'mau';
export const usersPath = (metric: Metric, span: Span, interval: Interval): string =>
  `v1/reports/users?${queryOf(span, [['metric', metric], ['interval', interval], inUtc])}`;

export const funnelPath = (steps: readonly string[], window: string | null, span: Span): string =>
  `v1/reports/funnel?${queryOf(span, [...steps.map((step) => ['steps[]', step] as const), ['window', window], inUtc])}`;

/** The service gives at most this number of names at once. */
export const namesMax = namesLimitMax;
export const namesPath = (span: Span, limit: number, prefix?: string, cursor?: string): string =>
  `v1/names?${queryOf(span, [
    ['prefix', prefix === '' ? undefined : prefix],
    ['limit', String(limit)],
    ['cursor', cursor],
    inUtc,
  ])}`;

export type PersonId = {readonly kind: 'user' | 'anonymous'; readonly id: string};
const ofPerson = ({kind, id}: PersonId): string =>
  new URLSearchParams({[kind === 'user' ? 'userId' : 'anonymousId']: id}).toString();
export const personPath = (person: PersonId): string => `v1/user?${ofPerson(person)}`;
export const historyPath = (person: PersonId, limit: number, cursor?: string): string =>
  `v1/events?${ofPerson(person)}&limit=${limit}${cursor === undefined ? '' : `&${new URLSearchParams({cursor})}`}`;
export const deletionPath = (deletion: string): string => `v1/deletion?${new URLSearchParams({id: deletion})}`;

/** The command that asks the service the same. */
export const curlOf = (serviceAddress: string, path: string): string =>
  `curl -H "Authorization: Bearer $MILLRACE_SECRET_KEY" \\\n  '${serviceAddress}/${path.replaceAll("'", '%27')}'`;
