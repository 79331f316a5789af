// The address of a page of the dashboard, and the question that the page asks: both ways.
//   AD1. Reading an address gives the question that was written, in its normal form.
//   AD2. What is usual on the page is not written. A range that moves is written as it moves.
//   AD3. A parameter without a meaning is left out: the service checks the question that is kept. The page names what it does not show.
//   AD4. Pages import this file: of the schemas it has types alone.
import {pathDepthDefault} from '../../actors/limits.js';
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

type Pair = readonly [name: string, text: string | number | undefined];

/** Parameters of one kind of question. */
interface Grammar<Question> {
  readonly page: ReportPage;
  readonly write: (question: Question) => readonly Pair[];
  /** Undefined: the address asks nothing yet. */
  readonly read: (given: Given) => Question | undefined;
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
  const question = (grammars[kind] as Grammar<ReportQuestion>).read(given);
  const view = {
    show: kind === 'retention' ? given.word('show', ['users']) : undefined,
    often: kind === 'lifecycle' ? given.word('often', ['at_least']) : undefined,
    every: kind === 'funnel' ? given.one('every') : undefined,
  };
  return question && {question: present(question), view: present(view) as View};
}

// -- reading --

class Given {
  private readonly query: URLSearchParams;

  constructor(search: string) {
    this.query = new URLSearchParams(search);
  }

  all(name: string): readonly string[] {
    return this.query.getAll(name);
  }

  one(name: string): string | undefined {
    return this.query.get(name) ?? undefined;
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return words.find((word) => word === this.one(name));
  }

  number(name: string): number | undefined {
    const text = this.one(name);
    return text === undefined || !/^\d{1,6}$/.test(text) ? undefined : Number(text);
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
}

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
  where: conditionsIn(given.all('user_where')),
  segment: given.one('segment'),
  did: given.all('did').flatMap((text) => objectIn<Deeds[number]>(text) ?? []),
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
const noComparison = 'off';
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
    const zone = given.one('zone') ?? 'UTC';
    const compared = given.one('compare') ?? compare;
    return {
      range: rangeIn(given.one('range') ?? days) ?? rangeIn(days)!,
      timezone: zone === noZone ? undefined : zone,
      compare: comparisons.find((one) => one === compared),
      week_start: given.word('weeks', ['sunday']) ?? ('monday' as const),
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
const everyIn = (given: Given, range: RangeMember, usual = usualInterval): Interval =>
  given.word('every', intervals) ?? usual(extremesOf(range)[1]);

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
  const by = given.one('by');
  if (by === undefined) return undefined;
  const name = by.startsWith(traitHead) && by !== traitHead ? {trait: by.slice(traitHead.length)} : {property: by};
  return [{...name, limit: given.number('by_limit') ?? usual}];
}
/** Rows of Active users and of Funnels: colours of the palette. */
const rowsOfPalette = 6;
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
    if (names.length === 0) return undefined;
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
      where: conditionsIn(given.all('all_where')),
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
  events: present([{event: given.one('event'), where: conditionsIn(given.all('event_where'))}]).filter(
    (entry) => !isEmpty(entry),
  ),
  where: conditionsIn(given.all('where')),
  users: usersIn(given),
});

const active: Grammar<QuestionOf<'active'>> = {
  page: '/active',
  write: ({metric, breakdown, interval, ...question}) => [
    ...didPairs(question),
    ...breakdownPairs(breakdown, rowsOfPalette),
    ['metric', unless('dau', metric)],
    ...compared.pairs(question, everyPair(question.range, interval)),
  ],
  read(given) {
    const times = compared.read(given);
    return {
      report: 'active',
      metric: given.word('metric', ['wau', 'mau']) ?? 'dau',
      ...didIn(given),
      breakdown: breakdownIn(given, rowsOfPalette),
      interval: everyIn(given, times.range),
      ...times,
    };
  },
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
    if (names.length === 0) return undefined;
    const [wheres, excludeWheres] = ['where', 'exclude_where'].map((name) => given.numbered(name));
    const {week_start: _, ...times} = uncompared.read(given);
    const window = given.one('window') ?? usualWindow;
    return {
      report: 'funnel',
      steps: names.map((event, at) => ({event, where: conditionsIn(wheres!.get(at + 1))})),
      where: conditionsIn(given.all('all_where')),
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

const retention: Grammar<QuestionOf<'retention'>> = {
  page: '/retention',
  write: ({start, return: back, users, breakdown, interval, ...question}) => [
    ['start', start.event],
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
    const event = given.one('start');
    if (event === undefined) return undefined;
    const times = ofCohorts.read(given);
    return {
      report: 'retention',
      start: {event, where: conditionsIn(given.all('start_where'))},
      return: {event: given.one('return'), where: conditionsIn(given.all('return_where'))},
      users: usersIn(given),
      cohort: given.word('cohort', ['recurring']) ?? 'first',
      criteria: given.word('criteria', ['on_or_after']) ?? 'on',
      frame: given.word('frame', ['rolling']) ?? 'calendar',
      periods: given.number('periods') ?? periodsUsual,
      breakdown: breakdownIn(given, rowsOfPalette),
      interval: everyIn(given, times.range, usualPeriod) as QuestionOf<'retention'>['interval'],
      ...times,
    };
  },
};

const lifecycle: Grammar<QuestionOf<'lifecycle'>> = {
  page: '/lifecycle',
  write: ({interval, ...question}) => [
    ...didPairs(question),
    ...ofCohorts.pairs(question, everyPair(question.range, interval, usualPeriod)),
  ],
  read(given) {
    const times = ofCohorts.read(given);
    return {report: 'lifecycle', ...didIn(given), interval: everyIn(given, times.range, usualPeriod), ...times};
  },
};

const stickiness: Grammar<QuestionOf<'stickiness'>> = {
  page: '/lifecycle',
  write: ({at_least: isAtLeast, report, ...question}) => [
    ['report', report],
    ...lifecycle.write({...question, report: 'lifecycle'}),
    ['often', isAtLeast ? 'at_least' : undefined],
  ],
  read: (given) => ({
    ...lifecycle.read(given)!,
    report: 'stickiness',
    at_least: given.one('often') === 'at_least',
  }),
};

const edgesUsual = 8;

const paths: Grammar<QuestionOf<'paths'>> = {
  page: '/paths',
  write: ({start, end, where, users, depth, limit, ...times}) => [
    ['event', start?.event],
    ...(end === undefined
      ? []
      : ([
          ['event', end.event],
          ['direction', 'before'],
        ] as const)),
    ...conditionPairs('where', where),
    ...usersPairs(users),
    ['depth', unless(pathDepthDefault, depth)],
    ['top', unless(edgesUsual, limit)],
    ...uncompared.pairs({...times, week_start: 'monday'}),
  ],
  read(given) {
    const event = given.one('event');
    if (event === undefined) return undefined;
    const {week_start: _, ...times} = uncompared.read(given);
    return {
      report: 'paths',
      [given.one('direction') === 'before' ? 'end' : 'start']: {event},
      where: conditionsIn(given.all('where')),
      users: usersIn(given),
      depth: given.number('depth') ?? pathDepthDefault,
      limit: given.number('top') ?? edgesUsual,
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
