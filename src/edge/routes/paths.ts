// GET /v1/reports/paths.
import {type PathsQuestion, paths} from '../../asks/question/engagement.js';
import {userWhere} from '../../asks/question/members.js';
import type {ReportQuery} from '../../asks/report.js';
import type {Front} from '../front.js';
import {boundsOf} from '../query/asked-times.js';
import {conditionTexts} from '../query/conditions.js';
import {checkNamed, conditionsOf} from '../query/did.js';
import {member, name, optional} from '../query/parameters.js';
import {rangeForm, rangeIn, timesOf} from '../query/question-times.js';
import {formatForm} from './report-csv.js';
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
  user_where: conditionTexts(userWhere),
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
      users: {where: [...values.user_where]},
      ...rangeIn(values),
      depth: values.depth,
      limit: values.limit,
    },
    front,
  ),
);

/** @throws RequestFailure */
export function pathsQuery(question: PathsQuestion, front: Front): ReportQuery {
  const {start, end, where, users, depth, limit} = question;
  checkNamed('start', start, 'end', end);
  return {
    report: 'paths',
    event: (start ?? end)!.event,
    direction: start === undefined ? 'before' : 'after',
    ...boundsOf(timesOf(question, front), front),
    where: conditionsOf(where),
    userWhere: conditionsOf(users?.where),
    depth,
    limit,
  };
}
