// GET /v1/reports/users: active users by bucket.
import {trailingDays} from '../../../actors/report/engagement/active-plan.js';
import type {ActiveReportQuery} from '../../asks/active-users.js';
import {type ActiveQuestion, active} from '../../asks/question/counts.js';
import type {Front} from '../front.js';
import {activeBucketsOf, bucketCount} from '../query/asked-times.js';
import {breakdownForm, breakdownIn, breakdownsOf} from '../query/breakdown.js';
import {didForm, didIn, didOf} from '../query/did.js';
import {member} from '../query/parameters.js';
import {bucketedForm, bucketsIn, bucketTimesOf} from '../query/question-times.js';
import {formatForm} from './report-format.js';
import {ofEveryReport, reportRoute} from './reports.js';

export const usersForm = {
  ...ofEveryReport,
  ...formatForm,
  ...didForm,
  ...bucketedForm,
  metric: member(active.shape.metric),
  ...breakdownForm,
};

export const usersReport = reportRoute(usersForm, (values, front) =>
  activeQuery(
    {
      report: 'active',
      metric: values.metric,
      ...bucketsIn(values),
      ...didIn(values),
      breakdown: breakdownIn(values),
    },
    front,
  ),
);

/** @throws RequestFailure */
export function activeQuery(question: ActiveQuestion, front: Front): ActiveReportQuery {
  const {metric, interval} = question;
  const asked = {...activeBucketsOf(bucketTimesOf(question, front), trailingDays(metric, interval), front), metric};
  const breakdown = breakdownsOf(question.breakdown, bucketCount(asked));
  return {
    report: 'active',
    ...asked,
    ...didOf(question, front),
    ...(breakdown === undefined ? {} : {breakdown}),
  };
}
