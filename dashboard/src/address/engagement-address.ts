// The questions of Retention, Lifecycle and Paths: the forms of their addresses, and the paths that ask the service.
import {pathDepthDefault, pathDepthMax, pathDepthMin} from '../../../actors/limits.js';
import {nameOrNone, one, type Parameter, type QuestionOf, word} from './codec.js';
import {type Condition, conditions, writeCondition} from './conditions.js';
import {type Days, type Interval, intervals, parseRange, type Range, rangeText} from './range.js';
import {every, queryOf, type Span} from './report-address.js';
import {zone} from './zone.js';

// -- Forms -------------------------------------------------------------------------------------------------------------

const rangeOr = (absent: Range): Parameter<Range> =>
  one(absent, 'a range such as 30d, 12mo, 2026-10 or 2026-11-03..2026-11-09', parseRange, rangeText);
const range = rangeOr({kind: 'last', amount: 90, unit: 'day'});
const event = nameOrNone('the name of an event, of 1 to 256 characters');
const wholeNumber = (absent: number, min: number, max: number): Parameter<number> =>
  one(
    absent,
    `a whole number from ${min} to ${max}`,
    (text) => (/^\d{1,3}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
    String,
  );

export const periodsMax = 60;
/** Retention has no longer ones. */
export const periodLengths = intervals.slice(0, 4);
export const retentionForm = {
  start: event,
  /** Null: an event of any name. */
  return: event,
  cohort: word<'first' | 'recurring', 'first'>(['first', 'recurring'], 'first'),
  criteria: word<'on' | 'on_or_after', 'on'>(['on', 'on_or_after'], 'on'),
  frame: word<'calendar' | 'rolling', 'calendar'>(['calendar', 'rolling'], 'calendar'),
  start_where: conditions,
  return_where: conditions,
  user_where: conditions,
  periods: wholeNumber(12, 1, periodsMax),
  show: word<'share' | 'users', 'share'>(['share', 'users'], 'share'),
  range,
  zone,
  every: word<Interval, null>(periodLengths, null),
} as const;
export type RetentionQuestion = QuestionOf<typeof retentionForm>;

export const lifecycleForm = {
  /** Null: an event of any name. */
  event,
  where: conditions,
  user_where: conditions,
  often: word<'exactly' | 'at_least', 'exactly'>(['exactly', 'at_least'], 'exactly'),
  range,
  zone,
  every,
} as const;
export type LifecycleQuestion = QuestionOf<typeof lifecycleForm>;

export const pathsForm = {
  event,
  direction: word<'after' | 'before', 'after'>(['after', 'before'], 'after'),
  where: conditions,
  user_where: conditions,
  depth: wholeNumber(pathDepthDefault, pathDepthMin, pathDepthMax),
  top: wholeNumber(8, 1, 50),
  range: rangeOr({kind: 'last', amount: 30, unit: 'day'}),
  zone,
} as const;
export type PathsQuestion = QuestionOf<typeof pathsForm>;

/** Cohorts and stages of life want longer buckets than counts: a table that fits on a page. */
export function usualPeriod({from, to}: Days): Interval {
  const days = to - from + 1;
  if (days <= 31) return 'day';
  return days <= 183 ? 'week' : 'month';
}

// -- Paths -------------------------------------------------------------------------------------------------------------

const eachOf = (name: string, all: readonly Condition[]): (readonly [string, string])[] =>
  all.map((condition) => [name, writeCondition(condition)] as const);

export const retentionPath = (question: RetentionQuestion, start: string, days: Span, interval: Interval): string =>
  `v1/reports/retention?${queryOf(days, [
    ['start', start],
    question.return === null ? ['any_return', 'true'] : ['return', question.return],
    ...eachOf('start_where', question.start_where),
    ...eachOf('return_where', question.return_where),
    ...eachOf('user_where', question.user_where),
    ['cohort', question.cohort],
    ['criteria', question.criteria],
    ['frame', question.frame],
    ['periods', String(question.periods)],
    ['interval', interval],
  ])}`;

const named = (name: string | null): readonly [string, string] =>
  name === null ? ['any_event', 'true'] : ['event', name];

const didOf = (question: LifecycleQuestion): (readonly [string, string])[] => [
  named(question.event),
  ...eachOf('where', question.where),
  ...eachOf('user_where', question.user_where),
];

export const lifecyclePath = (question: LifecycleQuestion, days: Span, interval: Interval): string =>
  `v1/reports/lifecycle?${queryOf(days, [...didOf(question), ['interval', interval]])}`;

export const stickinessPath = (question: LifecycleQuestion, days: Span, interval: Interval): string =>
  `v1/reports/stickiness?${queryOf(days, [
    ...didOf(question),
    ['interval', interval],
    ['at_least', question.often === 'at_least' ? 'true' : undefined],
  ])}`;

export const pathsPath = (question: PathsQuestion, name: string, days: Span): string =>
  `v1/reports/paths?${queryOf(days, [
    [question.direction === 'after' ? 'start' : 'end', name],
    ...eachOf('where', question.where),
    ...eachOf('user_where', question.user_where),
    ['depth', String(question.depth)],
    ['limit', String(question.top)],
  ])}`;
