// GET /v1/names: names of events by how often they occurred, page by page.
import {type NamesQuestion, names} from '../../asks/question/lists.js';
import {timesOf} from '../../asks/question/times.js';
import type {ReportQuery} from '../../asks/report.js';
import {type NamesCursor, readNamesCursor} from '../../names-cursor.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {optionalBoundsOf} from '../query/asked-times.js';
import {flag, member, ofPageBefore} from '../query/parameters.js';
import {openRangeIn, recentForm, recentOf} from '../query/recent-range.js';
import {userFilterOf, usersForm, usersIn} from '../query/user-filter.js';
import {formatForm} from './report-format.js';
import {foreignCursor, hiddenIn, ofEveryReport, reportRoute} from './reports.js';

const {shape} = names;

export const namesForm = {
  ...ofEveryReport,
  ...formatForm,
  hidden: flag({description: shape.hidden.description!}),
  prefix: member(shape.prefix),
  include: member(shape.include),
  ...usersForm,
  ...recentForm,
  limit: member(shape.limit),
  cursor: member(shape.cursor, {description: ofPageBefore}),
};

export const namesReport = reportRoute(namesForm, (values, front) => {
  const {prefix, limit, cursor, include, hidden} = values;
  const asked = {...usersIn(values), ...openRangeIn(values), prefix, limit, cursor, include, hidden};
  return namesQuery({report: 'names', ...asked}, front);
});

/** @throws RequestFailure */
export function namesQuery(question: NamesQuestion, front: Front): ReportQuery {
  const {prefix, limit, cursor, include, hidden} = question;
  const times = timesOf(question, front);
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
    ...userFilterOf(question, front),
    ...hiddenIn(front.kept.keys.lists.names, hidden),
  };
}

/** A bound that a page leaves out keeps its value. */
const continues = (
  start: NamesCursor | undefined,
  {fromMs, toMs, prefix}: {fromMs: number | undefined; toMs: number | undefined; prefix: string | undefined},
): boolean =>
  start !== undefined &&
  (fromMs ?? start.fromMs) === start.fromMs &&
  (toMs ?? start.toMs) === start.toMs &&
  prefix === start.prefix;
