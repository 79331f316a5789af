// GET /v1/reports/retention.
import {retentionCellsMax, retentionPeriodsDefault, retentionPeriodsMax} from '../../../actors/limits.js';
import type {RetentionInterval, RetentionRules} from '../../../actors/report/engagement/retention.js';
import {bucketCount, bucketedForm, bucketsOf} from '../query/asked-times.js';
import {breakdownForm, breakdownOf} from '../query/breakdown.js';
import {conditions, userWhere} from '../query/conditions.js';
import {checkNamed} from '../query/did.js';
import {endsAfter} from '../query/neighbour-buckets.js';
import {name, optional, required, wholeNumber, withDefault, word} from '../query/parameters.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, refused, reportRoute} from './reports.js';

export const retentionForm = {
  ...ofEveryReport,
  ...formatForm,
  start: required(name, {
    description: 'The name of the events that make a user a member of a cohort.',
    example: 'signup',
  }),
  start_where: conditions('Only start events that meet this condition, in the form of `where` of the counts.'),
  return: optional(name, {
    description: 'The name of the events that are a return. Either this, or `any_return`.',
    example: 'purchase',
  }),
  any_return: optional(word(['true']), {description: '`true` in place of `return`: events of every name.'}),
  return_where: conditions('Only returns that meet this condition, in the form of `where` of the counts.'),
  user_where: userWhere,
  ...bucketedForm,
  interval: withDefault(word<RetentionInterval>(['hour', 'day', 'week', 'month']), 'day', {
    description: 'Length of a cohort and of a period, in the zone.',
  }),
  periods: withDefault(wholeNumber(retentionPeriodsMax), retentionPeriodsDefault, {
    example: '2',
    description:
      'Cells of a cohort, numbered from 0, the period of the start event itself. Cohorts times periods: at most ' +
      `${retentionCellsMax.toLocaleString('en')}.`,
  }),
  cohort: withDefault(word<RetentionRules['cohort']>(['first', 'recurring']), 'first', {
    description:
      '`first`: a user is in the cohort of its first start event of all time, whatever `from` is. `recurring`: in the cohort ' +
      'of each bucket with a start event of the user.',
  }),
  criteria: withDefault(word<RetentionRules['criteria']>(['on', 'on_or_after']), 'on', {
    description: 'Who counts in a cell: who returned in its period, or who returned in it or later, up to `to`.',
  }),
  frame: withDefault(word<RetentionRules['frame']>(['calendar', 'rolling']), 'calendar', {
    description:
      '`calendar`: period k is the k-th bucket after that of the cohort. `rolling`: period k is k to k + 1 times an hour, 24 ' +
      'hours, 7 days or 30 days after the start event.',
  }),
  ...breakdownForm,
};

export const retentionReport = reportRoute(retentionForm, (values, front) => {
  const {start, start_where: startWhere, return_where: returnWhere, interval, periods} = values;
  checkNamed('return', values.return, 'any_return', values.any_return);
  const asked = bucketsOf(values, front);
  const cells = bucketCount(asked) * periods;
  if (cells > retentionCellsMax) {
    const most = retentionCellsMax.toLocaleString('en');
    throw refused(`the answer would have more than ${most} cohorts times periods: choose a longer interval`, 'periods');
  }
  const breakdown = breakdownOf(values, cells);
  return {
    report: 'retention',
    ...asked,
    interval,
    laterEnds: endsAfter(asked, values, front, periods - 1),
    start: {event: start, where: startWhere},
    return: {...(values.return === undefined ? {} : {event: values.return}), where: returnWhere},
    userWhere: values.user_where,
    periods,
    cohort: values.cohort,
    criteria: values.criteria,
    frame: values.frame,
    ...(breakdown === undefined ? {} : {breakdown}),
  };
});
