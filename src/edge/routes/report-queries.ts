// What the report role is asked, by the kind of a question for a report.

import type {CountingQuery} from '../../asks/people-behind.js';
import type {ReportKind} from '../../asks/question/behind.js';
import type {QuestionOf} from '../../asks/question/kinds.js';
import type {Front} from '../front.js';
import {activeQuery} from './active-users.js';
import {countsQuery} from './event-counts.js';
import {funnelQuery} from './funnel.js';
import {lifecycleQuery} from './lifecycle.js';
import {pathsQuery} from './paths.js';
import {retentionQuery} from './retention.js';
import {stickinessQuery} from './stickiness.js';

export type CountingQueryOf<K extends ReportKind> = Extract<CountingQuery, {report: K}>;

/** Each throws RequestFailure that names parameters. */
export const reportQueries: {
  readonly [K in ReportKind]: (question: QuestionOf<K>, front: Front) => CountingQueryOf<K>;
} = {
  counts: countsQuery,
  active: activeQuery,
  funnel: funnelQuery,
  retention: retentionQuery,
  lifecycle: lifecycleQuery,
  stickiness: stickinessQuery,
  paths: pathsQuery,
};
