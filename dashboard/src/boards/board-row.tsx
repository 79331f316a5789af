// The tiles of a board, and the way back for one that was removed.
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';
import {useReorder} from '../controls/reorder';
import {moveTile, putBack, removedTile} from '../service/board-changes';
import {type BoardTile, spanOf, tileKeys} from '../service/board-tiles';
import {Pinned, type PinnedProps} from './pinned';
import './board-row.css';

export function BoardRow({
  beside,
  ...props
}: Omit<PinnedProps, 'tile' | 'place' | 'reorder'> & {
  /** Stands beside the first tile. */
  readonly beside?: ComponentChildren;
}) {
  const {board} = props;
  const {tiles} = board;
  const keys = tileKeys(tiles);
  const reorder = useReorder(keys, (key, to) => moveTile(board, key, to));
  const columns = (tile: BoardTile, at: number): number =>
    beside === undefined
      ? spanOf(tile.width, tiles.length === 1)
      : at === 0
        ? 8
        : spanOf(tile.width, tiles.length === 2);
  // All cards are in one list, so a tile that is moved keeps its card and its data.
  const cards = tiles.map((tile, at) => (
    <div key={keys[at]} class={`board-tile pinned span-${columns(tile, at)}`} {...reorder.place(keys[at]!)}>
      <Pinned {...props} tile={tile} place={keys[at]!} reorder={reorder} />
    </div>
  ));
  if (cards.length === 0) return null;
  return <div class="row">{beside ? [cards[0], beside, ...cards.slice(1)] : cards}</div>;
}

/** Says which tile was removed from the board, and puts it back. */
export function RemovedTile({id}: {readonly id: string}) {
  useEffect(() => () => (removedTile.value = undefined), []);
  const removed = removedTile.value;
  if (removed?.board.id !== id) return null;
  return (
    <p class="tile-removed" role="status">
      {removed.title} was removed for everybody.{' '}
      <button type="button" class="link" onClick={() => putBack(removed)}>
        Put it back
      </button>
    </p>
  );
}
