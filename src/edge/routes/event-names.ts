// GET /v1/names: names of events by how often they occurred, page by page.
import {namesLimitDefault, namesLimitMax} from '../../../actors/limits.js';
import {type NamesCursor, readNamesCursor} from '../../names-cursor.js';
import {RequestFailure} from '../failure.js';
import {optionalBoundsOf} from '../query/asked-times.js';
import {anyText, name, optional, wholeNumber, withDefault, word} from '../query/parameters.js';
import {recentForm, recentOf} from '../query/recent-range.js';
import {formatForm} from './report-csv.js';
import {foreignCursor, hiddenForm, hiddenIn, ofEveryReport, reportRoute} from './reports.js';

export const namesForm = {
  ...ofEveryReport,
  ...formatForm,
  ...hiddenForm,
  prefix: optional(name, {description: 'Only names that begin with this.'}),
  include: optional(word(['users']), {
    description: '`users`: each name has `users`, the distinct users with such an event in the range.',
  }),
  ...recentForm,
  limit: withDefault(wholeNumber(namesLimitMax), namesLimitDefault, {description: 'Names on a page.'}),
  cursor: optional(anyText, {
    description:
      'The `next_cursor` of the page before, with the same `prefix`; it keeps the range, and `limit` may change. Pages ' +
      'of one `Report-Log-Position` fit together; between two of them names may change places.',
  }),
};

export const namesReport = reportRoute(namesForm, ({prefix, limit, cursor, include, hidden, ...times}, front) => {
  const asked = {...optionalBoundsOf(times, front), prefix};
  const start = cursor === undefined ? undefined : readNamesCursor(cursor);
  if (cursor !== undefined && !continues(start, asked)) throw new RequestFailure(foreignCursor);
  return {
    report: 'names',
    ...recentOf(times, start, front),
    limit,
    ...(prefix === undefined ? {} : {prefix}),
    ...(start === undefined ? {} : {after: start.after}),
    ...(include === undefined ? {} : {withUsers: true}),
    ...hiddenIn(front.keys.hidden.names, {hidden}),
  };
});

/** A parameter that a page leaves out keeps its value. */
const continues = (
  start: NamesCursor | undefined,
  {fromMs, toMs, prefix}: {fromMs: number | undefined; toMs: number | undefined; prefix: string | undefined},
): boolean =>
  start !== undefined &&
  (fromMs ?? start.fromMs) === start.fromMs &&
  (toMs ?? start.toMs) === start.toMs &&
  prefix === start.prefix;
