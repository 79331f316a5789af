// Trends: events over time, up to six series of one event, one measure and its own conditions, or the rows of a breakdown of them.
import {bysOf, conditionsOf, ofUsers, stateOf} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {and, byWords, once, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';
import {formulaLabels, labelsOf, type TrendsDraft} from './series';

export const report: Report<TrendsDraft> = {
  ...stateOf<'counts'>('/trends'),
  isAsked: ({events = []}) => events.length > 0,
  title: (question) => {
    const computed = formulaLabels(question);
    return (computed.length === 0 ? labelsOf(question.events) : computed).join(', ');
  },
  words: (question) => [
    ['Counted', labelsOf(question.events).join('; ')],
    ['Of events whose', and(conditionsOf(question.where))],
    ['Computed', (question.formulas ?? []).map(({as, is}) => (as === is ? is : `${as}: ${is}`)).join('; ')],
    ...userWords(ofUsers(question)),
    byWords(bysOf(question)),
    ['How', `${once} ${people}`],
  ],
  interval: ({interval = null}, days) => intervalOf(interval, days),
  suggest: ([mostFrequent]) => (mostFrequent === undefined ? undefined : {events: [{event: mostFrequent}]}),
  unasked: {
    title: 'Choose an event',
    text: (dates) => `Add one at the left, and see how often it came ${dates}. Up to six stand beside each other.`,
  },
  Fields,
  Result,
};
