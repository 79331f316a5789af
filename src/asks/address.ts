// The address of a page of the dashboard, and the question that the page asks: both ways.
//   AD1. Reading an address gives the question that was written, in its normal form.
//   AD2. What is usual on the page is not written. A range that moves is written as it moves.
//   AD3. A parameter without a meaning is left out: the service checks the question that is kept. Of the address of a page it is a
//        problem, which the page names, as is what it has no control for.
//   AD4. Pages import this file: of the schemas it has types alone.
import {
  conditionsMax,
  pathDepthDefault,
  pathDepthMax,
  pathDepthMin,
  pathEdgesMax,
  retentionPeriodsMax,
} from '../../actors/limits.js';
import type {ReportKind} from './question/behind.js';
import {type Days, usualInterval} from './question/day-range.js';
import type {QuestionOf} from './question/kinds.js';
import type {ConditionMember, UsersMember} from './question/members.js';
import {type Comparison, comparisons} from './question/past-range.js';
import {extremesOf, type RangeMember, rangeIn, rangeText} from './question/range-text.js';
import {readable} from './question/readable-query.js';
import {usualPeriod, usualRows} from './question/usual.js';

export type ReportQuestion = QuestionOf<ReportKind>;

/** What a page shows of its question in one of several ways. */
export interface View {
  /** Cells of cohorts: shares, or numbers of users. */
  readonly show?: 'users' | undefined;
  /** A bar of stickiness counts users who were active on that many days or more; absent: on exactly that many. */
  readonly often?: 'at_least' | undefined;
  /** Interval of a funnel over time. */
  readonly every?: NonNullable<QuestionOf<'funnel'>['interval']> | undefined;
}

export type ReportPage = '/trends' | '/active' | '/funnels' | '/retention' | '/lifecycle' | '/paths';

export interface Address {
  readonly page: ReportPage;
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

/** A question as a page has it: its interval may follow from its days, and an event that is not chosen yet is an empty text. */
export type Draft<K extends ReportKind = ReportKind> = Drafts[K];
type Drafts = {
  [K in ReportKind]: Omit<QuestionOf<K>, 'interval'> & {
    readonly interval?: ('interval' extends keyof QuestionOf<K> ? QuestionOf<K>['interval'] : never) | undefined;
    readonly view?: View | undefined;
  };
};

/** Texts that a page can show. */
export interface Showable {
  readonly isRange: (text: string) => boolean;
  readonly isZone: (text: string) => boolean;
  readonly isCondition: (text: string) => boolean;
}

type Pair = readonly [name: string, text: string | number | undefined];

/** Parameters of one kind of question. */
interface Grammar<Question> {
  readonly page: ReportPage;
  readonly write: (question: Question) => readonly Pair[];
  readonly read: (given: Given) => Question;
  /** Whether it names an event; absent: it needs none. */
  readonly isAsked?: (question: Question) => boolean;
  /** Interval of one that names none; absent: `read` says it. */
  readonly usual?: (days: Days) => Interval;
}

/** A report as it is kept. */
export interface KeptReport {
  /** The first one is the report; the others stand beside it. */
  readonly questions: readonly ReportQuestion[];
  readonly view?: View | undefined;
}

export function addressOf({questions, view = {}}: KeptReport): Address {
  const [first] = questions;
  // Active users with a breakdown are two questions: all users, and the users by value. The page has one address, that of the second.
  const broken = questions.find((one) => one.report === 'active' && one.breakdown !== undefined);
  const question =
    broken?.report === 'active' && first?.report === 'active' ? {...broken, compare: first.compare} : first!;
  const {page, write} = grammars[question.report] as Grammar<ReportQuestion>;
  const query = new URLSearchParams();
  for (const [name, text] of [...write(question), ...Object.entries(view)])
    if (text !== undefined) query.append(name, String(text));
  const search = readable(query.toString());
  return {page, search: search === '' ? '' : `?${search}`};
}

/** Undefined: the address asks nothing yet, as it names no event. */
export function questionIn({page, search}: Address): {question: ReportQuestion; view: View} | undefined {
  const given = new Given(search);
  const isStickiness = page === '/lifecycle' && given.one('report') === 'stickiness';
  const kind = isStickiness ? 'stickiness' : kindOf(page);
  const {view = {}, ...draft} = draftIn(kind, given);
  return isAsked(draft as Draft) ? {question: asked(draft as Draft), view} : undefined;
}

/** What a page asks, and what its address has that it does not show. AD3 */
export function pageIn({page, search}: Address, showable: Showable): {draft: Draft; problems: readonly Problem[]} {
  const given = new Given(search, showable);
  const draft = draftIn(kindOf(page), given);
  return {draft, problems: [...given.unread(), ...given.problems]};
}

function draftIn(kind: ReportKind, given: Given): Draft {
  const question = present((grammars[kind] as Grammar<ReportQuestion>).read(given));
  const {show, often} = {
    show: kind === 'retention' ? given.word('show', ['share', 'users']) : undefined,
    often: kind === 'lifecycle' ? given.word('often', ['exactly', 'at_least']) : undefined,
  };
  const view: View = {
    show: show === 'users' ? show : undefined,
    often: often === 'at_least' ? often : undefined,
    every: kind === 'funnel' ? given.word('every', intervals) : undefined,
  };
  return present({...question, view}) as Draft;
}

/** Whether it names what it is about. */
export function isAsked(draft: Draft): boolean {
  const {isAsked: isEnough} = grammars[draft.report] as Grammar<ReportQuestion>;
  return isEnough?.(draft as ReportQuestion) ?? true;
}

/** The question of a page, with the usual interval of the greatest length of its range. */
export function asked({view: _, ...draft}: Draft): ReportQuestion {
  const {usual} = grammars[draft.report] as Grammar<ReportQuestion>;
  return present({...draft, interval: draft.interval ?? usual?.(extremesOf(draft.range)[1])}) as ReportQuestion;
}

// -- reading --

class Given {
  readonly problems: Problem[] = [];
  private readonly query: URLSearchParams;
  private readonly read = new Set<string>();

  /** `showable`: of a page; absent: of a question that is kept. */
  constructor(
    search: string,
    readonly showable?: Showable,
  ) {
    this.query = new URLSearchParams(search);
  }

  /** What a page has no control for is left out. AD3 */
  get isOfPage(): boolean {
    return this.showable !== undefined;
  }

  all(name: string): readonly string[] {
    this.read.add(name);
    return this.query.getAll(name);
  }

  /** Several texts, or one that does not fit, are none. */
  one(name: string, expected = 'one text', fits: (text: string) => boolean = () => true): string | undefined {
    const texts = this.all(name);
    if (texts.length === 0) return undefined;
    if (texts.length === 1 && fits(texts[0]!)) return texts[0];
    this.problems.push(...texts.map((text) => ({name, text, expected})));
    return undefined;
  }

  event(name: string): string | undefined {
    return this.one(name, 'the name of an event, of 1 to 256 characters', ({length}) => length <= nameCharsMax);
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.one(name, `one of ${words.join(', ')}`, (text) => words.some((word) => word === text)) as
      | Word
      | undefined;
  }

  number(name: string, min = 0, max = 999_999): number | undefined {
    const fits = (text: string): boolean => /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
    const text = this.one(name, `a whole number from ${min} to ${max}`, fits);
    return text === undefined ? undefined : Number(text);
  }

  /** A page shows a condition that is a text. */
  conditions(name: string): ConditionMember[] {
    const {isCondition} = this.showable ?? {};
    const texts = this.all(name);
    if (isCondition === undefined) return texts.map(conditionIn);
    const expected = `a condition such as "plan eq pro" or "amount gte 10", up to ${conditionsMax}`;
    const fitting = texts.filter(isCondition);
    const read = fitting.length <= conditionsMax ? fitting : [];
    this.problems.push(...texts.filter((text) => !read.includes(text)).map((text) => ({name, text, expected})));
    return read;
  }

  /** Texts after the number of what they are of, from 1: `2:plan eq pro`. */
  numbered(name: string): ReadonlyMap<number, readonly string[]> {
    const found = new Map<number, readonly string[]>();
    for (const text of this.all(name)) {
      const [, number, rest] = /^([1-9]\d?):([\s\S]+)$/.exec(text) ?? [];
      if (number !== undefined) found.set(Number(number), [...(found.get(Number(number)) ?? []), rest!]);
    }
    return found;
  }

  /** Parameters that no question of this kind has. A page asks for what its answer has. */
  unread(): Problem[] {
    const names = [...new Set(this.query.keys())].filter((name) => !this.read.has(name) && !ofAnswers.test(name));
    return names.flatMap((name) => this.query.getAll(name).map((text) => ({name, text, expected: undefined})));
  }
}

const nameCharsMax = 256;
const ofAnswers = /^(series|histogram|percentiles|report)$/;

/** Without members that are undefined, empty lists or empty objects, as the normal form of questions is. */
function present<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(present) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, present(one)] as const);
  return Object.fromEntries(members.filter(([, one]) => one !== undefined && !isEmpty(one))) as Value;
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value!).length === 0;

function objectIn<Value>(text: string): Value | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// -- members --

type Conditions = ConditionMember[] | undefined;
/** A condition that no text means is an object. */
const conditionText = (one: ConditionMember): string => (typeof one === 'string' ? one : JSON.stringify(one));
const conditionIn = (text: string): ConditionMember => objectIn<Exclude<ConditionMember, string>>(text) ?? text;
const conditionPairs = (name: string, all: Conditions): Pair[] => (all ?? []).map((one) => [name, conditionText(one)]);
const conditionsIn = (texts: readonly string[] = []): Conditions => texts.map(conditionIn);
const numberedPairs = (name: string, lists: readonly Conditions[]): Pair[] =>
  lists.flatMap((all, at) => (all ?? []).map((one): Pair => [name, `${at + 1}:${conditionText(one)}`]));

type Deeds = NonNullable<NonNullable<UsersMember>['did']>;
const usersPairs = ({where, segment, did = []}: NonNullable<UsersMember> = {}): Pair[] => [
  ...conditionPairs('user_where', where),
  ['segment', segment],
  ...did.map((one): Pair => ['did', JSON.stringify(one)]),
];
const usersIn = (given: Given): UsersMember => ({
  where: given.conditions('user_where'),
  segment: given.one('segment', 'the id of a segment', (text) => /^sg_[0-9a-f]{16}$/.test(text)),
  did: given.isOfPage ? [] : given.all('did').flatMap((text) => objectIn<Deeds[number]>(text) ?? []),
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

const noZone = '';
const noComparison = 'off' as const;
/** `days`: the range of the page without one. `compare`: what the page compares with, unless its address says otherwise. */
const timesOf = (days: string, compare: 'before' | 'off') => ({
  pairs: (question: Times, ...every: readonly Pair[]): Pair[] => [
    ['range', unless(days, rangeText(question.range, question.week_start))],
    ...every,
    ['zone', unless('UTC', question.timezone ?? noZone)],
    ['weeks', unless('monday', question.week_start)],
    ['compare', unless(compare, question.compare ?? noComparison)],
  ],
  read(given: Given) {
    const {isRange = (text: string) => rangeIn(text) !== undefined, isZone}: Partial<Showable> = given.showable ?? {};
    const range = given.one('range', 'a range such as 30d, 12mo, 2026-10 or 2026-11-03..2026-11-09', isRange) ?? days;
    const zone = given.one('zone', 'a time zone such as Europe/Berlin', isZone) ?? 'UTC';
    // A page that compares nothing has no control for it.
    const isRead = !given.isOfPage || compare !== noComparison;
    const compared = (isRead && given.word('compare', [noComparison, ...comparisons])) || compare;
    const ofRange = range.includes('-sunday-') ? 'sunday' : 'monday';
    return {
      range: rangeIn(range)!,
      timezone: zone === noZone ? undefined : zone,
      compare: comparisons.find((one) => one === compared),
      week_start: given.word('weeks', ['monday', 'sunday']) ?? (ofRange as 'monday' | 'sunday'),
    };
  },
});
const compared = timesOf('30d', 'before');
const uncompared = timesOf('30d', 'off');
const ofCohorts = timesOf('90d', 'off');

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
/** The interval that an address names, else the usual one. A range whose length changes takes the usual one of its greatest length. */
const everyIn = (given: Given, range: RangeMember): Interval =>
  given.word('every', intervals) ?? usualInterval(extremesOf(range)[1]);

interface Broken {
  readonly property?: string | undefined;
  readonly trait?: string | undefined;
  readonly limit: number;
}
const traitHead = 'trait:';
const breakdownPairs = ([entry]: readonly Broken[] = [], limit: number): Pair[] =>
  entry === undefined
    ? []
    : [
        ['by', entry.property ?? traitHead + entry.trait],
        ['by_limit', unless(limit, entry.limit)],
      ];
function breakdownIn(given: Given, usual: number): Broken[] | undefined {
  const by = given.one('by', 'the name of a property, or trait: and the name of a trait');
  const limit = given.number('by_limit', 1, 999) ?? usual;
  if (by === undefined) return undefined;
  const name = by.startsWith(traitHead) && by !== traitHead ? {trait: by.slice(traitHead.length)} : {property: by};
  return [{...name, limit}];
}
/** Rows of Active users and of Funnels: colours of the palette. */
export const rowsOfPalette = 6;
const rowsOf = (range: RangeMember, interval: Interval): number => usualRows(extremesOf(range)[1], interval);

// -- kinds --

/** `users`, `sum:amount`. */
type Measured = NonNullable<QuestionOf<'counts'>['measure']>;
const measureText = ({of, property}: Measured): string => (property === undefined ? of : `${of}:${property}`);
function measureIn(text: string | undefined): Measured | undefined {
  const [, of, property] = /^([a-z0-9]+)(?::([\s\S]+))?$/.exec(text ?? '') ?? [];
  return of === undefined ? undefined : {of: of as Measured['of'], property};
}

const labelAt = (at: number): string => String.fromCharCode('A'.charCodeAt(0) + at);
/** The formulas that divide all events but one by that one. `divisor`: its index. */
const quotients = (divisor: number, count: number) =>
  Array.from({length: count}, (_, at) => `${labelAt(at)} / ${labelAt(divisor)}`)
    .filter((_, at) => at !== divisor)
    .map((is) => ({as: is, is}));

const counts: Grammar<QuestionOf<'counts'>> = {
  page: '/trends',
  isAsked: ({events = []}) => events.length > 0,
  write: ({events = [{}], where, users, measure, breakdown, formulas = [], series, ...times}) => {
    const divisor = events.findIndex(
      (_, at) => JSON.stringify(quotients(at, events.length)) === JSON.stringify(formulas),
    );
    const divides = formulas.length > 0 && divisor >= 0 && events.every(({as}) => as === undefined);
    return [
      ...events.map(({event = ''}): Pair => ['event', event]),
      ...events.flatMap(({measure: own}, at): Pair[] => (own ? [['measure', `${at + 1}:${measureText(own)}`]] : [])),
      ['measure', measure && measureText(measure)],
      ...events.flatMap(({as}, at): Pair[] => (as === undefined ? [] : [['as', `${at + 1}:${as}`]])),
      ...numberedPairs(
        'where',
        events.map((one) => one.where),
      ),
      ...conditionPairs('all_where', where),
      ['divide', divides ? divisor + 1 : undefined],
      ...(divides ? [] : formulas.map((one): Pair => ['formula', JSON.stringify(one)])),
      ['series', series ? 'true' : undefined],
      ...usersPairs(users),
      ...breakdownPairs(breakdown, rowsOf(times.range, times.interval)),
      ...compared.pairs(times, everyPair(times.range, times.interval)),
    ];
  },
  read(given) {
    const names = given.all('event');
    const [wheres, labels, measures] = ['where', 'as', 'measure'].map((name) => given.numbered(name));
    const times = compared.read(given);
    const interval = everyIn(given, times.range);
    const divisor = given.number('divide');
    const divides = divisor !== undefined && divisor >= 1 && divisor <= names.length && names.length > 1;
    return {
      report: 'counts',
      events: names.map((name, at) => ({
        event: name === '' ? undefined : name,
        where: conditionsIn(wheres!.get(at + 1)),
        measure: measureIn(measures!.get(at + 1)?.[0]),
        as: labels!.get(at + 1)?.[0],
      })),
      series: given.one('series') === 'true',
      where: given.conditions('all_where'),
      users: usersIn(given),
      measure: measureIn(given.all('measure').find((text) => !/^\d/.test(text))),
      breakdown: breakdownIn(given, rowsOf(times.range, interval)),
      formulas: divides
        ? quotients(divisor - 1, names.length)
        : given.all('formula').flatMap((text) => objectIn<{as: string; is: string}>(text) ?? []),
      interval,
      ...times,
    };
  },
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
const didIn = (given: Given) => ({
  events: present([{event: given.event('event'), where: given.isOfPage ? [] : given.conditions('event_where')}]).filter(
    (entry) => !isEmpty(entry),
  ),
  where: given.conditions('where'),
  users: usersIn(given),
});

const active: Grammar<QuestionOf<'active'>> = {
  page: '/active',
  usual: usualInterval,
  write: ({metric, breakdown, interval, ...question}) => [
    ...didPairs(question),
    ...breakdownPairs(breakdown, rowsOfPalette),
    ['metric', unless('dau', metric)],
    ...compared.pairs(question, everyPair(question.range, interval)),
  ],
  read: (given) => ({
    report: 'active',
    metric: given.word('metric', ['dau', 'wau', 'mau']) ?? 'dau',
    ...didIn(given),
    breakdown: breakdownIn(given, rowsOfPalette),
    interval: given.word('every', intervals)!,
    ...compared.read(given),
  }),
};

const usualWindow = '14d';
const noWindow = 'none';
const exclusion = /^(all|[1-9]\d?-[1-9]\d?):([\s\S]+)$/;
type Exclusions = NonNullable<QuestionOf<'funnel'>['exclude']>;
type Place = 'first' | 'last' | number;
const placeIn = (text: string | undefined): Place | undefined =>
  text === 'first' || text === 'last' ? text : text === undefined ? undefined : Number(text);

const funnel: Grammar<QuestionOf<'funnel'>> = {
  page: '/funnels',
  isAsked: ({steps = []}) => steps.length > 0,
  write: ({steps, where, users, exclude = [], breakdown, ...question}) => [
    ...steps.map(({event}): Pair => ['step', event]),
    ...numberedPairs(
      'where',
      steps.map((one) => one.where),
    ),
    ...conditionPairs('all_where', where),
    ...usersPairs(users),
    ['window', unless(usualWindow, question.window ?? noWindow)],
    ['order', question.order],
    ...exclude.map(({event, between}): Pair => ['exclude', `${between?.join('-') ?? 'all'}:${event}`]),
    ...numberedPairs(
      'exclude_where',
      exclude.map((one) => one.where),
    ),
    ['hold', question.hold],
    ['paths', question.in_range],
    ...breakdownPairs(breakdown, rowsOfPalette),
    ['by_at', breakdown?.[0]?.at],
    ['interval', question.interval],
    ['histogram', question.histogram],
    ['percentiles', question.percentiles ? 'true' : undefined],
    ...uncompared.pairs({...question, week_start: question.week_start ?? 'monday'}),
    ['weeks', question.week_start === 'monday' ? 'monday' : undefined],
  ],
  read(given) {
    const names = given.all('step');
    const [wheres, excludeWheres] = ['where', 'exclude_where'].map((name) => given.numbered(name));
    const {week_start: _, ...times} = uncompared.read(given);
    const window = given.one('window') ?? usualWindow;
    return {
      report: 'funnel',
      steps: names.map((event, at) => ({event, where: conditionsIn(wheres!.get(at + 1))})),
      where: given.conditions('all_where'),
      users: usersIn(given),
      window: window === noWindow ? undefined : window,
      order: given.word('order', ['sequential', 'strict', 'any']),
      exclude: given.all('exclude').flatMap((text, at): Exclusions => {
        const [, place, event] = exclusion.exec(text) ?? [];
        if (event === undefined) return [];
        const between = place === 'all' ? undefined : (place!.split('-').map(Number) as [number, number]);
        return [{event, where: conditionsIn(excludeWheres!.get(at + 1)), between}];
      }),
      hold: given.one('hold'),
      in_range: given.word('paths', ['all', 'entry']),
      breakdown: breakdownIn(given, rowsOfPalette)?.map((entry) => ({...entry, at: placeIn(given.one('by_at'))})),
      interval: given.word('interval', intervals),
      week_start: given.word('weeks', ['monday', 'sunday']),
      histogram: given.word('histogram', ['decimal', 'clock']),
      percentiles: given.one('percentiles') === 'true',
      ...times,
    };
  },
};

const periodsUsual = 12;
/** Retention has no longer ones. */
export const periodLengths = intervals.slice(0, 4) as readonly QuestionOf<'retention'>['interval'][];
/** Name of an event that a page has not chosen yet. */
const notChosen = '';

const retention: Grammar<QuestionOf<'retention'>> = {
  page: '/retention',
  isAsked: ({start}) => start.event !== notChosen,
  usual: usualPeriod,
  write: ({start, return: back, users, breakdown, interval, ...question}) => [
    ['start', unless(notChosen, start.event)],
    ['return', back?.event],
    ['cohort', unless('first', question.cohort)],
    ['criteria', unless('on', question.criteria)],
    ['frame', unless('calendar', question.frame)],
    ...conditionPairs('start_where', start.where),
    ...conditionPairs('return_where', back?.where),
    ...usersPairs(users),
    ['periods', unless(periodsUsual, question.periods)],
    ...breakdownPairs(breakdown, rowsOfPalette),
    ...ofCohorts.pairs(question, everyPair(question.range, interval, usualPeriod)),
  ],
  read(given) {
    return {
      report: 'retention',
      start: {event: given.event('start') ?? notChosen, where: given.conditions('start_where')},
      return: {event: given.event('return'), where: given.conditions('return_where')},
      users: usersIn(given),
      cohort: given.word('cohort', ['first', 'recurring']) ?? 'first',
      criteria: given.word('criteria', ['on', 'on_or_after']) ?? 'on',
      frame: given.word('frame', ['calendar', 'rolling']) ?? 'calendar',
      periods: given.number('periods', 1, retentionPeriodsMax) ?? periodsUsual,
      breakdown: given.isOfPage ? undefined : breakdownIn(given, rowsOfPalette),
      interval: given.word('every', periodLengths)!,
      ...ofCohorts.read(given),
    };
  },
};

const lifecycle: Grammar<QuestionOf<'lifecycle'>> = {
  page: '/lifecycle',
  usual: usualPeriod,
  write: ({interval, ...question}) => [
    ...didPairs(question),
    ...ofCohorts.pairs(question, everyPair(question.range, interval, usualPeriod)),
  ],
  read: (given) => ({
    report: 'lifecycle',
    ...didIn(given),
    interval: given.word('every', intervals)!,
    ...ofCohorts.read(given),
  }),
};

const stickiness: Grammar<QuestionOf<'stickiness'>> = {
  page: '/lifecycle',
  usual: usualPeriod,
  write: ({at_least: isAtLeast, report, ...question}) => [
    ['report', report],
    ...lifecycle.write({...question, report: 'lifecycle'}),
    ['often', isAtLeast ? 'at_least' : undefined],
  ],
  read: (given) => ({
    ...lifecycle.read(given),
    report: 'stickiness',
    at_least: given.one('often') === 'at_least',
  }),
};

const edgesUsual = 8;

const paths: Grammar<QuestionOf<'paths'>> = {
  page: '/paths',
  isAsked: ({start, end}) => (start ?? end)!.event !== notChosen,
  write: ({start, end, where, users, depth, limit, ...times}) => [
    ['event', unless(notChosen, (start ?? end)?.event)],
    ['direction', end === undefined ? undefined : 'before'],
    ...conditionPairs('where', where),
    ...usersPairs(users),
    ['depth', unless(pathDepthDefault, depth)],
    ['top', unless(edgesUsual, limit)],
    ...uncompared.pairs({...times, week_start: 'monday'}),
  ],
  read(given) {
    const {week_start: _, ...times} = uncompared.read(given);
    return {
      report: 'paths',
      [given.word('direction', ['after', 'before']) === 'before' ? 'end' : 'start']: {
        event: given.event('event') ?? notChosen,
      },
      where: given.conditions('where'),
      users: usersIn(given),
      depth: given.number('depth', pathDepthMin, pathDepthMax) ?? pathDepthDefault,
      limit: given.number('top', 1, pathEdgesMax) ?? edgesUsual,
      ...times,
    };
  },
};

const grammars: {readonly [K in ReportKind]: Grammar<QuestionOf<K>>} = {
  counts,
  active,
  funnel,
  retention,
  lifecycle,
  stickiness,
  paths,
};
/** The kind of a page; `/lifecycle` has two, the first of which is usual. */
const kindOf = (page: ReportPage): ReportKind =>
  (Object.keys(grammars) as ReportKind[]).find((kind) => grammars[kind].page === page)!;
