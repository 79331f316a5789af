// GET /v1/reports/stickiness.
import {bucketedForm, bucketsOf} from '../query/asked-times.js';
import {namedForm, namedOf} from '../query/did.js';
import {optional, word} from '../query/parameters.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, reportRoute} from './reports.js';

export const stickinessForm = {
  ...ofEveryReport,
  ...formatForm,
  ...namedForm,
  ...bucketedForm,
  at_least: optional(word(['true']), {
    description: '`true`: users who were active in so many buckets or more, in place of exactly so many.',
  }),
};

export const stickinessReport = reportRoute(stickinessForm, (values, front) => ({
  report: 'stickiness',
  ...bucketsOf(values, front),
  ...namedOf(values),
  isAtLeast: values.at_least !== undefined,
}));
