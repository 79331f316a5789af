// GET /v1/reports/lifecycle.
import {bucketStart} from '../../../actors/calendar.js';
import {bucketedForm, bucketsOf} from '../query/asked-times.js';
import {namedForm, namedOf} from '../query/did.js';
import {startBefore} from '../query/neighbour-buckets.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, reportRoute} from './reports.js';

export const lifecycleForm = {...ofEveryReport, ...formatForm, ...namedForm, ...bucketedForm};

/** The first bucket is read from its start: else those who came in it before `from` would be new, or dormant, in the next one. */
export const lifecycleReport = reportRoute(lifecycleForm, (values, front) => {
  const asked = bucketsOf(values, front);
  return {
    report: 'lifecycle',
    ...asked,
    fromMs: asked.buckets?.edges[0] ?? bucketStart(asked.fromMs, asked.interval),
    beforeMs: startBefore(asked, values, front),
    ...namedOf(values),
  };
});
