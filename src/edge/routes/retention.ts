// GET /v1/reports/retention.
import {retentionCellsMax} from '../../../actors/limits.js';
import {type RetentionQuestion, retention} from '../../asks/question/engagement.js';
import type {ReportQuery} from '../../asks/report.js';
import type {Front} from '../front.js';
import {bucketCount, bucketsOf} from '../query/asked-times.js';
import {breakdownForm, breakdownIn, breakdownsOf} from '../query/breakdown.js';
import {conditionTexts} from '../query/conditions.js';
import {checkNamed, selectorOf} from '../query/did.js';
import {endsAfter} from '../query/neighbour-buckets.js';
import {flag, member, name, optional, required} from '../query/parameters.js';
import type {QueryValues} from '../query/query.js';
import {bucketedForm, bucketsIn, bucketTimesOf} from '../query/question-times.js';
import {userFilterOf, usersForm, usersIn} from '../query/user-filter.js';
import {formatForm} from './report-format.js';
import {ofEveryReport, refused, reportRoute} from './reports.js';

const {shape} = retention;

export const retentionForm = {
  ...ofEveryReport,
  ...formatForm,
  start: required(name, {
    description: 'The name of the events that make a user a member of a cohort.',
    example: 'signup',
  }),
  start_where: conditionTexts({
    description: 'Only start events that meet this condition, in the form of `where` of the counts.',
  }),
  return: optional(name, {
    description: 'The name of the events that are a return. Either this, or `any_return`.',
    example: 'purchase',
  }),
  any_return: flag({description: '`true` in place of `return`: events of every name.'}),
  return_where: conditionTexts({
    description: 'Only returns that meet this condition, in the form of `where` of the counts.',
  }),
  ...usersForm,
  ...bucketedForm,
  interval: member(shape.interval),
  periods: member(shape.periods, {example: '2'}),
  cohort: member(shape.cohort),
  criteria: member(shape.criteria),
  frame: member(shape.frame),
  ...breakdownForm,
};

export const retentionReport = reportRoute(retentionForm, (values, front) => retentionQuery(questionOf(values), front));

function questionOf(values: QueryValues<typeof retentionForm>): RetentionQuestion {
  const {start, start_where: startWhere, return_where: returnWhere, periods, cohort, criteria} = values;
  checkNamed('return', values.return, 'any_return', values.any_return);
  return {
    report: 'retention',
    ...bucketsIn(values),
    start: {event: start, where: [...startWhere]},
    return: {event: values.return, where: [...returnWhere]},
    ...usersIn(values),
    periods,
    cohort,
    criteria,
    frame: values.frame,
    breakdown: breakdownIn(values),
  };
}

/** @throws RequestFailure */
export function retentionQuery(question: RetentionQuestion, front: Front): Extract<ReportQuery, {report: 'retention'}> {
  const {interval, periods, cohort, criteria, frame} = question;
  const times = bucketTimesOf(question, front);
  const asked = bucketsOf(times, front);
  const cells = bucketCount(asked) * periods;
  if (cells > retentionCellsMax) {
    const most = retentionCellsMax.toLocaleString('en');
    throw refused(`the answer would have more than ${most} cohorts times periods: choose a longer interval`, 'periods');
  }
  const breakdown = breakdownsOf(question.breakdown, cells);
  return {
    report: 'retention',
    ...asked,
    interval,
    laterEnds: endsAfter(asked, times, front, periods - 1),
    start: selectorOf(question.start),
    return: selectorOf(question.return ?? {}),
    ...userFilterOf(question, front),
    periods,
    cohort,
    criteria,
    frame,
    ...(breakdown === undefined ? {} : {breakdown}),
  };
}
