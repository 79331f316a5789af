// A board: reports that everybody who signs in sees side by side, in one order. Overview shows the first board.
//   BD1. Pages about people cannot be pinned. A condition of a pin may name a user all the same (named-person.ts).
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const boardsMax = 20;
/** Pins of one board. */
export const boardPinsMax = 12;
/** Characters of all pins of a board: a report with several conditions has some 300. */
export const boardCharsMax = 16_384;

export interface Board extends Definition {
  readonly name: string;
  /** Sort key of the boards, ascending; any number between two others is possible. */
  readonly place: number;
  /** Addresses of reports below `/dashboard`, without what the board decides for all of them: `/trends?event=signup`. BD1 */
  readonly pins: readonly string[];
  readonly changedMs: number;
  /** Name of the person or key. */
  readonly changedBy: string;
}

export const boardsOf = (store: KeptStore): Definitions<Board> => store.definitions<Board>('bd');
