// GET /v1/reports/lifecycle.
import {bucketStart} from '../../../actors/calendar.js';
import type {LifecycleQuestion} from '../../asks/question/engagement.js';
import type {ReportQuery} from '../../asks/report.js';
import type {Front} from '../front.js';
import {bucketsOf} from '../query/asked-times.js';
import {didOf, namedForm, namedIn} from '../query/did.js';
import {startBefore} from '../query/neighbour-buckets.js';
import {bucketedForm, bucketsIn, bucketTimesOf} from '../query/question-times.js';
import {formatForm} from './report-format.js';
import {ofEveryReport, reportRoute} from './reports.js';

export const lifecycleForm = {...ofEveryReport, ...formatForm, ...namedForm, ...bucketedForm};

export const lifecycleReport = reportRoute(lifecycleForm, (values, front) =>
  lifecycleQuery({report: 'lifecycle', ...bucketsIn(values), ...namedIn(values)}, front),
);

/**
 * The first bucket is read from its start: else those who came in it before `from` would be new, or dormant, in the next one.
 * @throws RequestFailure
 */
export function lifecycleQuery(question: LifecycleQuestion, front: Front): Extract<ReportQuery, {report: 'lifecycle'}> {
  const times = bucketTimesOf(question, front);
  const asked = bucketsOf(times, front);
  return {
    report: 'lifecycle',
    ...asked,
    fromMs: asked.buckets?.edges[0] ?? bucketStart(asked.fromMs, asked.interval),
    beforeMs: startBefore(asked, times, front),
    ...didOf(question, front),
  };
}
