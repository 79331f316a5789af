// The question of the page Web: page views, their visitors, sessions, and the values of what surrounds them; and what the page asks the
// service.
//   WB1. A visitor is a user with a page view. A session is counted by its first event, of any name: the one that says so.
//   WB2. Every question leaves bots out, unless the address asks for them.
//   WB3. Where sessions are counted, referrers and campaigns are of sessions: a later page of a visit has neither.
import {rowsOfPalette} from '../../../src/asks/address.js';
import type {FixedQuestion, FixedQuestionOf} from '../../../src/asks/question/flat.js';
import {breakdownBy} from './breakdown-row.js';
import {addressAsking, nameOrNone, type QuestionOf, word} from './codec.js';
import {comparedDays, pastSoFar} from './compared.js';
import {type Condition, conditions, conditionsMax, conditionText} from './conditions.js';
import {membersOf, stateOf} from './page-question.js';
import {daysOf, type Interval, type Past} from './range.js';
import {compare, every, intervalOf, range, type Span, timesOf} from './report-address.js';
import {
  type AskedSeries,
  counted,
  seriesQuestion,
  type TrendsQuestion,
  trendsForm,
  withSeries,
} from './trends-address.js';
import {wallMs, zone} from './zone.js';

/** Names that libraries give a page view, in the order of choice. */
export const viewNames = ['page', '$pageview', '[Amplitude] Page Viewed', '$mp_web_page_view'] as const;

/** Name of the page views among names that exist; undefined: no page view has come. */
export const viewNameIn = (names: readonly string[]): string | undefined =>
  viewNames.find((name) => names.includes(name));

const isPerson: Condition = {property: 'context.bot', op: 'unset', values: []};
const startsSession: Condition = {property: 'context.session.start', op: 'eq', values: ['true']};

/** The conditions of the page itself take the rest. */
const narrowMax = conditionsMax - 2;

export const webForm = {
  /** Null: the first of `viewNames` that exists. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  /** What the page is narrowed to. */
  where: {
    ...conditions,
    expected: `a condition such as "context.page.path eq /", up to ${narrowMax}`,
    read: (texts: readonly string[]) => (texts.length > narrowMax ? undefined : conditions.read(texts)),
  },
  /** Null: left out. WB2 */
  bots: word<'counted', null>(['counted'], null),
  range,
  every,
  compare,
  zone,
} as const;
export type WebQuestion = QuestionOf<typeof webForm>;

// -- Lists -------------------------------------------------------------------------------------------------------------

type Counts = 'views' | 'visitors' | 'sessions';

export interface WebList {
  readonly title: string;
  /** The property, one of them, in words. */
  readonly one: string;
  readonly by: string;
  readonly counts: Counts;
  /** Words for events without the property. */
  readonly absent: string;
}

export const webLists: readonly WebList[] = [
  {title: 'Top pages', one: 'Page', by: 'context.page.path', counts: 'views', absent: 'unknown'},
  {
    title: 'Referrers',
    one: 'Referrer',
    by: 'context.referrer.host',
    counts: 'sessions',
    absent: 'direct, or unknown',
  },
  {title: 'Campaigns', one: 'Campaign', by: 'context.campaign.name', counts: 'sessions', absent: 'no campaign'},
  {title: 'Countries', one: 'Country', by: 'context.location.country', counts: 'visitors', absent: 'unknown'},
  {title: 'Devices', one: 'Device', by: 'context.device.type', counts: 'visitors', absent: 'unknown'},
  {title: 'Browsers', one: 'Browser', by: 'context.browser.name', counts: 'visitors', absent: 'unknown'},
  {title: 'Operating systems', one: 'System', by: 'context.os.name', counts: 'visitors', absent: 'unknown'},
];
const lengthMax = 25;

/** What a list counts. WB3 */
export const countsOf = ({counts}: WebList, hasSessions: boolean): Counts =>
  counts === 'sessions' && !hasSessions ? 'visitors' : counts;

const countryNames = new Intl.DisplayNames(['en'], {type: 'region'});

/** A value of the list's property as people say it. */
export function valueText({by}: Pick<WebList, 'by'>, value: string): string {
  if (value === '') return '(empty)';
  return by === 'context.location.country' && /^[A-Z]{2}$/.test(value) ? (countryNames.of(value) ?? value) : value;
}

/** `Country is Germany`, `Referrer is direct, or unknown`. */
export function narrowText(condition: Condition): string {
  const {property, op, values} = condition;
  if (conditionText(condition) === conditionText(startsSession)) return 'First event of a session';
  const list = webLists.find(({by}) => by === property);
  if (list === undefined || (op !== 'eq' && op !== 'unset')) return conditionText(condition);
  return `${list.one} is ${op === 'unset' ? list.absent : valueText(list, values[0]!)}`;
}

/** Conditions of the page narrowed further: the new ones take the place of those on their properties. */
export const narrowedBy = (where: readonly Condition[], more: readonly Condition[]): readonly Condition[] => [
  ...where.filter(({property}) => more.every((one) => one.property !== property)),
  ...more,
];

/**
 * Conditions on events of a row of the list; undefined: no conditions say it. WB3: a later page of a visit lacks a referrer, too, and
 * is none of a direct visit.
 */
export function rowConditionsOf(
  list: WebList,
  row: {readonly value?: string | undefined; readonly kind?: string | undefined},
  hasSessions: boolean,
): readonly Condition[] | undefined {
  const property = list.by;
  if (row.value !== undefined) return [{property, op: 'eq', values: [row.value]}];
  if (row.kind !== 'missing') return undefined;
  const isAbsent: Condition = {property, op: 'unset', values: []};
  return countsOf(list, hasSessions) === 'sessions' ? [isAbsent, startsSession] : [isAbsent];
}

// -- Questions to the service -------------------------------------------------------------------------------------------

/** All conditions of a question of the page. WB2 */
const allOf = ({where, bots}: Pick<WebQuestion, 'where' | 'bots'>): readonly Condition[] =>
  bots === null ? [isPerson, ...where] : where;

type Asks = Pick<WebQuestion, 'where' | 'bots'> & {readonly event: string};

const seriesOf = (asks: Asks, counts: Counts): AskedSeries =>
  counts === 'sessions'
    ? {...counted, event: null, where: narrowedBy(allOf(asks), [startsSession])} // WB1
    : {...counted, measure: counts === 'visitors' ? 'users' : 'total', event: asks.event, where: allOf(asks)};

/** Users who are active with page views. */
const visitorsOf = (asks: Asks) => ({events: [{event: asks.event}], where: membersOf(allOf(asks))});

const visitorsQuestion = (asks: Asks, span: Span, interval: Interval, by?: string): FixedQuestionOf<'active'> => ({
  report: 'active',
  metric: 'dau',
  ...visitorsOf(asks),
  breakdown: breakdownBy(by, lengthMax),
  interval,
  ...timesOf(span),
});

const common = {user_where: [], by: null, weeks: null} as const;

/** In the order of the figures. */
export const figures = ['visitors', 'views', 'sessions'] as const satisfies readonly Counts[];

const figureQuestion = (of: Asks, counts: Counts, span: Span, interval: Interval): FixedQuestion =>
  counts === 'visitors'
    ? visitorsQuestion(of, span, interval)
    : seriesQuestion(seriesOf(of, counts), common, span, interval);

export interface WebAsked {
  readonly of: Asks;
  readonly days: Span & {readonly zone: string};
  readonly interval: Interval;
  /** Undefined: it compares with nothing. */
  readonly past: Past | undefined;
  /** In the order of `figures`. */
  readonly asks: readonly FixedQuestion[];
  readonly pastAsks: readonly FixedQuestion[];
  /** All sessions, whatever the page is narrowed to: they tell whether sessions are counted. WB3 */
  readonly asksSessions: FixedQuestion;
}

/** `event`: name of the page views. `today`: in the question's zone. `since`: the first day with data, where it is known. */
export function webAsked(question: WebQuestion, event: string, today: number, since?: number): WebAsked {
  const of = {event, where: question.where, bots: question.bots};
  const days = {...daysOf(question.range, today), zone: question.zone};
  const interval = intervalOf(question.every, days);
  const past = comparedDays(days, interval, question.compare, since);
  const asksOf = (span: Span) => figures.map((counts) => figureQuestion(of, counts, span, interval));
  return {
    of,
    days,
    interval,
    past,
    asks: asksOf(days),
    pastAsks: past ? asksOf({...past, zone: days.zone}) : [],
    asksSessions: figureQuestion({...of, where: []}, 'sessions', days, interval),
  };
}

/** The figures of the compared range up to the same moment, once that is known; undefined when that is all of it. */
export function webUntilQuestions(
  {of, days, interval, past}: WebAsked,
  today: number,
  asOfMs: number | undefined,
): readonly FixedQuestion[] | undefined {
  const {zone: inZone} = days;
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(inZone, asOfMs));
  return soFar && figures.map((counts) => figureQuestion(of, counts, {...soFar, zone: inZone}, interval));
}

/** Question of a list: one bucket a year, as the page shows its totals alone. */
export function listQuestion({of, days}: WebAsked, list: WebList, hasSessions: boolean): FixedQuestion {
  const counts = countsOf(list, hasSessions);
  if (counts === 'visitors') return visitorsQuestion(of, days, 'year', list.by);
  const counting = {...seriesOf(of, counts), ...counted};
  return {...seriesQuestion(counting, common, days, 'year'), breakdown: breakdownBy(list.by, lengthMax)};
}

// -- Addresses of the pages that answer one number --------------------------------------------------------------------------

type Shared = Pick<WebQuestion, 'range' | 'every' | 'compare' | 'zone'>;
const sharedOf = ({range: days, every: interval, compare: with_, zone: inZone}: WebQuestion): Shared => ({
  range: days,
  every: interval,
  compare: with_,
  zone: inZone,
});

/** Trends, or Active users for visitors, with what the page asks. `more`: of a row. `by`: broken down. */
export function answerAddress(
  question: WebQuestion,
  event: string,
  counts: Counts,
  {more, by = null}: {readonly more?: readonly Condition[]; readonly by?: string | null} = {},
): string {
  const where = more === undefined ? question.where : narrowedBy(question.where, more);
  const asks = {event, where, bots: question.bots};
  const shared = sharedOf(question);
  if (counts === 'visitors') {
    const {codec, over} = stateOf<'active'>('/active');
    const visitors = {...codec.read('').question, ...visitorsOf(asks), breakdown: breakdownBy(by, rowsOfPalette)};
    return `/active${codec.write(over(visitors, shared))}`;
  }
  const trends: Partial<TrendsQuestion> = {...withSeries([seriesOf(asks, counts)]), by, ...shared};
  return `/trends${addressAsking(trendsForm, trends)}`;
}
