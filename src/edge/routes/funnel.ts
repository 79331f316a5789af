// GET /v1/reports/funnel and /v1/reports/funnel/users: the parameters of a funnel, and the questions that they make.
import {createHash} from 'node:crypto';
import {
  breakdownCellsMax,
  exclusionsMax,
  funnelStepsMax,
  funnelUsersLimitDefault,
  funnelUsersLimitMax,
} from '../../../actors/limits.js';
import {histogramBinsMax} from '../../../actors/report/funnel/duration-histogram.js';
import type {BreakdownAt, FunnelRules, StepPoint} from '../../asks/funnels.js';
import {type FollowedQuestion, type FunnelQuestion, funnel} from '../../asks/question/funnel.js';
import {funnelPathOf} from '../../asks/question/funnel-path.js';
import {timesOf} from '../../asks/question/times.js';
import type {ReportQuery} from '../../asks/report.js';
import {readFunnelUsersCursor} from '../../funnel-users-cursor.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {boundsOf, bucketCount, bucketsOf} from '../query/asked-times.js';
import {breakdownForm, breakdownIn, breakdownsOf} from '../query/breakdown.js';
import {conditionTexts, whereTexts} from '../query/conditions.js';
import {
  anyText,
  flag,
  list,
  member,
  name,
  ofPageBefore,
  optional,
  required,
  type TextForm,
  wholeNumber,
  withDefault,
  word,
} from '../query/parameters.js';
import {numbered, numberedName, type QueryValues} from '../query/query.js';
import {bucketTimesOf, rangeForm, rangeIn} from '../query/question-times.js';
import {numberIn, renamed} from '../query/renamed.js';
import {userFilterOf, usersForm, usersIn} from '../query/user-filter.js';
import {formatForm} from './report-format.js';
import {foreignCursor, ofEveryReport, refused, reportRoute} from './reports.js';

const {shape} = funnel;

const between: TextForm<[first: number, last: number]> = {
  schema: {type: 'string', pattern: '^[1-9]\\d?-[1-9]\\d?$'},
  expected: 'two steps, as 1-3',
  parse: (text) => {
    const [, first, last] = /^([1-9]\d?)-([1-9]\d?)$/.exec(text) ?? [];
    return first === undefined || Number(first) >= Number(last) ? undefined : [Number(first), Number(last)];
  },
};

const breakdownAt: TextForm<BreakdownAt> = {
  schema: {type: 'string', pattern: '^([1-9]\\d?|first|last)$'},
  expected: 'the number of a step, or first, or last',
  parse: (text) => {
    if (text === 'first' || text === 'last') return text;
    return /^[1-9]\d?$/.test(text) ? Number(text) : undefined;
  },
};

const breakdownAtParameter = optional(breakdownAt, {
  description:
    'Which event of the path has the value: that of this step, or the `first` or `last` one that has any. Default: 1. Who ' +
    'did not get there is in the row `missing`.',
});

/** Kinds of rows that a list of users is asked for. */
const rowKinds = ['missing', 'null', 'not_scalar'] as const;

/** The users who are counted in a funnel, and its steps. */
export const pathsForm = {
  'steps[]': list(name, {
    countMax: funnelStepsMax,
    expected: `1 to ${funnelStepsMax} names of events`,
    description: 'The names of the events that form the funnel, in order: one parameter per step.',
    example: ['signup', 'purchase'],
  }),
  ...rangeForm,
  window: member(shape.window),
  range: member(shape.in_range),
  order: member(shape.order),
  where: whereTexts,
  'where[n]': numbered(
    conditionTexts({
      description:
        `\`where[k]\`: only events of step k (1 to ${funnelStepsMax}) that meet this condition, in the form of \`where\`. ` +
        'Up to ten a step, of which all must hold.',
    }),
    funnelStepsMax,
  ),
  ...usersForm,
  'exclude[n]': numbered(
    optional(name, {
      description:
        `\`exclude[n]\`, n from 1 to ${exclusionsMax}: an event of this name between two steps ends the attempt at the step ` +
        'that was reached. The user may enter again. Of sequential steps.',
    }),
    exclusionsMax,
  ),
  'exclude_between[n]': numbered(
    optional(between, {
      description: '`exclude_between[n]`: steps i-j, between which the event is excluded. Default: all.',
    }),
    exclusionsMax,
  ),
  'exclude_where[n]': numbered(
    conditionTexts({
      description: '`exclude_where[n]`: only events that meet this condition are excluded, in the form of `where`.',
    }),
    exclusionsMax,
  ),
  hold: member(shape.hold),
};

/** Bounds by the word that asks for a histogram. */
const boundsBy = {true: 'decimal', clock: 'clock'} as const;

export const funnelForm = {
  ...ofEveryReport,
  ...formatForm,
  ...pathsForm,
  ...breakdownForm,
  breakdown_at: breakdownAtParameter,
  interval: member(shape.interval),
  week_start: member(shape.week_start),
  histogram: optional(word<keyof typeof boundsBy>(['true', 'clock']), {
    description:
      'Adds to each step how long it took. `true`: bounds are 1, 2 and 5 times powers of ten. `clock`: they are those of ' +
      'clocks and calendars, such as 30 s, 15 min, 6 h, 7 d.',
  }),
  percentiles: flag({description: shape.percentiles.description!}),
};

type Values = QueryValues<typeof funnelForm>;
type PathValues = QueryValues<typeof pathsForm>;
/** The members that say who is in a funnel. */
type Paths = Omit<FunnelQuestion, 'report' | 'breakdown' | 'interval' | 'week_start' | 'histogram' | 'percentiles'>;

export const funnelReport = reportRoute(funnelForm, (values, front) => {
  const question = questionOf(values);
  return inNumbersOf(values, () => funnelQuery(question, front));
});

/** An exclusion has the number that its parameter has, which may not be its place. */
const inNumbersOf = <Value>({'exclude[n]': excluded}: PathValues, read: () => Value): Value =>
  renamed((field) => {
    const numbered = numberIn(field);
    const number = numbered && [...excluded.keys()][numbered.number - 1];
    return number === undefined ? undefined : `${numbered!.base}[${number}]`;
  }, read);

function questionOf(values: Values): FunnelQuestion {
  const {breakdown_at: at, interval, week_start, histogram, percentiles} = values;
  if (at !== undefined && values.breakdown === undefined)
    throw refused('breakdown_at goes with a breakdown', 'breakdown_at');
  return {
    report: 'funnel',
    ...pathsIn(values),
    breakdown: breakdownIn(values).map((entry) => ({...entry, at})),
    interval,
    week_start,
    histogram: histogram && boundsBy[histogram],
    percentiles,
  };
}

/** @throws RequestFailure */
function pathsIn(values: PathValues): Paths {
  const {'steps[]': steps, 'where[n]': ofSteps, order, range, hold, window} = values;
  for (const step of ofSteps.keys()) {
    if (step > steps.length) throw refused(`there is no step ${step}`, numberedName('where[n]', step));
  }
  return {
    steps: steps.map((event, i) => chosen(event, ofSteps.get(i + 1))),
    ...rangeIn(values),
    window,
    in_range: range,
    order,
    where: [...values.where],
    ...usersIn(values),
    exclude: exclusionsIn(values),
    hold,
  };
}

const chosen = (event: string, where: readonly string[] = []) => ({event, where: [...where]});

function exclusionsIn(values: PathValues): Paths['exclude'] {
  const {'exclude[n]': excluded, 'exclude_between[n]': betweens, 'exclude_where[n]': wheres} = values;
  for (const [form, given] of [
    ['exclude_between[n]', betweens],
    ['exclude_where[n]', wheres],
  ] as const) {
    for (const n of given.keys()) {
      if (!excluded.has(n)) throw refused(`there is no exclude[${n}]`, numberedName(form, n));
    }
  }
  return [...excluded].map(([n, event]) => ({...chosen(event, wheres.get(n)), between: betweens.get(n)}));
}

// -- the question --

/** @throws RequestFailure */
export function funnelQuery(question: FunnelQuestion, front: Front): Extract<ReportQuery, {report: 'funnel'}> {
  const {steps, interval, week_start, histogram, percentiles} = question;
  const bounds = boundsOf(timesOf(question, front), front);
  if (interval === undefined && week_start !== undefined)
    throw refused('week_start goes with an interval', 'week_start');
  const buckets =
    interval === undefined
      ? undefined
      : bucketsOf(bucketTimesOf({...question, interval, week_start: week_start ?? 'monday'}, front), front);
  const rules = funnelRulesOf(question, bounds, front);
  const cells =
    steps.length * (histogram === undefined ? 1 : histogramBinsMax) +
    (buckets === undefined ? 0 : bucketCount(buckets));
  const breakdown = breakdownsOf(question.breakdown, Math.min(cells, breakdownCellsMax));
  return {
    report: 'funnel',
    ...rules,
    ...buckets,
    ...(breakdown === undefined ? {} : {breakdown, breakdownAt: breakdownAtOf(question)}),
    histogram,
    ...(percentiles && {hasPercentiles: true as const}),
  };
}

/** @throws RequestFailure */
function funnelRulesOf(question: Paths, bounds: {fromMs: number; toMs: number}, front: Front): FunnelRules {
  const {in_range: range, hold, window} = question;
  if (range === 'entry' && window === undefined)
    throw refused('window is required: with range=entry a path ends with it', 'window');
  checkExclusions(question);
  return {...funnelPathOf(question), ...bounds, range, ...userFilterOf(question, front), hold};
}

/** @throws RequestFailure */
export function checkExclusions({exclude = [], steps, order}: Omit<FollowedQuestion, 'report'>): void {
  for (const [i, {between}] of exclude.entries()) {
    const field = numberedName('exclude[n]', i + 1);
    if (order === 'strict') throw refused('with order=strict every other event ends the attempt already', field);
    if (order === 'any') throw refused('with order=any nothing lies between two steps', field);
    if (steps.length === 1) throw refused('a single step has nothing after it that could be excluded', field);
    const last = between?.[1] ?? steps.length;
    if (last > steps.length) throw refused(`there is no step ${last}`, numberedName('exclude_between[n]', i + 1));
  }
}

function breakdownAtOf({breakdown: [entry] = [], steps}: Pick<FunnelQuestion, 'breakdown' | 'steps'>): BreakdownAt {
  if (entry?.at === undefined) return 1;
  const {at, trait} = entry;
  if (trait !== undefined) throw refused('a trait is of the user, and not of a step', 'breakdown_at');
  if (typeof at === 'number' && at > steps.length) throw refused(`there is no step ${at}`, 'breakdown_at');
  return at;
}

// -- people at a step --

export const funnelUsersForm = {
  ...ofEveryReport,
  ...pathsForm,
  step: required(wholeNumber(funnelStepsMax), {
    description: 'The number of a step, from 1; with `order=any` a level.',
    example: '2',
  }),
  outcome: withDefault(word(['reached', 'dropped'] as const), 'reached', {
    description: '`reached`: who reached the step. `dropped`: who reached the one before, and not this one.',
  }),
  breakdown: optional(name, {
    description:
      'Only users in one row of this breakdown of the funnel: that of `breakdown_value` or `breakdown_kind`.',
  }),
  breakdown_at: breakdownAtParameter,
  breakdown_value: optional(anyText, {description: 'The value of the row.'}),
  breakdown_kind: optional(word(rowKinds), {
    description: 'The kind of the row, in place of a value. The row `other` is none: it has several values.',
  }),
  limit: withDefault(wholeNumber(funnelUsersLimitMax), funnelUsersLimitDefault, {description: 'Users on a page.'}),
  cursor: optional(anyText, {description: ofPageBefore}),
};

export const funnelUsersReport = reportRoute(funnelUsersForm, (values, front): ReportQuery => {
  const {step, outcome, limit, cursor, 'steps[]': steps} = values;
  if (step > steps.length) throw refused(`there is no step ${step}`, 'step');
  if (step === 1 && outcome === 'dropped') throw refused('nobody drops out before step 1', 'step');
  const {row, ...broken} = rowOf(values);
  const bounds = boundsOf(timesOf(rangeIn(values), front), front);
  const paths = pathsIn(values);
  const rules = inNumbersOf(values, () => funnelRulesOf(paths, bounds, front));
  const asked = {...rules, ...broken, point: {step, outcome, row}};
  const list = createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 22);
  const after = cursor === undefined ? undefined : readFunnelUsersCursor(cursor, list);
  if (cursor !== undefined && after === undefined) throw new RequestFailure(foreignCursor);
  return {report: 'funnel-users', ...asked, limit, list, ...(after === undefined ? {} : {after})};
});

/** @throws RequestFailure */
function rowOf(
  values: QueryValues<typeof funnelUsersForm>,
): Pick<FunnelRules, 'breakdown' | 'breakdownAt'> & Pick<StepPoint, 'row'> {
  const {breakdown_value: value, breakdown_kind: kind, breakdown_at: at} = values;
  const [entry] = breakdownIn({...values, breakdown_limit: undefined});
  if (entry === undefined) {
    if (at !== undefined) throw refused('breakdown_at goes with a breakdown', 'breakdown_at');
    if (value !== undefined) throw refused('breakdown_value goes with a breakdown', 'breakdown_value');
    if (kind !== undefined) throw refused('breakdown_kind goes with a breakdown', 'breakdown_kind');
    return {};
  }
  const breakdown = breakdownsOf([entry], 1)!;
  const {steps} = pathsIn(values);
  const breakdownAt = breakdownAtOf({breakdown: [{...entry, at}], steps});
  if (value !== undefined && kind !== undefined)
    throw refused('breakdown_value and breakdown_kind exclude each other', 'breakdown_kind');
  if (value === undefined && kind === undefined)
    throw refused('a breakdown needs breakdown_value or breakdown_kind here', 'breakdown');
  return {breakdown, breakdownAt, row: [value === undefined ? {kind: kind!} : {value}]};
}
