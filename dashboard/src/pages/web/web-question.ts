// The question of the page Web: page views, their visitors, sessions, and the values of what surrounds them; and what the page asks the
// service.
//   WB1. A visitor is a user with a page view. A session is counted by its first event, of any name: the one that says so.
//   WB2. Every question leaves bots out, unless the address asks for them.
//   WB3. Where sessions are counted, referrers and campaigns are of sessions: a later page of a visit has neither.

import type {FixedQuestion} from '../../../../src/asks/question/flat.js';
import {comparedDays, pastSoFar} from '../../address/compared.js';
import {type Condition, conditionText} from '../../address/conditions.js';
import {
  askedOver,
  breakdownBy,
  conditionsOf,
  type Draft,
  membersOf,
  questionAddress,
  timesIn,
} from '../../address/page-question.js';
import {daysOf, type Interval, type Past} from '../../address/range.js';
import {intervalOf, type Span} from '../../address/report-address.js';
import {wallMs} from '../../address/zone.js';

/** Its visitors, without the conditions of the page itself. */
export type WebDraft = Draft<'active'>;

/** Names that libraries give a page view, in the order of choice. */
export const viewNames = ['page', '$pageview', '[Amplitude] Page Viewed', '$mp_web_page_view'] as const;

/** Name of the page views among names that exist; undefined: no page view has come. */
export const viewNameIn = (names: readonly string[]): string | undefined =>
  viewNames.find((name) => names.includes(name));

const isPerson: Condition = {property: 'context.bot', op: 'unset', values: []};
const startsSession: Condition = {property: 'context.session.start', op: 'eq', values: ['true']};

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
export const countsOf = ({counts}: Pick<WebList, 'counts'>, hasSessions: boolean): Counts =>
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

/** Users who are active with page views. WB2 */
function visitorsOf({view, where = [], ...question}: WebDraft, event: string): WebDraft {
  const hasBots = view?.bots === 'counted';
  return {...question, events: [{event}], where: hasBots ? where : [...membersOf([isPerson]), ...where]};
}

/** What is counted of the visitors' events. */
function countedOf(visitors: WebDraft, counts: Counts): Draft<'active'> | Draft<'counts'> {
  if (counts === 'visitors') return visitors;
  const {metric: _, ...views} = {...visitors, report: 'counts' as const, series: false};
  if (counts === 'views') return views;
  return {...views, events: [], where: membersOf(narrowedBy(conditionsOf(views.where), [startsSession]))}; // WB1
}

const askedOf = (visitors: WebDraft, counts: Counts, span: Span, interval: Interval): FixedQuestion =>
  askedOver(countedOf(visitors, counts), span, interval);

/** In the order of the figures. */
export const figures = ['visitors', 'views', 'sessions'] as const satisfies readonly Counts[];

export interface WebAsked {
  readonly visitors: WebDraft;
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
export function webAsked(question: WebDraft, event: string, today: number, since?: number): WebAsked {
  const visitors = visitorsOf(question, event);
  const {range, zone, every, compare} = timesIn(question);
  const days = {...daysOf(range, today), zone};
  const interval = intervalOf(every, days);
  const past = comparedDays(days, interval, compare, since);
  const asksOf = (span: Span) => figures.map((counts) => askedOf(visitors, counts, span, interval));
  return {
    visitors,
    days,
    interval,
    past,
    asks: asksOf(days),
    pastAsks: past ? asksOf({...past, zone}) : [],
    asksSessions: askedOf(visitorsOf({...question, where: []}, event), 'sessions', days, interval),
  };
}

/** The figures of the compared range up to the same moment, once that is known; undefined when that is all of it. */
export function webUntilQuestions(
  {visitors, days, interval, past}: WebAsked,
  today: number,
  asOfMs: number | undefined,
): readonly FixedQuestion[] | undefined {
  const {zone} = days;
  const soFar = pastSoFar(past, days, today, asOfMs === undefined ? undefined : wallMs(zone, asOfMs));
  return soFar && figures.map((counts) => askedOf(visitors, counts, {...soFar, zone}, interval));
}

/** Question of a list: one bucket a year, as the page shows its totals alone. */
export function listQuestion({visitors, days}: WebAsked, {by, ...list}: WebList, hasSessions: boolean): FixedQuestion {
  const breakdown = [{property: by, limit: lengthMax}];
  return askedOf({...visitors, breakdown}, countsOf(list, hasSessions), days, 'year');
}

// -- Addresses of the pages that answer one number --------------------------------------------------------------------------

/** Trends, or Active users for visitors, with what the page asks. `more`: of a row. `by`: broken down. */
export function answerAddress(
  question: WebDraft,
  event: string,
  counts: Counts,
  {more = [], by = null}: {readonly more?: readonly Condition[]; readonly by?: string | null} = {},
): string {
  const narrowed = membersOf(narrowedBy(conditionsOf(question.where), more));
  const counted = countedOf(visitorsOf({...question, where: narrowed}, event), counts);
  const breakdown = breakdownBy(by);
  if (counted.report === 'active') return questionAddress<'active'>('/active', {...counted, breakdown});
  const {events: [entry] = [], where, ...rest} = counted;
  return questionAddress<'counts'>('/trends', {...rest, events: [{...entry, where}], breakdown});
}
