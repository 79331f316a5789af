// GET /v1/users: who there is (docs/api/lists.md, People).
import {type PeopleQuestion, people} from '../../asks/question/lists.js';
import {conditionsOf} from '../../asks/question/members.js';
import {endOfTimeMs, timesOf} from '../../asks/question/times.js';
import type {ReportQuery} from '../../asks/report.js';
import {readUserCursor} from '../../user-cursor.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {optionalBoundsOf} from '../query/asked-times.js';
import {conditionTexts} from '../query/conditions.js';
import {deedsForm, deedsIn, inNumbersOf} from '../query/deeds.js';
import {member, name, ofPageBefore, optional, type TextForm} from '../query/parameters.js';
import {openRangeForm} from '../query/question-times.js';
import {openRangeIn} from '../query/recent-range.js';
import {userFilterOf, usersForm, usersIn} from '../query/user-filter.js';
import {behindOf} from './behind.js';
import {formatForm} from './report-format.js';
import {foreignCursor, ofEveryReport, reportRoute} from './reports.js';

const {shape} = people;
const sumHead = 'sum:';

/** By the number of events, or by the sum of a property. */
const askedSort: TextForm<NonNullable<PeopleQuestion['sort']>> = {
  schema: {type: 'string', pattern: `^(events$|${sumHead}.)`},
  expected: `events, or ${sumHead} and the name of a property`,
  parse: (text) => {
    if (text === 'events') return text;
    const sum = text.startsWith(sumHead) ? name.parse(text.slice(sumHead.length)) : undefined;
    return sum === undefined ? undefined : {sum};
  },
};

export const userListForm = {
  ...ofEveryReport,
  ...formatForm,
  prefix: member(shape.prefix),
  search: member(shape.search),
  ...usersForm,
  event: member(shape.event),
  where: conditionTexts({
    description:
      'Only users with such an event that meets this condition, in the form of `where` of reports. Up to ten, of which all ' +
      'must hold for one event.',
  }),
  ...openRangeForm(
    'Only users with an event at or after this ISO 8601 time; a date is its first moment.',
    'Only users with an event at or before this ISO 8601 time; a date is its last moment.',
  ),
  ...deedsForm,
  sort: optional(askedSort, {
    description:
      '`events`, or `sum:<property>`: the users with the most or the largest sum first, as `sort` of the question `people`.',
  }),
  limit: member(shape.limit),
  cursor: member(shape.cursor, {description: ofPageBefore}),
};

export const userList = reportRoute(userListForm, (values, front) => {
  const {prefix, search, event, where, sort, limit, cursor} = values;
  const users = {...usersIn(values).users, did: deedsIn(values)};
  const asked = {users, event, where: [...where], ...openRangeIn(values), sort, prefix, search, limit, cursor};
  return inNumbersOf(values, () => peopleQuery({report: 'people', ...asked}, front));
});

/** Traits that people are searched by. */
const searchedTraits = ({kept: {keys}}: Front): string[] => [...new Set([...keys.lists.titles, 'email'])];

/** @throws RequestFailure */
export function peopleQuery(question: PeopleQuestion, front: Front): ReportQuery {
  const {prefix, search, event, sort, limit, cursor, behind} = question;
  const {fromMs, toMs} = optionalBoundsOf(timesOf(question, front), front);
  const where = conditionsOf(question.where);
  const hasDeed = event !== undefined || where.length > 0 || fromMs !== undefined || toMs !== undefined;
  // The earliest time of an event is 1970.
  const range = {fromMs: fromMs ?? 0, toMs: toMs ?? endOfTimeMs};
  const events = {...(event === undefined ? {} : {event}), where, ...range};
  const deeds = hasDeed ? [{...events, isAbsent: false}] : [];
  const {where: ofTraits, did, ...except} = userFilterOf(question, front).users ?? {where: [], did: []};
  const query = {
    report: 'user_list',
    ...((ofTraits.length + did.length + deeds.length > 0 || except.except !== undefined) && {
      users: {where: ofTraits, did: [...deeds, ...did], ...except},
    }),
    limit,
    ...(prefix === undefined ? {} : {prefix}),
    ...(search !== undefined && {search: {text: search, traits: searchedTraits(front)}}),
    ...(behind === undefined ? {} : {behind: behindOf(behind, front)}),
    ...(sort === undefined ? {} : {sort: {events, ...(sort === 'events' ? {} : {property: sort.sum})}}),
  } as const;
  if (cursor === undefined) return query;
  const after = readUserCursor(cursor, query);
  if (after === undefined) throw new RequestFailure(foreignCursor);
  return {...query, after};
}
