// The question of People: one person, a receipt, or a list of people; and the paths that ask for the list and for an export.
import {dateText} from '../../../../actors/calendar.js';
import {flatOf} from '../../../../src/asks/question/flat.js';
import {nameOrNone, type QuestionOf, word} from '../../address/codec.js';
import {conditions, writeCondition} from '../../address/conditions.js';
import {inUtc, peopleForm} from '../../address/report-address.js';

export const withins = ['1d', '7d', '30d', '90d'] as const;
export const peopleListForm = {
  ...peopleForm,
  prefix: nameOrNone('the beginning of an id, of 1 to 256 characters'),
  /** Null: of any name. */
  event: nameOrNone('the name of an event, of 1 to 256 characters'),
  /** Null: ever. */
  within: word<(typeof withins)[number], null>(withins, null),
  user_where: conditions,
} as const;
export type PeopleQuestion = QuestionOf<typeof peopleListForm>;

/** @param page of an earlier answer: where it ends, and the position that it is of. */
export function userListPath(
  {prefix, event, within, user_where: traits}: PeopleQuestion,
  today: number,
  limit: number,
  page?: {readonly cursor: string; readonly at: string},
): string {
  const list = flatOf({
    report: 'people',
    prefix: prefix ?? undefined,
    users: {where: traits.map(writeCondition)},
    event: event ?? undefined,
    range: within === null ? undefined : {from: dateText(today - Number.parseInt(within, 10) + 1), to: dateText(today)},
    timezone: inUtc[1],
    limit,
    cursor: page?.cursor,
  });
  return page === undefined ? list : `${list}&at=${page.at}`;
}
