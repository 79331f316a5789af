// The question of People: one person, a receipt, or a list of people; and the paths that ask for the list and for an export.

import {dateText} from '../../../../actors/calendar.js';
import {flatOf} from '../../../../src/asks/question/flat.js';
import {nameOrNone, type Parameter, type QuestionOf, word} from '../../address/codec.js';
import {conditions, writeCondition} from '../../address/conditions.js';
import {not_segment, peopleForm, zone} from '../../address/report-address.js';
import {homeZone} from '../../address/zone.js';

/** Columns of the list beside who it is. A trait has a column of its own as `trait:` and its name. */
export const usualColumns = ['last_seen', 'first_seen', 'traits'] as const;
const columnsMax = 12;
const traitHead = 'trait:';
export const traitColumn = (name: string): string => traitHead + name;
/** Undefined: the column is of no single trait. */
export const traitOfColumn = (column: string): string | undefined =>
  column.startsWith(traitHead) ? column.slice(traitHead.length) : undefined;
const isColumn = (text: string): boolean =>
  (usualColumns as readonly string[]).includes(text) || (traitOfColumn(text) ?? '') !== '';
const columns: Parameter<readonly string[]> = {
  absent: usualColumns,
  expected: `${usualColumns.join(', ')} or ${traitHead} and the name of a trait, up to ${columnsMax}`,
  isPart: isColumn,
  read: (texts) => (texts.length <= columnsMax ? [...new Set(texts)] : undefined),
  write: (chosen) => chosen,
};

export const withins = ['1d', '7d', '30d', '90d'] as const;
export const peopleListForm = {
  ...peopleForm,
  search: nameOrNone('a part of an id, a title or an e-mail address, of 1 to 256 characters'),
  /** Null: of any name. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  /** Null: ever. */
  within: word<(typeof withins)[number], null>(withins, null),
  user_where: conditions,
  zone,
  not_segment,
  column: columns,
} as const;
export type PeopleQuestion = QuestionOf<typeof peopleListForm>;

/** @param page of an earlier answer: where it ends, and the position that it is of. */
export function userListPath(
  {search, event, within, user_where: traits, zone: ofPage, not_segment: others}: PeopleQuestion,
  today: number,
  limit: number,
  page?: {readonly cursor: string; readonly at: string},
): string {
  const list = flatOf({
    report: 'people',
    search: search ?? undefined,
    users: {where: traits.map(writeCondition), not_segment: others ?? undefined},
    event: event ?? undefined,
    range: within === null ? undefined : {from: dateText(today - Number.parseInt(within, 10) + 1), to: dateText(today)},
    timezone: ofPage ?? homeZone(),
    limit,
    cursor: page?.cursor,
  });
  return page === undefined ? list : `${list}&at=${page.at}`;
}
