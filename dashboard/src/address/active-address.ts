// The question of Active users: who is active, by what, and by which values; and what it asks the service.
import {breakdownLimitDefault} from '../../../actors/limits.js';
import type {FixedQuestionOf} from '../../../src/asks/question/flat.js';
import {breakdownBy} from './breakdown-row.js';
import {nameOrNone, type QuestionOf, word} from './codec.js';
import {conditions, segment, usersOf, writeCondition} from './conditions.js';
import type {Interval} from './range.js';
import {activeForm, type Metric, metrics, type Span, timesOf} from './report-address.js';
import {byLimit} from './trends-address.js';
import {zone} from './zone.js';

export const activeQuestionForm = {
  /** Null: an event of any name. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  where: conditions,
  user_where: conditions,
  segment,
  by_limit: byLimit,
  by: nameOrNone('the name of a property, or trait: and the name of a trait'),
  /** Metric of the breakdown. */
  metric: word<Metric, 'dau'>(metrics, 'dau'),
  ...activeForm,
  zone,
} as const;
export type ActiveQuestion = QuestionOf<typeof activeQuestionForm>;

/** Rows of a breakdown: colours of the palette. */
const activeRowsMax = Math.min(6, breakdownLimitDefault);

/** `by`: also a row for each of its most frequent values. */
export const activeUsersQuestion = (
  question: Pick<ActiveQuestion, 'event' | 'where' | 'user_where'> &
    Partial<Pick<ActiveQuestion, 'segment' | 'by_limit'>>,
  metric: Metric,
  span: Span,
  interval: Interval,
  by?: string,
  limit = question.by_limit ?? activeRowsMax,
): FixedQuestionOf<'active'> => ({
  report: 'active',
  metric,
  events: question.event === null ? [] : [{event: question.event}],
  where: question.where.map(writeCondition),
  users: usersOf(question),
  breakdown: breakdownBy(by, limit),
  interval,
  ...timesOf(span),
});
