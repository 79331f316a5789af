// Cursors of GET /v1/users: the last user of a page, and a digest of the list's parameters.
//   A cursor is only a place in a list that its reader may read: its form is checked, and it is not signed.
import {createHash} from 'node:crypto';
import type {ReportQuery} from './asks/report.js';
import type {UserPlace} from './asks/user-list.js';
import {jsonOrUndefined} from './json.js';

type Query = Extract<ReportQuery, {report: 'user_list'}>;

const cursorCharsMax = 256;

/** Identity of a list: equal for all its pages. */
const listOf = ({prefix, search, users, sort, behind}: Query): string => {
  const deeds = users?.did.map(({event, where, fromMs, toMs, isAbsent}) => [
    event ?? null,
    where,
    fromMs,
    toMs,
    isAbsent,
  ]);
  const ofSort = sort && [sort.property ?? null, sort.events];
  const fields = [
    prefix ?? null,
    users?.where ?? [],
    deeds ?? [],
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
