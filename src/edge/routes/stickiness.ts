// GET /v1/reports/stickiness.
import {type StickinessQuestion, stickiness} from '../../asks/question/engagement.js';
import type {ReportQuery} from '../../asks/report.js';
import type {Front} from '../front.js';
import {bucketsOf} from '../query/asked-times.js';
import {didOf, namedForm, namedIn} from '../query/did.js';
import {flag} from '../query/parameters.js';
import {bucketedForm, bucketsIn, bucketTimesOf} from '../query/question-times.js';
import {formatForm} from './report-format.js';
import {ofEveryReport, reportRoute} from './reports.js';

export const stickinessForm = {
  ...ofEveryReport,
  ...formatForm,
  ...namedForm,
  ...bucketedForm,
  at_least: flag({description: stickiness.shape.at_least.description!}),
};

export const stickinessReport = reportRoute(stickinessForm, (values, front) =>
  stickinessQuery({report: 'stickiness', ...bucketsIn(values), ...namedIn(values), at_least: values.at_least}, front),
);

/** @throws RequestFailure */
export const stickinessQuery = (
  question: StickinessQuestion,
  front: Front,
): Extract<ReportQuery, {report: 'stickiness'}> => ({
  report: 'stickiness',
  ...bucketsOf(bucketTimesOf(question, front), front),
  ...didOf(question, front),
  isAtLeast: question.at_least,
});
