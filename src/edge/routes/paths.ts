// GET /v1/reports/paths.
import {type PathsQuestion, paths} from '../../asks/question/engagement.js';
import {conditionsOf} from '../../asks/question/members.js';
import {timesOf} from '../../asks/question/times.js';
import type {ReportQuery} from '../../asks/report.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {boundsOf} from '../query/asked-times.js';
import {conditionTexts} from '../query/conditions.js';
import {member, name, optional} from '../query/parameters.js';
import {rangeForm, rangeIn} from '../query/question-times.js';
import {userFilterOf, usersForm, usersIn} from '../query/user-filter.js';
import {formatForm} from './report-format.js';
import {ofEveryReport, reportRoute} from './reports.js';

const {shape} = paths;

export const pathsForm = {
  ...ofEveryReport,
  ...formatForm,
  start: optional(name, {
    description: shape.start.description!,
    example: 'signup',
  }),
  end: optional(name, {description: shape.end.description!}),
  where: conditionTexts(shape.where),
  ...usersForm,
  ...rangeForm,
  depth: member(shape.depth),
  limit: member(shape.limit),
};

const named = (event: string | undefined) => (event === undefined ? undefined : {event});

export const pathsReport = reportRoute(pathsForm, (values, front) =>
  pathsQuery(
    {
      report: 'paths',
      start: named(values.start),
      end: named(values.end),
      where: [...values.where],
      ...usersIn(values),
      ...rangeIn(values),
      depth: values.depth,
      limit: values.limit,
    },
    front,
  ),
);

const refused = (message: string): RequestFailure => new RequestFailure(invalidRequest(message, 'start'));

/** @throws RequestFailure */
export function pathsQuery(question: PathsQuestion, front: Front): Extract<ReportQuery, {report: 'paths'}> {
  const {start, end, where, depth, limit} = question;
  if (start === undefined && end === undefined) throw refused('start or end is required');
  if (start !== undefined && end !== undefined) throw refused('start and end exclude each other');
  return {
    report: 'paths',
    event: (start ?? end)!.event,
    direction: start === undefined ? 'before' : 'after',
    ...boundsOf(timesOf(question, front), front),
    where: conditionsOf(where),
    ...userFilterOf(question, front),
    depth,
    limit,
  };
}
