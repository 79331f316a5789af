// A tile of a board, with its place in their order. What a report shows is loaded by its page.
import type {FunctionComponent} from 'preact';
import {addressOf} from '../../../src/asks/address.js';
import {homeZone} from '../address/zone';
import type {Reorder} from '../controls/reorder';
import {type ReportEntry, reports} from '../reports/all';
import {type BoardTile, isReport} from '../service/board-tiles';
import type {Board} from '../service/boards';
import type {Freshness} from '../service/freshness';
import {later} from '../shell/later';
import {Loading} from '../shell/states';
import {type OfTiles, type TileProps, tileOf} from './report-tile';
import {TextCard} from './text-card';
import {TileTools} from './tile-tools';

const waiting = (
  <div class="card">
    <Loading lines={8} />
  </div>
);

export const tileLater = (entry: ReportEntry): FunctionComponent<TileProps> =>
  later(async () => tileOf(entry, (await entry.script()).report), waiting);

/** By the path of the report's page. */
export const tiles: ReadonlyMap<string, FunctionComponent<TileProps>> = new Map(
  reports.map((entry) => [entry.path, tileLater(entry)]),
);

export interface PinnedProps extends OfTiles {
  readonly board: Board;
  readonly tile: BoardTile;
  /** Its key among the tiles of the board. */
  readonly place: string;
  readonly reorder: Reorder<string>;
  /** Absent: the page says by itself how fresh its numbers are. */
  readonly onFresh?: (place: string, freshness: Freshness | undefined) => void;
}

export function Pinned({board, tile, place, reorder, onFresh, ...ofTiles}: PinnedProps) {
  const tools = (title: string) => (
    <TileTools board={board} tile={tile} place={place} title={title} reorder={reorder} />
  );
  if (!isReport(tile)) return <TextCard tile={tile} tools={tools} />;
  const {page, search} = addressOf(tile, homeZone());
  const Tile = tiles.get(page)!;
  return (
    <Tile
      {...ofTiles}
      search={search}
      name={tile.name}
      tools={tools}
      onFresh={(freshness) => onFresh?.(place, freshness)}
    />
  );
}
