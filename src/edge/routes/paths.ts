// GET /v1/reports/paths.
import {pathDepthDefault, pathDepthMax, pathDepthMin, pathEdgesDefault, pathEdgesMax} from '../../../actors/limits.js';
import {boundsForm, boundsOf} from '../query/asked-times.js';
import {conditions, userWhere} from '../query/conditions.js';
import {checkNamed} from '../query/did.js';
import {name, optional, wholeNumber, withDefault} from '../query/parameters.js';
import {formatForm} from './report-csv.js';
import {ofEveryReport, refused, reportRoute} from './reports.js';

export const pathsForm = {
  ...ofEveryReport,
  ...formatForm,
  start: optional(name, {
    description:
      'The name of the event where paths start: the first one of each user in the range. Either this, or `end`.',
    example: 'signup',
  }),
  end: optional(name, {
    description:
      'The name of the event where paths end: the last one of each user in the range. Steps are counted back from it.',
  }),
  where: conditions('Only events that meet this condition are on paths, in the form of `where` of the counts.'),
  user_where: userWhere,
  ...boundsForm,
  depth: withDefault(wholeNumber(pathDepthMax), pathDepthDefault, {
    description: `Steps of a path, the named event included: ${pathDepthMin} to ${pathDepthMax}.`,
  }),
  limit: withDefault(wholeNumber(pathEdgesMax), pathEdgesDefault, {
    description: 'Edges of each step, the most frequent ones; the users of the others are summed up.',
  }),
};

export const pathsReport = reportRoute(pathsForm, (values, front) => {
  const {start, end, where, user_where: userWhere, depth, limit} = values;
  checkNamed('start', start, 'end', end);
  if (depth < pathDepthMin)
    throw refused(`depth must be a whole number from ${pathDepthMin} to ${pathDepthMax}`, 'depth');
  return {
    report: 'paths',
    event: (start ?? end)!,
    direction: start === undefined ? 'before' : 'after',
    ...boundsOf(values, front),
    where,
    userWhere,
    depth,
    limit,
  };
});
