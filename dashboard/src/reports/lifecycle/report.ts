// Lifecycle: who came, who came back and who stayed away, bucket by bucket; and stickiness, how often they came.
import {type LifecycleQuestion, lifecycleForm, usualPeriod} from '../../address/engagement-address';
import {eventWords, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';

export const report: Report<LifecycleQuestion> = {
  form: lifecycleForm,
  isAsked: () => true,
  title: ({event}) => (event === null ? 'Lifecycle' : `Lifecycle by ${event}`),
  words: (question) => [
    ['Active with', eventWords(question.event, question.where)],
    ...userWords(question),
    ['How', people],
  ],
  interval: ({every}, days) => every ?? usualPeriod(days),
  Fields,
  Result,
};
