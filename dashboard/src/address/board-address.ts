// The question of a board: which one, and its days.
import {one} from './codec.js';
import {overviewForm} from './report-address.js';

export const boardForm = {
  /** Null: none, the page lists all of them. */
  board: one<string | null>(
    null,
    'the id of a board',
    (text) => (/^bd_[0-9a-f]{16}$/.test(text) ? text : undefined),
    (text) => text,
  ),
  ...overviewForm,
} as const;
