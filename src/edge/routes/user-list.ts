// GET /v1/users: who there is (docs/api.md, Discovery).
import {namesLimitDefault, namesLimitMax} from '../../../actors/limits.js';
import {readUserCursor} from '../../user-cursor.js';
import {RequestFailure} from '../failure.js';
import {askedTime, optionalBoundsOf, timezone} from '../query/asked-times.js';
import {conditions} from '../query/conditions.js';
import {deedsForm, deedsOf} from '../query/deeds.js';
import {anyText, name, optional, type TextForm, wholeNumber, withDefault} from '../query/parameters.js';
import {endOfTimeMs} from '../query/recent-range.js';
import {formatForm} from './report-csv.js';
import {foreignCursor, ofEveryReport, reportRoute} from './reports.js';

const sumHead = 'sum:';

/** By the number of events, or by the sum of a property. */
const askedSort: TextForm<{readonly property?: string}> = {
  schema: {type: 'string', pattern: `^(events$|${sumHead}.)`},
  expected: `events, or ${sumHead} and the name of a property`,
  parse: (text) => {
    if (text === 'events') return {};
    const property = text.startsWith(sumHead) ? name.parse(text.slice(sumHead.length)) : undefined;
    return property === undefined ? undefined : {property};
  },
};

export const userListForm = {
  ...ofEveryReport,
  ...formatForm,
  prefix: optional(anyText, {description: 'Only users whose id begins with this.'}),
  user_where: conditions(
    'Only users whose current traits meet this condition, in the form of `where` of reports: `plan eq pro`. Up to ten, of ' +
      'which all must hold.',
  ),
  event: optional(name, {description: 'Only users with an event of this name, in the range if one is given.'}),
  where: conditions(
    'Only users with such an event that meets this condition, in the form of `where` of reports. Up to ten, of which all ' +
      'must hold for one event.',
  ),
  from: optional(askedTime, {
    description: 'Only users with an event at or after this ISO 8601 time; a date is its first moment.',
  }),
  to: optional(askedTime, {
    description: 'Only users with an event at or before this ISO 8601 time; a date is its last moment.',
  }),
  timezone,
  ...deedsForm,
  sort: optional(askedSort, {
    description:
      '`events`: those with the most events first. `sum:<property>`: those with the largest sum of the numbers of this ' +
      'property first. Each row has the exact `value`. It is of the events that `event`, `where`, `from` and `to` choose, ' +
      'without these of all events. Absent: the last seen first.',
  }),
  limit: withDefault(wholeNumber(namesLimitMax), namesLimitDefault, {description: 'Users on a page.'}),
  cursor: optional(anyText, {
    description:
      'The `next_cursor` of the page before, with the same parameters; `limit` may change. Pages of one `Report-Log-Position` ' +
      'fit together; `at` asks for it.',
  }),
};

export const userList = reportRoute(userListForm, (values, front) => {
  const {prefix, event, where, limit, cursor} = values;
  const {fromMs, toMs} = optionalBoundsOf(values, front);
  const hasDeed = event !== undefined || where.length > 0 || fromMs !== undefined || toMs !== undefined;
  // The earliest time of an event is 1970.
  const range = {fromMs: fromMs ?? 0, toMs: toMs ?? endOfTimeMs};
  const events = {...(event === undefined ? {} : {event}), where, ...range};
  const deed = {...events, isAbsent: false};
  const query = {
    report: 'user_list',
    userWhere: values.user_where,
    limit,
    ...(prefix === undefined ? {} : {prefix}),
    deeds: [...(hasDeed ? [deed] : []), ...deedsOf(values, front)],
    ...(values.sort === undefined ? {} : {sort: {events, ...values.sort}}),
  } as const;
  if (cursor === undefined) return query;
  const after = readUserCursor(cursor, query);
  if (after === undefined) throw new RequestFailure(foreignCursor);
  return {...query, after};
});
