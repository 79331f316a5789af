// A board: reports and texts that everybody who signs in sees side by side, in one order. Overview shows the first board.
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
/** Characters of a text: a paragraph or two beside the charts. */
export const tileTextCharsMax = 2_000;

export const tileWidths = ['third', 'half', 'full'] as const;

interface Placed {
  /** Title; absent: what the report asks, in words. */
  readonly name?: string | undefined;
  /** Absent: half of the board. */
  readonly width?: (typeof tileWidths)[number] | undefined;
}
export interface ReportTile extends KeptReport, Placed {
  readonly text?: undefined;
}
export interface TextTile extends Placed {
  /** Plain text with its line breaks. */
  readonly text: string;
}
export type BoardTile = ReportTile | TextTile;

export const isReportTile = (tile: BoardTile): tile is ReportTile => tile.text === undefined;

export interface Board extends Definition {
  readonly name: string;
  /** Sort key of the boards, ascending; any number between two others is possible. */
  readonly place: number;
  /** In the order of the board. BD1 */
  readonly tiles: readonly BoardTile[];
  readonly changedMs: number;
  /** Name of the person or key. */
  readonly changedBy: string;
}

export const boardsOf = (store: KeptStore): Definitions<Board> => store.definitions<Board>('bd');
