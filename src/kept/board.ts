// A board: reports that everybody who signs in sees side by side, in one order. Overview shows the first board.
//   BD1. A tile keeps a report as a saved one does (saved-report.ts SV2, SV3), and the board shows it so. Days and filters for all tiles are
//        in the address of the page that shows the board, and change nothing that is kept.
import type {KeptReport} from '../asks/address.js';
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const boardsMax = 20;
/** Tiles of one board. */
export const boardTilesMax = 12;
/** Characters of all tiles of a board as JSON: a report with several conditions has some 1,000. */
export const boardCharsMax = 131_072;

export interface Board extends Definition {
  readonly name: string;
  /** Sort key of the boards, ascending; any number between two others is possible. */
  readonly place: number;
  /** In the order of the board. BD1 */
  readonly tiles: readonly KeptReport[];
  readonly changedMs: number;
  /** Name of the person or key. */
  readonly changedBy: string;
}

export const boardsOf = (store: KeptStore): Definitions<Board> => store.definitions<Board>('bd');
