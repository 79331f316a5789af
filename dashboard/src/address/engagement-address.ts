// The questions of Retention, Lifecycle and Paths: the forms of their addresses, and what they ask the service.
import {pathDepthDefault, pathDepthMax, pathDepthMin} from '../../../actors/limits.js';
import type {FixedQuestionOf} from '../../../src/asks/question/flat.js';

export {usualPeriod} from '../../../src/asks/question/usual.js';

import {nameOrNone, one, type Parameter, type QuestionOf, word} from './codec.js';
import {conditions, segment, usersOf, writeCondition} from './conditions.js';
import {type Interval, intervals, parseRange, type Range, rangeText} from './range.js';
import {every, type Span, timesOf} from './report-address.js';
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
  segment,
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
  segment,
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
  segment,
  depth: wholeNumber(pathDepthDefault, pathDepthMin, pathDepthMax),
  top: wholeNumber(8, 1, 50),
  range: rangeOr({kind: 'last', amount: 30, unit: 'day'}),
  zone,
} as const;
export type PathsQuestion = QuestionOf<typeof pathsForm>;

// -- Questions ---------------------------------------------------------------------------------------------------------

export const retentionQuestion = (
  question: RetentionQuestion,
  start: string,
  days: Span,
  interval: Interval,
): FixedQuestionOf<'retention'> => ({
  report: 'retention',
  start: {event: start, where: question.start_where.map(writeCondition)},
  return: {event: question.return ?? undefined, where: question.return_where.map(writeCondition)},
  users: usersOf(question),
  cohort: question.cohort,
  criteria: question.criteria,
  frame: question.frame,
  periods: question.periods,
  interval: interval as FixedQuestionOf<'retention'>['interval'], // `periodLengths` alone.
  ...timesOf(days),
});

const didOf = (question: LifecycleQuestion, days: Span, interval: Interval) => ({
  events: question.event === null ? [] : [{event: question.event}],
  where: question.where.map(writeCondition),
  users: usersOf(question),
  interval,
  ...timesOf(days),
});

export const lifecycleQuestion = (
  question: LifecycleQuestion,
  days: Span,
  interval: Interval,
): FixedQuestionOf<'lifecycle'> => ({report: 'lifecycle', ...didOf(question, days, interval)});

export const stickinessQuestion = (
  question: LifecycleQuestion,
  days: Span,
  interval: Interval,
): FixedQuestionOf<'stickiness'> => ({
  report: 'stickiness',
  ...didOf(question, days, interval),
  at_least: question.often === 'at_least',
});

export const pathsQuestion = (question: PathsQuestion, event: string, days: Span): FixedQuestionOf<'paths'> => ({
  report: 'paths',
  [question.direction === 'after' ? 'start' : 'end']: {event},
  where: question.where.map(writeCondition),
  users: usersOf(question),
  depth: question.depth,
  limit: question.top,
  ...timesOf(days),
});
