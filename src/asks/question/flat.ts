// A question as the path of its route, `v1/reports/events?event=signup&…`: for commands, for what is asked by GET, and as the name of
// a question on a page.
//   FL1. The route reads the path as the same question.
//   FL2. Pages import this file: it imports types alone.
import type {z} from 'zod';
import type {PointMember, ReportKind} from './behind.js';
import type {Kind, kinds} from './kinds.js';

interface Bounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Choice {
  readonly event?: string | undefined;
  readonly where?: string[] | undefined;
}

interface Users {
  readonly where?: string[] | undefined;
  readonly segment?: string | undefined;
  readonly not_segment?: string | undefined;
}

interface Deed extends Choice {
  readonly range?: Bounds | undefined;
  readonly not?: boolean | undefined;
}

/** What parameters say of these members: no range that moves, no condition as an object, and of some nothing. */
interface Said {
  readonly range: Bounds | undefined;
  readonly where: string[] | undefined;
  readonly events: Choice[] | undefined;
  readonly users: Users | undefined;
  readonly compare: undefined;
  readonly formulas: undefined;
  readonly behind: undefined;
}

type Fixed<Value> = {[Member in keyof Value]: Member extends keyof Said ? Said[Member] : Fixed<Value[Member]>};

/** A question that parameters can say. */
export type FixedQuestionOf<K extends Kind> = K extends 'people'
  ? Omit<Fixed<z.input<(typeof kinds)[K]>>, 'users'> & {readonly users?: Users & {readonly did?: Deed[] | undefined}}
  : Fixed<z.input<(typeof kinds)[K]>>;
/** The people behind a number: a question whose answer has it, and where it is there. No route takes them. */
export interface NumberPlace {
  readonly question: FixedQuestionOf<ReportKind>;
  readonly point: PointMember;
}
export type FixedQuestion = {[K in Kind]: FixedQuestionOf<K>}[Kind];

type Pair = readonly [name: string, value: string | number | boolean | undefined];
type Pairs = readonly Pair[];

/** The path of the question. */
export function flatOf(question: FixedQuestion): string {
  const {path, pairsOf} = routes[question.report] as {path: string; pairsOf: (question: FixedQuestion) => Pairs};
  const {range, timezone} = question;
  const all: Pairs = [...pairsOf(question), ['timezone', timezone], ['from', range?.from], ['to', range?.to]];
  const query = new URLSearchParams();
  for (const [name, value] of all) if (value !== undefined && value !== false) query.append(name, String(value));
  return `${path}?${query}`;
}

// -- members --

const conditionsAs = (name: string, conditions: readonly string[] | undefined): Pair[] =>
  (conditions ?? []).map((one) => [name, one]);

interface Did {
  readonly events?: readonly Choice[] | undefined;
  readonly where?: string[] | undefined;
  readonly users?: Users | undefined;
}

const did = ({events, where, users}: Did): Pair[] => [
  ...conditionsAs('where', events?.[0]?.where),
  ...conditionsAs('where', where),
  ...conditionsAs('user_where', users?.where),
  ['segment', users?.segment],
  ['not_segment', users?.not_segment],
];

/** A name, or the parameter that says any. */
const named = (name: string, event: string | undefined, any: string): Pair =>
  event === undefined ? [any, true] : [name, event];

interface Entry {
  readonly property?: string | undefined;
  readonly trait?: string | undefined;
  readonly limit?: number | undefined;
}

const breakdownIn = (entries: readonly Entry[] = []): Pair[] => [
  ...entries.map(({property, trait}): Pair => ['breakdown', trait === undefined ? property : `trait:${trait}`]),
  ...entries.map(({limit}): Pair => ['breakdown_limit', limit]),
];

interface Buckets {
  readonly interval?: string | undefined;
  readonly week_start?: string | undefined;
}

const bucketsIn = ({interval, week_start}: Buckets): Pair[] => [
  ['interval', interval],
  ['week_start', week_start],
];

interface Page {
  readonly prefix?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const pageIn = ({prefix, limit, cursor}: Page): Pair[] => [
  ['prefix', prefix],
  ['limit', limit],
  ['cursor', cursor],
];

// -- routes --

const routes: {
  readonly [K in Kind]: {readonly path: string; readonly pairsOf: (question: FixedQuestionOf<K>) => Pairs};
} = {
  counts: {
    path: 'v1/reports/events',
    pairsOf: ({events = [], series = false, measure, breakdown, ...rest}) => [
      ...(series || events.length > 1
        ? events.map(({event}): Pair => ['events[]', event])
        : [named('event', events[0]?.event, 'any_event')]),
      ...did({...rest, events}),
      ['measure', measure?.of],
      ['property', measure?.property],
      ...breakdownIn(breakdown),
      ...bucketsIn(rest),
    ],
  },
  active: {
    path: 'v1/reports/users',
    pairsOf: ({metric, breakdown, ...rest}) => [
      ['metric', metric],
      ['event', rest.events?.[0]?.event],
      ...did(rest),
      ...breakdownIn(breakdown),
      ...bucketsIn(rest),
    ],
  },
  funnel: {
    path: 'v1/reports/funnel',
    pairsOf: ({steps, where, users, exclude = [], breakdown, histogram, percentiles, ...rest}) => [
      ...steps.map(({event}): Pair => ['steps[]', event]),
      ...steps.flatMap((step, i) => conditionsAs(`where[${i + 1}]`, step.where)),
      ...did({where, users}),
      ['window', rest.window],
      ['order', rest.order],
      ...exclude.flatMap(({event, between, where}, i): Pair[] => [
        [`exclude[${i + 1}]`, event],
        [`exclude_between[${i + 1}]`, between?.join('-')],
        ...conditionsAs(`exclude_where[${i + 1}]`, where),
      ]),
      ['hold', rest.hold],
      ['range', rest.in_range],
      ...breakdownIn(breakdown),
      ['breakdown_at', breakdown?.[0]?.at],
      ['histogram', histogram === 'decimal' ? 'true' : histogram],
      ['percentiles', percentiles],
      ...bucketsIn(rest),
    ],
  },
  retention: {
    path: 'v1/reports/retention',
    pairsOf: ({start, return: back, users, breakdown, ...rest}) => [
      ['start', start.event],
      named('return', back?.event, 'any_return'),
      ...conditionsAs('start_where', start.where),
      ...conditionsAs('return_where', back?.where),
      ...did({users}),
      ['cohort', rest.cohort],
      ['criteria', rest.criteria],
      ['frame', rest.frame],
      ['periods', rest.periods],
      ...breakdownIn(breakdown),
      ...bucketsIn(rest),
    ],
  },
  lifecycle: {
    path: 'v1/reports/lifecycle',
    pairsOf: (question) => [
      named('event', question.events?.[0]?.event, 'any_event'),
      ...did(question),
      ...bucketsIn(question),
    ],
  },
  stickiness: {
    path: 'v1/reports/stickiness',
    pairsOf: (question) => [
      named('event', question.events?.[0]?.event, 'any_event'),
      ...did(question),
      ...bucketsIn(question),
      ['at_least', question.at_least],
    ],
  },
  paths: {
    path: 'v1/reports/paths',
    pairsOf: ({start, end, where, users, depth, limit}) => [
      ['start', start?.event],
      ['end', end?.event],
      ...did({where, users}),
      ['depth', depth],
      ['limit', limit],
    ],
  },
  names: {
    path: 'v1/names',
    pairsOf: ({include, hidden, users, ...rest}) => [
      ['include', include],
      ...did({users}),
      ['hidden', hidden],
      ...pageIn(rest),
    ],
  },
  properties: {
    path: 'v1/properties',
    pairsOf: ({event, hidden, ...rest}) => [['event', event], ['hidden', hidden], ...pageIn(rest)],
  },
  values: {
    path: 'v1/properties/values',
    pairsOf: ({property, event, ...rest}) => [['property', property], ['event', event], ...pageIn(rest)],
  },
  traits: {path: 'v1/traits', pairsOf: pageIn},
  trait_values: {path: 'v1/traits/values', pairsOf: ({trait, ...rest}) => [['trait', trait], ...pageIn(rest)]},
  people: {
    path: 'v1/users',
    pairsOf: ({users, event, where, sort, search, ...rest}) => [
      ['search', search],
      ['event', event],
      ...(users?.did ?? []).flatMap(({event, where, range, not}, i): Pair[] => [
        [`${not ? 'did_not' : 'did'}[${i + 1}]`, `${range?.from ?? ''}..${range?.to ?? ''}`],
        [`did_event[${i + 1}]`, event],
        ...conditionsAs(`did_where[${i + 1}]`, where),
      ]),
      ...did({where, users}),
      ['sort', typeof sort === 'object' ? `sum:${sort.sum}` : sort],
      ...pageIn(rest),
    ],
  },
};
