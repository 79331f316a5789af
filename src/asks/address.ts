// The address of a page of the dashboard, and the question that the page asks: both ways.
//   AD1. An address that is read and written again is the same: a page shows the question that was written, in its normal form.
//   AD2. What is usual on the page is not written. A range that moves is written as it moves.
//   AD3. A parameter that means nothing is a problem, as is one that the page has no control for: the page names it and asks without it.
//   AD4. Pages import this file: of the schemas it has types alone.
import {
  breakdownsMax,
  conditionsMax,
  exclusionsMax,
  funnelStepsMax,
  idCharsMax,
  pathDepthDefault,
  pathDepthMax,
  pathDepthMin,
  pathEdgesMax,
  retentionPeriodsMax,
} from '../../actors/limits.js';
import type {ReportKind} from './question/behind.js';
import {type Days, usualInterval} from './question/day-range.js';
import {formulasMax, labelsIn, readFormula} from './question/formula.js';
import type {QuestionOf} from './question/kinds.js';
import type {ConditionMember, UsersMember} from './question/members.js';
import {type Comparison, comparisons} from './question/past-range.js';
import {extremesOf, type RangeMember, rangeIn, rangeText} from './question/range-text.js';
import {readable} from './question/readable-query.js';
import {usualPeriod, usualRows} from './question/usual.js';

export type {ReportKind};
export type ReportQuestion = QuestionOf<ReportKind>;

/** Ways in which Trends shows its lines, beside lines. */
export const looks = ['stacked', 'bars', 'number', 'table'] as const;

/** What a page shows of its question in one of several ways. */
export interface View {
  /** Trends; absent: lines. */
  readonly look?: (typeof looks)[number] | undefined;
  /** Cells of cohorts: shares, or numbers of users. */
  readonly show?: 'users' | undefined;
  /** A bar of stickiness counts users who were active on that many days or more; absent: on exactly that many. */
  readonly often?: 'at_least' | undefined;
  /** Interval of a funnel over time. */
  readonly every?: Interval | undefined;
}

export type ReportPage = '/trends' | '/active' | '/funnels' | '/retention' | '/lifecycle' | '/paths';
/** Web asks for its visitors, and beside them for its page views and sessions. */
export type Page = ReportPage | '/web';

export interface Address<P extends Page = ReportPage> {
  readonly page: P;
  /** The query with its `?`; empty: everything is as usual. */
  readonly search: string;
}

/** A part of an address that means nothing. */
export interface Problem {
  readonly name: string;
  readonly text: string;
  /** Goes on after "must be". Undefined: the page has no parameter of this name. */
  readonly expected: string | undefined;
}

/**
 * A question as a page has it. Its interval and the rows of its breakdown may follow from its days; an event that is not chosen yet is an
 * empty text, and events or steps that are not are an empty list.
 */
export type Draft<K extends ReportKind = ReportKind> = Drafts[K];
type Drafts = {
  [K in ReportKind]: Omit<QuestionOf<K>, 'interval' | 'breakdown'> &
    Broken<QuestionOf<K>> & {
      readonly interval?: ('interval' extends keyof QuestionOf<K> ? QuestionOf<K>['interval'] : never) | undefined;
      readonly view?: (View & {readonly bots?: 'counted' | undefined}) | undefined;
    };
};
type Broken<Question> = 'breakdown' extends keyof Question
  ? Question extends {breakdown?: readonly (infer Entry)[] | undefined}
    ? {readonly breakdown?: (Omit<Entry, 'limit'> & {readonly limit?: number | undefined})[] | undefined}
    : never
  : unknown;

/** Texts that a page can show. */
export interface Showable {
  readonly isRange: (text: string) => boolean;
  readonly isZone: (text: string) => boolean;
  readonly isCondition: (text: string) => boolean;
  /** Zone of a page whose address names none. */
  readonly home: string;
}

const zoneName = 'zone';

type Pair = readonly [name: string, text: string | number | undefined];

/** Parameters of one page. */
interface Grammar<K extends ReportKind> {
  readonly write: (draft: Draft<K>) => readonly Pair[];
  readonly read: (given: Given) => Draft<K>;
  /** Whether it names an event; absent: it needs none. */
  readonly isAsked?: (draft: Draft<K>) => boolean;
  /** Interval of one that names none; absent: it has none. */
  readonly usual?: (days: Days) => Interval;
  /** Without the parts that others make meaningless. */
  readonly fitting?: (draft: Draft<K>) => Draft<K>;
}

/** A report as it is kept. */
export interface KeptReport {
  /** The first one is the report; the others stand beside it. */
  readonly questions: readonly ReportQuestion[];
  readonly view?: View | undefined;
}

/** `home`: zone of a page whose address names none; undefined: the address names it in any case. */
export function addressOf({questions, view}: KeptReport, home: string | undefined): Address {
  const [first] = questions;
  // Active users with a breakdown are two questions: all users, and the users by value. The page has one address, that of the second.
  const broken = questions.find((one) => one.report === 'active' && one.breakdown !== undefined);
  const question =
    broken?.report === 'active' && first?.report === 'active' ? {...broken, compare: first.compare} : first!;
  const page = pageOf[question.report];
  return {page, search: searchOf(page, {...question, view}, home)};
}

/** The query of the page that shows this. `kept`: parts that mean nothing, and stay. */
export function searchOf(page: Page, draft: Draft, home: string | undefined, kept: readonly Problem[] = []): string {
  const query = new URLSearchParams();
  for (const [name, text] of (pages[page] as Grammar<ReportKind>).write(draft))
    if (text !== undefined && !(name === zoneName && text === home)) query.append(name, String(text));
  for (const {name, text} of kept) query.append(name, text);
  const search = readable(query.toString());
  return search === '' ? '' : `?${search}`;
}

/** What a page asks, and what its address has that it does not show. AD3 */
export function pageIn({page, search}: Address<Page>, showable: Showable) {
  const given = new Given(search, showable);
  const draft: Draft = pages[page].read(given);
  return {draft, problems: [...given.unread(), ...given.problems]};
}

const grammarOf = ({report}: Pick<Draft, 'report'>) => pages[pageOf[report]] as Grammar<ReportKind>;

/** Whether it names what it is about. */
export const isAsked = (draft: Draft): boolean => grammarOf(draft).isAsked?.(draft) ?? true;

/** The question of a page, with the interval and the rows that are usual for a range of this many days. */
export function askedFor<K extends ReportKind>(draft: Draft<K>, days: Days): QuestionOf<K> {
  const {usual, fitting: fit = (one) => one} = grammarOf(draft);
  const {view: _, ...question} = fit(draft) as Draft & {readonly breakdown?: readonly {readonly limit?: number}[]};
  const interval = question.interval ?? usual?.(days);
  const rows = question.report === 'counts' ? usualRows(days, interval!, question.breakdown?.length) : coloursMax;
  const breakdown = question.breakdown?.map(({limit = rows, ...one}) => ({...one, limit}));
  return present({...question, interval, breakdown}) as unknown as QuestionOf<K>;
}

/** The question of a page, with what is usual for the greatest length of its range. */
export const asked = (draft: Draft): ReportQuestion => askedFor(draft, extremesOf(draft.range)[1]);

// -- reading --

const isName = ({length}: string): boolean => length >= 1 && length <= idCharsMax;

export const isSegment = (text: string): boolean => /^sg_[0-9a-f]{16}$/.test(text);

class Given {
  readonly problems: Problem[] = [];
  private readonly query: URLSearchParams;
  private readonly read = new Set<string>();

  constructor(
    search: string,
    readonly showable: Showable,
  ) {
    this.query = new URLSearchParams(search);
  }

  private all(name: string): readonly string[] {
    this.read.add(name);
    return this.query.getAll(name);
  }

  private refuse(name: string, texts: readonly string[], expected: string | undefined): void {
    this.problems.push(...texts.map((text) => ({name, text, expected})));
  }

  /** Several texts, or one that does not fit, are none. */
  one(name: string, expected: string, fits: (text: string) => boolean): string | undefined {
    const texts = this.all(name);
    if (texts.length === 1 && fits(texts[0]!)) return texts[0];
    this.refuse(name, texts, expected);
    return undefined;
  }

  event(name: string): string | undefined {
    return this.one(name, `the name of an event, of 1 to ${idCharsMax} characters`, isName);
  }

  segment(name: string): string | undefined {
    return this.one(name, 'the id of a segment', isSegment);
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.one(name, `one of ${words.join(', ')}`, (text) => words.some((word) => word === text)) as
      | Word
      | undefined;
  }

  number(name: string, min: number, max: number): number | undefined {
    const fits = (text: string): boolean => /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
    const text = this.one(name, `a whole number from ${min} to ${max}`, fits);
    return text === undefined ? undefined : Number(text);
  }

  /** Texts in their order. All or none: other parameters have their numbers. */
  list(name: string, expected: string, countMax: number, fits: (text: string) => boolean): readonly string[] {
    const texts = this.all(name);
    if (texts.length <= countMax && texts.every(fits)) return texts;
    this.refuse(name, texts, `up to ${countMax} ${expected}`);
    return [];
  }

  /** The texts that fit; too many are none. */
  some(name: string, expected: string, countMax: number, fits: (text: string) => boolean): string[] {
    const texts = this.all(name);
    const fitting = texts.filter(fits);
    const read = fitting.length <= countMax ? fitting : [];
    this.refuse(
      name,
      texts.filter((text) => !read.includes(text)),
      expected,
    );
    return read;
  }

  conditions(name: string, countMax = conditionsMax): string[] {
    return this.some(name, `${conditionRule}, up to ${countMax}`, countMax, this.showable.isCondition);
  }

  /** Texts after the number of what they are of, from 1, by that number: `2:plan eq pro`. Of one number too many are none. */
  numbered(
    name: string,
    expected: string,
    count: number,
    countMax: number,
    fits: (text: string) => boolean,
  ): string[][] {
    const lists = Array.from({length: count}, (): string[] => []);
    for (const text of this.all(name)) {
      const [, number, rest] = /^([1-9]\d?):([\s\S]+)$/.exec(text) ?? [];
      const list = rest !== undefined && fits(rest) ? lists[Number(number) - 1] : undefined;
      if (list === undefined) this.refuse(name, [text], expected);
      else list.push(rest!);
    }
    return lists.map((list, at) => {
      if (list.length <= countMax) return list;
      const texts = list.map((text) => `${at + 1}:${text}`);
      this.refuse(name, texts, expected);
      return [];
    });
  }

  numberedConditions(name: string, count: number): string[][] {
    const expected = `${conditionRule} after the number of its event, 2:plan eq pro, up to ${conditionsMax} each`;
    return this.numbered(name, expected, count, conditionsMax, this.showable.isCondition);
  }

  /** Parameters that the page does not have. */
  unread(): Problem[] {
    const names = [...new Set(this.query.keys())].filter((name) => !this.read.has(name));
    return names.flatMap((name) => this.query.getAll(name).map((text) => ({name, text, expected: undefined})));
  }
}

const conditionRule = 'a condition such as "plan eq pro" or "amount gte 10"';

/** Without members that are undefined, empty lists or empty objects, as the normal form of questions is. */
function present<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(present) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, present(one)] as const);
  return Object.fromEntries(members.filter(([, one]) => one !== undefined && !isEmpty(one))) as Value;
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value!).length === 0;

// -- members --

type Conditions = readonly ConditionMember[] | undefined;
/** A condition that no text means is an object. */
const conditionText = (one: ConditionMember): string => (typeof one === 'string' ? one : JSON.stringify(one));
const conditionPairs = (name: string, all: Conditions): Pair[] => (all ?? []).map((one) => [name, conditionText(one)]);
const numberedPairs = (name: string, lists: readonly {readonly where?: Conditions}[]): Pair[] =>
  lists.flatMap(({where = []}, at) => where.map((one): Pair => [name, `${at + 1}:${conditionText(one)}`]));

const usersPairs = ({where, segment, not_segment, did = []}: NonNullable<UsersMember> = {}): Pair[] => [
  ...conditionPairs('user_where', where),
  ['segment', segment],
  ['not_segment', not_segment],
  ...did.map((one): Pair => ['did', JSON.stringify(one)]),
];
const usersIn = (given: Given): UsersMember => ({
  where: given.conditions('user_where'),
  segment: given.segment('segment'),
  not_segment: given.segment('not_segment'),
});

/** Other than what is usual. */
const unless = <Value extends string | number>(usual: Value | undefined, value: Value | undefined) =>
  value === usual ? undefined : value;

interface Times {
  readonly range: RangeMember;
  readonly timezone?: string | undefined;
  readonly week_start?: 'monday' | 'sunday' | undefined;
  readonly compare?: Comparison | undefined;
}

const noComparison = 'off' as const;
/**
 * `days`: the range of the page without one. `isCompared`: the page compares with what was before, unless its address says otherwise.
 * `hasWeeks`: it has buckets, which may be weeks; they begin as those of the range do, unless the address says otherwise.
 */
const timesOf = (days: string, {isCompared = false, hasWeeks = true} = {}) => ({
  pairs: (question: Times, ...every: readonly Pair[]): Pair[] => [
    ['range', unless(days, rangeText(question.range, question.week_start))],
    ...every,
    [zoneName, question.timezone],
    ['weeks', unless('monday', question.week_start)],
    ['compare', unless(isCompared ? 'before' : noComparison, question.compare ?? noComparison)],
  ],
  read(given: Given) {
    const {isRange, isZone, home} = given.showable;
    const range = given.one('range', 'a range such as 30d, 12mo, 2026-10 or 2026-11-03..2026-11-09', isRange) ?? days;
    const compare = isCompared ? (given.word('compare', [noComparison, ...comparisons]) ?? 'before') : noComparison;
    const weeks = hasWeeks ? given.word('weeks', ['monday', 'sunday']) : undefined;
    return {
      range: rangeIn(range)!,
      timezone: given.one(zoneName, 'a time zone such as Europe/Berlin', isZone) ?? home,
      compare: compare === noComparison ? undefined : compare,
      week_start: weeks ?? (range.includes('-sunday-') ? ('sunday' as const) : ('monday' as const)),
    };
  },
});
const compared = timesOf('30d', {isCompared: true});
const uncompared = timesOf('30d');
const ofCohorts = timesOf('90d');

/** The interval that is usual for all ranges that these days may be; undefined: some have another one. */
function usualOf(range: RangeMember, usual: (days: Days) => string): string | undefined {
  const [shortest, longest] = extremesOf(range).map(usual);
  return shortest === longest ? shortest : undefined;
}

const intervals = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
type Interval = (typeof intervals)[number];

/** The interval of a range. `isSure`: whatever day it is. */
export const usualEvery = (range: RangeMember) => ({
  interval: usualInterval(extremesOf(range)[1]),
  isSure: usualOf(range, usualInterval) !== undefined,
});

const everyPair = (range: RangeMember, interval: string | undefined, usual = usualInterval): Pair => [
  'every',
  unless(usualOf(range, usual), interval),
];

interface Row {
  readonly property?: string | undefined;
  readonly trait?: string | undefined;
  readonly limit?: number | undefined;
}
const traitHead = 'trait:';
/** A property, or `trait:<name>`. */
export const byText = ({property, trait}: Row): string => property ?? traitHead + trait;
export const breakdownBy = (by: string) =>
  by.startsWith(traitHead) && by !== traitHead ? {trait: by.slice(traitHead.length)} : {property: by};

/** Limits are written for all or none: they have no numbers. */
function breakdownPairs(entries: readonly Row[] = [], usual: number): Pair[] {
  const areUsual = entries.every(({limit = usual}) => limit === usual);
  return [
    ...entries.map((one): Pair => ['by', byText(one)]),
    ...(areUsual ? [] : entries.map(({limit = usual}): Pair => ['by_limit', limit])),
  ];
}
function breakdownIn(given: Given, countMax = 1) {
  const seen = new Set<string>();
  const isNew = (text: string): boolean => isName(text) && !seen.has(text) && seen.add(text) !== undefined;
  const names = given.some('by', `${byRule}, up to ${countMax}`, countMax, isNew);
  const limits = given.list('by_limit', `${limitRule}, ${withBy}`, names.length, (text) => /^[1-9]\d{0,2}$/.test(text));
  if (names.length === 0) return undefined;
  return names.map((by, at) => ({
    ...breakdownBy(by),
    limit: limits[at] === undefined ? undefined : Number(limits[at]),
  }));
}
const byRule = 'the name of a property, or trait: and the name of a trait';
const limitRule = 'whole numbers from 1 to 999';
const withBy = 'given with by';
/** Colours of the palette: lines of Trends, and rows of Active users and of Funnels. */
export const coloursMax = 6;

// -- kinds --

type Measured = NonNullable<QuestionOf<'counts'>['measure']>;
export type Measure = Measured['of'];
export const measures = ['total', 'users', 'sum', 'avg', 'min', 'max', 'p50', 'p90', 'p95', 'p99'] as const;
/** Whether the measure reads numbers of a property. */
export const isOfNumbers = (measure: Measure): boolean => measure !== 'total' && measure !== 'users';

/** `users`, `sum:amount`. */
const measureText = ({of, property}: Measured): string => (property === undefined ? of : `${of}:${property}`);
function measureIn(text: string): Measured | undefined {
  const [, word, property] = /^([a-z0-9]+)(?::([\s\S]+))?$/.exec(text) ?? [];
  const of = measures.find((one) => one === word);
  if (of === undefined || isOfNumbers(of) !== (property !== undefined)) return undefined;
  return isName(property ?? of) ? {of, property} : undefined;
}
const measureRule = `a measure after the number of its event: 1:users, 2:sum:amount; measures are ${measures.join(', ')}`;

/** Labels of events in formulas, by their place. */
export const labelAt = (at: number): string => String.fromCharCode('A'.charCodeAt(0) + at);

type FormulaOf = NonNullable<QuestionOf<'counts'>['formulas']>[number];
/** `A / B`, and with a name of its own `rate: A / B`: no formula has a colon. */
const formulaText = ({as, is}: FormulaOf): string => (as === is ? is : `${as}: ${is}`);
function formulaIn(text: string): FormulaOf {
  const [, as, is] = /^([\s\S]+): ([^:]*)$/.exec(text) ?? ['', text, text];
  return {as: as!, is: is!};
}
/** Whether it is a formula over that many events. */
export const isFormula = (is: string, events: number): boolean => {
  const formula = readFormula(is);
  return (
    formula !== undefined &&
    labelsIn(formula).every((label) => label.length === 1 && label >= labelAt(0) && label < labelAt(events))
  );
};
const formulaRule =
  'a formula over the letters of events, such as "A / B" or "rate: A / B", each with a name of its own';

const counts: Grammar<'counts'> = {
  isAsked: ({events = []}) => events.length > 0,
  usual: usualInterval,
  write({events = [{}], where, users, measure: ofAll, breakdown, formulas = [], interval, view, ...times}) {
    const measured = events.map(({measure = ofAll}) =>
      measure === undefined || measure.of === 'total' ? [] : [measure],
    );
    const {range} = times;
    return [
      ...events.map(({event = ''}): Pair => ['event', event]),
      ...measured.flatMap((all, at) => all.map((one): Pair => ['measure', `${at + 1}:${measureText(one)}`])),
      ...events.flatMap(({as}, at): Pair[] => (as === undefined ? [] : [['as', `${at + 1}:${as}`]])),
      ...numberedPairs('where', events),
      ...conditionPairs('all_where', where),
      ...formulas.map((one): Pair => ['formula', formulaText(one)]),
      ...usersPairs(users),
      ...breakdownPairs(breakdown, rowsOf(range, interval, breakdown?.length)),
      ['look', view?.look],
      ...compared.pairs(times, everyPair(range, interval)),
    ];
  },
  read(given) {
    const names = given.list('event', 'names of events', coloursMax, (text) => text === '' || isName(text));
    const measured = given.numbered('measure', measureRule, names.length, 1, (text) => measureIn(text) !== undefined);
    const wheres = given.numberedConditions('where', names.length);
    const named = new Set<string>();
    const formulas = given.some('formula', formulaRule, formulasMax, (text) => {
      const {as, is} = formulaIn(text);
      return isName(as) && isFormula(is, names.length) && !named.has(as) && named.add(as) !== undefined;
    });
    const rest: Omit<Draft<'counts'>, 'events'> = {
      report: 'counts',
      series: false,
      where: given.conditions('all_where'),
      users: usersIn(given),
      breakdown: breakdownIn(given, breakdownsMax),
      formulas: formulas.map(formulaIn),
      interval: given.word('every', intervals),
      view: {look: given.word('look', looks)},
      ...compared.read(given),
    };
    const eventOf = (name: string, at: number) => {
      const [text] = measured[at]!;
      const measure = text === undefined ? undefined : measureIn(text);
      return {event: name || undefined, where: wheres[at], measure: measure?.of === 'total' ? undefined : measure};
    };
    return {...present(rest), events: present(names.map(eventOf))};
  },
};

const rowsOf = (range: RangeMember, interval: Interval | undefined, breakdowns: number | undefined): number => {
  const [, longest] = extremesOf(range);
  return usualRows(longest, interval ?? usualInterval(longest), breakdowns);
};

interface Did {
  readonly events?: readonly {readonly event?: string | undefined; readonly where?: Conditions}[] | undefined;
  readonly where?: Conditions;
  readonly users?: UsersMember;
}
const didPairs = ({events: [entry] = [], where, users}: Did): Pair[] => [
  ['event', entry?.event],
  ...conditionPairs('event_where', entry?.where),
  ...conditionPairs('where', where),
  ...usersPairs(users),
];
const eventsIn = (given: Given) => {
  const event = given.event('event');
  return event === undefined ? [] : [{event}];
};
const didIn = (given: Given) => ({
  events: eventsIn(given),
  where: given.conditions('where'),
  users: usersIn(given),
});

const active: Grammar<'active'> = {
  usual: usualInterval,
  write: ({metric, breakdown, interval, ...question}) => [
    ...didPairs(question),
    ...breakdownPairs(breakdown, coloursMax),
    ['metric', unless('dau', metric)],
    ...compared.pairs(question, everyPair(question.range, interval)),
  ],
  read: (given) =>
    present({
      report: 'active' as const,
      metric: given.word('metric', ['dau', 'wau', 'mau']) ?? 'dau',
      ...didIn(given),
      breakdown: breakdownIn(given),
      interval: given.word('every', intervals),
      ...compared.read(given),
    }),
};

/** Conditions of the page itself: who is no bot, and where a session starts. */
const conditionsOfWeb = 2;

const web: Grammar<'active'> = {
  write: ({events, where, users, interval, view, ...times}) => [
    ...didPairs({events, where, users}),
    ['bots', view?.bots],
    ...compared.pairs(times, everyPair(times.range, interval)),
  ],
  read: (given) =>
    present({
      report: 'active' as const,
      metric: 'dau' as const,
      events: eventsIn(given),
      where: given.conditions('where', conditionsMax - conditionsOfWeb),
      users: {not_segment: given.segment('not_segment')},
      view: {bots: given.word('bots', ['counted'])},
      interval: given.word('every', intervals),
      ...compared.read(given),
    }),
};

/**
 * A user who does a step much later does it for another reason. With a limit, the report shows which of the newest entries may
 * still convert.
 */
const usualWindow = '14d';
const noWindow = 'none';
export const isWindow = (text: string): boolean => /^[1-9]\d{0,8}[smhd]$/.test(text);
/** A number alone is of seconds. */
const windowText = (window: string): string => (/\d$/.test(window) ? `${window}s` : window);

export type Exclusion = NonNullable<QuestionOf<'funnel'>['exclude']>[number];
/** `all:refund`, `1-2:refund`. */
function exclusionIn(text: string): Exclusion | undefined {
  const [, place, first, last, event = ''] = /^(all|([1-9]\d?)-([1-9]\d?)):([\s\S]+)$/.exec(text) ?? [];
  if (place === undefined || !isName(event)) return undefined;
  if (place === 'all') return {event};
  const between: [number, number] = [Number(first), Number(last)];
  return between[0] < between[1] && between[1] <= funnelStepsMax ? {event, between} : undefined;
}

/** Event of a path that has the value of a breakdown: the `first` or `last` with any value, or the event of a step. */
type Place = 'first' | 'last' | number;
const isPlace = (text: string): boolean =>
  text === 'first' || text === 'last' || (/^[1-9]\d?$/.test(text) && Number(text) <= funnelStepsMax);
const placeIn = (text: string | undefined): Place | undefined =>
  text === undefined || text === 'first' || text === 'last' ? text : Number(text);

const funnel: Grammar<'funnel'> = {
  isAsked: ({steps}) => steps.length > 0,
  fitting(question) {
    const {steps, order, window, exclude = [], breakdown} = question;
    const isSequential = order === undefined && steps.length > 1;
    return {
      ...question,
      in_range: window === undefined ? undefined : question.in_range,
      exclude: isSequential ? exclude.filter(({between = [1, 1]}) => between[1] <= steps.length) : [],
      breakdown: breakdown?.map(({at, ...one}) => {
        const isMeant = one.trait === undefined && !(typeof at === 'number' && at > steps.length);
        return {...one, at: isMeant ? at : undefined};
      }),
    };
  },
  write: ({steps, where, users, window, exclude = [], breakdown, interval, view, ...question}) => [
    ...steps.map(({event}): Pair => ['step', event]),
    ...numberedPairs('where', steps),
    ...conditionPairs('all_where', where),
    ...usersPairs(users),
    ['window', unless(usualWindow, window === undefined ? noWindow : windowText(window))],
    ['order', unless('sequential', question.order)],
    ...exclude.map(({event, between}): Pair => ['exclude', `${between?.join('-') ?? 'all'}:${event}`]),
    ...numberedPairs('exclude_where', exclude),
    ['hold', question.hold],
    ['paths', unless('all', question.in_range)],
    ...breakdownPairs(breakdown, coloursMax),
    ['by_at', unless<Place>(1, breakdown?.[0]?.at)],
    ...uncompared.pairs(question, ['every', view?.every ?? interval]),
  ],
  read(given) {
    const names = given.list('step', 'names of events', funnelStepsMax, isName);
    const wheres = given.numberedConditions('where', names.length);
    const where = given.conditions('all_where');
    const users = usersIn(given);
    const window = given.one(
      'window',
      `${noWindow}, or a time such as 12h`,
      (text) => text === noWindow || isWindow(text),
    );
    const order = given.word('order', ['sequential', 'strict', 'any']);
    const exclusionRule = 'events such as all:refund or 1-2:refund';
    const isExclusion = (text: string): boolean => exclusionIn(text) !== undefined;
    const exclude = given.list('exclude', exclusionRule, exclusionsMax, isExclusion);
    const excludeWheres = given.numberedConditions('exclude_where', exclude.length);
    const hold = given.one('hold', 'the name of a property', isName);
    const paths = given.word('paths', ['all', 'entry']);
    const breakdown = breakdownIn(given);
    const placeRule = breakdown === undefined ? withBy : 'first, last, or the number of a step';
    const at = placeIn(given.one('by_at', placeRule, (text) => breakdown !== undefined && isPlace(text)));
    const {week_start: weeks, ...times} = uncompared.read(given);
    const rest: Omit<Draft<'funnel'>, 'steps'> = {
      report: 'funnel',
      percentiles: false,
      where,
      users,
      window: window === noWindow ? undefined : (window ?? usualWindow),
      order: order === 'sequential' ? undefined : order,
      exclude: exclude.map((text, at) => ({...exclusionIn(text)!, where: excludeWheres[at]})),
      hold,
      in_range: paths === 'all' ? undefined : paths,
      breakdown: breakdown?.map((one) => ({...one, at: at === 1 ? undefined : at})),
      week_start: weeks === 'monday' ? undefined : weeks,
      view: {every: given.word('every', intervals)},
      ...times,
    };
    return {...present(rest), steps: present(names.map((event, at) => ({event, where: wheres[at]})))};
  },
};

/** A funnel without the parts that others make meaningless. */
export const fitting = funnel.fitting!;

const periodsUsual = 12;
/** Retention has no longer ones. */
export const periodLengths = intervals.slice(0, 4) as readonly QuestionOf<'retention'>['interval'][];
/** Name of an event that a page has not chosen yet. */
const notChosen = '';

const retention: Grammar<'retention'> = {
  isAsked: ({start}) => start.event !== notChosen,
  usual: usualPeriod,
  write: ({start, return: back, users, breakdown, interval, view, ...question}) => [
    ['start', unless(notChosen, start.event)],
    ['return', back?.event],
    ['cohort', unless('first', question.cohort)],
    ['criteria', unless('on', question.criteria)],
    ['frame', unless('calendar', question.frame)],
    ...conditionPairs('start_where', start.where),
    ...conditionPairs('return_where', back?.where),
    ...usersPairs(users),
    ['periods', unless(periodsUsual, question.periods)],
    ...breakdownPairs(breakdown, coloursMax),
    ...ofCohorts.pairs(question, everyPair(question.range, interval, usualPeriod)),
    ['show', view?.show],
  ],
  read(given) {
    const show = given.word('show', ['share', 'users']);
    return present({
      report: 'retention' as const,
      start: {event: given.event('start') ?? notChosen, where: given.conditions('start_where')},
      return: {event: given.event('return'), where: given.conditions('return_where')},
      users: usersIn(given),
      cohort: given.word('cohort', ['first', 'recurring']) ?? 'first',
      criteria: given.word('criteria', ['on', 'on_or_after']) ?? 'on',
      frame: given.word('frame', ['calendar', 'rolling']) ?? 'calendar',
      periods: given.number('periods', 1, retentionPeriodsMax) ?? periodsUsual,
      interval: given.word('every', periodLengths),
      ...ofCohorts.read(given),
      view: {show: show === 'users' ? show : undefined},
    });
  },
};

const lifecycle: Grammar<'lifecycle' | 'stickiness'> = {
  usual: usualPeriod,
  write: ({interval, view, ...question}) => [
    ...didPairs(question),
    ...ofCohorts.pairs(question, everyPair(question.range, interval, usualPeriod)),
    ['often', view?.often ?? ('at_least' in question && question.at_least ? 'at_least' : undefined)],
  ],
  read(given) {
    const often = given.word('often', ['exactly', 'at_least']);
    return present({
      report: 'lifecycle' as const,
      ...didIn(given),
      interval: given.word('every', intervals),
      ...ofCohorts.read(given),
      view: {often: often === 'at_least' ? often : undefined},
    });
  },
};

const edgesUsual = 8;
const ofPaths = timesOf('30d', {hasWeeks: false});

const paths: Grammar<'paths'> = {
  isAsked: ({start, end}) => (start ?? end)!.event !== notChosen,
  write: ({start, end, where, users, depth, limit, ...times}) => [
    ['event', unless(notChosen, (start ?? end)?.event)],
    ['direction', end === undefined ? undefined : 'before'],
    ...conditionPairs('where', where),
    ...usersPairs(users),
    ['depth', unless(pathDepthDefault, depth)],
    ['top', unless(edgesUsual, limit)],
    ...ofPaths.pairs({...times, week_start: 'monday'}),
  ],
  read(given) {
    const {week_start: _, ...times} = ofPaths.read(given);
    return present({
      report: 'paths' as const,
      [given.word('direction', ['after', 'before']) === 'before' ? 'end' : 'start']: {
        event: given.event('event') ?? notChosen,
      },
      where: given.conditions('where'),
      users: usersIn(given),
      depth: given.number('depth', pathDepthMin, pathDepthMax) ?? pathDepthDefault,
      limit: given.number('top', 1, pathEdgesMax) ?? edgesUsual,
      ...times,
    });
  },
};

const pageOf: Readonly<Record<ReportKind, ReportPage>> = {
  counts: '/trends',
  active: '/active',
  funnel: '/funnels',
  retention: '/retention',
  lifecycle: '/lifecycle',
  stickiness: '/lifecycle',
  paths: '/paths',
};

const pages = {
  '/trends': counts,
  '/active': active,
  '/web': web,
  '/funnels': funnel,
  '/retention': retention,
  '/lifecycle': lifecycle,
  '/paths': paths,
} as const;
