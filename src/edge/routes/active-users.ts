// GET /v1/reports/users: active users by bucket.
import {trailingDays} from '../../../actors/report/active/active-plan.js';
import type {ActiveMetric} from '../../asks/active-users.js';
import {activeBucketsOf, bucketCount, bucketedForm} from '../query/asked-times.js';
import {breakdownForm, breakdownOf} from '../query/breakdown.js';
import {didForm, didOf, isAnything} from '../query/did.js';
import {withDefault, word} from '../query/parameters.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, reportRoute} from './reports.js';

export const usersForm = {
  ...ofEveryReport,
  ...formatForm,
  ...didForm,
  ...bucketedForm,
  metric: withDefault(word<ActiveMetric>(['dau', 'wau', 'mau']), 'dau', {
    description:
      'Daily, weekly or monthly active users. While the interval is shorter than the unit of the metric, each bucket ' +
      'counts the trailing 1, 7 or 30 days; otherwise the distinct users of the bucket.',
  }),
  ...breakdownForm,
};

export const usersReport = reportRoute(usersForm, (values, front) => {
  const {metric, interval} = values;
  const {days, ...buckets} = activeBucketsOf(values, trailingDays(metric, interval), front);
  const asked = {...buckets, metric};
  const breakdown = breakdownOf(values, bucketCount(asked));
  if (isAnything(values) && breakdown === undefined)
    return {report: 'users', ...asked, ...(days === undefined ? {} : {days})};
  return {report: 'activity', ...asked, ...didOf(values), ...(breakdown === undefined ? {} : {breakdown})};
});
