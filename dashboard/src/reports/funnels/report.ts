// Funnels: users who did one step after another, and the steps at which they were lost.
import {bysOf, conditionsOf, ofUsers, stateOf} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {windowText} from '../../charts/format';
import {funnelTitle} from '../../charts/funnel-words';
import {suggestedSteps} from '../../controls/suggested-steps';
import {and, byWords, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {type FunnelDraft, stepLabel} from './funnel-question';
import {Foot, Result} from './result';

export const report: Report<FunnelDraft> = {
  ...stateOf<'funnel'>('/funnels'),
  isAsked: ({steps}) => steps.length > 0,
  title: ({steps}) => funnelTitle(steps),
  words: ({steps, where, window, exclude = [], hold = '', ...question}) => [
    ['Steps', steps.map(stepLabel).join(', then ')],
    ['Of events whose', and(conditionsOf(where))],
    ...userWords(ofUsers(question)),
    ['Within', window === undefined ? '' : `${windowText(window)} of the first step`],
    ['Ended by', exclude.map(stepLabel).join('; ')],
    ['Holding constant', hold],
    byWords(bysOf(question)),
    ['How', people],
  ],
  // One step takes no time.
  interval: ({view, steps}, days) => (steps.length > 1 ? intervalOf(view?.every ?? null, days) : undefined),
  suggest: (names) => {
    const steps = suggestedSteps(names).map((event) => ({event}));
    return steps.length === 0 ? undefined : {steps};
  },
  unasked: {
    title: 'Choose the first step',
    text: (dates) =>
      `A funnel counts the users who did one thing, then the next, ${dates}. Other events may lie between; a user counts once.`,
  },
  Fields,
  Result,
  Foot,
};
