// Lifecycle: who came, who came back and who stayed away, bucket by bucket; and stickiness, how often they came.
import {usualPeriod} from '../../../../src/asks/question/usual.js';
import {conditionsOf, type Draft, ofUsers, stateOf} from '../../address/page-question';
import {eventWords, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';

export const report: Report<Draft<'lifecycle'>> = {
  ...stateOf<'lifecycle'>('/lifecycle'),
  isAsked: () => true,
  title: ({events: [entry] = []}) => (entry?.event === undefined ? 'Lifecycle' : `Lifecycle by ${entry.event}`),
  words: ({events: [entry] = [], where, ...question}) => [
    ['Active with', eventWords(entry?.event ?? null, conditionsOf(where))],
    ...userWords(ofUsers(question)),
    ['How', people],
  ],
  interval: ({interval}, days) => interval ?? usualPeriod(days),
  Fields,
  Result,
};
