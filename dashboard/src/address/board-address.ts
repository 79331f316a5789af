// The address of a board: which one, and what holds for all of its tiles. Without the latter each tile shows what was pinned.

import {one, type QuestionOf} from './codec.js';
import {conditions} from './conditions.js';
import type {Narrowing} from './narrowed.js';
import {membersOf} from './page-question.js';
import {type Range, rangeText} from './range.js';
import {range} from './report-address.js';

export const boardForm = {
  /** Null: none, the page lists all of them. */
  board: one<string | null>(
    null,
    'the id of a board',
    (text) => (/^bd_[0-9a-f]{16}$/.test(text) ? text : undefined),
    (text) => text,
  ),
  /** Null: each tile has its own. */
  range: one<Range | null>(null, range.expected, (text) => range.read([text]), rangeText),
  where: conditions,
  user_where: conditions,
} as const;

/** What holds for all tiles. */
export type ForTiles = Pick<QuestionOf<typeof boardForm>, 'range' | 'where' | 'user_where'>;

export const asSaved: ForTiles = {range: null, where: [], user_where: []};

export const narrowingOf = ({where, user_where: ofUsers}: ForTiles): Narrowing => ({
  where: membersOf(where),
  users: {where: membersOf(ofUsers)},
});
