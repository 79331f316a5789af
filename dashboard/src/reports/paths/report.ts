// Paths: what users do after an event, or before it, step by step.
import {type PathsQuestion, pathsForm} from '../../address/engagement-address';
import {suggestedOf} from '../../controls/suggested-name';
import {and, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';

export const report: Report<PathsQuestion> = {
  form: pathsForm,
  isAsked: ({event}) => event !== null,
  title: ({event, direction}) => `Paths ${direction} ${event}`,
  words: (question) => [
    [question.direction === 'after' ? 'After' : 'Before', question.event ?? ''],
    ['Of events whose', and(question.where)],
    ...userWords(question),
    ['How', people],
  ],
  suggest: (names) => {
    const event = suggestedOf(names);
    return event === undefined ? undefined : {event};
  },
  Fields,
  Result,
};
