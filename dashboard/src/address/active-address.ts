// The question of Active users: who is active, by what, and by which values; and the paths that ask the service.
import {breakdownLimitDefault} from '../../../actors/limits.js';
import {nameOrNone, type QuestionOf, word} from './codec.js';
import {conditions, writeCondition} from './conditions.js';
import type {Interval} from './range.js';
import {activeForm, type Metric, metrics, queryOf, type Span} from './report-address.js';
import {zone} from './zone.js';

export const activeQuestionForm = {
  /** Null: an event of any name. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  where: conditions,
  user_where: conditions,
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
export const activePath = (
  {event, where, user_where: userWhere}: Pick<ActiveQuestion, 'event' | 'where' | 'user_where'>,
  metric: Metric,
  span: Span,
  interval: Interval,
  by?: string,
): string =>
  `v1/reports/users?${queryOf(span, [
    ['metric', metric],
    ['event', event],
    ...where.map((condition) => ['where', writeCondition(condition)] as const),
    ...userWhere.map((condition) => ['user_where', writeCondition(condition)] as const),
    ['breakdown', by],
    ['breakdown_limit', by === undefined ? undefined : String(activeRowsMax)],
    ['interval', interval],
  ])}`;
