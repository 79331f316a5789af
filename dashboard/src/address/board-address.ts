// The address of a board: which one, and what holds for all of its tiles. Without the latter each tile shows what was pinned.

import {one, type QuestionOf} from './codec.js';
import {conditions} from './conditions.js';
import type {Narrowing} from './narrowed.js';
import {membersOf} from './page-question.js';
import {type Range, rangeText} from './range.js';
import {idOrNone, not_segment, range} from './report-address.js';

export const boardForm = {
  /** Null: none, the page lists all of them. */
  board: idOrNone('bd', 'board'),
  /** Null: each tile has its own. */
  range: one<Range | null>(null, range.expected, (text) => range.read([text]), rangeText),
  where: conditions,
  user_where: conditions,
  not_segment,
} as const;

/** What holds for all tiles. */
export type ForTiles = Pick<QuestionOf<typeof boardForm>, 'range' | 'where' | 'user_where' | 'not_segment'>;

export const asSaved: ForTiles = {range: null, where: [], user_where: [], not_segment: null};

export const narrowingOf = ({where, user_where: ofUsers, not_segment: others}: ForTiles): Narrowing => ({
  where: membersOf(where),
  users: {where: membersOf(ofUsers), not_segment: others ?? undefined},
});
