// The question of Funnels: its steps in words, what it asks over time, and what a saved funnel follows of it.

import {fitting, searchOf} from '../../../../src/asks/address.js';
import type {FixedQuestionOf} from '../../../../src/asks/question/flat.js';
import type {SavedFunnelAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import {conditionText} from '../../address/conditions.js';
import {askedOver, conditionsOf, type Draft} from '../../address/page-question.js';
import type {Interval} from '../../address/range.js';
import type {Span} from '../../address/report-address.js';
import {homeZone} from '../../address/zone.js';

export type FunnelDraft = Draft<'funnel'>;
export type Step = FunnelDraft['steps'][number];
export type Outcome = 'reached' | 'dropped';

/** A step, or an event that ends an attempt: `signup`, `signup, plan is pro`. */
export const stepLabel = ({event, where}: Pick<Step, 'event' | 'where'>): string =>
  [event, ...conditionsOf(where).map(conditionText)].join(', ');

/** Asks for the funnel's users by the bucket of their entry, and by the time that they took. */
export const funnelTimesQuestion = (
  question: FunnelDraft,
  span: Span,
  interval: Interval,
): FixedQuestionOf<'funnel'> => ({
  ...askedOver<'funnel'>({...question, breakdown: undefined}, span, interval),
  histogram: 'clock',
  percentiles: true,
});

/** What a saved funnel follows. */
export function followedBy(question: FunnelDraft) {
  const {report, steps, where, window, order, exclude} = fitting(question);
  return {report, steps, where, window, order, exclude};
}

/** The page of a saved funnel, which has no days: those of a page without a choice. */
export const addressOfFollowed = (question: SavedFunnelAnswer['question']): string =>
  searchOf('/funnels', {...question, range: '-30d', percentiles: false}, homeZone());
