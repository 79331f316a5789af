// The tiles of a board: reports, each with its own days, and texts.
import {addressOf, type KeptReport} from '../../../src/asks/address.js';
import type {BoardAnswer} from '../../../src/edge/answers/boards.js';
import {homeZone} from '../address/zone.js';

export type BoardTile = BoardAnswer['tiles'][number];
export type TextTile = Extract<BoardTile, {readonly text: string}>;
export type ReportTile = Exclude<BoardTile, TextTile>;
export type TileWidth = NonNullable<BoardTile['width']>;

/** Number of tiles that the service stores at most (src/kept/board.ts). */
export const tilesMax = 12;

export const isReport = (tile: BoardTile): tile is ReportTile => tile.text === undefined;

/** The whole question as an address: `/funnels?step=signup&step=purchase&range=90d`. Reports that differ in their days are two pins. */
export function pinKey(report: KeptReport): string {
  const {page, search} = addressOf(report, homeZone());
  return page + search;
}

/** A key for each tile, by what it shows, whatever its title and width. Equal ones are told apart by a number. */
export function tileKeys(tiles: readonly BoardTile[]): string[] {
  const counts = new Map<string, number>();
  return tiles.map((tile) => {
    const key = isReport(tile) ? pinKey(tile) : `text ${tile.text}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before === 0 ? key : `${key} ${before + 1}`;
  });
}

/** The tiles with one moved to the place of another. */
export function moved(tiles: readonly BoardTile[], key: string, to: number): readonly BoardTile[] {
  const from = tileKeys(tiles).indexOf(key);
  const others = tiles.filter((_, at) => at !== from);
  return [...others.slice(0, to), ...tiles.filter((_, at) => at === from), ...others.slice(to)];
}

export type TileMembers = Pick<BoardTile, 'name' | 'width' | 'text'>;

/** The tile with other members; undefined takes one away. */
export const tileWith = (tile: BoardTile, members: TileMembers): BoardTile =>
  Object.fromEntries(
    Object.entries({...tile, ...members}).filter(([, one]) => one !== undefined),
  ) as unknown as BoardTile;

/** Columns of the twelve that the board has. A tile that is alone is as wide as the board. */
export function spanOf(width: TileWidth | undefined, isAlone: boolean): 4 | 6 | 12 {
  if (width === undefined) return isAlone ? 12 : 6;
  return ({third: 4, half: 6, full: 12} as const)[width];
}
