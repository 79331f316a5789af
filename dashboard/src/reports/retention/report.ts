// Retention: of those who began, how many came back, by the period in which they began.
import {periodLengths, type RetentionQuestion, retentionForm, usualPeriod} from '../../address/engagement-address';
import {suggestedOf} from '../../controls/suggested-name';
import {eventWords, people, userWords} from '../question-words';
import type {Report} from '../report';
import {Fields} from './fields';
import {Result} from './result';

export const report: Report<RetentionQuestion> = {
  form: retentionForm,
  isAsked: ({start}) => start !== null,
  title: (question) => `Retention: ${question.start}, then ${question.return ?? 'any event'}`,
  words: (question) => [
    ['Began with', eventWords(question.start, question.start_where)],
    ['Returned with', eventWords(question.return, question.return_where)],
    ...userWords(question),
    ['How', people],
  ],
  interval: ({every}, days) => every ?? usualPeriod(days),
  offered: periodLengths,
  suggest: (names) => {
    const start = suggestedOf(names);
    return start === undefined ? undefined : {start};
  },
  Fields,
  Result,
};
