// Active users: daily, weekly and monthly in one chart and one table, and the stickiness of the product.
import {type ActiveQuestion, activeQuestionForm} from '../../address/active-address';
import {conditionText} from '../../address/conditions';
import {intervalOf} from '../../address/report-address';
import {later} from '../../shell/later';
import {byWords, eventWords, people, userWords} from '../question-words';
import type {FieldsProps, Report} from '../report';
import {Result} from './result';

export const report: Report<ActiveQuestion> = {
  form: activeQuestionForm,
  isAsked: () => true,
  title: ({event, where, user_where: userWhere, by}) => {
    const of = event === null ? '' : ` of ${event}`;
    const values = by === null ? '' : ` by ${by.replace(/^trait:/, '')}`;
    return [`Active users${of}${values}`, ...[...where, ...userWhere].map(conditionText)].join(', ');
  },
  words: (question) => [
    ['Active with', eventWords(question.event, question.where)],
    ...userWords(question),
    byWords(question),
    ['How', people],
  ],
  interval: ({every}, days) => intervalOf(every, days),
  // Overview has a tile of this report, and no form.
  Fields: later<FieldsProps<ActiveQuestion>>(() => import('./fields').then(({Fields}) => Fields)),
  Result,
};
