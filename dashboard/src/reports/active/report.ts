// Active users: daily, weekly and monthly in one chart and one table, and the stickiness of the product.
import {conditionText} from '../../address/conditions';
import {byOf, bysOf, conditionsOf, type Draft, ofUsers, stateOf} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {later} from '../../shell/later';
import {byWords, eventWords, people, userWords} from '../question-words';
import type {FieldsProps, Report} from '../report';
import {Result} from './result';

export const report: Report<Draft<'active'>> = {
  ...stateOf<'active'>('/active'),
  isAsked: () => true,
  title: ({events: [entry] = [], where, users, ...question}) => {
    const of = entry?.event === undefined ? '' : ` of ${entry.event}`;
    const by = byOf(question);
    const values = by === null ? '' : ` by ${by.replace(/^trait:/, '')}`;
    const conditions = [...conditionsOf(where), ...conditionsOf(users?.where)];
    return [`Active users${of}${values}`, ...conditions.map(conditionText)].join(', ');
  },
  words: ({events: [entry] = [], where, ...question}) => [
    ['Active with', eventWords(entry?.event ?? null, conditionsOf(where))],
    ...userWords(ofUsers(question)),
    byWords(bysOf(question)),
    ['How', people],
  ],
  interval: ({interval = null}, days) => intervalOf(interval, days),
  // Overview has a tile of this report, and no form.
  Fields: later<FieldsProps<Draft<'active'>>>(() => import('./fields').then(({Fields}) => Fields)),
  Result,
};
