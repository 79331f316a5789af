// The boards beside each other: each leads to its own page. With one board there is nothing to choose.
import {pageAddress} from '../address/base';
import {asSaved, boardForm, type ForTiles} from '../address/board-address';
import {addressAsking} from '../address/codec';
import {type Board, boards} from '../service/boards';

export const boardAddress = (board: Board, all: ForTiles = asSaved): string =>
  pageAddress('/boards') + addressAsking(boardForm, {...all, board: board.id});

export function BoardLinks({shown, all}: {readonly shown: Board | undefined; readonly all: ForTiles}) {
  const known = boards.value ?? [];
  if (known.length < 2) return null;
  return (
    <nav class="board-links" aria-label="Boards">
      {known.map((board) => (
        <a key={board.id} href={boardAddress(board, all)} aria-current={board.id === shown?.id ? 'true' : undefined}>
          {board.name}
        </a>
      ))}
    </nav>
  );
}
