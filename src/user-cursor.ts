// Cursors of GET /v1/users: the last user of a page, and a digest of the list's parameters.
//   A cursor is only a place in a list that its reader may read: its form is checked, and it is not signed.
import {createHash} from 'node:crypto';
import type {ReportQuery} from './asks/report.js';
import type {UserRules} from './asks/user-filter.js';
import type {UserPlace} from './asks/user-list.js';
import {jsonOrUndefined} from './json.js';

type Query = Extract<ReportQuery, {report: 'user_list'}>;

const cursorCharsMax = 256;

const rulesOf = ({where, did}: UserRules) => [
  where,
  did.map((deed) => [deed.event ?? null, deed.where, deed.fromMs, deed.toMs, deed.isAbsent]),
];

/** Identity of a list: equal for all its pages. */
const listOf = ({prefix, search, users, sort, behind}: Query): string => {
  const ofSort = sort && [sort.property ?? null, sort.events];
  const fields = [
    prefix ?? null,
    users === undefined ? null : [rulesOf(users), users.except === undefined ? null : rulesOf(users.except)],
    ofSort ?? null,
    behind ?? null,
    search?.text ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 16);
};

export function userCursorText(query: Query, {rank, partition, user}: UserPlace): string {
  return Buffer.from(JSON.stringify([listOf(query), rank, partition, user])).toString('base64url');
}

/** Parses a cursor; undefined for a text that is no cursor of this list. */
export function readUserCursor(text: string, query: Query): UserPlace | undefined {
  if (text.length > cursorCharsMax || !/^[\w-]+$/.test(text)) return undefined;
  const fields = jsonOrUndefined(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(fields) || fields.length !== 4) return undefined;
  const [list, rank, ...place] = fields;
  const [partition, user] = place;
  const isRank = rank === null ? query.sort?.property !== undefined : Number.isFinite(rank);
  return list === listOf(query) && isRank && place.every(Number.isSafeInteger) ? {rank, partition, user} : undefined;
}
