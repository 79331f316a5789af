// Retention: of those who began, how many came back, by the period in which they began.
import {periodLengths} from '../../../../src/asks/address.js';
import {usualPeriod} from '../../../../src/asks/question/usual.js';
import {conditionsOf, type Draft, ofUsers, stateOf} from '../../address/page-question';
import {suggestedOf} from '../../controls/suggested-name';
import {eventWords, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';

export const report: Report<Draft<'retention'>> = {
  ...stateOf<'retention'>('/retention'),
  isAsked: ({start}) => start.event !== '',
  title: ({start, return: back}) => `Retention: ${start.event}, then ${back?.event ?? 'any event'}`,
  words: ({start, return: back, ...question}) => [
    ['Began with', eventWords(start.event, conditionsOf(start.where))],
    ['Returned with', eventWords(back?.event ?? null, conditionsOf(back?.where))],
    ...userWords(ofUsers(question)),
    ['How', people],
  ],
  interval: ({interval}, days) => interval ?? usualPeriod(days),
  offered: periodLengths,
  suggest: (names) => {
    const event = suggestedOf(names);
    return event === undefined ? undefined : {start: {event}};
  },
  Fields,
  Result,
};
