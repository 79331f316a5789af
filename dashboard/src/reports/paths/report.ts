// Paths: what users do after an event, or before it, step by step.
import {conditionsOf, type Draft, ofUsers, stateOf} from '../../address/page-question';
import {suggestedOf} from '../../controls/suggested-name';
import {and, people, userWords} from '../question-words';
import type {Report} from '../report';
import {turnOf} from './behind';
import {Fields} from './fields';
import {Result} from './result';

export const report: Report<Draft<'paths'>> = {
  ...stateOf<'paths'>('/paths'),
  isAsked: (question) => turnOf(question).event !== '',
  title: (question) => `Paths ${turnOf(question).isBefore ? 'before' : 'after'} ${turnOf(question).event}`,
  words: (question) => [
    [turnOf(question).isBefore ? 'Before' : 'After', turnOf(question).event],
    ['Of events whose', and(conditionsOf(question.where))],
    ...userWords(ofUsers(question)),
    ['How', people],
  ],
  suggest: (names) => {
    const event = suggestedOf(names);
    return event === undefined ? undefined : {start: {event}};
  },
  Fields,
  Result,
};
