// GET /v1/reports/funnel and /v1/reports/funnel/users: the parameters of a funnel, and the questions that they make.
//   FU1. A question without any of the parameters that only rows answer is a plain funnel, which has indexes.
import {createHash} from 'node:crypto';
import type {Interval} from '../../../actors/calendar.js';
import {
  breakdownCellsMax,
  exclusionsMax,
  funnelStepsMax,
  funnelUsersLimitDefault,
  funnelUsersLimitMax,
} from '../../../actors/limits.js';
import {type HistogramBounds, histogramBinsMax} from '../../../actors/report/funnel/duration-histogram.js';
import {type StepOrder, stepOrders} from '../../../actors/report/funnel/path-search.js';
import type {BreakdownAt, ChosenEvents, FunnelRow, FunnelRules} from '../../asks/funnels.js';
import type {ReportQuery} from '../../asks/report.js';
import {windowMsOf, windowPattern, windowRule} from '../../conversion-window.js';
import {readFunnelUsersCursor} from '../../funnel-users-cursor.js';
import {RequestFailure} from '../failure.js';
import {boundsForm, boundsOf, bucketCount, bucketsOf} from '../query/asked-times.js';
import {breakdownForm, breakdownOf} from '../query/breakdown.js';
import {conditions, userWhere, where} from '../query/conditions.js';
import type {WeekStart} from '../query/local-buckets.js';
import {
  anyText,
  list,
  name,
  optional,
  required,
  type TextForm,
  wholeNumber,
  withDefault,
  word,
} from '../query/parameters.js';
import {numbered, numberedName, type QueryValues} from '../query/query.js';
import {formatForm} from './report-csv.js';
import {foreignCursor, ofEveryReport, refused, reportRoute} from './reports.js';

const conversionWindow: TextForm<number> = {
  schema: {type: 'string', pattern: windowPattern.source},
  expected: windowRule,
  parse: windowMsOf,
};

interface Between {
  readonly first: number;
  readonly last: number;
}

const between: TextForm<Between> = {
  schema: {type: 'string', pattern: '^[1-9]\\d?-[1-9]\\d?$'},
  expected: 'two steps, as 1-3',
  parse: (text) => {
    const [, first, last] = /^([1-9]\d?)-([1-9]\d?)$/.exec(text) ?? [];
    return first === undefined || Number(first) >= Number(last)
      ? undefined
      : {first: Number(first), last: Number(last)};
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
  ...boundsForm,
  window: optional(conversionWindow, {
    description: 'The time from the first step to the last one, inclusive: seconds, or `30m`, `12h`, `7d`.',
  }),
  range: optional(word<FunnelRules['range']>(['all', 'entry']), {
    description:
      '`entry`: the first event of a path lies in [`from`, `to`], and its path goes on for the `window`, which is required. ' +
      '`undecided` then counts those who may still convert. Default: `all`, every step lies in [`from`, `to`].',
  }),
  order: optional(word<StepOrder>(stepOrders), {
    description:
      '`strict`: no other event of the user lies between two steps. `any`: the steps come in any order, and `level` k counts ' +
      'who did k different ones; the first step is not special. Default: `sequential`.',
  }),
  where,
  'where[n]': numbered(
    conditions(
      `\`where[k]\`: only events of step k (1 to ${funnelStepsMax}) that meet this condition, in the form of \`where\`. ` +
        'Up to ten a step, of which all must hold.',
    ),
    funnelStepsMax,
  ),
  user_where: userWhere,
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
    conditions('`exclude_where[n]`: only events that meet this condition are excluded, in the form of `where`.'),
    exclusionsMax,
  ),
  hold: optional(name, {
    description:
      'A property that all events of a path have the same value of. Counts are of users and values then: the answer has ' +
      '`"unit":"user_and_value"`. Events without a value are in no path.',
  }),
};

/** Bounds by the word that asks for a histogram. */
const boundsBy: Readonly<Record<'true' | 'clock', HistogramBounds>> = {true: 'decimal', clock: 'clock'};

export const funnelForm = {
  ...ofEveryReport,
  ...formatForm,
  ...pathsForm,
  ...breakdownForm,
  breakdown_at: breakdownAtParameter,
  interval: optional(word<Interval>(['hour', 'day', 'week', 'month', 'quarter', 'year']), {
    description: 'Adds `data`: conversion by the bucket of the first entry, so that buckets add up to the funnel.',
  }),
  week_start: optional(word<WeekStart>(['monday', 'sunday']), {
    description: 'First day of a week. Default: `monday`.',
  }),
  histogram: optional(word<keyof typeof boundsBy>(['true', 'clock']), {
    description:
      'Adds to each step how long it took. `true`: bounds are 1, 2 and 5 times powers of ten. `clock`: they are those of ' +
      'clocks and calendars, such as 30 s, 15 min, 6 h, 7 d.',
  }),
  percentiles: optional(word(['true']), {
    description: '`true` adds `p75_seconds`, `p90_seconds` and `p95_seconds` to each step (nearest rank, exact).',
  }),
};

type Values = QueryValues<typeof funnelForm>;
type PathValues = QueryValues<typeof pathsForm>;

export const funnelReport = reportRoute(funnelForm, (values, front): ReportQuery => {
  if (isPlain(values)) {
    const {'steps[]': steps, window: windowMs, ...times} = values;
    return {report: 'funnel', steps, ...boundsOf(times, front), ...(windowMs === undefined ? {} : {windowMs})};
  }
  const {interval, week_start, 'steps[]': steps} = values;
  if (interval === undefined && week_start !== undefined)
    throw refused('week_start goes with an interval', 'week_start');
  const buckets =
    interval === undefined ? undefined : bucketsOf({...values, interval, week_start: week_start ?? 'monday'}, front);
  const rules = funnelRulesOf(values, boundsOf(values, front));
  const histogram = values.histogram && boundsBy[values.histogram];
  const cells =
    steps.length * (histogram === undefined ? 1 : histogramBinsMax) +
    (buckets === undefined ? 0 : bucketCount(buckets));
  const breakdown = breakdownOf(values, Math.min(cells, breakdownCellsMax));
  return {
    report: 'walked-funnel',
    ...rules,
    ...buckets,
    ...(breakdown === undefined ? {} : {breakdown}),
    breakdownAt: breakdownAtOf(values),
    ...(histogram === undefined ? {} : {histogram}),
    ...(values.percentiles !== undefined && {hasPercentiles: true as const}),
  };
});

/** FU1 */
function isPlain(values: Values): boolean {
  const {range, order, hold, breakdown, breakdown_at, breakdown_limit, interval, week_start} = values;
  const {histogram, percentiles} = values;
  const ofAnswer = [breakdown, breakdown_at, breakdown_limit, interval, week_start, histogram, percentiles];
  const single = [range, order, hold, ...ofAnswer];
  const lists = [values.where, values.user_where];
  const ofNumbers = [
    values['where[n]'],
    values['exclude[n]'],
    values['exclude_between[n]'],
    values['exclude_where[n]'],
  ];
  return (
    single.every((value) => value === undefined) &&
    lists.every(({length}) => length === 0) &&
    ofNumbers.every(({size}) => size === 0)
  );
}

/** @throws RequestFailure */
function funnelRulesOf(values: PathValues, bounds: {fromMs: number; toMs: number}): FunnelRules {
  const {'steps[]': steps, order = 'sequential', range = 'all', hold, window: windowMs} = values;
  if (range === 'entry' && windowMs === undefined)
    throw refused('window is required: with range=entry a path ends with it', 'window');
  const ofSteps = values['where[n]'];
  for (const step of ofSteps.keys()) {
    if (step > steps.length) throw refused(`there is no step ${step}`, numberedName('where[n]', step));
  }
  return {
    steps: steps.map((event, i) => ({event, where: ofSteps.get(i + 1) ?? []})),
    order,
    ...bounds,
    range,
    ...(windowMs === undefined ? {} : {windowMs}),
    where: values.where,
    userWhere: values.user_where,
    exclusions: exclusionsOf(values, order),
    ...(hold === undefined ? {} : {hold}),
  };
}

function exclusionsOf(values: PathValues, order: StepOrder): FunnelRules['exclusions'] {
  const {'exclude[n]': excluded, 'exclude_between[n]': betweens, 'exclude_where[n]': wheres} = values;
  const stepCount = values['steps[]'].length;
  for (const [form, given] of [
    ['exclude_between[n]', betweens],
    ['exclude_where[n]', wheres],
  ] as const) {
    for (const n of given.keys()) {
      if (!excluded.has(n)) throw refused(`there is no exclude[${n}]`, numberedName(form, n));
    }
  }
  return [...excluded].map(([n, event]) => {
    const field = numberedName('exclude[n]', n);
    if (order === 'strict') throw refused('with order=strict every other event ends the attempt already', field);
    if (order === 'any') throw refused('with order=any nothing lies between two steps', field);
    if (stepCount === 1) throw refused('a single step has nothing after it that could be excluded', field);
    const {first, last} = betweens.get(n) ?? {first: 1, last: stepCount};
    if (last > stepCount) throw refused(`there is no step ${last}`, numberedName('exclude_between[n]', n));
    const chosen: ChosenEvents = {event, where: wheres.get(n) ?? []};
    return {...chosen, afterStep: first - 1, beforeStep: last - 1};
  });
}

interface AskedAt {
  readonly breakdown: string | undefined;
  readonly breakdown_at: BreakdownAt | undefined;
  readonly 'steps[]': readonly string[];
}

function breakdownAtOf({breakdown, breakdown_at: at, 'steps[]': steps}: AskedAt): BreakdownAt {
  if (at === undefined) return 1;
  if (breakdown === undefined) throw refused('breakdown_at goes with a breakdown', 'breakdown_at');
  if (breakdown.startsWith('trait:')) throw refused('a trait is of the user, and not of a step', 'breakdown_at');
  if (typeof at === 'number' && at > steps.length) throw refused(`there is no step ${at}`, 'breakdown_at');
  return at;
}

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
  cursor: optional(anyText, {
    description:
      'The `next_cursor` of the page before, with the same parameters; `limit` may change. Pages of one ' +
      '`Report-Log-Position` fit together; `at` asks for it.',
  }),
};

export const funnelUsersReport = reportRoute(funnelUsersForm, (values, front): ReportQuery => {
  const {step, outcome, limit, cursor, 'steps[]': steps} = values;
  if (step > steps.length) throw refused(`there is no step ${step}`, 'step');
  if (step === 1 && outcome === 'dropped') throw refused('nobody drops out before step 1', 'step');
  const row = rowOf(values);
  const asked = {...funnelRulesOf(values, boundsOf(values, front)), step, outcome, ...(row && {row})};
  const list = createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 22);
  const after = cursor === undefined ? undefined : readFunnelUsersCursor(cursor, list);
  if (cursor !== undefined && after === undefined) throw new RequestFailure(foreignCursor);
  return {report: 'funnel-users', ...asked, limit, list, ...(after === undefined ? {} : {after})};
});

/** @throws RequestFailure */
function rowOf(values: QueryValues<typeof funnelUsersForm>): FunnelRow | undefined {
  const {breakdown_value: value, breakdown_kind: kind} = values;
  const breakdown = breakdownOf({...values, breakdown_limit: undefined}, 1);
  const at = breakdownAtOf(values);
  if (breakdown === undefined) {
    if (value !== undefined) throw refused('breakdown_value goes with a breakdown', 'breakdown_value');
    if (kind !== undefined) throw refused('breakdown_kind goes with a breakdown', 'breakdown_kind');
    return undefined;
  }
  if (value !== undefined && kind !== undefined)
    throw refused('breakdown_value and breakdown_kind exclude each other', 'breakdown_kind');
  if (value === undefined && kind === undefined)
    throw refused('a breakdown needs breakdown_value or breakdown_kind here', 'breakdown');
  return {breakdown, at, is: value === undefined ? {kind: kind!} : {value}};
}
