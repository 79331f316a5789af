// Funnels: users who did one step after another, and the steps at which they were lost.
import {type FunnelQuestion, funnelForm, stepLabel, stepsOf} from '../../address/funnel-address';
import {intervalOf} from '../../address/report-address';
import {windowText} from '../../address/window-text';
import {funnelTitle} from '../../charts/funnel-words';
import {suggestedSteps} from '../../controls/suggested-steps';
import {byWords, people, userWords} from '../question-words';
import {ofForm, type Report} from '../report';
import {Fields} from './fields';
import {Foot, Result} from './result';

export const report: Report<FunnelQuestion> = {
  ...ofForm(funnelForm),
  isAsked: ({step}) => step.length > 0,
  title: ({step}) => funnelTitle(step),
  words: (question) => [
    ['Steps', stepsOf(question).map(stepLabel).join(', then ')],
    ...userWords(question),
    ['Within', question.window === null ? '' : `${windowText(question.window)} of the first step`],
    ['Ended by', question.exclude.map(({event}) => event).join(', ')],
    ['With the same', question.hold ?? ''],
    byWords(question),
    ['How', people],
  ],
  // One step takes no time.
  interval: ({every, step}, days) => (step.length > 1 ? intervalOf(every, days) : undefined),
  suggest: (names) => {
    const step = suggestedSteps(names);
    return step.length === 0 ? undefined : {step};
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
